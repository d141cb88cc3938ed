"""Variants and the archive of all that were ever tried. Proposes and remembers; never judges."""

from evolve.lazy import TYPE_CHECKING, attach

if TYPE_CHECKING:
    from evolve.optimizer.archive import ALL_INSIGHTS, UNLEARNED, Promotion, Variant, VariantArchive
    from evolve.optimizer.parts import mixed, parts_of, redrawn
else:
    __getattr__, __dir__ = attach(__name__)
