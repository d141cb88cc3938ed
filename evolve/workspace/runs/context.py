"""Where and by whom a person's own task is worked on: the sandbox, and the agent with what was learned so far."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, ExitStack, closing, nullcontext
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from evolve.agent import Agent, AgentServices, NoRecorder, Recall, Recorder, Supervision, recall_nothing, remaining_room
from evolve.agent.workflow import Workflow
from evolve.core import extensions
from evolve.core.episodes import OWN, EpisodeRecord, Limits, Recalled, RefusedAnswer, TaskView
from evolve.core.episodes.codec import to_json
from evolve.core.events import EventSink
from evolve.core.ledger import Budget, Ledger
from evolve.environments import environment_kind
from evolve.policies.base import PastWork
from evolve.runtime.sandbox import fingerprint_of
from evolve.runtime.sandbox.protocol import Stoppable
from evolve.tasks import Task
from evolve.tasks.work import FolderWork
from evolve.trials import Change
from evolve.trials.learned_state import LearnedState, recall_from, verified_pairings
from evolve.trials.learner import Learner, TimeBoundLearner
from evolve.workspace.folder_needs import environment_for, refuse_search, require_model
from evolve.workspace.opening import sandbox_opener
from evolve.workspace.runs.conversations import Conversations
from evolve.workspace.runs.person import Person
from evolve.workspace.runs.result import refusals_of
from evolve.workspace.runs.searching import question_of_run, runs_before
from evolve.workspace.secrets import SecretCleaningLearner, scanner_for, task_folders
from evolve.workspace.services import WorkspaceServices

if TYPE_CHECKING:
    from evolve.runtime.sandbox import Sandbox


Offered = Callable[[Sequence[Recalled]], Sequence[Recalled]]


@dataclass(frozen=True, kw_only=True)
class RunRequest:
    """What a run is for.

    Attributes:
        ledger: What all that is done for it may spend, and what of that is spent.
        python: A virtual environment for work in a folder, or None.
        withdrawn: Ids of questions that the person takes back.
    """

    task: Task
    ledger: Ledger = field(default_factory=lambda: Ledger(Budget()))
    python: str | None = None
    person: Person = field(default_factory=Person)
    withdrawn: frozenset[str] = frozenset()

    @property
    def budget(self) -> Budget:
        """The bounds as they were given."""
        return self.ledger.budget

    def within_left(self, limits: Limits) -> Limits:
        """The limits with no more than is left now."""
        return limits.capped_by(Limits(**asdict(self.ledger.remaining)))

    def bound_learner(self, learner: Learner) -> Learner:
        """The learner, bound to end with the time that is left where it can."""
        left = self.ledger.remaining.seconds
        return (
            learner
            if left is None or not isinstance(learner, TimeBoundLearner)
            else learner.until(time.monotonic() + left)
        )


@dataclass(frozen=True, kw_only=True)
class RunContext:
    """Where an episode takes place, and who keeps it.

    Attributes:
        checkpoints: Where its file lies, if not with those of its run.
    """

    run: str
    sandbox: Sandbox
    events: EventSink
    recorder: Recorder = field(default_factory=NoRecorder)
    checkpoints: Path | None = None

    @property
    def root_run(self) -> str:
        """The run that a person began: of one that is had again for comparison, what it is compared with."""
        return self.run.partition(":")[0]


def sandbox_opener_for(
    services: WorkspaceServices, request: RunRequest
) -> Callable[[], AbstractContextManager[Sandbox]]:
    """How to open the sandbox of one task, refused before anything is made where it cannot be."""
    if require_model(request.task):
        refuse_search(services.learner.name, request.task)
    return sandbox_for(services, request)


def sandbox_for(services: WorkspaceServices, request: RunRequest) -> Callable[[], AbstractContextManager[Sandbox]]:
    """The same where nobody has to decide, because actions on record are run again."""
    task = request.task
    if not task.folder:
        return lambda: nullcontext(services.open_sandbox())
    environment = environment_for(task.folder, request.python)
    hidden: list[str | Path] = [services.paths.root, task.folder]
    return lambda: closing(sandbox_opener(services.settings, hidden)(python=environment))


def agent_for(
    services: WorkspaceServices,
    request: RunRequest,
    workflow: Workflow,
    place: RunContext,
    past_work: Callable[[], PastWork] = PastWork,
) -> Agent:
    """The agent for a run: with the promoted variant's guide, every skill that is verified for its policy here, and
    recall from the whole memory.

    Args:
        past_work: For lessons: gives the procedures that are known, and the tasks whose change was accepted.

    It alone has functions to call: what is done again to compare would do twice what a call does.
    """
    arm, person = services.stores.practice_state(workflow), request.person
    skills = verified_pairings(services.stores.skills, arm.skills, services.learner.name, place.sandbox)
    arm = replace(arm, skills=tuple(skills))
    around = _surroundings(services, request, arm, place, _own_recall(services, arm, request.task, place))
    attendance = Supervision(
        respond=person.respond,
        withdrawn=request.withdrawn,
        cancellation=person.cancellation,
        live=services.events if person.streams else None,
    )
    consent = person.consent if person.approve == "ask" else None
    toolbox = services.tools.toolbox(consent) if services.uses_model else None
    around = replace(_with_past(services, around, place), attendance=attendance, past_work=past_work, toolbox=toolbox)
    return Agent(around, remaining_room(arm.workflow.with_ask_stage(), request.task.environment))


def unlearned_agent_for(services: WorkspaceServices, request: RunRequest, place: RunContext) -> Agent:
    """The agent that a run would have had if nothing had been learned, and with nobody there to ask.

    What the person noted and wants it is told all the same: these are instructions, and nothing that was learned.
    """
    arm = LearnedState(workflow=services.workflow)
    notes = _with_sources(services, recall_from(services.stores.memory, notes=True, insights=False))
    recall = services.preferences.with_preferences(notes, folder=request.task.folder)
    return Agent(
        _surroundings(services, request, arm, place, recall), remaining_room(arm.workflow, request.task.environment)
    )


def agent_with(
    services: WorkspaceServices, request: RunRequest, place: RunContext, change: Change, then: Offered
) -> Agent:
    """The agent that a run had, with one change, and with nobody there to ask.

    Args:
        then: Gives what its recall at the start gave, from what it gives today.
    """
    arm = change.apply_to(services.stores.practice_state(services.workflow))
    today, begun = _own_recall(services, arm, request.task, place), request.task.view().instruction

    def recall(view: TaskView, features: tuple[float, ...], k: int) -> Sequence[Recalled]:
        # Later in an episode other words are looked up, which the record does not hold.
        items = today(view, features, k)
        items = then(items) if view.instruction == begun else items
        return [item for item in items if item.id not in change.items]

    around = _with_past(services, _surroundings(services, request, arm, place, recall), place)
    return Agent(around, remaining_room(arm.workflow, request.task.environment))


def _with_past(services: WorkspaceServices, around: AgentServices, place: RunContext) -> AgentServices:
    """With what was said before the run began, for actions that look it up."""
    asked = [run.id for run in services.stores.runs.list_runs() if question_of_run(run)]
    past = runs_before(Conversations(services.paths.runs / "chats").list, services.stores.runs, place.root_run)
    return replace(around, past=past, has_past=bool(asked) and asked[0] != place.root_run)


def services_as_recorded(services: WorkspaceServices, task: Task, run: str, stack: ExitStack) -> Task:
    """The task of a run on the folder as that was before the run's own change was applied, written elsewhere."""
    if isinstance(task.work, FolderWork):
        start = stack.enter_context(TemporaryDirectory())
        if services.folders.write_start(run, Path(start)):
            return replace(task, work=replace(task.work, folder=start))
    return task


