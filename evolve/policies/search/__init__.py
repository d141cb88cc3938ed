"""Program search: the embedded policy that needs no model."""

from __future__ import annotations

from evolve.policies.search.guide import Guide
from evolve.policies.search.policy import SearchPolicy, SearchSettings
from evolve.policies.search.training import TrainingSettings, fit_guide

__all__ = ["Guide", "SearchPolicy", "SearchSettings", "TrainingSettings", "fit_guide"]
