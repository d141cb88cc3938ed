"""Doubles for tests of evolve and of programs built on it. Nothing in evolve imports this package."""

from __future__ import annotations

from evolve.testing.policies import FixedLearner, FixedPolicy
from evolve.testing.sandboxes import TrustingSandbox
from evolve.testing.suites import slow_learner, small_suite

__all__ = ["FixedLearner", "FixedPolicy", "TrustingSandbox", "slow_learner", "small_suite"]
