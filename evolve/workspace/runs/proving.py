"""Judges a person's own task before it is learned from: solved anew with what was learned so far, and without."""

from __future__ import annotations

from evolve.episodes import SHADOW, EpisodeRecord, Limits, Row
from evolve.files import canonical_json, digest
from evolve.record.arms import UNLEARNED, Arm, agent_for
from evolve.tasks import Task, row_key
from evolve.tasks.model import row_json, suite_digest
from evolve.tasks.reading.labels import tells_nothing
from evolve.workspace.desk import Desk
from evolve.workspace.learners import SearchLearner
from evolve.workspace.runs.person import Person

_ROWS = 64
"""Most rows by which a task is known again: those of the smallest digests, which tables that share rows share."""

_TELLING = 12
"""Characters of an input, as JSON, from which on it hardly comes twice by chance."""


def judge_first(desk: Desk, episode: str, task: Task, person: Person) -> None:
    """Keeps how the task of an episode comes out with what was learned so far and without, before it is learned from.

    Both arms have the same rows, one answer that is judged, and what an episode of a loop may spend; neither is shown
    what a refusal showed. Nothing here depends on how the person's own run ended. Only the embedded search is judged:
    with another policy, two more episodes of every task may cost money.

    Args:
        task: As the person gave it.

    Raises:
        Cancelled: The person asked to stop; nothing is kept, and the same call does it anew.
    """
    own = desk.stores.prequential
    if (
        not isinstance(desk.learner, SearchLearner)
        or task.environment != "programs"
        or not task.verifiable
        or task.only_checked
    ):
        return
    if own.has(episode):
        return
    knobs = desk.workflow.knobs
    most = Limits(
        candidates=min(desk.settings.candidates, knobs.candidates), seconds=min(desk.settings.seconds, knobs.seconds)
    )
    unlearned, learned = Arm(workflow=desk.workflow), desk.stores.practice_arm(desk.workflow)
    first = _solved(desk, unlearned, task, most, person)
    # What has learned nothing yet does the same again.
    is_same = learned.variant == UNLEARNED and not learned.skills and learned.guide is None
    second = first if is_same else _solved(desk, learned, task, most, person)
    met = task.group in desk.stores.learned_from()
    own.add(episode, task.family, traits_of(task), (first, second), met=met)


def _solved(desk: Desk, arm: Arm, task: Task, most: Limits, person: Person) -> EpisodeRecord:
    person.cancellation.check_before()
    agent = agent_for(arm, desk.learner, desk.open_sandbox(), run="", suite="")
    limits = arm.limits(most, task.environment)
    return agent.run_episode(task, variant=arm.variant, split=SHADOW, seed=desk.settings.seed, limits=limits)


def traits_of(task: Task) -> frozenset[str]:
    """By what a later task is known to be like this one: problem, rows, instruction, and the table they come from."""
    rows = sorted(digest(_told(row))[:16] for row in (*task.examples, *task.verify, *task.hidden))
    traits = [f"problem {task.group}", *(f"row {one}" for one in rows[:_ROWS])]
    if not tells_nothing(task.instruction):
        traits.append(f"words {digest(' '.join(task.instruction.casefold().split()))[:16]}")
    place, _, content = task.source.partition(" ")
    # A file of many tasks is no table; one that held this task alone is.
    if content and content == suite_digest((task,))[:16]:
        traits.append(f"table {place}")
    return frozenset(traits)


def _told(row: Row) -> str:
    """What a row is known by: its input, which another column of its table has too; short ones only with the output."""
    key = row_key(row)
    return key if len(key) >= _TELLING else canonical_json(row_json(row))
