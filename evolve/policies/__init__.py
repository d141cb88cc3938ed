"""What decides: the :class:`Policy` protocol, and its two implementations in subpackages."""

from __future__ import annotations

from evolve.policies.protocol import Policy, Probe

__all__ = ["Policy", "Probe"]
