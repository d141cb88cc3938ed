"""What was kept and used: of one run, and of all of them for a report."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import PurePath
from typing import TYPE_CHECKING, Literal

from evolve.core.episodes import OWN, EpisodeRecord
from evolve.core.episodes.codec import Jsonable
from evolve.policies.language.loop_detection import hints_in
from evolve.workspace.resources.practice import only_practised, shipped_tasks
from evolve.workspace.resources.preferences import ABOUT
from evolve.workspace.runs.run_answers import kept_by_person
from evolve.workspace.runs.skill_origin import origin_of

if TYPE_CHECKING:
    from evolve.agent import Run
    from evolve.workspace.services import WorkspaceServices

MemoryKind = Literal["preference", "note", "skill"]


@dataclass(frozen=True, kw_only=True)
class UsedItem:
    """Something learned that a run was given.

    Attributes:
        kind: ``insight``, ``note``, ``preference`` or ``skill``.
        text: The sentence; of a skill that the run worked with its name.
        acted: The answer or a step rests on it, because it imported or cited it; else it was only offered.
        learned: The day on which it was kept, such as ``2026-03-31``; "" where that is not on record.
    """

    kind: str
    id: str
    text: str
    acted: bool = True
    learned: str = ""


@dataclass(frozen=True, kw_only=True)
class RememberedItem(Jsonable):
    """Something that is kept, with what came of it.

    Attributes:
        text: The sentence, or a skill's name.
        kept: The day on which it was kept, such as ``2026-03-31``; "" where that is not on record.
        shown: Runs of the person's own whose prompt contained it; of a skill, tasks that it served.
        runs: Runs since then in which it might have been, those of its folder; of a skill, tasks of its kind.
        tested: What trials with and without it showed, in words; "" where there was none. What a person said or kept
            is an instruction and is not tested.
    """

    id: str
    kind: MemoryKind
    text: str
    kept: str = ""
    shown: int = 0
    runs: int = 0
    tested: str = ""


def items_used_in(services: WorkspaceServices, record: EpisodeRecord) -> tuple[UsedItem, ...]:
    """What a run was told that the person said or kept, as its first prompt contained it, and the skills it used.

    What was told acted where the model cited it.
    """
    shown, cited = _shown(record), {*record.consumed}
    wishes = [one for one in services.preferences.list() if one.id in shown]
    notes = [one for one in services.stores.memory.list_notes() if one.id in shown]
    used = {item.removeprefix("skill:") for item in record.consumed if item.startswith("skill:")}
    skills = [one for one in services.stores.skills.active() if one.digest in used and not one.is_hidden]
    days = {one.digest: origin_of(services, one).learned for one in skills}
    return (
        *(
            UsedItem(id=one.id, kind="preference", text=one.description, acted=one.id in cited, learned=one.date)
            for one in wishes
        ),
        *(UsedItem(id=one.id, kind="note", text=one.text, acted=one.id in cited, learned=one.date) for one in notes),
        *(UsedItem(id=one.digest, kind="skill", text=one.name, learned=days[one.digest]) for one in skills),
    )


def kept_things(services: WorkspaceServices) -> list[RememberedItem]:
    """Preferences in force, notes, and skills in use that are not practice's, with how often a run was shown each."""
    runs = {run.id: run for run in services.stores.runs.list_runs()}
    own = [
        (runs[one.run], _shown(one)) for one in services.stores.runs.episodes() if one.split == OWN and one.run in runs
    ]
    seen = [_Seen(run=run, at=datetime.fromisoformat(run.started).timestamp(), shown=shown) for run, shown in own]
    found = []
    for wish in services.preferences.list(status="active"):
        folders = [context.folder for context in wish.contexts if context.folder]
        shown, after = _counts(wish.id, wish.at, folders, seen)
        one = RememberedItem(
            id=wish.id, kind="preference", text=wish.description, kept=wish.date, shown=shown, runs=after
        )
        found.append(one)
    for note in (note for note in services.stores.memory.list_notes() if note.role == "user"):
        shown, after = _counts(note.id, note.at, (), seen)
        found.append(RememberedItem(id=note.id, kind="note", text=note.text, kept=note.date, shown=shown, runs=after))
    return [*found, *_skills(services), *_functions(services)]


@dataclass(frozen=True, kw_only=True)
class _Seen:
    """A run of the person's own, when it began, and the ids of what it was shown."""

    run: Run
    at: float
    shown: frozenset[str]


def _skills(services: WorkspaceServices) -> Iterator[RememberedItem]:
    from evolve.improve.history import skill_histories

    shipped, active = shipped_tasks(services.stores), services.stores.skills.active()
    skills = [skill for skill in active if not (skill.is_hidden or only_practised(skill, shipped))]
    histories = skill_histories(services.stores, skills)
    for skill in skills:
        history = histories[skill.digest]
        yield RememberedItem(
            id=skill.digest,
            kind="skill",
            text=skill.name,
            kept=origin_of(services, skill).learned,
            shown=history.used,
            runs=history.of,
            tested=history.pairs_text,
        )


def _functions(services: WorkspaceServices) -> Iterator[RememberedItem]:
    """Functions of runs that the person kept, without those that are skills in use."""
    owned = {skill.source for skill in services.stores.skills.active() if skill.owner == "user"}
    for answer in (one for one in kept_by_person(services) if one.source not in owned):
        kept = origin_of(services, answer).as_used_skill()
        text = f"the function of run {kept.run}"
        yield RememberedItem(id=answer.name, kind="skill", text=text, kept=kept.kept, tested="your word")


def _counts(name: str, since: float, folders: Sequence[str], seen: Sequence[_Seen]) -> tuple[int, int]:
    """In how many runs it was shown, and how many there were since it was kept."""
    shown = [one for one in seen if name in one.shown]
    # When a run began is on record by the second.
    after = [one for one in seen if one.at >= int(since) and _is_in(one.run, folders)]
    return len({one.run.id for one in shown}), len({one.run.id for one in after})


def _is_in(run: Run, folders: Sequence[str]) -> bool:
    place = str(run.body.get(ABOUT, {}).get("folder", ""))
    return not folders or any(place and PurePath(place).is_relative_to(folder) for folder in folders)


def _shown(record: EpisodeRecord) -> frozenset[str]:
    told = hints_in(record.steps)
    if not told:
        return frozenset()
    from evolve.policies.language.prompt import shown_items

    return frozenset(item.id for item in shown_items(told))
