"""One run of a person's own task: begun or gone on with, paused where it waits for them, closed when it is done."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any, Literal

from evolve.agent import Run, episode_id, question_in, remaining_room
from evolve.core.episodes import OWN, Cost, EpisodeRecord, Limits, Question
from evolve.core.episodes.codec import from_data, to_data
from evolve.core.errors import BudgetExhausted, EndpointProblem, UsageError, WorkspaceBusy
from evolve.core.events import Event, EventFan, EventLog, read_events
from evolve.core.files import canonical_json, digest
from evolve.core.ledger import Budget, Ledger, overshoot_text
from evolve.core.reasons import reason
from evolve.core.store import WriterLock
from evolve.tasks import task_json
from evolve.tasks.work import FolderWork
from evolve.trials.admitting import AdmissionResult
from evolve.trials.learned_state import LearnedState
from evolve.workspace.health.fault_reports import FaultReport
from evolve.workspace.learners import episode_limits
from evolve.workspace.model_setup import within_spending_limits
from evolve.workspace.opening import sandbox_opener, utc_now
from evolve.workspace.resources.gate_log import BET
from evolve.workspace.resources.patch import BEGUN, Patch
from evolve.workspace.resources.preferences import task_context
from evolve.workspace.runs.admitting import imported_for, keeper_for
from evolve.workspace.runs.ambiguity import kept_for_doubts, with_ambiguities
from evolve.workspace.runs.applying import SandboxedCalls
from evolve.workspace.runs.approvals import deliver_patch
from evolve.workspace.runs.beginnings import report_interruption, start_of_run, task_kept, with_kept_names
from evolve.workspace.runs.context import RunContext, RunRequest, agent_for, sandbox_opener_for, with_earlier_runs
from evolve.workspace.runs.contradictions import find_contradictions, set_aside
from evolve.workspace.runs.counterfactual import items_told_before
from evolve.workspace.runs.kept_things import items_used_in
from evolve.workspace.runs.learning import PAUSED, pending_of
from evolve.workspace.runs.person import Person
from evolve.workspace.runs.proving import open_prequential_test
from evolve.workspace.runs.result import Result, read_result
from evolve.workspace.runs.run_answers import BY_CLIENT, CONTESTED, NARROW, VOUCHED
from evolve.workspace.runs.saved import is_known, saved_for, saved_function_text
from evolve.workspace.runs.searching import texts_said_by
from evolve.workspace.runs.tasks import task_of
from evolve.workspace.services import WorkspaceServices


def run_task(services: WorkspaceServices, request: RunRequest, run: Run | None = None) -> Result:
    """Runs the task, or goes on with a run of it; :func:`~evolve.workspace.runs.learning.settled` closes it.

    Raises:
        WorkspaceBusy: Another process works on that run.
    """
    with ExitStack() as held:

        def claim(name: str) -> bool:
            lock = WriterLock(services.paths.runs / name / "lock")
            return lock.try_acquire("run") and bool(held.callback(lock.release))

        if run is None:
            request = replace(request, task=with_kept_names(services, request.task))
            run = _begun(services, request, claim)
        elif not claim(run.id):
            raise WorkspaceBusy(f"another process works on {run.id}", hint="evolve runs list")
        try:
            return _solved(services, request, run)
        except EndpointProblem as problem:
            logs = (services.paths.runs / run.id).glob("*/events.jsonl")
            spent = [event.data["cost"] for log in logs for event in read_events(log) if event.kind == "spent"]
            if not (problem.retryable or any(cost["calls"] for cost in spent)):  # such as a key that is not set
                services.stores.runs.end(run.id, "left")
            raise


def _solved(services: WorkspaceServices, request: RunRequest, run: Run) -> Result:
    stores, limits = services.stores, _limits_now(services, request)
    task = with_earlier_runs(services, request.task, run.id)
    known = (*saved_for(services, task, run.id), *imported_for(services, task, judges=request.person.vouches))
    request = replace(request, task=(task := replace(task, saved=known)))
    # A run that waits goes on as what it was, whatever was promoted since.
    variant = str(run.body.get("variant", stores.variants.active_digest))
    seed = int(run.body.get("seed", services.settings.seed))
    episode = episode_id(run.id, task, variant, seed)
    log_file = services.paths.runs / run.id / episode / "events.jsonl"
    patch, question, kept = None, None, AdmissionResult()
    with FaultReport(log_file.parent.parent), EventLog(log_file) as log, report_interruption(log, episode):
        # A kill after the episode was committed leaves only what follows it to be done.
        if stores.runs.has_episode(episode):
            record = stores.runs.episode(episode)
        else:
            with sandbox_opener_for(services, request)() as sandbox:
                events, recorder = EventFan((log, services.events)), _OwnRecorder(services, request, limits)
                place = RunContext(run=run.id, sandbox=sandbox, events=events, recorder=recorder)
                agent = agent_for(services, request, services.workflow, place)
                record = agent.run_episode(task, variant=variant, split=OWN, seed=seed, limits=limits)
        request.ledger.settle(Cost(), record.cost)
        if record.status in PAUSED:
            question = question_in(record)
        elif record.drafts and record.episode not in {owed.episode for owed in stores.runs.pending_learning()}:
            # Learned from before, by this version or by an earlier one that was cut off here.
            kept = keeper_for(services, record, task).judge_drafts(record, task)
        if record.status in ("solved", "unverified") and isinstance(task.work, FolderWork):
            then = partial(_with_patch, services, request, record)
            patch, question = deliver_patch(services, record, task.work, request.person, then)
    _note(services, run, {"variant": variant, "seed": seed, **_resume_data(services, request, question)})
    against = find_contradictions(services, task, record)
    ended = _ended_by(services, request.budget, record, limits)
    result = replace(
        read_result(record, task, saved_function_text(task, record, against[0].told if against else ""), kept),
        status=record.status if question is None else "waiting",
        goal=_goal(log_file),
        overshoot=overshoot_text(request.budget, record.cost),
        patch=patch,
        question=question,
        budget_ended=ended == "budget",
        limit_ended=ended == "limit",
        calls=SandboxedCalls(open=sandbox_opener(services.settings, [services.paths.root])) if task.examples else None,
    )
    result = with_ambiguities(services, result, record, request)
    if request.person.vouches:
        set_aside(services, task, result, against)
    return _with_verdict(services, record, result)


def _with_patch(services: WorkspaceServices, request: RunRequest, record: EpisodeRecord, patch: Patch) -> Result:
    result = replace(read_result(record, request.task), patch=patch)
    return _with_verdict(services, record, with_ambiguities(services, result, record, request))


def _with_verdict(services: WorkspaceServices, record: EpisodeRecord, result: Result) -> Result:
    """Notes of the run what contests its answer, so that no later run takes that as verified, or what vouches for it.

    Gives the result with what it was told.
    """
    noted: dict[str, Any] = {}
    if record.verified and not result.verified and record.status == "solved":
        noted = {CONTESTED: to_data(result.reason)}
    elif result.verified and not record.verified and BY_CLIENT not in services.stores.runs.run(record.run).body:
        noted = {VOUCHED: result.note}
        services.stores.count_as_verified(record)
    if result.narrow is not None:
        noted[NARROW] = to_data(result.narrow)
    if noted:
        services.stores.runs.replace_body(record.run, {**services.stores.runs.run(record.run).body, **noted})
    return replace(result, remembered=items_used_in(services, record))


def _begun(services: WorkspaceServices, request: RunRequest, claim: Callable[[str], bool]) -> Run:
    """The run of this request: the open one that asked for the same, else a new one."""
    sandbox_opener_for(services, request)  # refuses before anything is on record
    if request.ledger.exhausted_bound:
        raise BudgetExhausted(f"{request.ledger.exhausted_bound}, so nothing was begun", hint="give a larger --budget")
    # The room that its kind of work needs is nothing that was asked for.
    limits = _limits(services, request, roomy=False)
    asked = [limits.candidates, limits.seconds]
    asked += [limits.tokens, limits.money] if limits.tokens is not None else []
    key_parts = ["run", task_json(request.task), *asked, services.learner.name, *services.sandbox_mark]
    begun = start_of_run(services, request.task, _limits(services, request), request.python)
    # So that a later search for the same rows knows them.
    given = {} if services.uses_model else {"input": begun["input"]}
    # Of a run that is gone on with the one that was made when it began holds.
    bet = open_prequential_test(services, request, _limits(services, request))
    foreign: dict[str, Any] = {}
    if not request.person.vouches:
        key_parts.append(BY_CLIENT)
        told = "another program gave its rows, so they are evidence of nothing"
        foreign = {BY_CLIENT: True, CONTESTED: to_data(reason("recorded", text=told))}
    body = {
        "task": request.task.id,
        **given,
        **task_context(request.task),
        **texts_said_by(request.task),
        **services.sandbox_mark,
        **bet,
        BEGUN: begun,
        **foreign,
    }
    run = services.stores.runs.begin("run", digest(canonical_json(key_parts)), body, started=utc_now(), claim=claim)
    drawn = run.body.get(BET, {})
    if "most" in drawn:  # where it costs no money, nothing is told
        told = items_told_before(from_data(Limits, drawn["most"]), Budget(**drawn["budget"]))
        services.events.emit(Event(kind="shadow", data={"text": told}))
    return run


def continue_run(services: WorkspaceServices, run_id: str, said: str | None, person: Person) -> Result:
    """Goes on with a run that waits; see :meth:`Runs.answer`."""
    run = services.stores.runs.run(run_id)
    question = waiting_question(run)
    if question is None:
        raise UsageError(f"{run_id} waits for no answer", hint="evolve runs list shows what does")
    if question.kind == "ask" and run.body["policy"] != services.learner.name:
        raise UsageError(
            f"{run_id} was begun by {run.body['policy']}, and {services.learner.name} cannot go on with it",
            hint="name that model with --model",
        )
    withdrawn = said is None

    def respond(asked: Question) -> str | None:
        if asked.id == question.id:
            return "no" if said is None else said
        return person.respond(asked) if person.respond is not None else None

    body = run.body
    request = RunRequest(
        task=task_of(json.loads(services.stores.objects.get(body["input"]))),
        ledger=Ledger(Budget(**body["budget"])),
        python=body["python"],
        person=replace(
            person,
            respond=respond,
            before_approval=person.before_approval if question.kind == "ask" else None,
            approve=person.approve if question.kind == "ask" else "ask",
            learn=person.learn or body.get("learn"),
        ),
        withdrawn=frozenset({question.id}) if withdrawn else frozenset(),
    )
    return run_task(services, request, run)


def _ended_by(
    services: WorkspaceServices, budget: Budget, record: EpisodeRecord, limits: Limits
) -> Literal["", "budget", "limit"]:
    """What ended an episode: a bound of the budget, or a limit of the day or the workspace, which no larger one lifts.

    "" where neither did, but the settings or the workflow.
    """
    if record.status != "budget":
        return ""
    refused = record.steps[-1].action.ended
    tokens = record.cost.tokens + (0 if refused is None else refused.tokens)
    if refused is not None and (limits.tokens is None or tokens <= limits.tokens):  # by something else than its limits
        limited = services.settings.day_limit or services.settings.total_limit
        if limited and not budget.unlimited:
            known = within_spending_limits(services.paths, services.settings, Ledger(Budget()))
            limited = known.exhausted_bound
        return "limit" if limited else "" if budget.unlimited else "budget"
    spent = replace(record.cost, tokens=tokens)
    bounds = {kind: getattr(limits, kind) for kind, bound in asdict(budget).items() if bound is not None}
    is_reached = any(bound is not None and getattr(spent, kind) >= bound for kind, bound in bounds.items())
    return "budget" if is_reached else ""


def waiting_question(run: Run) -> Question | None:
    """What an open run waits for, or None."""
    question = run.body.get("question")
    return from_data(Question, question) if question and run.state == "open" else None


def _resume_data(services: WorkspaceServices, request: RunRequest, question: Question | None) -> dict[str, Any]:
    """What a waiting run keeps of itself, so that its id alone is enough to go on: question, task, budget, model."""
    if question is None:
        return {}
    return {
        **task_kept(services, request.task, request.python),
        "question": to_data(question),
        "budget": asdict(request.budget),
        **({"learn": request.person.learn} if request.person.learn is not None else {}),
    }


def _note(services: WorkspaceServices, run: Run, additions: Mapping[str, Any]) -> None:
    """Adds to a run's JSON and drops its last question, where it waits or waited for a person."""
    if "question" in additions or "question" in run.body:
        body = {key: value for key, value in run.body.items() if key != "question"}
        services.stores.runs.replace_body(run.id, {**body, **additions})


