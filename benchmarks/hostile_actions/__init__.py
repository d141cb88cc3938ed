"""The hostile corpus: code that tries to get out, to see, to change, to outlive or to lie.

Each action says what it attacks and which outcomes are acceptable; :mod:`benchmarks.hostile` runs them.
"""

from __future__ import annotations

from benchmarks.hostile_actions import network, processes, protocol, reading, resources, supervisor, volumes, writing
from benchmarks.hostile_actions.action import KINDS, ORACLES, PRELUDE, Action, source

__all__ = ["ACTIONS", "KINDS", "ORACLES", "PRELUDE", "Action", "source"]

ACTIONS: tuple[Action, ...] = (
    *resources.ACTIONS,
    *volumes.ACTIONS,
    *reading.ACTIONS,
    *writing.ACTIONS,
    *network.ACTIONS,
    *processes.ACTIONS,
    *protocol.ACTIONS,
    *supervisor.ACTIONS,
)
