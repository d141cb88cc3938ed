"""What an episode acts on: ``programs`` writes a function, ``words`` answers a question, ``files`` works in a folder.

Each kind is one value and one folder here; packages may offer more (:mod:`evolve.core.extensions`).
"""

from evolve.core.lazy import TYPE_CHECKING, attach

if TYPE_CHECKING:
    from evolve.environments.base import (
        BaseKind,
        EnvironmentOptions,
        PromptPart,
        environment_kind,
        judge_of,
        open_environment,
    )
    from evolve.environments.environment import BaseEnvironment, KnownRows, OncePerEpisode, RehearsalResult
    from evolve.environments.probing import AttemptResult, Probe, ReflectionTrials, make_probe
else:
    __getattr__, __dir__ = attach(__name__)
