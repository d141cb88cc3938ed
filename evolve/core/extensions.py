"""What can be extended without changing evolve: by an entry point of any installed package.

A seam has names; a name stands for one value, built in by a line here or offered by a package under the entry point
group ``evolve.SEAM``. Nothing is looked up before a name is asked for, and a built-in name cannot be replaced. Values
stand here by name, so who reads a task file gets at the kind that the file names without knowing kinds.

================  ==================================================================================
seam              what a name stands for
================  ==================================================================================
``environments``  an :class:`evolve.environments.BaseKind`, named by tasks
``engines``       an :class:`evolve.improve.optimizer.engine.EngineKind`, named by ``--engine``
``functions``     an :class:`evolve.runtime.functions.servers.ServerKind` of tools, named by ``kind`` in
                  ``[tools.servers.NAME]`` and by ``--kind``
``formats``       an :class:`evolve.skills.export.ExportFormat`, named by ``--format``
``stages``        an :class:`evolve.agent.workflow.StageKind` with its work, named in ``workflow.toml``
``state``         a frozen dataclass that :class:`~evolve.agent.workflow.StageKind` keeps of an episode between steps
``vectors``       an :class:`evolve.memory.index.IndexOpener`, named by the setting ``vectors``
``encoders``      what makes an :class:`evolve.runtime.retrieval.Embedder`, called without arguments, or with the folder
                  of NAME:/FOLDER, named by the setting ``encoder``
``suites``        what draws tasks of the suite with this name, called with their number and a seed
``proposers``     what proposes further tasks to practise on, called with those that there are, the episodes so far
                  and a seed, named by the setting ``proposer``
``workers``       what opens :class:`evolve.trials.Workers`, called with a :class:`evolve.trials.WorkerSetup` and
                  their number, named by the setting ``workers_on``
``prompts``       the :class:`~pathlib.Path` of a prompt's text, by the file name that an environment asks for
``commands``      a :class:`evolve.cli.pages.App` of commands under ``evolve lab``: a group of this name where it says
                  what it is about, else single commands of which one has this name. ``"GROUP NAME"`` stands in
                  a group that there is
``recall``        what makes a source of notes, called with the workspace's services; asked as
                  :class:`evolve.agent.Recall` is
``evaluators``    what makes an :class:`evolve.workspace.resources.evaluators.Evaluator`, given the workspace's services
``workspace``     what makes the part ``ws.NAME`` of an open workspace, called with the workspace's services and with
                  what refuses where it is open for reading only
================  ==================================================================================

A package may have seams of its own: further names are looked up in the same way.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from evolve.core.errors import SetupProblem

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

# By name, since nothing here may catch everything: code of others can fail on import in whatever way it likes.
FAILING = (
    *(ArithmeticError, AssertionError, AttributeError, ImportError, LookupError, NameError, OSError, RuntimeError),
    *(SyntaxError, SystemExit, TypeError, ValueError),
)

BUILT_IN: Mapping[str, Mapping[str, str]] = {
    "environments": {
        "programs": "evolve.environments.programs:PROGRAMS",
        "words": "evolve.environments.words:WORDS",
        "files": "evolve.environments.files:FILES",
    },
    "engines": {
        "adas": "evolve.improve.optimizer.adas:ADAS",
        "gepa": "evolve.improve.optimizer.gepa_engine:GEPA",
        "linked": "evolve.improve.optimizer.linked:LINKED",
    },
    "formats": {
        "bundle": "evolve.skills.export.formats:BUNDLE",
    },
    "stages": dict.fromkeys(
        (
            *("recall", "plan", "decompose", "act", "ask", "best_of_n", "vote", "critique", "revise", "search"),
            *("observe", "judge", "reflect", "distill", "commit"),
        ),
        "evolve.agent.workflow.stages:KINDS",
    ),
    "state": {},
    "functions": {
        "mcp": "evolve.runtime.functions.mcp:MCP",
    },
    "vectors": {
        "exact": "evolve.memory.index.exact:open_exact",
        "chroma": "evolve.memory.index.chroma:open_chroma",
    },
    "encoders": {
        "hashing": "evolve.runtime.retrieval.embedders:HashingEmbedder",
        "st": "evolve.runtime.retrieval.sentence_transformer:SentenceTransformerEmbedder",
    },
    "suites": {},  # what draws fresh tasks of a suite; those that ship are data
    "proposers": {},
    "workers": {
        "local": "evolve.trials.workers:local_workers",
    },
    "prompts": {},
    "commands": {},
    "recall": {},
    "evaluators": {},
    "workspace": {},
}
"""Where each value stands, as ``module:name``, by seam and name. Of a stage it is the table that has it."""

PACKAGES: Mapping[str, str] = {
    "minilm": "evolve-minilm",
    **dict.fromkeys(("tasks import", "skills push", "skills pull", "sessions", "team"), "evolve-imports"),
    **dict.fromkeys(("worlds", "trials"), "evolve-worlds"),
    **dict.fromkeys(("metrics", "judges"), "evolve-evaluators"),
    **dict.fromkeys(("kind openapi", "kind program"), "evolve-tools"),
}
"""Names of evolve's own that stand in packages beside it, for whoever asks for one that is not installed."""


