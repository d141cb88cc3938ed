"""Filling the empty cells of a table."""
