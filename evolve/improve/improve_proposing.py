"""Further tasks of practice, which a package proposes: practised on beside those of the suite, and never judged on.

A loop hands out the tasks that it practises on and nothing of the others. What comes back is kept in the journal, so a
loop that goes on practises on the same, and is in the suite of the practice alone: no comparison can meet it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from evolve.core.episodes import EpisodeRecord
from evolve.core.errors import TaskError
from evolve.core.extensions import find, refused
from evolve.core.files import canonical_json
from evolve.improve.session import Proposer, Session
from evolve.tasks import Suite, Task
from evolve.tasks.alike import TELLING, problem_traits
from evolve.tasks.model import SplitName, row_json, row_key, task_json
from evolve.tasks.reading.assemble import assemble
from evolve.tasks.reading.jsonl import parse_json
from evolve.tasks.reading.labels import tells_nothing

_WORD = re.compile(r"\w+")


def proposed_tasks(session: Session, number: int, episodes: Sequence[EpisodeRecord], seed: int) -> list[Task]:
    """What is proposed for a round, at most as many tasks as there are to practise on; none without a proposer.

    Raises:
        EnvironmentProblem: The package gave something else.
    """
    proposer, step = session.proposer, f"proposed:{number}"
    if proposer is None:
        return []
    kept = session.journal.done(step)
    if kept is None:
        given = session.suite.split("train")
        found = find("proposers", proposer.name, Callable)(given, episodes, seed)
        usable = _usable(_read(proposer, found), given, proposer.suite)
        kept = {"tasks": [task_json(task) for task in usable[: len(given)]]}
        session.journal.finish(step, kept)
        if len(usable) < len(found):
            why = "they are like one that is held out, have its name, or are of another kind"
            text = f"{len(found) - len(usable)} of {len(found)} tasks of {proposer.name} are not practised on: {why}"
            session.show("warning", text=text)
    return _tasks_of(kept["tasks"])


def practising_also_on(session: Session, tasks: Sequence[Task]) -> Session:
    """The session with further tasks to practise on."""
    suite = session.suite
    further: dict[str, SplitName] = {task.group: "train" for task in tasks}
    assigned = {**suite.splits, **further}
    wider = Suite(name=suite.name, tasks=(*suite.tasks, *tasks), digest=suite.digest, assigned=assigned)
    return replace(session, suite=wider)


def _read(proposer: Proposer, found: object) -> list[Task]:
    """The tasks as a file would hold them, so that they are checked as those of a file are."""
    if not isinstance(found, Sequence) or not all(isinstance(task, Task) for task in found):
        raise refused("proposers", proposer.name, "gave no list of tasks")
    try:
        return _tasks_of(map(task_json, found))
    except (TaskError, TypeError, ValueError) as error:
        raise refused("proposers", proposer.name, f"gave a task that is none ({error})") from error


def _tasks_of(bodies: Iterable[object]) -> list[Task]:
    text = "".join(json.dumps(body) + "\n" for body in bodies)
    return [assemble(raw) for raw in parse_json(text, file="proposed", name="", lines=True)] if text else []


def _usable(tasks: Sequence[Task], given: Sequence[Task], suite: Suite) -> list[Task]:
    """Those of a kind with the given ones that have a name of their own and are like no other task of the suite."""
    kinds, names = {task.environment for task in given}, {task.id for task in suite.tasks}
    practised = {task.id for task in given}
    held = _traits(task for task in suite.tasks if task.id not in practised) - _traits(given)
    usable = []
    for task in tasks:
        fits = task.environment in kinds and not (task.folder or task.rubric or task.id in names)
        if fits and not _traits([task]) & held:
            names.add(task.id)
            usable.append(task)
    return usable


def _traits(tasks: Iterable[Task]) -> set[str]:
    return {trait for task in tasks for trait in (*problem_traits(task), *_further_traits(task))}


def _further_traits(task: Task) -> Iterator[str]:
    """By what a task is known under other names too: every row of it, arguments in any order, words without signs."""
    if not tells_nothing(task.instruction):
        yield f"words {_WORD.findall(task.instruction.casefold())}"
    if task.tests:
        yield f"tests {task.tests.split()}"
    if task.work is not None:
        yield f"work {canonical_json(task.work.as_json())}"
    for row in (*task.examples, *task.verify, *task.hidden):
        cells = sorted(map(canonical_json, row.input))
        yield canonical_json({**row_json(row), "input": cells})
        if len(row_key(row)) >= TELLING:
            yield f"input {cells}"
