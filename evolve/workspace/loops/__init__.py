"""What goes on unattended: practice, the search for variants, credit for single items, the gate tried on itself."""
