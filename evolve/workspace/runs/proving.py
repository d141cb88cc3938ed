"""Judges a person's own task before it is learned from: solved anew with what was learned so far, and without."""

from __future__ import annotations

from evolve.episodes import SHADOW, EpisodeRecord, Limits
from evolve.record.arms import UNLEARNED, Arm, agent_for
from evolve.tasks import Task
from evolve.tasks.alike import every_trait
from evolve.workspace.desk import Desk
from evolve.workspace.learners import SearchLearner
from evolve.workspace.runs.person import Person


def judge_first(desk: Desk, episode: str, task: Task, person: Person) -> None:
    """Keeps how the task of an episode comes out with what was learned so far and without, before it is learned from.

    Both arms have the same rows, one answer that is judged, and what an episode of a loop may spend; neither is shown
    what a refusal showed. How the person's own run ended matters in this alone: a fault teaches nothing and is not
    judged, and a run that was broken off is judged once it is finished. Only the embedded search is judged:
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
    own.add(episode, task.family, every_trait(task), (first, second), met=met)


def _solved(desk: Desk, arm: Arm, task: Task, most: Limits, person: Person) -> EpisodeRecord:
    person.cancellation.check_before()
    agent = agent_for(arm, desk.learner, desk.open_sandbox(), run="", suite="")
    limits = arm.limits(most, task.environment)
    return agent.run_episode(task, variant=arm.variant, split=SHADOW, seed=desk.settings.seed, limits=limits)
