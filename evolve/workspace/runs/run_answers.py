"""Answers of a person's own runs in the form of skills, where they are verified or the person kept them."""

from __future__ import annotations

import ast
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace

from evolve.agent import Run
from evolve.core.episodes import OWN, EpisodeRecord
from evolve.core.errors import RecordDamaged, TaskError, UsageError
from evolve.core.files import canonical_json, digest
from evolve.runtime.sandbox import Program
from evolve.skills import ACTIVE, Skill
from evolve.skills.equivalence import plain
from evolve.skills.naming import is_numbered, with_entry
from evolve.skills.parameters import without_unread
from evolve.tasks import Task, task_json
from evolve.tasks.tables import ColumnKind
from evolve.workspace.runs.beginnings import beginning_of
from evolve.workspace.runs.given_task import task_of
from evolve.workspace.services import WorkspaceServices

CONTESTED = "contested"
"""In the body of a run: why its answer is called unverified though unseen rows bear it."""
BY_CLIENT = "by_client"
"""And that its rows are those of another program, which are evidence of nothing."""
VOUCHED = "vouched"
"""And why it is called verified though no unseen row does: it is a function that was verified before."""
NARROW = "narrow"
"""And why its rule may hold for the rows of its table alone."""
WRITTEN = "written"
"""And how the numbers of the column are written that it was learned from."""
KEPT_BY_PERSON = "kept_by_person"
"""And the day on which the person said that its answer is to be used again, whatever verifies it."""
FORGOTTEN = "forgotten"
"""And the key of its function, where the person took that out of use."""
_MOST_RUNS = 100
"""Latest runs that are looked at."""


def note_written(services: WorkspaceServices, run: str, kind: ColumnKind) -> None:
    """Notes how the numbers of a column are written, for a later table in which no cell shows it."""
    if kind.is_number:
        services.stores.runs.note(run, {**services.stores.runs.run(run).body, WRITTEN: vars(kind)})


def given_task_of(services: WorkspaceServices, run: Run) -> Task | None:
    """The task as a run was given it; None where that is not on record, as in runs of earlier versions, or where the
    package of its kind of environment is not installed."""
    if "input" not in run.body:
        return None
    try:
        return task_of(json.loads(services.stores.objects.get(run.body["input"])))
    except (RecordDamaged, TaskError):
        return None


def answers_of_runs(services: WorkspaceServices, before: str = "") -> list[Skill]:
    """Answers of which no skill was made, each under the id of its run, the oldest first.

    Of runs under one id of a task the latest that has an answer counts: it may have been corrected. One whose skill was
    kept is left out, also where a person retired that. What the person kept counts however long ago that was, until
    they keep another answer under the same id.

    Args:
        before: A run; only earlier ones are looked at. "" for all.
    """
    runs = _looked_at(services)
    ids = [run.id for run in runs]
    runs = runs[: ids.index(before)] if before in ids else runs
    found: dict[str, Skill] = {}
    seen: set[tuple[str, bool]] = set()
    usable = _Usable.now(services)
    for run in reversed(runs):
        record, is_kept = answered_episode(services, run), KEPT_BY_PERSON in run.body
        if record is None or (record.task, is_kept) in seen:
            continue
        seen |= {(record.task, False), (record.task, is_kept)}
        answer = usable.answer(run, record)
        made = [] if answer is None else usable.made_of(answer, record)
        # One without a tree is tried on no table, so that the answer itself stays in use
        if answer is not None and not any(not is_kept or (one.tree and one.status in ACTIVE) for one in made):
            found.setdefault(answer.code, answer)
    return list(reversed(found.values()))


def functions_of_runs(services: WorkspaceServices) -> list[Skill]:
    """Every answer of a run that is in use, by itself or as a skill that was made of it, the oldest first."""
    usable = _Usable.now(services)
    found = []
    for run in _looked_at(services):
        record = answered_episode(services, run)
        answer = usable.answer(run, record)
        if record is None or answer is None:
            continue
        made = usable.made_of(answer, record)
        if not made or KEPT_BY_PERSON in run.body or any(skill.status in ACTIVE for skill in made):
            found.append(answer)
    return found


