"""What a person's workspace has already for a task: answers of earlier runs of it, and skills from like tables."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Set
from dataclasses import replace

from evolve.agent import Run
from evolve.episodes import OWN, EpisodeRecord, Json, Row, Saved, shown_rows
from evolve.errors import RecordDamaged
from evolve.files import canonical_json
from evolve.skills import Skill
from evolve.skills.signatures import names_of, types_of
from evolve.tasks import MIN_VERIFY, Task, row_key, row_outline
from evolve.workspace.desk import Desk
from evolve.workspace.runs.given_task import task_of

_MOST_RUNS = 5
"""Latest solved runs of a file that are looked at."""
_MOST_SKILLS = 20
"""Skills that may be tried on one table."""
_HEADERLESS = re.compile(r"(column_\d+|text|other|[nkmxyz]|xs|ys|zs|items|others|rows?|value)\d*\Z")
"""What parameters are called where no header names them."""


def saved_for(desk: Desk, task: Task, run: str) -> tuple[Saved, ...]:
    """What to try before anything is searched for: answers of earlier runs of the task, then skills from like tables.

    Nothing is taken on trust: whoever tries it runs it on every row. Left out is what would be called verified on rows
    that its author had seen.
    """
    if desk.uses_model or not task.examples:
        return ()
    return (*_known(desk, task, run), *_skills(desk, task))


def told_of(task: Task, record: EpisodeRecord) -> str:
    """Where the answer of an episode comes from, or what chose it where rows did not, in a sentence or more; or ""."""
    again = _given_again(task, record)
    if again is not None:
        return again.told
    habit = record.steps[-1].action.habit if record.solved else ""
    told = [f'{habit} (the setting habits = "off" keeps this from being done)'] if habit else []
    known = next((one for one in task.saved if one.run), None)
    if known is not None and known.code != record.answer:
        told.append(f"the function of run {known.run} is not right on every row of this, so another was searched for")
    return "; ".join(told)


def _given_again(task: Task, record: EpisodeRecord) -> Saved | None:
    """The saved function that the answer is, where none was searched for."""
    if not (record.solved and record.steps[-1].action.spare):
        return None
    return next((one for one in task.saved if one.told == record.steps[-1].action.text), None)


def is_known(task: Task, record: EpisodeRecord) -> bool:
    """Whether an episode gave the answer of an earlier run again, of which nothing more is to be learned."""
    one = _given_again(task, record)
    return one is not None and bool(one.run) and one.taught and one.verified >= record.verified


def _known(desk: Desk, task: Task, run: str) -> list[Saved]:
    stores = desk.stores
    numbers = {one.id: number for number, one in enumerate(stores.runs.runs())}
    owed = {one.episode for one in stores.runs.owed()}
    now = {row_key(row) for row in (*task.examples, *task.verify, *task.hidden)}
    known: dict[str, Saved] = {}
    for record in reversed(stores.runs.of_task(task.id, None, OWN)):
        if record.solved and numbers.get(record.run, len(numbers)) < numbers[run]:
            before = _task_of(desk, stores.runs.run(record.run))
            if before is None or not _is_like(before, task) or not _is_honest_of(before, record, task, now):
                continue
            taught = bool(record.claims or record.drafts) or record.episode in owed
            first = known.setdefault(record.answer, _saved_of(record))
            known[record.answer] = replace(first, taught=first.taught or taught)
    return list(known.values())[:_MOST_RUNS]


def _saved_of(record: EpisodeRecord) -> Saved:
    return Saved(
        told=f"known since run {record.run}: the same function",
        run=record.run,
        code=record.answer,
        verified=record.verified,
        private=record.steps[-1].action.private,
    )


def _is_like(before: Task, task: Task) -> bool:
    return (before.entry, before.signature) == (task.entry, task.signature)


def _is_honest_of(before: Task, record: EpisodeRecord, task: Task, now: Set[str]) -> bool:
    """Whether a task has rows of an earlier one, and rows enough that the answer to that was not made from."""
    seen = {row_key(row) for row in (*before.examples, *shown_rows(record.steps))}
    rows = {row_key(row) for row in (*before.examples, *before.verify, *before.hidden)}
    return bool(rows & now) and _is_honest(task, len(now - seen))


def _task_of(desk: Desk, run: Run) -> Task | None:
    """The task as a run was given it; None where that is not on record, as in runs of earlier versions."""
    if "input" not in run.body:
        return None
    try:
        return task_of(json.loads(desk.stores.objects.get(run.body["input"])))
    except RecordDamaged:
        return None


def _is_honest(task: Task, unseen: int) -> bool:
    """Whether rows enough are left that the author of an answer did not see, where it could be called verified."""
    return unseen >= MIN_VERIFY or len(task.verify_rows()) < MIN_VERIFY


def _skills(desk: Desk, task: Task) -> list[Saved]:
    ranked = []
    kept_back = {row_key(row) for row in task.verify_rows()}
    for skill in desk.stores.skills.active():
        like = "" if skill.part or skill.tree is None else likeness(task, skill)
        if like and _is_honest(task, len(kept_back - {row_key(row) for row in skill.rows})):
            told = f"tried {skill.name!r} first, saved from a table with {like}"
            ranked.append((_LIKE.index(like), Saved(told=told, skill=skill.digest)))
    ranked.sort(key=lambda pair: pair[0])  # of those that are as like, the older one first
    return [saved for _, saved in ranked[:_MOST_SKILLS]]


_LIKE = ("the same columns", "these columns", "such cells")
"""How a table may be like that of a skill, closest first."""


def likeness(task: Task, skill: Skill) -> str:
    """How the table of a task is like that of a skill, in words of :data:`_LIKE`; "" where it is not.

    It has the same columns, the wanted one included; or at least those that the skill takes; or, from two rows on, all
    of its cells look as some of the skill's do: letters, digits and signs in the same order.
    """
    signature = task.view().signature
    if _kinds(signature) != _kinds(skill.signature):
        return ""
    names = names_of(signature)
    if names == names_of(skill.signature) and not is_headerless(names):
        asked = " ".join(task.instruction.split())
        return _LIKE[0] if asked and skill.description.startswith(asked) else _LIKE[1]
    outlines = _outlines(skill.rows)
    return _LIKE[2] if len(task.examples) > 1 and _outlines(task.examples) <= outlines else ""


def is_headerless(names: Iterable[str]) -> bool:
    """Whether parameters are called as where no header names them."""
    return all(map(_HEADERLESS.match, names))


def _outlines(rows: Iterable[Row]) -> set[Json]:
    return {row_outline(row) for row in rows}


def _kinds(signature: str) -> str:
    """The types without the difference of whole and other numbers, which hangs on the rows of one table."""
    takes, gives = types_of(signature)
    return canonical_json([kind.replace("int", "float") for kind in (*takes, gives)])
