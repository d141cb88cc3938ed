"""One run of a person's own task: begun or gone on with, paused where it waits for them, closed when it is done."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evolve.agent import Agent, Attendance, Recall, Run, Surroundings, episode_id, question_in, recall_nothing
from evolve.agent.codec import from_data, to_data
from evolve.environments import kind_of
from evolve.episodes import EpisodeRecord, Limits, Question
from evolve.errors import UsageError
from evolve.events import Event, EventFan, EventLog, EventSink, read_events
from evolve.files import canonical_json, digest
from evolve.ledger import Budget, overshoot_told
from evolve.record.arms import Arm, recall_from
from evolve.record.drafts import judge_draft
from evolve.record.journal import Journal
from evolve.record.stores import Stores
from evolve.sandbox.protocol import Stoppable
from evolve.tasks import Task, task_json
from evolve.tasks.work import FolderWork
from evolve.workflow import Workflow
from evolve.workspace.desk import Desk
from evolve.workspace.folder_needs import environment_for, refuse_search
from evolve.workspace.health.fault_reports import FaultKept
from evolve.workspace.learners import episode_limits, model_name
from evolve.workspace.opening import now, sandbox_opener
from evolve.workspace.runs.approvals import delivered
from evolve.workspace.runs.given_task import task_of
from evolve.workspace.runs.person import Person
from evolve.workspace.runs.result import Extras, Result, result_of
from evolve.workspace.secrets import AsksEndpoints, folders_of, scanner_for
from evolve.workspace.shelves.preferences import about

if TYPE_CHECKING:
    from evolve.sandbox import Sandbox

PAUSED = ("waiting", "interrupted")


@dataclass(frozen=True, kw_only=True)
class Wish:
    """What a run is for.

    Attributes:
        python: A virtual environment for work in a folder, or None.
        withdrawn: Ids of questions that the person takes back.
    """

    task: Task
    budget: Budget = field(default_factory=Budget)
    python: str | None = None
    person: Person = field(default_factory=Person)
    withdrawn: frozenset[str] = frozenset()


def solve(desk: Desk, wish: Wish, run: Run | None = None) -> Result:
    """Runs the task, or goes on with a run of it; see :meth:`Workspace.run`."""
    task, stores = wish.task, desk.stores
    workflow = desk.workflow
    limits = _limits(desk, wish.budget)
    if run is None:
        _opener(desk, wish)  # refuses before anything is on record
        key_parts = ["run", task_json(task), *_bounds(limits), desk.learner.name, *desk.mark]
        body = {"task": task.id, **about(task), **desk.mark}
        run = stores.runs.begin("run", digest(canonical_json(key_parts)), body, started=now())
    # A run that waits goes on as what it was, whatever was promoted since.
    variant = str(run.body.get("variant", stores.variants.active_digest))
    seed = int(run.body.get("seed", desk.settings.seed))
    folder = desk.paths.runs / run.id
    episode = episode_id(run.id, task, variant, seed)
    log_file = folder / episode / "events.jsonl"
    patch = question = None
    admitted: tuple[str, ...] = ()
    with FaultKept(folder), EventLog(log_file) as log:
        # A kill after the episode was committed leaves only what follows it to be done.
        if stores.runs.has(episode):
            record = stores.runs.episode(episode)
        else:
            with _opener(desk, wish)() as sandbox:
                events = EventFan((log, desk.events))
                agent = _agent(desk, wish, workflow, _Place(run=run.id, sandbox=sandbox, events=events))
                record = agent.run_episode(task, variant=variant, split="own", seed=seed, limits=limits)
        if record.status in PAUSED:
            question = question_in(record)
        else:
            admitted = _admit(desk, record, task)
            desk.preferences.from_answers(record)
        if record.solved and isinstance(task.work, FolderWork):
            patch, question = delivered(desk, record, task.work, wish.person)
    begun = {"variant": variant, "seed": seed}
    _note(desk, run, begun if question is None else {**begun, **_resume_data(desk, wish, question)})
    if question is None and record.status not in PAUSED:
        desk.finish(run.id)
    extras = Extras(
        goal=_goal(log_file),
        overshoot=overshoot_told(wish.budget, record.cost),
        skills=admitted,
        patch=patch,
        question=question,
        budget_ended=_budget_ended(wish.budget, record, limits),
    )
    return result_of(record, task, extras)


def answer(desk: Desk, run_id: str, said: str | None, person: Person) -> Result:
    """Goes on with a run that waits; see :meth:`Runs.answer`."""
    run = desk.stores.runs.run(run_id)
    question = waiting_question(run)
    if question is None:
        raise UsageError(f"{run_id} waits for no answer", hint="evolve runs list shows what does")
    if question.kind == "ask" and run.body["policy"] != desk.learner.name:
        raise UsageError(
            f"{run_id} was begun by {run.body['policy']}, and {desk.learner.name} cannot go on with it",
            hint="name that model with --model",
        )
    withdrawn = said is None

    def respond(asked: Question) -> str | None:
        if asked.id == question.id:
            return "no" if said is None else said
        return person.respond(asked) if person.respond is not None else None

    body = run.body
    wish = Wish(
        task=task_of(json.loads(desk.stores.objects.get(body["input"]))),
        budget=Budget(**body["budget"]),
        python=body["python"],
        person=replace(person, respond=respond, approve=person.approve if question.kind == "ask" else "ask"),
        withdrawn=frozenset({question.id}) if withdrawn else frozenset(),
    )
    return solve(desk, wish, run)


def _budget_ended(budget: Budget, record: EpisodeRecord, limits: Limits) -> bool:
    """Whether a bound of the budget ended the episode, and not one of the settings or of the workflow."""
    if record.status != "budget":
        return False
    refused = record.steps[-1].action.ended
    tokens = record.cost.tokens + (refused.tokens if refused is not None else 0)
    if refused is not None and (limits.tokens is None or tokens <= limits.tokens):
        return not budget.unlimited  # a call was refused, and not for its tokens
    spent = replace(record.cost, tokens=tokens)
    bounds = {kind: bound for kind, bound in asdict(budget).items() if bound is not None}
    return any(getattr(spent, kind) >= bound for kind, bound in bounds.items())


def waiting_question(run: Run) -> Question | None:
    """What an open run waits for, or None."""
    question = run.body.get("question")
    return from_data(Question, question) if question and run.state == "open" else None


def _resume_data(desk: Desk, wish: Wish, question: Question) -> dict[str, Any]:
    """What a waiting run keeps of itself, so that its id alone is enough to go on: question, task, budget, model."""
    return {
        "question": to_data(question),
        "input": desk.stores.objects.put(canonical_json(task_json(wish.task)).encode()),
        "budget": asdict(wish.budget),
        "python": wish.python,
        "model": model_name(desk.model),
        "policy": desk.learner.name,
    }


def _note(desk: Desk, run: Run, additions: Mapping[str, Any]) -> None:
    """Adds to a run's JSON and drops its last question, where it waits or waited for a person."""
    if "question" in additions or "question" in run.body:
        body = {key: value for key, value in run.body.items() if key != "question"}
        desk.stores.runs.note(run.id, {**body, **additions})


