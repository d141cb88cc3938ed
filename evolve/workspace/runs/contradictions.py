"""Saved functions beside the rows of a new table: which give all of them, and which one of them speaks against."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from evolve.core.episodes import EpisodeRecord, Json, Row
from evolve.runtime.sandbox import Outcome, Program, SandboxLimits
from evolve.skills import ACTIVE, Skill
from evolve.skills.parameters import used_parameters
from evolve.tasks import Task, equal
from evolve.workspace.runs.result import Result
from evolve.workspace.runs.run_answers import function_named, saved_functions
from evolve.workspace.runs.saved import LIKE, column_similarity, places_of, reapply_function
from evolve.workspace.runs.skill_origin import SkillOrigin, origin_of
from evolve.workspace.services import WorkspaceServices

REPLACED = "replaced"
"""What a run notes of the skills that its answer replaces: by digest, why."""
_SHOWN = 40
"""Longest value in a sentence."""


@dataclass(frozen=True, kw_only=True)
class Contradiction:
    """A saved function of a table with the same columns that is not right on a row, and which row that is."""

    origin: SkillOrigin
    told: str


def find_contradictions(services: WorkspaceServices, task: Task, record: EpisodeRecord) -> list[Contradiction]:
    """The functions of tables with the same columns that were not used, as rows of this one speak against them."""
    found, again = [], reapply_function(task, record)
    like = [function_named(services, one.skill or one.run) for one in task.saved if not one.code and one != again]
    for skill in (one for one in like if column_similarity(task, one) == LIKE[0]):
        for row, got in failing_rows(services, task, skill)[:1]:
            gives = f"gives {_short(got.value)}" if got.ok else "fails"
            origin = origin_of(services, skill)
            program, places = Program(source=skill.code, entry=skill.entry), places_of(skill, task) or ()
            read = {0, *(places[place] for place in used_parameters(program))}
            seen = ", ".join(_short(value) for place, value in enumerate(row.input) if place in read)
            given = f"for {seen}, unlike your {_short(row.output)}"
            found.append(Contradiction(origin=origin, told=f"{origin.as_used_skill().summary}, {gives} {given}"))
    return found


def set_aside(services: WorkspaceServices, task: Task, result: Result, found: Sequence[Contradiction]) -> None:
    """Retires skills that a verified answer replaces: it gives all of their rows, and one that they do not give.

    Where the run is still to be learned from, that is noted and :func:`retire_replaced` does it, together with keeping
    what takes their place.
    """
    if not (result.verified and result.calls is not None):
        return
    replaced: dict[str, str] = {}
    program = Program(source=result.answer, entry=result.entry)
    for one in found:
        skill, rows = one.origin.skill, one.origin.rows_in(task)
        if skill.status not in ACTIVE or skill.owner == "user":
            continue
        outcomes = result.calls(program, [row.input for row in rows])
        if all(got.ok and equal(got.value, row.output) for row, got in zip(rows, outcomes, strict=True)):
            replaced[skill.digest] = one.told
    if replaced:
        runs = services.stores.runs
        runs.replace_body(result.run_id, {**runs.run(result.run_id).body, REPLACED: replaced})
        if result.run_id not in {owed.run for owed in runs.pending_learning()}:
            retire_replaced(services, result.run_id)


def retire_replaced(services: WorkspaceServices, run: str) -> None:
    """Retires the skills that a run's answer replaces."""
    for name, told in services.stores.runs.run(run).body.get(REPLACED, {}).items():
        skill = services.stores.skills.get(name)
        if skill.status in ACTIVE and skill.owner != "user":
            services.stores.skills.retire(name, told)


def functions_for(services: WorkspaceServices, task: Task, *, retired: bool = False) -> Iterator[Skill]:
    """The verified and kept functions for the same columns as a table's, the newest first; ``retired`` ones, too."""
    for one in reversed(saved_functions(services, retired=retired)):
        how = column_similarity(task, one)
        # A model describes its function in words of its own; then the function's name says which column it gives.
        is_like = how == LIKE[0] or (how == LIKE[1] and one.entry == task.entry)
        if is_like and origin_of(services, one).is_usable:
            yield one


def functions_giving(services: WorkspaceServices, task: Task) -> Iterator[Skill]:
    """Those of them that give every wanted cell."""
    return (one for one in functions_for(services, task) if not failing_rows(services, task, one))


def failing_rows(services: WorkspaceServices, task: Task, skill: Skill) -> list[tuple[Row, Outcome]]:
    """The rows of a table with the same columns on which a function is not right, and what it gives there."""
    rows, places = (*task.examples, *task.verify, *task.hidden), places_of(skill, task) or ()
    # what it does not read may be anything
    inputs = [[None if place is None else row.input[place] for place in places] for row in rows]
    program = Program(source=skill.code, entry=skill.entry)
    (ran,) = services.open_sandbox().run_programs([program], inputs, SandboxLimits()).programs
    pairs = zip(rows, ran.outputs, strict=False)
    return [(row, got) for row, got in pairs if not (got.ok and equal(got.value, row.output))]


def _short(value: Json) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"
