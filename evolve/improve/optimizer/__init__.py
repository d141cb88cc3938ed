"""Variants and the archive of all that were ever tried. Proposes and remembers; never judges."""

from evolve.core.lazy import TYPE_CHECKING, attach

if TYPE_CHECKING:
    from evolve.improve.optimizer.parts import mixed, parts_of, redrawn
    from evolve.trials.variants import ALL_INSIGHTS, UNLEARNED, Promotion, Variant, VariantArchive
else:
    __getattr__, __dir__ = attach(__name__)
