"""What an episode acts on: ``programs`` writes a function, ``words`` answers a question, ``files`` works in a folder.

Each kind is one value and one folder here; packages may offer more (:mod:`evolve.core.extensions`).
"""

from evolve.core.lazy import TYPE_CHECKING, attach

if TYPE_CHECKING:
    from evolve.environments.kind import (
        Advising,
        EnvironmentKind,
        Offering,
        Part,
        Recounting,
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
        Experimenting,
        KnownRows,
        Leaving,
        Once,
        Rehearsed,
        Rehearsing,
        Repeating,
        Showing,
    )
else:
    __getattr__, __dir__ = attach(__name__)