def _surroundings(
    services: WorkspaceServices, request: RunRequest, arm: LearnedState, place: RunContext, recall: Recall
) -> AgentServices:
    """What all work with, where nobody is there to ask."""
    sandbox = place.sandbox
    scanner, spared = scanner_for(services.paths, [request.task])
    if isinstance(services.learner, SecretCleaningLearner):
        services.learner.beware_of(task_folders([request.task]), spared)
    if isinstance(sandbox, Stoppable):
        sandbox = sandbox.until(request.person.cancellation)
    # the day on which the run began, in local time: the same whenever it goes on
    started = services.stores.runs.run(place.root_run).started
    return AgentServices(
        policy=arm.policy(request.bound_learner(services.learner), attended=True),
        sandbox=sandbox,
        recall=recall,
        attendance=Supervision(cancellation=request.person.cancellation),
        recorder=place.recorder,
        events=place.events,
        run=place.run,
        checkpoints=place.checkpoints or services.paths.runs / place.run,
        judge=services.judge,
        skills=arm.skills,
        scanner=scanner,
        today=f"{datetime.fromisoformat(started).astimezone():%A, %Y-%m-%d}",
    )


def _own_recall(services: WorkspaceServices, arm: LearnedState, task: Task, place: RunContext) -> Recall:
    if services.uses_model:  # it can read what the person noted and wants
        memory, where = services.stores.memory, fingerprint_of(place.sandbox)
        recall = recall_from(memory, notes=True, trials=True, policy=services.learner.name, fingerprint=where)
        return services.preferences.with_preferences(_with_sources(services, recall), folder=task.folder)
    return recall_from(services.stores.memory) if arm.memory is not None else recall_nothing


def _with_sources(services: WorkspaceServices, recall: Recall) -> Recall:
    """With what the sources of packages find: notes, whatever they call it, so nothing of it acts unproven."""
    sources: list[Recall] = [
        extensions.find("recall", name, Callable)(services) for name in extensions.extension_names("recall")
    ]

    def both(view: TaskView, features: tuple[float, ...], k: int) -> Sequence[Recalled]:
        found = [item for source in sources for item in source(view, features, k)[:k]]
        notes = [replace(item, kind="note", provenance=item.provenance or item.author) for item in found]
        return [*recall(view, features, k), *notes]

    return both if sources else recall


def with_earlier_runs(services: WorkspaceServices, task: Task, run: str) -> Task:
    """The task with what earlier runs of it handed in and was refused, newest first, each once, and what was found.

    Left out is an answer that was refused for a row which the task does not have any more: the person corrected it.
    """
    rows = {to_json(row) for row in (*task.examples, *task.verify, *task.hidden)}
    numbers = {one.id: number for number, one in enumerate(services.stores.runs.list_runs())}
    known: dict[tuple[str, str], RefusedAnswer] = {}
    found = ""
    for record in reversed(services.stores.runs.of_task(task.id, task.group, OWN)):
        # What a run goes on as is not to change with runs that began after it.
        if numbers.get(record.run, 0) < numbers[run]:
            for one in reversed(refusals_of(record, one_file=environment_kind(task.environment).one_file)):
                if one.row is None or not rows or to_json(one.row) in rows:
                    known.setdefault((one.answer, to_json(one.row)), one)
            found = found or _found(services, record)
    return replace(task, refused=tuple(known.values()), found=found)


def _found(services: WorkspaceServices, record: EpisodeRecord) -> str:
    """The right answer that was found while learning from a run, unless the person decided about the change it is."""
    if record.found is None:
        return ""
    patch = next((patch for patch in services.folders.list() if patch.run == record.run), None)
    return record.found.answer if patch is None or patch.state == "waiting" else ""
