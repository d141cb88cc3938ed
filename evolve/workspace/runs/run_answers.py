"""Answers of a person's own runs in the form of skills, where they are verified or the person kept them."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from evolve.agent import Run
from evolve.core.episodes import OWN, EpisodeRecord
from evolve.core.errors import RecordDamaged, TaskError, UsageError
from evolve.core.files import canonical_json, digest
from evolve.runtime.sandbox import Program
from evolve.skills import ACTIVE, Skill
from evolve.skills.equivalence import behaviour_tree
from evolve.skills.naming import is_numbered, with_entry
from evolve.skills.parameters import drop_unread_parameters
from evolve.tasks import Task, task_json
from evolve.workspace.runs.beginnings import beginning_of
from evolve.workspace.runs.tasks import task_of
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


def given_task_of(services: WorkspaceServices, run: Run) -> Task | None:
    """The task as a run was given it; None where that is not on record, as in runs of earlier versions, or where the
    package of its kind of environment is not installed."""
    if "input" not in run.body:
        return None
    try:
        return task_of(json.loads(services.stores.objects.get(run.body["input"])))
    except (RecordDamaged, TaskError):
        return None


@dataclass(frozen=True, kw_only=True)
class RunFunction:
    """A function that a run of the person's own found, right on rows."""

    run: Run
    record: EpisodeRecord
    task: Task

    @cached_property
    def answer(self) -> Skill:
        """The function in the form of a skill, under the id of the run."""
        return Skill(
            name=self.run.id,
            description=self.task.instruction,
            entry=self.task.entry,
            signature=self.task.view().signature,
            code=self.record.answer,
            rows=(*self.task.examples, *self.task.verify, *self.task.hidden),
            test_code="",
            source=self.record.task,
        )

    @property
    def kept(self) -> bool:
        """The person said that it is to be used again."""
        return KEPT_BY_PERSON in self.run.body

    @property
    def usable(self) -> bool:
        """The person kept it, or it is verified: nothing contests it, and somebody looked."""
        sure = self.record.verified and CONTESTED not in self.run.body and self.run.state != "open"
        return sure or self.kept

    def made(self, skills: Iterable[Skill]) -> list[Skill]:
        """Those of the skills that were made of it, or are the same."""
        return [one for one in skills if self.record.answer == one.code or is_from_episode(self.record, one)]


def function_of(services: WorkspaceServices, run: Run) -> RunFunction | None:
    """The function that a run found; None where it is no run of the person's with one that is right on rows."""
    if run.kind != "run" or "input" not in run.body:
        return None
    records = [one for one in services.stores.runs.episodes(run=run.id) if one.split == OWN and one.solved]
    task = given_task_of(services, run) if records else None
    if task is None or not task.examples or not task.entry or task.work is not None:
        return None
    return RunFunction(run=run, record=records[-1], task=task)


def _functions(services: WorkspaceServices, runs: Iterable[Run]) -> Iterator[tuple[RunFunction, bool]]:
    """The functions of runs, each with whether it may be used: none that the person forgot."""
    forgotten = {str(run.body[FORGOTTEN]) for run in services.stores.runs.list_runs() if FORGOTTEN in run.body}
    for one in (function_of(services, run) for run in runs):
        if one is not None:
            yield one, one.usable and not (forgotten and _function_key(one.answer) in forgotten)


def answers_of_runs(services: WorkspaceServices, before: str = "") -> list[RunFunction]:
    """Functions of which no skill was made, the oldest first.

    Of runs under one id of a task the latest that has an answer counts: it may have been corrected. One whose skill was
    kept is left out, also where a person retired that. What the person kept counts however long ago that was, until
    they keep another answer under the same id.

    Args:
        before: A run; only earlier ones are looked at. "" for all.
    """
    runs, skills = _looked_at(services), _plain_skills(services)
    ids = [run.id for run in runs]
    found: dict[str, RunFunction] = {}
    seen: set[tuple[str, bool]] = set()
    for one, is_used in _functions(services, reversed(runs[: ids.index(before)] if before in ids else runs)):
        if (one.record.task, one.kept) in seen:
            continue
        seen |= {(one.record.task, False), (one.record.task, one.kept)}
        # One without a tree is tried on no table, so that the answer itself stays in use
        if is_used and not any(not one.kept or (made.tree and made.status in ACTIVE) for made in one.made(skills)):
            found.setdefault(one.answer.code, one)
    return list(reversed(found.values()))


def saved_functions(services: WorkspaceServices, *, retired: bool = False) -> list[Skill]:
    """The functions that may fill a table, skills first: those in use, or ``retired`` ones, too."""
    skills = [one for one in _plain_skills(services) if retired or one.status in ACTIVE]
    return [*(one for one in skills if not one.environment), *(one.answer for one in answers_of_runs(services))]


