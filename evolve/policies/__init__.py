"""What decides: the :class:`Policy` protocol, and its two implementations in subpackages."""

from __future__ import annotations

from evolve.environments.probing import Probe
from evolve.policies.protocol import Edit, Policy, Rewriter, Spending

__all__ = ["Edit", "Policy", "Probe", "Rewriter", "Spending"]