def _limits(services: WorkspaceServices, request: RunRequest, *, roomy: bool = True) -> Limits:
    """What one task of a person's own may spend; a promoted workflow bounds it where the person does not."""
    acting = LearnedState(workflow=services.stores.active_workflow(services.workflow))
    knobs = (remaining_room(acting.workflow, request.task.environment) if roomy else acting.workflow).knobs
    limits = episode_limits(services.learner, request.budget, services.settings, knobs)
    bounded = services.uses_model or request.budget.candidates or acting.workflow == services.workflow
    return limits if bounded else acting.limits(limits, request.task.environment)


def _limits_now(services: WorkspaceServices, request: RunRequest) -> Limits:
    """What of that is left, without what the search for other functions that fit will need of a bound on candidates."""
    limits = request.within_left(_limits(services, request))
    if limits.candidates is None or request.budget.candidates is None:
        return limits
    return replace(limits, candidates=limits.candidates - kept_for_doubts(limits.candidates))


class _OwnRecorder:
    """Commits the episodes of one task, with what learning from them will need."""

    def __init__(self, services: WorkspaceServices, request: RunRequest, limits: Limits) -> None:
        self._services, self._request, self._limits = services, request, limits

    def commit(self, record: EpisodeRecord) -> None:
        task = self._request.task
        owed = None
        if not self._request.person.vouches:
            self._services.stores.runs.add(record)
            return
        if not is_known(task, record):
            owed = pending_of(self._services, self._request, self._limits, record)
        else:  # nothing is to be learned from it, so it is not judged either
            run = self._services.stores.runs.run(record.run)
            self._services.stores.runs.replace_body(
                run.id, {name: value for name, value in run.body.items() if name != BET}
            )
        self._services.stores.commit(record, instruction=task.instruction, source=task.source, owed=owed)


def _goal(events: Path) -> str:
    """The plan's goal as the episode told it, perhaps in a process before this one."""
    goals = [str(event.data.get("goal", "")) for event in read_events(events) if event.kind == "plan"]
    return goals[-1] if goals else ""
