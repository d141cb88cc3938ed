"""Runs the improvement loop in a workspace, with its workers, ledger, journal and events."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, fields, replace
from functools import partial

from evolve.agent import Run
from evolve.agent.workflow import Knobs, Workflow
from evolve.core.episodes import Cost, Json, Limits
from evolve.core.errors import UsageError
from evolve.core.events import Event, EventFan, EventLog
from evolve.core.files import SVG, canonical_json, digest, is_replaced, write_atomic
from evolve.core.ledger import Budget, Ledger, Spent
from evolve.core.settings import NOBODY
from evolve.environments import environment_kind
from evolve.improve.loop import check_held_out, check_size
from evolve.improve.loop import improve as run_loop
from evolve.improve.prequential import BLOCKS, improve_in_stream, practising_on
from evolve.improve.report import Report
from evolve.improve.schedule import FITTED
from evolve.improve.session import LoopPlan, Proposer, Session, is_cut_short, resume_session
from evolve.tasks import Suite, load_suite
from evolve.trials.jobs import Workers, WorkerSetup
from evolve.trials.workers import open_workers
from evolve.workspace.arguments import as_budget, as_ledger
from evolve.workspace.folder_needs import common_environment, refuse_search
from evolve.workspace.health.fault_reports import FaultReport
from evolve.workspace.learners import episode_limits
from evolve.workspace.loops.forecast import course_of
from evolve.workspace.loops.status import announce_loop
from evolve.workspace.opening import sandbox_opener, utc_now
from evolve.workspace.secrets import SecretCleaningLearner, scanner_for, task_folders
from evolve.workspace.services import WorkspaceServices

BUDGET = "budget"
"""State of a run that its budget ended before it had done all that was asked."""

ROUNDS = 2
"""Rounds of a loop, where nobody says how many."""

LONG_EPISODES = 20
"""Episodes that a budget has to pay for, where they get more room than the workflow gives them, and at the least."""

FEWEST = 500
"""Candidates below which a task is not worth beginning."""


@dataclass(frozen=True, kw_only=True)
class LoopRequest:
    """What is wanted of a loop; see :meth:`Workspace.improve`."""

    rounds: int | None
    seed: int
    fresh: bool = False


def improve(
    services: WorkspaceServices,
    suite_name: str,
    asked: LoopRequest,
    budget: Ledger,
    python: str | os.PathLike[str] | None = None,
) -> Report:
    """Runs or continues a loop; see :meth:`Workspace.improve`."""
    rounds, seed = _numbers(asked)
    suite = load_suite(suite_name)
    _check(services, suite, python)
    plan = LoopPlan(rounds=rounds, seed=seed, limits=loop_limits(services, budget.budget, suite))
    proposer = services.settings.proposer
    further = [proposer] if proposer != NOBODY else []
    key = loop_key(services, "improve", suite.digest, rounds, seed, plan.limits.candidates, *further)
    if asked.fresh:
        _end_unfinished(services, key)
    # Before the run is opened again, since a run that its budget ended is told by its state.
    beginning = _beginning(services, key, suite_name)
    begun = next(
        (run for run in services.stores.runs.list_runs() if run.key == key and run.state in ("open", BUDGET)), None
    )
    each = _candidates_each(budget.budget, plan.limits) if begun is None else begun.body.get("each")
    if each is not None:
        plan = replace(plan, limits=replace(plan.limits, candidates=each))
    course = course_of(services, suite, begun, key="" if asked.fresh else key, rounds=asked.rounds, seed=seed)
    for text in (beginning, course.told):
        if text:
            services.events.emit(Event(kind="begun", data={"text": text}))
    streams = course.whole and not course.unjudged
    plan = replace(plan, passes=course.passes)
    if course.unjudged:
        plan = replace(plan, rounds=course.passes, unjudged=course.unjudged)
    elif streams:
        plan = replace(plan, rounds=BLOCKS)
        if asked.rounds not in (None, BLOCKS):
            text = f"--rounds {rounds} is not used: a suite this small is met in {BLOCKS} rounds, to be judged on all"
            services.events.emit(Event(kind="warning", data={"text": text}))
    _reopen(services, key, plan.rounds)
    work = LoopWork(suite=suite, plan=plan, budget=budget, python=python, proposer=proposer)
    body = {"suite": suite_name, "rounds": rounds, "seed": seed, **({"stream": True} if course.whole else {})}
    body |= {} if each is None else {"each": each}
    body |= {"unjudged": course.unjudged} if course.unjudged else {}
    body |= {"proposer": proposer} if further else {}
    with opened_session(services, "improve", key, body, work) as session:
        if streams:
            return improve_in_stream(session)
        return run_loop(practising_on(session, suite.tasks) if course.whole else session)


def _numbers(asked: LoopRequest) -> tuple[int, int]:
    """Rounds and seed; refuses what is neither."""
    rounds = ROUNDS if asked.rounds is None else asked.rounds
    for name, number, least in (("rounds", rounds, 1), ("seed", asked.seed, 0)):
        # Not isinstance, to which True is a number.
        if type(number) is not int or number < least:
            raise UsageError(f"--{name} {number}: a whole number from {least} on is needed")
    return rounds, asked.seed


def _end_unfinished(services: WorkspaceServices, key: str) -> None:
    """Ends the unfinished runs of this key, so that the next one is a new run."""
    for run in services.stores.runs.list_runs():
        if run.key == key and run.state in ("open", BUDGET):
            services.stores.runs.end(run.id, "left")


def _reopen(services: WorkspaceServices, key: str, rounds: int) -> None:
    """Opens the newest run of this key again where a budget ended it; the next budget counts from here."""
    stores = services.stores
    last = next((run for run in reversed(stores.runs.list_runs()) if run.key == key), None)
    if last is None or last.state != BUDGET:
        return
    body = {**last.body, "before": asdict(earlier_spending(services, last)), "part": last.body.get("part", 1) + 1}
    with stores.db.transaction():
        resume_session(stores.runs.journal(last.id), rounds)
        stores.runs.drop_report(last.id)
        stores.runs.end(last.id, "open", body)


def _beginning(services: WorkspaceServices, key: str, suite: str) -> str:
    """Whether a loop goes on or begins anew, in one sentence; "" for the first one on a suite."""
    stores = services.stores
    earlier = [run for run in stores.runs.list_runs() if run.kind == "improve" and run.body.get("suite") == suite]
    for run in earlier:
        if run.key == key and run.state in ("open", BUDGET):
            done = sum(episode.status != "interrupted" for episode in stores.runs.episodes(run=run.id))
            ended = " from where its budget ended" if run.state == BUDGET else ""
            return f"run {run.id}, begun {_minute(run)}, goes on{ended}: {done} episodes are done"
    if not earlier:
        return ""
    last = earlier[-1]
    if last.state == "left":
        return f"a new run; {last.id}, begun {_minute(last)}, was left, and what it taught stays"
    if last.state in ("open", BUDGET):
        return f"a new run: {last.id}, begun {_minute(last)}, is not finished, but what it was asked for differs"
    return f"a new run, which builds on what {last.id}, begun {_minute(last)}, has taught"


def _minute(run: Run) -> str:
    return f"{run.started[:16].replace('T', ' ')} UTC"


def _check(services: WorkspaceServices, suite: Suite, python: str | os.PathLike[str] | None) -> None:
    """Refuses a suite that the loop cannot learn from."""
    with_rubric = next((task.id for task in suite.tasks if task.rubric), "")
    if with_rubric:
        raise UsageError(
            f"{with_rubric}: a rubric is an opinion, and a loop learns from none", hint="evolve run takes it"
        )
    check_size(suite)
    in_folders = [task for task in suite.tasks if task.folder]
    if all(environment_kind(task.environment).needs_model for task in suite.tasks):
        refuse_search(services.learner.name)
    if not in_folders and python is not None:
        raise UsageError("--set python is about work in folders, and no task of the suite is any", hint="leave it out")


def report(services: WorkspaceServices, *, fresh: bool, curve: str | os.PathLike[str] | None) -> Report:
    """The last report, or a new look, and its picture; see :meth:`Workspace.report`."""
    if curve is not None:
        is_replaced(curve, SVG)  # refused before the arms are run
    latest = _report(services, fresh=fresh)
    if curve is not None:
        from evolve.improve.curve import draw_curve

        write_atomic(curve, draw_curve(latest).encode())
    return latest


def _report(services: WorkspaceServices, *, fresh: bool) -> Report:
    stored = services.stores.runs.report()
    if stored is None:
        raise UsageError("there is no report in this workspace yet", hint="evolve improve everyday")
    last = Report.from_json(stored)
    if not fresh:
        return last
    made_by = services.stores.runs.run(last.run).body
    if made_by.get("stream"):
        raise UsageError(
            f"every task of {made_by['suite']} was practised on, so none is held out for a fresh look",
            hint="evolve report shows how each did before it was practised on",
        )
    suite = load_suite(str(made_by["suite"]))
    if suite.digest != last.suite_digest:
        raise UsageError(f"the suite {made_by['suite']} has changed since the report", hint="run evolve improve again")
    work = LoopWork(suite=suite, plan=LoopPlan(rounds=1, seed=last.seed, limits=loop_limits(services, Budget(), suite)))
    key = digest(canonical_json(["report", suite.digest, last.seed]))  # whichever model takes the look
    body = {"suite": str(made_by["suite"]), "rounds": 0, "seed": last.seed}
    with opened_session(services, "report", key, body, work) as session:
        return check_held_out(session, last)


def loop_limits(services: WorkspaceServices, budget: Budget, suite: Suite, *, bounded: bool = True) -> Limits:
    """The most that one episode of a loop may spend, whichever variant acts; each keeps to its own workflow's knobs.

    Where the suite has a kind of work that needs more than the knobs allow, that is the most, as far as a budget pays
    for :data:`LONG_EPISODES` of them.

    Args:
        bounded: By the knobs of the workflows in force, which a search for other knobs is not.
    """
    settings = services.settings
    knobs = _widest(services.workflow, services.stores.active_workflow(services.workflow))
    if not bounded and not services.uses_model:
        return Limits(candidates=settings.candidates, seconds=settings.seconds)
    if services.uses_model:
        knobs = replace(knobs, tokens=max(knobs.tokens, _room(suite, budget)))
        limits = episode_limits(services.learner, budget, settings, knobs)
        # The budget is the loop's; only what bounds a single episode is taken from it.
        return replace(
            limits, tokens=min(knobs.tokens, limits.tokens or knobs.tokens), seconds=None, money=None, calls=None
        )
    return Limits(candidates=min(settings.candidates, knobs.candidates), seconds=min(settings.seconds, knobs.seconds))


def _candidates_each(budget: Budget, limits: Limits) -> int | None:
    """What one task may take where the budget would not pay for :data:`LONG_EPISODES` at the full limit, else None.

    It stays with the run, whatever later budgets are: the episodes that are compared may spend the same.
    """
    if budget.candidates is None or limits.candidates is None:
        return None
    each = max(FEWEST, budget.candidates // LONG_EPISODES)
    return each if each < limits.candidates else None


def _room(suite: Suite, budget: Budget) -> int:
    """Tokens that the most demanding kind of work in a suite needs, at most a fixed part of the budget.

    Fixed, so that both episodes of a pair may spend the same, whenever they are run.
    """
    needs = max((environment_kind(task.environment).least_tokens for task in suite.tasks), default=0)
    return needs if budget.tokens is None else min(needs, budget.tokens // LONG_EPISODES)


def _widest(*workflows: Workflow) -> Knobs:
    """Knobs that allow what any of the workflows allows."""
    every = [workflow.knobs for workflow in workflows]
    return replace(
        every[0],
        candidates=max(knobs.candidates for knobs in every),
        seconds=max(knobs.seconds for knobs in every),
        tokens=max(knobs.tokens for knobs in every),
    )


@dataclass(frozen=True, kw_only=True)
class LoopWork:
    """What a loop works on.

    Attributes:
        budget: A ledger where the work is a part of what that pays for.
        python: A virtual environment for work in folders.
        proposer: Name of who proposes further tasks of practice.
        workers: Opens what runs the episodes, where it is not the policy's own processes.
    """

    suite: Suite
    plan: LoopPlan
    budget: Budget | Ledger = field(default_factory=Budget)
    python: str | os.PathLike[str] | None = None
    proposer: str = NOBODY
    workers: Callable[[WorkerSetup], Workers] | None = None


def loop_key(services: WorkspaceServices, kind: str, *parts: Json) -> str:
    """Tells a loop's run from those that were asked for something else.

    The budget is no part of what was asked for: an interrupted loop may go on with another.
    """
    return digest(canonical_json([kind, *parts, services.learner.name, *services.sandbox_mark]))


@contextmanager
def opened_session(
    services: WorkspaceServices, kind: str, key: str, request: Mapping[str, Json], work: LoopWork
) -> Iterator[Session]:
    """The open run with this key, or a new one, as a session; where that ends without an error the run is closed."""
    run = services.stores.runs.begin(kind, key, {**request, **services.sandbox_mark}, started=utc_now())
    with tasks_worked_on(services, run, work) as session:
        yield session
        bounded = not as_budget(work.budget).unlimited
        rounds = services.stores.runs.run(run.id).body.get("passes", work.plan.rounds)
        cut = kind == "improve" and bounded and is_cut_short(session.step_log, rounds)
    services.finish(run.id, BUDGET if cut else "done")


@contextmanager
def tasks_worked_on(services: WorkspaceServices, run: Run, work: LoopWork) -> Iterator[Session]:
    """An open run as a session, with worker processes that end with it, however it ends."""
    suite = work.suite
    folders = {task.folder for task in suite.tasks if task.folder}
    scanner, spared = scanner_for(services.paths, suite.tasks)
    if isinstance(services.learner, SecretCleaningLearner):
        services.learner.beware_of(task_folders(suite.tasks), spared)
    opener = sandbox_opener(services.settings, [services.paths.root, *sorted(folders)])
    if folders:
        opener = partial(opener, python=common_environment(folders, work.python))
    services.open_sandbox()  # refuses here, before any process is started
    setup = WorkerSetup(
        learner=services.learner,
        sandbox=opener,
        run=run.id,
        suite=suite.name,
        scanner=scanner,
    )
    folder = services.paths.runs / run.id
    before, spent, whole = Spent(**run.body.get("before", {})), earlier_spending(services, run), as_ledger(work.budget)
    # The time that the command took until here is the run's.
    ledger = Ledger(_raised_by(whole.budget, before), spent=replace(spent, seconds=spent.seconds + whole.spent.seconds))
    # A policy's meter holds one episode at a time, so with a model episodes come one after the other.
    count = 1 if services.uses_model else services.settings.worker_count
    workers = work.workers(setup) if work.workers else open_workers(setup, count, services.settings.workers_on)
    try:
        with announce_loop(services.paths, run.id), FaultReport(folder), EventLog(folder / "events.jsonl") as log:
            yield Session(
                stores=services.stores,
                learner=services.learner,
                workers=workers,
                sandbox=services.open_sandbox,
                suite=suite,
                run=run.id,
                request=run.body,
                plan=work.plan,
                ledger=ledger,
                events=EventFan((log, services.events)),
                watching=services.events,
                workflow=services.workflow,
                before=before,
                part=run.body.get("part", 1),
                paused=services.paths.pause.exists,
                proposer=None if work.proposer == NOBODY else Proposer(name=work.proposer, suite=suite),
            )
    finally:
        workers.close()


def _raised_by(budget: Budget, before: Spent) -> Budget:
    """The budget with what had been spent before it was given."""
    bounds = {item.name: getattr(budget, item.name) for item in fields(Budget)}
    return Budget(**{name: None if bound is None else bound + getattr(before, name) for name, bound in bounds.items()})


def earlier_spending(services: WorkspaceServices, run: Run) -> Spent:
    """What earlier processes of the same run have spent."""
    runs = services.stores.runs
    cost = sum((record.cost for record in (*runs.episodes(run=run.id), *runs.pending_episodes(run.id))), Cost())
    fits = sum(int(body["candidates"]) for _, body in runs.finished_steps(FITTED, run=run.id))
    counts = {item.name: getattr(cost, item.name) for item in fields(Spent)}
    counts["candidates"] += fits
    return Spent(**{**counts, "seconds": float(run.body.get("seconds", 0.0))})
