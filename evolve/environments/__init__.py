"""What an episode acts on: ``programs`` writes a function, ``words`` answers a question, ``files`` works in a folder,
``worlds`` makes moves.

Each kind is one value and one folder here; packages may offer more (:mod:`evolve.extensions`).
"""

from __future__ import annotations

from evolve.lazy import attach

TYPE_CHECKING = False
if TYPE_CHECKING:
    from evolve.environments.kind import (
        EnvironmentKind,
        Offering,
        Part,
        Setting,
        judge_of,
        kind_of,
        open_environment,
        opened_source,
    )
    from evolve.environments.probing import Attempted, Probe, Trials, make_probe
    from evolve.environments.protocol import (
        Checking,
        Comparing,
        Environment,
        KnownRows,
        Leaving,
        Rehearsed,
        Rehearsing,
        Replaying,
        Showing,
    )
else:
    __all__, __getattr__, __dir__ = attach(
        __name__,
        {
            ".kind": "EnvironmentKind Offering Part Setting judge_of kind_of open_environment opened_source",
            ".probing": "Attempted Probe Trials make_probe",
            ".protocol": "Checking Comparing Environment KnownRows Leaving Rehearsed Rehearsing Replaying Showing",
        },
    )
