"""Given cells that a kept function does not give: a search for one that gives them and the rows it was learned from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from evolve.core.episodes import Row
from evolve.core.reasons import Reason, reason
from evolve.runtime.sandbox import Outcome, Program
from evolve.skills import Skill
from evolve.skills.parameters import used_parameters
from evolve.skills.signatures import names_of
from evolve.tasks import Task, format_signature, infer_signature, row_key
from evolve.tasks.likeness import InputProfile
from evolve.tasks.reading.limits import MAX_EXAMPLES, MAX_VERIFY
from evolve.workspace.runs.contradictions import failing_rows, functions_for
from evolve.workspace.runs.result import Result
from evolve.workspace.runs.saved import places_of
from evolve.workspace.runs.skill_origin import SkillOrigin, UsedSkill, origin_of
from evolve.workspace.services import WorkspaceServices


@dataclass(frozen=True, kw_only=True)
class OpposedFunction:
    """A kept function that given cells speak against.

    Attributes:
        stays: It is used where none is found; else one is in use that took its place.
        task: The table's, with the rows that the function was right on beside its own.
        program: The function, of the arguments of the task.
        given: How many given cells it gives all the same.
        failed: How many it does not give.
        doubt: What is doubtful about every other cell that it gives, or None.
    """

    origin: SkillOrigin
    stays: bool
    task: Task
    program: Program
    given: int
    failed: int
    doubt: Reason | None

    @property
    def used_skill(self) -> UsedSkill:
        """What is told of it."""
        return self.origin.as_used_skill(self.given)


def search(
    services: WorkspaceServices, task: Task, run: Callable[[Task], Result], others: Sequence[Row]
) -> tuple[Result, Task, OpposedFunction | None]:
    """What a search for a table's function came to, its task, and the kept function that the table speaks against.

    That function's rows are examples as well, so that what was verified is not lost over a corrected cell. Where no
    function fits all of them and the table's own cells verify another, these are taken for a new rule. Rows of one that
    only the person kept are no examples: it counts where none is found that fits more of the table's cells.

    Args:
        run: Solves a task.
        others: Given cells that are no examples; one that a function gives speaks against a new rule all the same.
    """
    opposed = _opposed(services, task, others)
    if opposed is None:
        result = run(task)
        kept = None if is_found(result) or is_open(result) else _opposed(services, task, others, verified=False)
        found = len(result.misfits) if result.solved and result.answer else None
        return result, task, None if kept is None or (found is not None and found < kept.failed) else kept
    result = run(opposed.task)
    if not is_found(result) and task.verify and not (result.budget_ended or result.limit_ended or is_open(result)):
        alone = run(task)
        if alone.verified:
            return alone, task, None
    return result, opposed.task, opposed


def is_found(result: Result) -> bool:
    """Whether a search found a function that fits all of its rows."""
    return bool(result.solved and result.answer) and not result.misfits


def is_open(result: Result) -> bool:
    """Whether a search is not over."""
    return result.status in ("waiting", "interrupted")


def _opposed(
    services: WorkspaceServices, task: Task, others: Sequence[Row], *, verified: bool = True
) -> OpposedFunction | None:
    """The newest verified, or else kept, function for the columns of a table, where none gives all of its given cells.

    One that gives them and was found for this very table, beside the rows of an earlier one, is searched for with these
    again: its own cells alone would not verify it, and what it took the place of gives other cells still.
    """
    active = [(one, failing_rows(services, task, one)) for one in functions_for(services, task)]
    giving = next((one for one, failed in active if not failed), None)
    if not active or (giving is not None and task.id not in giving.source.split(", ")):
        return None
    if giving is not None and not any(failed for _, failed in active):
        active = [(one, failing_rows(services, task, one)) for one in functions_for(services, task, retired=True)]
    against = ((one, failed) for one, failed in active if failed and origin_of(services, one).verified is verified)
    skill, failed = next(against, (None, []))
    if skill is None:
        return None
    kept, own = origin_of(services, giving or skill), (*task.examples, *task.verify, *task.hidden)
    wanted = (Row(input=one, output=None) for one in task.unlabelled)
    here = {row_key(row) for row in (*own, *wanted)}  # the table itself tells what these are now
    earlier = [(n < kept.shown, row) for n, row in enumerate(kept.rows_in(task)) if row_key(row) not in here]
    places = places_of(skill, task) or ()
    if not places or not earlier:
        return None
    alike = replace(task, examples=tuple(others), verify=(), hidden=())
    agrees = len(failed) < len(own) or bool(others and len(failing_rows(services, alike, skill)) < len(others))
    read = [places[place] for place in sorted(used_parameters(Program(source=skill.code, entry=skill.entry)))]
    return OpposedFunction(
        origin=origin_of(services, skill),
        stays=giving is None,
        task=_beside(task, earlier),
        program=_moved(skill, places),
        given=len(own) - len(failed),
        failed=len(failed),
        doubt=None if agrees else _doubt(failed, earlier, [one for one in read if one is not None]),
    )


def _beside(task: Task, earlier: Sequence[tuple[bool, Row]]) -> Task:
    """The task with earlier rows; those that the author of the function did not see stay unseen."""
    shown, unseen = ([row for was_shown, row in earlier if was_shown is wanted] for wanted in (True, False))
    examples = (*task.examples, *shown)[:MAX_EXAMPLES]
    names = names_of(task.view().signature)
    return replace(
        task,
        examples=examples,
        verify=(*task.verify, *unseen)[:MAX_VERIFY],
        signature=format_signature(infer_signature(examples, names)),
        group="",
        warnings=(),
    )


def _moved(skill: Skill, places: Sequence[int | None]) -> Program:
    """A saved function as one of the arguments of a task."""
    entry = f"kept_{skill.entry}"
    takes = ", ".join("None" if place is None else f"row[{place}]" for place in places)
    return Program(source=f"{skill.code}\n\n\ndef {entry}(*row):\n    return {skill.entry}({takes})\n", entry=entry)


def _doubt(
    failed: Sequence[tuple[Row, Outcome]], earlier: Sequence[tuple[bool, Row]], read: Sequence[int]
) -> Reason | None:
    """Why a function may be wrong on any row: it is on one that is like those that it was right on."""
    likeness = InputProfile.from_rows(row.input for _, row in earlier)
    for row, got in failed:
        if not (likeness.novelty_reason(row.input, read) or likeness.exchangeable_part(row.input, read)):
            inputs, value = [row.input[place] for place in read], got.value if got.ok else None
            return reason("row_does_not_fit", input=inputs, given=row.output, expected=value)
    return None