def functions_of_runs(services: WorkspaceServices) -> list[Skill]:
    """Every function of a run that is in use, by itself or as a skill that was made of it, the oldest first."""
    skills, found = _plain_skills(services), []
    for one, is_used in _functions(services, _looked_at(services)):
        made = one.made(skills) if is_used else []
        if is_used and (one.kept or not made or any(skill.status in ACTIVE for skill in made)):
            found.append(one.answer)
    return found


def _looked_at(services: WorkspaceServices) -> list[Run]:
    """The latest runs, and earlier ones that the person kept or took out of use."""
    runs = [run for run in services.stores.runs.list_runs() if run.kind == "run"]
    said = [run for run in runs[:-_MOST_RUNS] if run.body.keys() & {KEPT_BY_PERSON, FORGOTTEN}]
    return [*said, *runs[-_MOST_RUNS:]]


def _plain_skills(services: WorkspaceServices) -> list[Skill]:
    return [skill for skill in services.stores.skills.list() if not skill.part]


def _function_key(answer: Skill) -> str:
    """What a function is known by: its source without what it does not read and what is no behaviour."""
    program, _ = drop_unread_parameters(Program(source=answer.code, entry=answer.entry))
    return digest(ast.dump(behaviour_tree(program.source)))


def function_named(services: WorkspaceServices, name: str) -> Skill:
    """The skill of a name or digest, or the answer of the run of this id, verified or kept by the person.

    Raises:
        UsageError: There is neither.
    """
    stores = services.stores
    if not stores.runs.has_run(name) or name in {skill.name for skill in stores.skills.list()}:
        return stores.skills.get(name)
    one = function_of(services, stores.runs.run(name))
    if one is None or not one.usable:
        hint = f"if you say that it is right: evolve skills own {name}"
        raise UsageError(f"run {name} has no verified function", hint=hint)
    return one.answer


def kept_by_person(services: WorkspaceServices) -> list[Skill]:
    """The answers that the person kept, each under the id of its run, the oldest first, also where skills are made of
    them."""
    kept = (function_of(services, run) for run in services.stores.runs.list_runs() if KEPT_BY_PERSON in run.body)
    return [one.answer for one in kept if one is not None]


def keep_answer(services: WorkspaceServices, name: str, day: str) -> RunFunction:
    """Keeps the answer of a run, because the person says so: it is used for later tables as a verified one is.

    Raises:
        UsageError: The run has no function that was right on rows.
    """
    run = services.stores.runs.run(name)
    begun = beginning_of(services, run)
    if "input" not in run.body and begun is not None:  # which a run with a model does not note
        kept = services.stores.objects.put_object(canonical_json(task_json(begun.task)).encode())
        run = replace(run, body={**run.body, "input": kept})
    one = function_of(services, replace(run, body={**run.body, KEPT_BY_PERSON: day}))
    if one is None:
        hint = f"evolve runs show {name} tells what came of it"
        raise UsageError(f"run {name} has no function that is right on rows, so there is nothing to keep", hint=hint)
    services.stores.runs.replace_body(name, one.run.body)
    key = _function_key(one.answer)
    for other in services.stores.runs.list_runs():
        if other.body.get(FORGOTTEN) == key:  # the latest word counts
            services.stores.runs.replace_body(
                other.id, {name: one for name, one in other.body.items() if name != FORGOTTEN}
            )
    return one


def forget_answers(services: WorkspaceServices, function: Skill) -> list[Skill]:
    """Takes a function out of use: every answer of a run that is the same one, kept or verified.

    Args:
        function: A skill, or the answer of a run in the form of one.

    Returns:
        The skills in use that are the same function, or were made of such an answer; the caller retires them.
    """
    active = [one for one in _plain_skills(services) if one.status in ACTIVE and not one.environment]
    key = _function_key(function)
    same = [skill for skill in active if _function_key(skill) == key]
    for one, _ in _functions(services, _looked_at(services)):
        own = _function_key(one.answer)
        if one.run.id == function.name or own == key or is_from_episode(one.record, function):
            same += [skill for skill in active if skill not in same and is_from_episode(one.record, skill)]
            body = {name: value for name, value in one.run.body.items() if name != KEPT_BY_PERSON}
            services.stores.runs.replace_body(one.run.id, {**body, FORGOTTEN: own})
    return same


def answer_in_run(services: WorkspaceServices, skill: Skill) -> tuple[Run, list[EpisodeRecord]] | None:
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
