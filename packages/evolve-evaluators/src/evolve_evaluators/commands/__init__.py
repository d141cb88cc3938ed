"""``evolve lab metrics`` and ``evolve lab judges``."""
