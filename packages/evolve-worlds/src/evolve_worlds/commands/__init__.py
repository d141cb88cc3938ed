"""``evolve lab worlds`` and ``evolve lab trials``."""
