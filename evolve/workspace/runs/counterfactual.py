"""The shadow of a person's own run with a model: the same task solved once more as if nothing had been learned.

It runs once the person has their answer, and costs money of theirs. So whether there is one is drawn before the run, at
a rate that the person sets, by the problem and the seed alone; and it is drawn only where it can say something. What
it may spend is fixed then as well, so that no outcome has a say in what is compared.
"""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import asdict, replace
from typing import Any

from evolve.agent import CounterfactualRun, PendingLearning, sampling_fraction
from evolve.agent.workflow import skill_of
from evolve.core.episodes import OWN, SHADOW, EpisodeRecord, Limits
from evolve.core.errors import UsageError, WorkspaceError
from evolve.core.events import Event, NoEvents
from evolve.core.ledger import Budget
from evolve.core.progress import report_activity
from evolve.tasks import Task
from evolve.tasks.work import FolderWork
from evolve.trials.learned_state import UNLEARNED
from evolve.workspace.resources.gate_log import BET
from evolve.workspace.runs.context import (
    RunContext,
    RunRequest,
    sandbox_opener_for,
    services_as_recorded,
    unlearned_agent_for,
)
from evolve.workspace.services import WorkspaceServices

_PAID = ("tokens", "money", "calls")
"""Bounds of what a model is paid."""


def is_drawn(services: WorkspaceServices, task: Task) -> bool:
    """Whether a run of the task gets a shadow, as can be said before it begins.

    None gets what only a person can judge, what follows on earlier turns, what was tried before, what has functions to
    call, which are not called twice, and what is met before anything is learned at all, since then both would do the
    same.
    """
    stores = services.stores
    if (
        sampling_fraction(services.settings.seed, task.group, SHADOW) >= services.settings.shadow_share
        or task.earlier
        or not services.tools.is_empty
    ):
        return False
    work = task.work
    by_check = isinstance(work, FolderWork) and bool(work.check or work.hidden_check)
    if not by_check and (work is not None or not task.verifiable or task.cannot_be_verified):
        return False
    if any(skill_of(stage) is not None for stage in services.workflow.stages):  # without what was learned it cannot run
        return False
    if stores.runs.of_task(task.id, task.group, OWN) or any(
        (run.body.get(BET) or {}).get("group") == task.group for run in stores.runs.list_runs()
    ):
        return False
    return stores.variants.active_digest != UNLEARNED or bool(stores.skills.active() or stores.memory.list_insights())


def run_each_arm(limits: Limits, budget: Budget) -> Limits | None:
    """What the run and its shadow are compared within: what the run may spend, and half of a bound that was typed, so
    that both together keep to it.

    None where that is not to be had: a single call has no half, and no record tells how long a model took.
    """
    typed = {name: bound for name, bound in asdict(budget).items() if name in _PAID and bound is not None}
    halves: dict[str, Any] = {
        name: bound // 2 if isinstance(bound, int) else bound / 2 for name, bound in typed.items()
    }
    if budget.seconds is not None or not all(halves.values()):
        return None
    return replace(limits, **halves)


def is_affordable(most: Limits, left: Limits) -> bool:
    """Whether what a shadow may cost is there to be spent."""
    return all(getattr(most.capped_by(left), name) == getattr(most, name) for name in _PAID)


def judge_once(record: EpisodeRecord) -> EpisodeRecord:
    """The run's episode as if its first answer had been its last, which is all that a shadow has.

    In a folder nothing can be verified, and what its check accepts counts.
    """
    first = next((step.judgement for step in record.steps if step.judgement is not None), None)
    if first is not None and not (first.accepted or first.fault):
        return replace(record, status="refused", verified=False, checked=False)
    return replace(record, verified=record.verified or record.checked)


def is_comparable(record: EpisodeRecord, most: Limits, budget: Budget) -> bool:
    """Whether a shadow is worth running: the person gave no help, and the run kept to its half of a typed budget.

    Where it is not, the pair is withheld, which counts as lost: else what learning makes dearer would drop out.
    """
    if any(step.action.kind == "ask_user" for step in record.steps):
        return False
    return all(getattr(record.cost, name) <= getattr(most, name) for name in _PAID if getattr(budget, name) is not None)


@report_activity("shadow")
def run_counterfactual(
    services: WorkspaceServices, owed: PendingLearning, request: RunRequest, seed: int, most: Limits
) -> CounterfactualRun | None:
    """The episode without anything learned. Its file lies beside that of the run's, so that it goes on where it was
    cut off. Nothing of it is committed, and a folder is only read.

    Returns:
        None where it cannot take place any more: the folder is gone or was changed, or the workflow is another one.

    Raises:
        Cancelled: The person asked to stop before it began.
        EndpointProblem: The model does not answer; the same call goes on.
    """
    request.person.cancellation.check_before()
    services.events.emit(Event(kind="shadow", data={"text": "solving it again without what was learned"}))
    try:
        with ExitStack() as stack:
            sandbox = stack.enter_context(sandbox_opener_for(services, request)())
            # Of another run, since the run's own episode may be of the same task, seed and variant.
            name, folder = f"{owed.run}:{SHADOW}", services.paths.runs / owed.run
            place = RunContext(run=name, sandbox=sandbox, events=NoEvents(), checkpoints=folder)
            agent = unlearned_agent_for(services, request, place)
            task = services_as_recorded(services, request.task, owed.run, stack)
            return agent.run_shadow(task, variant=UNLEARNED, seed=seed, limits=most)
    except (UsageError, WorkspaceError):
        return None


def is_cut_short(services: WorkspaceServices, made: CounterfactualRun, most: Limits) -> bool:
    """Whether something else than its own budget may have ended a shadow: a limit of the day or the workspace, or that
    it had less room because calls were stopped. Then it says nothing of what it could have done."""
    record = made.record
    ended = record.steps[-1].action.ended if record.steps else None
    if record.status != "budget":
        return False
    if made.lost:
        return True
    if ended is None or not (services.settings.day_limit or services.settings.total_limit):
        return False
    is_room = most.tokens is None or record.cost.tokens + ended.tokens <= most.tokens
    return is_room and (most.calls is None or record.cost.calls < most.calls)


def items_told_before(most: Limits, budget: Budget) -> str:
    """What a shadow may cost, in a sentence, for the person to know before the run begins."""
    if any(value is not None for value in asdict(budget).values()):
        room = "inside of the budget that was given"
    else:
        room = "for as much again" if most.tokens is None else f"for up to {most.tokens:,} more tokens"
    return f"once there is a result, it is solved again without what was learned, to see whether that helps: {room}"
