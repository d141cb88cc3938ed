"""Program search: the embedded policy that needs no model."""

from __future__ import annotations

from evolve.lazy import attach

TYPE_CHECKING = False
if TYPE_CHECKING:
    from evolve.policies.search.guide import Guide
    from evolve.policies.search.policy import SearchPolicy, SearchSettings
    from evolve.policies.search.training import TrainingSettings, fit_guide
else:
    __all__, __getattr__, __dir__ = attach(
        __name__,
        {
            ".guide": "Guide",
            ".policy": "SearchPolicy SearchSettings",
            ".training": "TrainingSettings fit_guide",
        },
    )