def find(seam: str, name: str, form: Any = object) -> Any:
    """The value of a name; None where nobody offers it.

    Args:
        form: The class or runtime protocol that what a package offers must be of.

    Raises:
        EnvironmentProblem: A package offers it, and it cannot be loaded or is something else.
    """
    place = BUILT_IN.get(seam, {}).get(name)
    if place is not None:
        module, _, attribute = place.partition(":")
        return getattr(import_module(module), attribute)
    point = next((point for point in _offered(seam, tuple(sys.path)) if point.name == name), None)
    if point is None:
        return None
    try:
        value = point.load()
    except FAILING as error:  # whatever its code does when it is imported, ending the program included
        raise extension_error(seam, name, f"cannot be loaded ({type(error).__name__}: {error})") from error
    if not isinstance(value, form):
        raise extension_error(seam, name, f"is {type(value).__name__}, not what stands there")
    return value


def extension_error(seam: str, name: str, what: str) -> SetupProblem:
    """The error for something that a package offers and that cannot be used.

    Args:
        what: Goes on from "NAME of the package PACKAGE".
    """
    package = installed_extensions(seam).get(name, "")
    return SetupProblem(
        f"{name} ({seam}) of the package {package} {what}", hint=f"mend or uninstall {package or 'the package'}"
    )


def failing_package(error: BaseException) -> str:
    """The package whose code an error came out of or went through last; "" where none was that offers something, or
    only one of evolve's own."""
    packages = {
        point.value.partition(":")[0].partition(".")[0]: point.dist.name
        for seam in seam_names()
        for point in _offered(seam, tuple(sys.path))
        if point.dist is not None and point.dist.name not in PACKAGES.values()
    }
    trace, found = error.__traceback__, ""
    while trace is not None:
        found = packages.get(str(trace.tb_frame.f_globals.get("__name__", "")).partition(".")[0], found)
        trace = trace.tb_next
    return found


def seam_names() -> tuple[str, ...]:
    """The seams of evolve, then those that packages have or offer something for besides."""
    from importlib.metadata import entry_points

    groups = sorted(group for group in entry_points().groups if group.startswith("evolve."))
    return tuple(dict.fromkeys((*BUILT_IN, *(group.removeprefix("evolve.") for group in groups))))


def install_hint(name: str) -> str:
    """How to install the package of evolve's own that offers a name; "" where none does."""
    package = PACKAGES.get(name)
    return "" if package is None else f"{name} needs the package {package}: pip install ./packages/{package}"


def extension_names(seam: str) -> tuple[str, ...]:
    """Every name of a seam: built in, then offered by packages."""
    return (*BUILT_IN.get(seam, {}), *installed_extensions(seam))


def installed_extensions(seam: str) -> Mapping[str, str]:
    """The names that packages offer besides, each with the package that offers it."""
    return {
        point.name: point.dist.name if point.dist is not None else ""
        for point in _offered(seam, tuple(sys.path))
        if point.name not in BUILT_IN.get(seam, {})
    }


@cache
def _offered(seam: str, path: tuple[str, ...]) -> tuple[EntryPoint, ...]:
    """What the packages on the path offer; reading their metadata takes long enough to be done once."""
    from importlib.metadata import entry_points

    return tuple(entry_points(group=f"evolve.{seam}"))
