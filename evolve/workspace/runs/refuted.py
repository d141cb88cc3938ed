"""Saved functions beside the rows of a new table: which give all of them, and which one of them speaks against."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from evolve.episodes import EpisodeRecord, Json, Row
from evolve.sandbox import Outcome, Program, SandboxLimits
from evolve.skills import ACTIVE, Skill
from evolve.tasks import Task, equal
from evolve.workspace.desk import Desk
from evolve.workspace.runs.result import Result
from evolve.workspace.runs.run_answers import answers_of_runs, function_named
from evolve.workspace.runs.saved import LIKE, given_again, likeness, places_of
from evolve.workspace.runs.skill_origin import SkillOrigin, origin_of

_SHOWN = 40
"""Longest value in a sentence."""


@dataclass(frozen=True, kw_only=True)
class Contradiction:
    """A saved function of a table with the same columns that is not right on a row, and which row that is."""

    origin: SkillOrigin
    told: str


def contradictions(desk: Desk, task: Task, record: EpisodeRecord) -> list[Contradiction]:
    """The functions of tables with the same columns that were not used, as rows of this one speak against them."""
    found, again = [], given_again(task, record)
    like = [function_named(desk, one.skill or one.run) for one in task.saved if not one.code and one != again]
    for skill in (one for one in like if likeness(task, one) == LIKE[0]):
        failed = _first_failure(desk, task, skill)
        if failed is not None:
            row, got = failed
            gives = f"gives {_short(got.value)}" if got.ok else "fails"
            origin = origin_of(desk, skill)
            given = f"for {', '.join(map(_short, row.input))}, unlike your {_short(row.output)}"
            found.append(Contradiction(origin=origin, told=f"{origin.used().told}, {gives} {given}"))
    return found


def set_aside(desk: Desk, task: Task, result: Result, found: Sequence[Contradiction]) -> None:
    """Retires skills that a verified answer replaces: it gives all of their rows, and one that they do not give."""
    if not (result.verified and result.calls is not None):
        return
    program = Program(source=result.answer, entry=result.entry)
    for one in found:
        skill, rows = one.origin.skill, one.origin.rows_in(task)
        if skill.status not in ACTIVE or skill.owner == "user":
            continue
        outcomes = result.calls(program, [row.input for row in rows])
        if all(got.ok and equal(got.value, row.output) for row, got in zip(rows, outcomes, strict=True)):
            desk.stores.skills.retire(skill.digest, one.told)


def functions_giving(desk: Desk, task: Task) -> Iterator[Skill]:
    """The verified and kept functions for the same columns that give every wanted cell of a table, the newest first."""
    for one in reversed((*desk.stores.skills.active(), *answers_of_runs(desk))):
        how = "" if one.part or one.environment else likeness(task, one)
        # A model describes its function in words of its own; then the function's name says which column it gives.
        is_like = how == LIKE[0] or (how == LIKE[1] and one.entry == task.entry)
        if is_like and origin_of(desk, one).usable and _first_failure(desk, task, one) is None:
            yield one


def _first_failure(desk: Desk, task: Task, skill: Skill) -> tuple[Row, Outcome] | None:
    """The first row of a table with the same columns on which a function is not right, and what it gives there."""
    rows, places = (*task.examples, *task.verify, *task.hidden), places_of(skill, task) or ()
    # what it does not read may be anything
    inputs = [[None if place is None else row.input[place] for place in places] for row in rows]
    program = Program(source=skill.code, entry=skill.entry)
    (ran,) = desk.open_sandbox().run_programs([program], inputs, SandboxLimits()).programs
    failed = (
        pair
        for pair in zip(rows, ran.outputs, strict=False)
        if not (pair[1].ok and equal(pair[1].value, pair[0].output))
    )
    return next(failed, None)


def _short(value: Json) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"
