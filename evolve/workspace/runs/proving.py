"""Judges a person's own task before it is learned from: solved with what was learned so far, and without."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from evolve.agent import PendingLearning
from evolve.core.episodes import SHADOW, Cost, EpisodeRecord, Limits
from evolve.core.episodes.codec import from_data, to_data
from evolve.core.ledger import Budget
from evolve.core.reasons import Reason, reason
from evolve.tasks import Task
from evolve.tasks.problem_traits import every_trait
from evolve.trials.gate import PersonTaskOutcomes
from evolve.trials.learned_state import UNLEARNED, LearnedState, agent_for
from evolve.workspace.learners import SearchLearner
from evolve.workspace.resources.gate_log import BET
from evolve.workspace.runs import counterfactual as shadow
from evolve.workspace.runs.context import RunRequest
from evolve.workspace.runs.person import Person
from evolve.workspace.services import WorkspaceServices

UNJUDGED = "unjudged"
"""Key of what learning will need: the run's budget leaves no room for judging its task."""


@dataclass(frozen=True, kw_only=True)
class TaskJudging:
    """What judging a task before it is learned from came to.

    Attributes:
        cost: What it has cost by now, beside the run.
        room: What a budget that was typed for the run leaves to learning.
        stopped: The person stopped it; the same call goes on.
        waits: Why it cannot be judged yet, or None.
    """

    cost: Cost = field(default_factory=Cost)
    room: Limits = field(default_factory=lambda: Limits(candidates=None, seconds=None))
    stopped: bool = False
    waits: Reason | None = None


def open_prequential_test(services: WorkspaceServices, request: RunRequest, limits: Limits) -> Mapping[str, Any]:
    """What a run notes of itself at its beginning where its task is to count; {} where it is not.

    The task, the settings and what was met before decide it, and nothing that comes of the run.

    Args:
        limits: What the run may spend.
    """
    task, own = request.task, services.stores.decisions
    if (request.person.learn or services.settings.learn) == "off" or own.met_of(every_trait(task)):
        return {}
    bet: dict[str, Any] = {"policy": services.learner.name, "group": task.group}
    if services.uses_model:
        most = shadow.run_each_arm(limits, request.budget)
        if most is None or not shadow.is_drawn(services, task):
            return {}
        bet |= {"most": to_data(most), "budget": asdict(request.budget)}
    elif not _is_searched(services, task) or is_bounded(request.budget):
        return {}
    return {} if task.group in services.stores.learned_groups() else {BET: bet}


def is_bounded(budget: Budget) -> bool:
    """Whether a budget that was typed bounds what a search spends; then the search is not judged.

    Both arms would have to come out of it besides the run, and whether they fit would depend on how the run came out.
    """
    return budget.candidates is not None or budget.seconds is not None


def judge_first(services: WorkspaceServices, owed: PendingLearning, request: RunRequest, left: Limits) -> TaskJudging:
    """Keeps how the task of an episode comes out with what was learned so far and without, before it is learned from.

    Both arms have the same rows, one answer that is judged, and the same bounds; neither is shown what a refusal
    showed. By the embedded search both are run anew, with what an episode of a loop may spend. With a model the run
    itself is the one arm, by its first answer, and a shadow is the other, where one was drawn before the run.

    Args:
        request: The task as the person gave it.
        left: What may be spent now.

    Raises:
        Cancelled: The person asked to stop before anything was begun, or stopped a search; the same call does it anew.
        EndpointProblem: The model does not answer; the same call goes on.
    """
    if not services.uses_model:
        return (
            TaskJudging()
            if owed.body.get(UNJUDGED)
            else _judge_search(services, owed.episode, request.task, request.person)
        )
    bet = services.stores.runs.run(owed.run).body.get(BET)
    return TaskJudging() if bet is None else _judge_model(services, owed, request, bet, left)


def _judge_search(services: WorkspaceServices, episode: str, task: Task, person: Person) -> TaskJudging:
    own = services.stores.decisions
    known = own.own_pair(episode)
    if known is not None or not _is_searched(services, task):
        return TaskJudging() if known is None else TaskJudging(cost=known.spent)
    knobs = services.workflow.knobs
    most = Limits(
        candidates=min(services.settings.candidates, knobs.candidates),
        seconds=min(services.settings.seconds, knobs.seconds),
    )
    unlearned, learned = LearnedState(workflow=services.workflow), services.stores.practice_state(services.workflow)
    first = _solved(services, unlearned, task, most, person)
    # What has learned nothing yet does the same again.
    is_same = learned.variant == UNLEARNED and not learned.skills and learned.guide is None
    second = first if is_same else _solved(services, learned, task, most, person)
    cost = first.cost if is_same else first.cost + second.cost
    _keep(
        services,
        episode,
        task,
        PersonTaskOutcomes(unlearned=first, learned=second, policy=services.learner.name, cost=cost),
    )
    return TaskJudging(cost=cost)


def _is_searched(services: WorkspaceServices, task: Task) -> bool:
    rows = task.environment == "programs" and task.verifiable and not task.cannot_be_verified
    return isinstance(services.learner, SearchLearner) and rows


def _solved(services: WorkspaceServices, arm: LearnedState, task: Task, most: Limits, person: Person) -> EpisodeRecord:
    person.cancellation.check_before()
    agent = agent_for(arm, services.learner, services.open_sandbox(), run="", suite="")
    limits = arm.limits(most, task.environment)
    return agent.run_episode(task, variant=arm.variant, split=SHADOW, seed=services.settings.seed, limits=limits)


def _judge_model(
    services: WorkspaceServices, owed: PendingLearning, request: RunRequest, bet: Mapping[str, Any], left: Limits
) -> TaskJudging:
    known = services.stores.decisions.own_pair(owed.episode)
    record = services.stores.runs.episode(owed.episode)
    most, budget = from_data(Limits, bet["most"]), Budget(**bet["budget"])
    room = Limits(**asdict(budget)).minus_cost(record.cost)
    if known is not None:
        return TaskJudging(cost=known.spent, room=room.minus_cost(known.spent))
    arm = shadow.judge_once(record)
    made = None
    # Met since: what is like it was learned from, so that it counts for nothing by now.
    worth = services.settings.shadow_share and not services.stores.decisions.met_of(every_trait(request.task))
    if worth and shadow.is_comparable(record, most, budget):
        if not shadow.is_affordable(most, left):
            return TaskJudging(waits=reason("judging_takes_more"))
        made = shadow.run_counterfactual(services, owed, request, record.seed, most)
    cost = Cost() if made is None else made.paid
    if made is not None and made.record.status == "interrupted":
        return TaskJudging(cost=cost, stopped=True)
    usable = made is not None and not shadow.is_cut_short(services, made, most)
    other = shadow.judge_once(made.record) if made is not None and usable else None
    _keep(
        services,
        owed.episode,
        request.task,
        PersonTaskOutcomes(unlearned=other, learned=arm, policy=services.learner.name, cost=cost),
    )
    return TaskJudging(cost=cost, room=room.minus_cost(cost))


def _keep(services: WorkspaceServices, episode: str, task: Task, arms: PersonTaskOutcomes) -> None:
    met = task.group in services.stores.learned_groups()
    services.stores.decisions.add_own_pair(episode, task.family, every_trait(task), arms, met=met)
