"""Program search: the embedded policy that needs no model."""

from evolve.core.lazy import TYPE_CHECKING, attach

if TYPE_CHECKING:
    from evolve.policies.search.guide import Guide
    from evolve.policies.search.policy import SearchPolicy, SearchSettings
    from evolve.policies.search.training import TrainingSettings, fit_guide
else:
    __getattr__, __dir__ = attach(__name__)
