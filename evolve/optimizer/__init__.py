"""Variants and the archive of all that were ever tried. Proposes and remembers; never judges."""

from evolve.lazy import TYPE_CHECKING, attach

if TYPE_CHECKING:
    from evolve.optimizer.archive import Entry, Promotion, VariantArchive
    from evolve.optimizer.parts import mixed, parts_of, redrawn
    from evolve.optimizer.variant import ALL_INSIGHTS, UNLEARNED, Variant
else:
    __getattr__, __dir__ = attach(__name__)
