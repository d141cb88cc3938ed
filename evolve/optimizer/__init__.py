"""Variants and the archive of all that were ever tried. Proposes and remembers; never judges."""

from __future__ import annotations

from evolve.optimizer.archive import MIGRATIONS as ARCHIVE
from evolve.optimizer.archive import Entry, Promotion, VariantArchive
from evolve.optimizer.item_record import MIGRATIONS as ITEMS
from evolve.optimizer.parts import mixed, parts_of, redrawn
from evolve.optimizer.variant import ALL_INSIGHTS, UNLEARNED, Variant

MIGRATIONS = (*ARCHIVE, *ITEMS)

__all__ = [
    "ALL_INSIGHTS",
    "MIGRATIONS",
    "UNLEARNED",
    "Entry",
    "Promotion",
    "Variant",
    "VariantArchive",
    "mixed",
    "parts_of",
    "redrawn",
]
