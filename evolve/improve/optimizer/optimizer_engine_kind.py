"""What an engine is registered as: what it can change, what it needs, and how it is made."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from evolve.core.errors import UsageError
from evolve.core.extensions import extension_names, find
from evolve.improve.optimizer.counterfactual import Editor, Replay
from evolve.improve.optimizer.engine import Engine, EngineSettings
from evolve.improve.optimizer.item_record import ItemRecord
from evolve.improve.optimizer.optimizer_scope import SearchScope
from evolve.improve.optimizer.workflow_drafts import Drafter

GONE: Mapping[str, str] = {"bandit": "linked"}
"""Engines of earlier versions, with what has taken their place."""

PARTS = ("prompts", "workflow", "knobs")
"""What can be asked for alone."""


def _no_editor() -> Editor:
    raise UsageError("prompts are read by a model, and none is chosen here", hint="evolve models")


def _no_drafter() -> Drafter:
    raise UsageError("workflows are written by a model, and none is chosen here", hint="evolve models")


def tell_nobody(text: str) -> None:
    """For callers that do not watch."""


@dataclass(frozen=True, kw_only=True)
class EngineParts:
    """What an engine is made from.

    Attributes:
        scope: What may be changed, and which changes no trial could show.
        editor: Gives who proposes and screens edits of texts, paid from the run's budget; raises :class:`UsageError`
            where no model is chosen.
        drafter: Gives who writes whole workflows and screens what was written, paid likewise; raises likewise.
        replay: Asks one stage of an episode again, which tries an edit at a fraction of an episode's cost; or None.
        items: Keeps what single items of texts did, or None.
        tell: Takes a line for whoever watches.
    """

    settings: EngineSettings = field(default_factory=EngineSettings)
    scope: SearchScope = field(default_factory=SearchScope)
    editor: Callable[[], Editor] = _no_editor
    drafter: Callable[[], Drafter] = _no_drafter
    replay: Replay | None = None
    items: ItemRecord | None = None
    tell: Callable[[str], None] = tell_nobody


@dataclass(frozen=True, kw_only=True)
class EngineKind:
    """One engine, as one value.

    Attributes:
        changes: Which of :data:`PARTS` it can change.
        drafts: Whether it needs somebody who writes workflows.
        ready: Raises where it could not work here, before a run is begun.
    """

    name: str
    changes: frozenset[str]
    make: Callable[[EngineParts], Engine]
    drafts: bool = False
    ready: Callable[[], object] = lambda: None


def engine_kind(name: str, only: str, *, drafts: bool = False) -> EngineKind:
    """The engine with this name, or for no name the one that fits.

    Args:
        only: The part to change and leave everything else as it is, or "".
        drafts: Whether there is a model that could write workflows.

    Raises:
        UsageError: Nobody offers it, or it does not change that part.
    """
    fitting = "adas" if drafts and only != "knobs" else "linked"
    name = name or ("gepa" if only == "prompts" else fitting)
    kind: EngineKind | None = find("engines", name, EngineKind)
    if kind is None and name in GONE:
        raise UsageError(f"the engine {name} is gone; {GONE[name]} has taken its place", hint=f"--engine {GONE[name]}")
    if kind is None:
        raise UsageError(f"no engine {name!r}", hint=f"--engine {', --engine '.join(extension_names('engines'))}")
    if only and only not in kind.changes:
        able = [part for part in PARTS if part in kind.changes]
        raise UsageError(f"the engine {name} changes {' and '.join(able)}, not {only}", hint=f"--only {able[0]}")
    return kind
