"""What decides: the :class:`Policy` protocol, and its two implementations in subpackages."""

from __future__ import annotations

from evolve.policies.protocol import Edit, Policy, Probe, Rewriter, Spending

__all__ = ["Edit", "Policy", "Probe", "Rewriter", "Spending"]
