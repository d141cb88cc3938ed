"""Files that leave with a bundle as they are: nothing of evolve imports them, and they import nothing of it."""
