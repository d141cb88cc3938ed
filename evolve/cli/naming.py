"""What an id that somebody typed names: a run, an episode, or something that was learned or said."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from evolve.cli.render.layout import count_of, shorten_line
from evolve.core.errors import UsageError

if TYPE_CHECKING:
    from evolve.workspace import Workspace

Kind = Literal["run", "episode", "insight", "note", "preference", "metric", "skill"]

_LISTS = {
    "run": "evolve runs list",
    "insight": "evolve memory list",
    "note": "evolve memory list",
    "preference": "evolve memory preferences list",
    "metric": "evolve lab metrics list",
    "skill": "evolve skills list",
}
"""Which command lists what there is of a kind."""


_CITED = re.compile(r"^[ip]-(?=[0-9a-f]{8}$)")
"""The letter before an id by which a prompt, and so a reply of a model, cites a thing."""


@dataclass(frozen=True, kw_only=True)
class NamedItem:
    """What an id names.

    Attributes:
        id: The whole of it; of a skill its name.
        text: What it says, in a line.
        name: What it is called besides, or "".
    """

    kind: Kind
    id: str
    text: str = ""
    name: str = ""


def find_named(opened: Workspace, typed: str, kinds: Sequence[Kind]) -> NamedItem:
    """The one thing of these kinds that has this id or name, or whose id begins like that.

    Raises:
        UsageError: There is none, which says what there is; or there are several, which names them.
    """
    typed = _CITED.sub("", typed)
    known = list(_known(opened, typed, kinds))
    # Nothing typed, as by a script whose variable is empty, names nothing: most things have an empty name.
    possible = known if typed else []
    found = [one for one in possible if typed in (one.id, one.name)]
    found = found or [one for one in possible if one.kind != "run" and one.id.startswith(_beginning(one, typed))]
    if len(found) == 1:
        return found[0]
    if found:
        shown = " and ".join(f"the {one.kind} {one.id}" for one in found[:3])
        more = f" and {len(found) - 3} more" if len(found) > 3 else ""
        raise UsageError(f"{typed!r} may be {shown}{more}: give more of the id")
    if "run" not in kinds and "skill" in kinds and typed in {row.run.id for row in opened.runs.list()}:
        raise UsageError(f"run {typed} has no function that later tables use", hint="evolve skills list")
    counts = {kind: sum(one.kind == kind for one in known) for kind in kinds if kind != "episode"}
    there = ", ".join(count_of(count, kind) for kind, count in counts.items() if count)
    lists = dict.fromkeys(_LISTS[kind] for kind, count in counts.items() if count)
    raise UsageError(
        f"nothing here is called {typed!r}; known: {there or 'nothing yet'}",
        hint=", ".join(lists) or "evolve status",
    )


def _beginning(one: NamedItem, typed: str) -> str:
    """What its id begins with: an id is cut anywhere, the name of a skill only at a hyphen."""
    return f"{typed}-" if one.kind == "skill" else typed


def _known(opened: Workspace, typed: str, kinds: Sequence[Kind]) -> Iterator[NamedItem]:
    if "run" in kinds:
        yield from (NamedItem(kind="run", id=row.run.id, text=row.instruction) for row in opened.runs.list())
    if "episode" in kinds and typed:
        yield from (NamedItem(kind="episode", id=episode) for episode in opened.runs.episodes(typed))
    if "insight" in kinds:
        told = opened.memory.sentences()
        yield from (NamedItem(kind="insight", id=one.id, text=told[one.id].text) for one in opened.memory.list())
    if "note" in kinds:
        yield from (NamedItem(kind="note", id=one.id, text=one.text) for one in opened.memory.notes())
    if "preference" in kinds:
        yield from (NamedItem(kind="preference", id=one.id, text=one.description) for one in opened.preferences.list())
    if "metric" in kinds:
        for metric in opened.criteria.list():
            yield NamedItem(kind="metric", id=metric.id, text=metric.definition, name=metric.name)
    if "skill" in kinds:
        # Retired ones as well: why they are, and that they are, is worth knowing.
        seeds = [one for one in opened.skills.seeds() if typed and one.name.startswith(typed)]
        skills = [*opened.skills.list(), *opened.skills.parts(()), *seeds]
        of_runs = [] if "run" in kinds else opened.runs.functions()  # each under the id of its run
        yield from (
            NamedItem(kind="skill", id=one.name, text=shorten_line(one.description, 100)) for one in (*skills, *of_runs)
        )