def _looked_at(services: WorkspaceServices) -> list[Run]:
    """The latest runs, and earlier ones that the person kept or took out of use."""
    runs = [run for run in services.stores.runs.runs() if run.kind == "run"]
    said = [run for run in runs[:-_MOST_RUNS] if run.body.keys() & {KEPT_BY_PERSON, FORGOTTEN}]
    return [*said, *runs[-_MOST_RUNS:]]


@dataclass(frozen=True, kw_only=True)
class _Usable:
    """Which answers of runs may be used: none that the person forgot."""

    services: WorkspaceServices
    skills: Sequence[Skill]
    forgotten: frozenset[str]

    @classmethod
    def now(cls, services: WorkspaceServices) -> _Usable:
        skills = [skill for skill in services.stores.skills.list() if not skill.part]
        forgotten = {str(run.body[FORGOTTEN]) for run in services.stores.runs.runs() if FORGOTTEN in run.body}
        return cls(services=services, skills=skills, forgotten=frozenset(forgotten))

    def answer(self, run: Run, record: EpisodeRecord | None) -> Skill | None:
        answer = _answer_of(self.services, run, record)
        if answer is None or not self.forgotten:
            return answer
        return None if function_key(answer) in self.forgotten else answer

    def made_of(self, answer: Skill, record: EpisodeRecord) -> list[Skill]:
        return [skill for skill in self.skills if answer.code == skill.code or is_from_episode(record, skill)]


def function_key(answer: Skill) -> str:
    """What a function is known by: its source without what it does not read and what is no behaviour."""
    program, _ = without_unread(Program(source=answer.code, entry=answer.entry))
    return digest(ast.dump(plain(program.source)))


def function_named(services: WorkspaceServices, name: str) -> Skill:
    """The skill of a name or digest, or the answer of the run of this id, verified or kept by the person.

    Raises:
        UsageError: There is neither.
    """
    stores = services.stores
    if not stores.runs.has_run(name) or name in {skill.name for skill in stores.skills.list()}:
        return stores.skills.get(name)
    run = stores.runs.run(name)
    answer = _answer_of(services, run, answered_episode(services, run))
    if answer is None:
        hint = f"if you say that it is right: evolve skills own {name}"
        raise UsageError(f"run {name} has no verified function", hint=hint)
    return answer


def kept_by_person(services: WorkspaceServices) -> list[Skill]:
    """The answers that the person kept, each under the id of its run, the oldest first, also where skills are made of
    them."""
    kept = [run for run in services.stores.runs.runs() if KEPT_BY_PERSON in run.body]
    return [
        answer for run in kept if (answer := _answer_of(services, run, answered_episode(services, run))) is not None
    ]


def answer_of_run(services: WorkspaceServices, name: str) -> Skill:
    """The function that a run found, whether it is in use or not.

    Raises:
        UsageError: There is no such run, or it has none that is right on rows.
    """
    run = services.stores.runs.run(name)
    answer = _as_skill(services, run, answered_episode(services, run))
    if answer is None:
        raise UsageError(f"run {name} has no function that later tables use", hint="evolve skills list")
    return answer


def found_itself(services: WorkspaceServices, name: str) -> bool:
    """Whether a run found a function itself, and did not take a saved one."""
    run = services.stores.runs.run(name)
    record = answered_episode(services, run)
    return record is not None and not record.steps[-1].action.spare and _as_skill(services, run, record) is not None


