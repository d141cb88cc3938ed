"""Typed programs: terms, the operations they use, their meaning and their Python."""
