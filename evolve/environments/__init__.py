"""What an episode acts on: ``programs`` writes a function, ``words`` answers a question, ``files`` works in a folder,
``worlds`` makes moves.

Each kind is one value and one folder here; packages may offer more (:mod:`evolve.extensions`).
"""

from __future__ import annotations

from evolve.environments.kind import (
    EnvironmentKind,
    Offering,
    Part,
    Setting,
    judge_of,
    kind_of,
    open_environment,
)
from evolve.environments.probing import Attempted, Probe, Trials, make_probe
from evolve.environments.protocol import (
    Checking,
    Comparing,
    Environment,
    KnownRows,
    Rehearsed,
    Rehearsing,
    Replaying,
    Showing,
)

__all__ = [
    "Attempted",
    "Checking",
    "Comparing",
    "Environment",
    "EnvironmentKind",
    "KnownRows",
    "Offering",
    "Part",
    "Probe",
    "Rehearsed",
    "Rehearsing",
    "Replaying",
    "Setting",
    "Showing",
    "Trials",
    "judge_of",
    "kind_of",
    "make_probe",
    "open_environment",
]
