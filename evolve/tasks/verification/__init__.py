"""What tells a right answer from one that only says so."""