def keep_answer(services: WorkspaceServices, name: str, day: str) -> Skill:
    """Keeps the answer of a run, because the person says so: it is used for later tables as a verified one is.

    Raises:
        UsageError: The run has no function that was right on rows.
    """
    run = services.stores.runs.run(name)
    begun = beginning_of(services, run)
    if "input" not in run.body and begun is not None:  # which a run with a model does not note
        kept = services.stores.objects.put(canonical_json(task_json(begun.task)).encode())
        run = replace(run, body={**run.body, "input": kept})
    run = replace(run, body={**run.body, KEPT_BY_PERSON: day})
    answer = _answer_of(services, run, answered_episode(services, run))
    if answer is None:
        hint = f"evolve runs show {name} tells what came of it"
        raise UsageError(f"run {name} has no function that is right on rows, so there is nothing to keep", hint=hint)
    services.stores.runs.note(name, run.body)
    key = function_key(answer)
    for other in services.stores.runs.runs():
        if other.body.get(FORGOTTEN) == key:  # the latest word counts
            services.stores.runs.note(other.id, {name: one for name, one in other.body.items() if name != FORGOTTEN})
    return answer


def forget_answers(services: WorkspaceServices, function: Skill) -> list[Skill]:
    """Takes a function out of use: every answer of a run that is the same one, kept or verified.

    Args:
        function: A skill, or the answer of a run in the form of one.

    Returns:
        The skills in use that are the same function, or were made of such an answer; the caller retires them.
    """
    active = [skill for skill in services.stores.skills.active() if not skill.part and not skill.environment]
    key = function_key(function)
    same = [skill for skill in active if function_key(skill) == key]
    for run in _looked_at(services):
        record = answered_episode(services, run)
        answer = _as_skill(services, run, record)
        if record is None or answer is None:
            continue
        own = function_key(answer)
        if run.id != function.name and own != key and not is_from_episode(record, function):
            continue
        same += [skill for skill in active if skill not in same and is_from_episode(record, skill)]
        body = {name: one for name, one in run.body.items() if name != KEPT_BY_PERSON}
        services.stores.runs.note(run.id, {**body, FORGOTTEN: own})
    return same


def answered_episode(services: WorkspaceServices, run: Run) -> EpisodeRecord | None:
    """The episode of a person's run that has an answer which was right on rows."""
    if run.kind != "run" or "input" not in run.body:
        return None
    records = [one for one in services.stores.runs.episodes(run=run.id) if one.split == OWN and one.solved]
    return records[-1] if records else None


def _answer_of(services: WorkspaceServices, run: Run, record: EpisodeRecord | None) -> Skill | None:
    """The answer of a run that the person kept or that is verified; None where something contests that, or nobody
    looked yet."""
    is_sure = record is not None and record.verified and CONTESTED not in run.body and run.state != "open"
    return _as_skill(services, run, record) if is_sure or KEPT_BY_PERSON in run.body else None


def _as_skill(services: WorkspaceServices, run: Run, record: EpisodeRecord | None) -> Skill | None:
    """The answer of a run, where it is a function."""
    task = None if record is None else given_task_of(services, run)
    if record is None or task is None or not task.examples or not task.entry or task.work is not None:
        return None
    return Skill(
        name=run.id,
        description=task.instruction,
        entry=task.entry,
        signature=task.view().signature,
        code=record.answer,
        rows=(*task.examples, *task.verify, *task.hidden),
        test_code="",
        source=record.task,
    )


def found_in(services: WorkspaceServices, skill: Skill) -> tuple[Run, list[EpisodeRecord]] | None:
    """The run in which a skill, or an answer in the form of one, was found, and the episodes that gave it; None where
    it came from elsewhere."""
    for task in skill.source.split(", "):
        records = [record for record in services.stores.runs.of_task(task, None, OWN) if is_from_episode(record, skill)]
        if records:
            return services.stores.runs.run(records[-1].run), records
    return None


def is_from_episode(record: EpisodeRecord, skill: Skill) -> bool:
    """Whether a skill, or an answer in the form of one, was found in an episode."""
    if record.run == skill.name and record.answer == skill.code:
        return record.solved
    # arms that no row bears may have been cut out of the code, and a repair may have brought tests
    drafts = [one for one in record.drafts if is_numbered(skill.entry, one.entry)]
    return record.solved and any(
        one.tests == skill.rows or one.code in (skill.code, with_entry(skill.code, skill.entry, one.entry))
        for one in drafts
    )
