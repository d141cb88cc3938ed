"""What decides: the :class:`Policy` protocol, and its two implementations in subpackages."""

from __future__ import annotations

from evolve.environments.probing import Probe
from evolve.policies.protocol import Design, DesignBrief, Designer, Edit, Policy, Rewriter, Spending

__all__ = ["Design", "DesignBrief", "Designer", "Edit", "Policy", "Probe", "Rewriter", "Spending"]
