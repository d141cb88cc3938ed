"""What can be extended without changing evolve: by an entry point of any installed package.

A seam has names; a name stands for one value, built in by a line here or offered by a package under the entry point
group ``evolve.SEAM``. Nothing is looked up before a name is asked for, and a built-in name cannot be replaced. Values
stand here by name, so who reads a task file gets at the kind that the file names without knowing kinds.

===============  ==================================================================================
seam             what a name stands for
===============  ==================================================================================
``environments`` a :class:`evolve.environments.EnvironmentKind`, named by tasks
``vectors``      an :class:`evolve.vectors.IndexOpener`, named by the setting ``vectors``
``encoders``     what makes an :class:`evolve.retrieval.Embedder`, called without arguments, named by
                 the setting ``encoder``
===============  ==================================================================================
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

BUILT_IN: Mapping[str, Mapping[str, str]] = {
    "environments": {
        "programs": "evolve.environments.programs:PROGRAMS",
        "words": "evolve.environments.words:WORDS",
        "files": "evolve.environments.files:FILES",
    },
    "engines": {
        "bandit": "evolve.optimizer.bandit:BANDIT",
        "gepa": "evolve.optimizer.gepa_engine:GEPA",
    },
    "formats": {
        "agent-skills": "evolve.export.agent_skills:AGENT_SKILLS",
    },
    "stages": {},
    "vectors": {
        "exact": "evolve.vectors.exact:open_exact",
        "chroma": "evolve.vectors.chroma:open_chroma",
    },
    "encoders": {
        "hashing": "evolve.retrieval.embedders:HashingEmbedder",
        "st": "evolve.retrieval.sentence_transformer:SentenceTransformerEmbedder",
    },
    "suites": {},  # what draws fresh tasks of a suite; those that ship are data
}
"""Where each value stands, as ``module:name``, by seam and name. The stages of evolve stand in ``workflow.stages``."""


def find(seam: str, name: str) -> Any:
    """The value of a name; None where nobody offers it."""
    place = BUILT_IN[seam].get(name)
    if place is not None:
        module, _, attribute = place.partition(":")
        return getattr(import_module(module), attribute)
    return next((point.load() for point in _offered(seam, tuple(sys.path)) if point.name == name), None)


def names(seam: str) -> tuple[str, ...]:
    """Every name of a seam: built in, then offered by packages."""
    return (*BUILT_IN[seam], *installed(seam))


def installed(seam: str) -> Mapping[str, str]:
    """The names that packages offer besides, each with the package that offers it."""
    return {
        point.name: point.dist.name if point.dist is not None else ""
        for point in _offered(seam, tuple(sys.path))
        if point.name not in BUILT_IN[seam]
    }


@cache
def _offered(seam: str, path: tuple[str, ...]) -> tuple[EntryPoint, ...]:
    """What the packages on the path offer; reading their metadata takes long enough to be done once."""
    from importlib.metadata import entry_points

    return tuple(entry_points(group=f"evolve.{seam}"))
