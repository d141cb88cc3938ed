"""Variants and the archive of all that were ever tried. Proposes and remembers; never judges."""

from __future__ import annotations

from evolve.lazy import attach

TYPE_CHECKING = False
if TYPE_CHECKING:
    from evolve.optimizer.archive import Entry, Promotion, VariantArchive
    from evolve.optimizer.parts import mixed, parts_of, redrawn
    from evolve.optimizer.variant import ALL_INSIGHTS, UNLEARNED, Variant
else:
    __all__, __getattr__, __dir__ = attach(
        __name__,
        {
            ".archive": "Entry Promotion VariantArchive",
            ".parts": "mixed parts_of redrawn",
            ".variant": "ALL_INSIGHTS UNLEARNED Variant",
        },
    )
