"""``evolve lab``: commands for those who study how evolve learns."""
