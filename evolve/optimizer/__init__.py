"""Variants and the archive of all that were ever tried. Proposes and remembers; never judges."""

from __future__ import annotations

from evolve.optimizer.archive import MIGRATIONS, Promotion, Score, VariantArchive
from evolve.optimizer.mutations import Mutation, Operator, crossover, mutate, operators
from evolve.optimizer.variant import ALL_INSIGHTS, UNLEARNED, Variant

__all__ = [
    "ALL_INSIGHTS",
    "MIGRATIONS",
    "UNLEARNED",
    "Mutation",
    "Operator",
    "Promotion",
    "Score",
    "Variant",
    "VariantArchive",
    "crossover",
    "mutate",
    "operators",
]
