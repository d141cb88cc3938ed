"""What an episode acts on: ``programs`` writes a function, ``words`` answers a question, ``files`` works in a folder,
``worlds`` makes moves.

Each kind is one value and one folder here; packages may offer more (:mod:`evolve.extensions`).
"""

from evolve.lazy import TYPE_CHECKING, attach

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
    __getattr__, __dir__ = attach(__name__)
