"""A question in words, answered by a function without parameters: the kind ``words``."""

from __future__ import annotations

from evolve.environments.words.kind import WORDS, Words

__all__ = ["WORDS", "Words"]