@dataclass(frozen=True, kw_only=True)
class _Place:
    """Where an episode takes place."""

    run: str
    sandbox: Sandbox
    events: EventSink


def _opener(desk: Desk, wish: Wish) -> Callable[[], AbstractContextManager[Sandbox]]:
    """How to open the sandbox of one task, refused before anything is made where it cannot be."""
    task = wish.task
    if kind_of(task.environment).needs_model:
        refuse_search(desk.learner.name)
    if not task.folder:
        return lambda: nullcontext(desk.open_sandbox())
    environment = environment_for(task.folder, wish.python)
    hidden: list[str | Path] = [desk.paths.root, task.folder]
    return lambda: closing(sandbox_opener(desk.settings, hidden)(python=environment))


def _agent(desk: Desk, wish: Wish, workflow: Workflow, place: _Place) -> Agent:
    """The agent for a run: with the promoted variant's guide, every admitted skill and recall from the whole memory."""
    arm, person, sandbox = desk.stores.practice_arm(workflow), wish.person, place.sandbox
    scanner, spared = scanner_for(desk.paths, [wish.task])
    if isinstance(desk.learner, AsksEndpoints):
        desk.learner.beware_of(folders_of([wish.task]), spared)
    if isinstance(sandbox, Stoppable):
        sandbox = sandbox.until(person.cancellation)
    around = Surroundings(
        policy=arm.policy(desk.learner, attended=True),
        sandbox=sandbox,
        recall=_own_recall(desk, arm, wish.task),
        recorder=_OwnRecorder(desk.stores, wish.task),
        events=place.events,
        run=place.run,
        checkpoints=desk.paths.runs / place.run,
        attendance=Attendance(
            respond=person.respond,
            withdrawn=wish.withdrawn,
            cancellation=person.cancellation,
            live=desk.events if person.streams else None,
        ),
        judge=desk.judges.factory,
        skills=arm.skills,
        scanner=scanner,
    )
    return Agent(around, arm.workflow.attended().with_room(kind_of(wish.task.environment).least_steps))


