"""The read-only inputs of an episode: who it is, the task, policy, environment, limits and services."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Protocol

from evolve.agent.outputs import StepOutputs
from evolve.agent.workflow import MAIN_STAGES, Knobs
from evolve.core.cancellation import Cancellation
from evolve.core.episodes import (
    Action,
    Cost,
    EpisodeRecord,
    Limits,
    Plan,
    Recalled,
    Respond,
    Step,
    TaskView,
)
from evolve.core.events import EventSink, NoEvents
from evolve.core.redaction import Scanner
from evolve.environments import BaseEnvironment, BaseKind, environment_kind
from evolve.policies.base import BasePolicy, PastWork

if TYPE_CHECKING:
    from pathlib import Path

    from evolve.agent.exploration import Exploration
    from evolve.runtime.functions import CallGate, Toolbox
    from evolve.runtime.sandbox.protocol import Sandbox
    from evolve.skills import Skill
    from evolve.tasks.model import Task
    from evolve.tasks.verification.verifiers import Verifier

Recall = Callable[[TaskView, tuple[float, ...], int], Sequence[Recalled]]
"""``recall(view, features, k)`` gives at most ``k`` items, best first."""


Past = Callable[[str, int], Sequence[Recalled]]
"""``past(question, k)`` gives at most ``k`` of what was said in conversations before, best first."""


class Recorder(Protocol):
    """Where an episode's outcome is kept."""

    def commit(self, record: EpisodeRecord) -> None:
        """Keeps the record, its claims and drafts durably, exactly once.

        Called again with the same episode it changes nothing; a stage is re-run after a crash.
        """
        ...


class NoRecorder:
    """For episodes whose caller commits the returned record itself, such as workers."""

    def commit(self, record: EpisodeRecord) -> None:
        """Keeps nothing."""


def recall_nothing(view: TaskView, features: tuple[float, ...], k: int) -> tuple[Recalled, ...]:
    """The recall of an agent that has learned nothing."""
    return ()


def no_earlier_work(question: str, k: int) -> tuple[Recalled, ...]:
    """What was said before, where nobody talked."""
    return ()


@dataclass(frozen=True, kw_only=True)
class EpisodeKey:
    """Which episode this is."""

    episode: str
    run: str
    suite: str
    group: str
    split: str
    variant: str
    seed: int


@dataclass(frozen=True, kw_only=True)
class EpisodePrefix:
    """The first part of an episode on record, which another one repeats without asking its policy.

    Attributes:
        plan: What was planned, or None where the plan is asked for anew.
        actions: The actions that follow, in order.
    """

    plan: Plan | None = None
    actions: tuple[Action, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Supervision:
    """A person who follows an episode.

    Attributes:
        respond: Asks the person; None where they can only answer later.
        withdrawn: Ids of questions that need no answer any more, which ends the work that asked.
        live: Told what a model writes while it writes it, or None; it is in no log.
    """

    respond: Respond | None = None
    withdrawn: frozenset[str] = frozenset()
    cancellation: Cancellation = field(default_factory=Cancellation)
    live: EventSink | None = None


@dataclass(frozen=True, kw_only=True)
class AgentServices:
    """What an agent works with.

    Attributes:
        past: What was said in conversations; asked where an action looks something up, and at no other time.
        today: The day on which the run began, of :class:`~evolve.core.episodes.TaskView`.
        has_past: ``past`` has something to find.
        run: Id of the run the episodes belong to.
        suite: Name of the suite the tasks come from, or "".
        checkpoints: Folder of the run for one ``<episode>/checkpoint.db`` each, or None to keep
            none (workers, benchmarks): a lost episode is then simply run again.
        skills: Admitted skills, which stages of the workflow may call.
        past_work: Asked once a change was accepted: gives the procedures that lessons may try, and the tasks before.
        attendance: The person who follows the episodes; only with checkpoints, for an answer may take days. None
            where nobody may be asked.
        judge: Makes the verifier that judges by a task's rubric; None where no model can.
        scanner: Knows the secrets that nothing observed may bring into the record.
        toolbox: The functions that code may call. Lessons call none; code that they repeat has the answers on record.
    """

    policy: BasePolicy
    sandbox: Sandbox
    recall: Recall = recall_nothing
    past: Past = no_earlier_work
    today: str = ""
    has_past: bool = False
    recorder: Recorder = field(default_factory=NoRecorder)
    events: EventSink = field(default_factory=NoEvents)
    run: str = ""
    suite: str = ""
    checkpoints: Path | None = None
    skills: Sequence[Skill] = ()
    past_work: Callable[[], PastWork] = PastWork
    attendance: Supervision | None = None
    judge: Callable[[Task], Verifier] | None = None
    scanner: Scanner = field(default_factory=Scanner)
    toolbox: Toolbox | None = None


@dataclass(frozen=True, kw_only=True)
class EpisodeContext:
    """Read-only surroundings of one episode.

    Attributes:
        view: What the policy may see of the task.
        environment: What actions act on; it knows what decides, which is never given to the policy.
        policy: The services' own, which the person who follows the episode can stop and watch.
        limits: What the whole episode may spend.
        outputs: Keeps what was paid for within a stage.
        calls: The gate of the functions that code can call; None where there are none.
        exploration: The session for code that finds something out; without one it goes to the environment.
        stages: The stages of the episode's workflow.
        idle: Stages that do nothing in this episode, each with the reason.
        skills: The skills that stages call, by stage.
        learns: Whether anything is learned from the episode; nothing is where tasks are held out.
        later: Reflection and distillation are a job of their own once the outcome is on record, see
            :func:`evolve.agent.lessons.learn_from_episode`; in the graph they do nothing.
        redone: What a person stops is done again when it goes on, and stands in no step.
        attendance: The person who follows it; None where nobody may be asked.
        begun: What it repeats of another episode.
    """

    identity: EpisodeKey
    view: TaskView
    environment: BaseEnvironment
    policy: BasePolicy
    services: AgentServices
    limits: Limits
    knobs: Knobs = field(default_factory=Knobs)
    outputs: StepOutputs = field(default_factory=StepOutputs)
    learns: bool = True
    later: bool = False
    redone: bool = False
    calls: CallGate | None = None
    exploration: Exploration | None = None
    stages: tuple[str, ...] = MAIN_STAGES
    idle: Mapping[str, str] = field(default_factory=dict)
    skills: Mapping[str, Skill] = field(default_factory=dict)
    attendance: Supervision | None = None
    begun: EpisodePrefix = field(default_factory=EpisodePrefix)

    @property
    def kind(self) -> BaseKind:
        """What kind of environment it is."""
        return environment_kind(self.environment.name)

    def check(self) -> None:
        """Raises ``Cancelled`` where the person asked that nothing more is begun."""
        if self.attendance is not None:
            self.attendance.cancellation.check_before()

    def remaining(self, steps: Sequence[Step]) -> Limits:
        """What is left of the limits after the steps; counts never fall below zero."""
        spent = sum((step.action.cost for step in steps), Cost())
        submitted = sum(step.judgement is not None for step in steps)
        left = self.limits.minus_cost(spent)
        return replace(
            left,
            steps=max(0, self.knobs.steps - self.count_steps(steps)),
            submissions=max(0, left.submissions - submitted),
        )

    def count_steps(self, steps: Sequence[Step]) -> int:
        """How many of the steps the knob counts: not those that gave a search one more example, nor further draws."""
        return len(steps) - self.policy.uncounted_steps(self.view, steps)