def _limits(desk: Desk, budget: Budget) -> Limits:
    """What one task of a person's own may spend; a promoted workflow bounds it where the person does not."""
    acting = Arm(workflow=desk.stores.active_workflow(desk.workflow))
    limits = episode_limits(desk.learner, budget, desk.settings, acting.workflow.knobs)
    bounded = desk.uses_model or budget.candidates or acting.workflow == desk.workflow
    return limits if bounded else acting.limits(limits)


def _own_recall(desk: Desk, arm: Arm, task: Task) -> Recall:
    if desk.uses_model:  # it can read what the person noted and wants
        recall = recall_from(desk.stores.memory, notes=True, trials=True)
        return desk.preferences.beside(recall, folder=task.folder)
    return recall_from(desk.stores.memory) if arm.memory is not None else recall_nothing


def _admit(desk: Desk, record: EpisodeRecord, task: Task) -> tuple[str, ...]:
    """Names of the skills admitted from an episode; all are kept in one transaction, and only then told."""
    stores = desk.stores
    journal, step = Journal(stores.db, record.run), f"admitted:{record.episode}"
    admitted: list[str] | None = journal.done(step)
    if admitted is not None:  # judged anew, a skill would be refused as a duplicate of itself
        return tuple(admitted)
    names: list[str] = []
    with stores.db.transaction():
        for draft in record.drafts:
            proposal = judge_draft(draft, task, stores.skills.active(), desk.learner, desk.open_sandbox())
            if proposal is None:
                continue
            stores.skills.record_verdict(proposal.verdict)
            if proposal.verdict.admitted:
                names.append(stores.skills.add(proposal.skill, proposal.verdict).name)
        journal.finish(step, names)
    for name in names:
        desk.events.emit(Event(kind="admitted", episode=record.episode, data={"skill": name}))
    return tuple(names)


class _OwnRecorder:
    """Commits the episodes of one task."""

    def __init__(self, stores: Stores, task: Task) -> None:
        self._stores = stores
        self._task = task

    def commit(self, record: EpisodeRecord) -> None:
        self._stores.commit(record, instruction=self._task.instruction, source=self._task.source)


def _goal(events: Path) -> str:
    """The plan's goal as the episode told it, perhaps in a process before this one."""
    goals = [str(event.data.get("goal", "")) for event in read_events(events) if event.kind == "plan"]
    return goals[-1] if goals else ""


def _bounds(limits: Limits) -> list[float | None]:
    """What tells two runs of one task apart; tokens and money only where they are bounded."""
    models = [limits.tokens, limits.money] if limits.tokens is not None else []
    return [limits.candidates, limits.seconds, *models]
