"""The protocol of environment kinds: all that differs from one kind of work to another stands in one value."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from evolve.core.errors import UsageError
from evolve.core.extensions import extension_names, find, install_hint
from evolve.runtime.sandbox.actions import NO_FILES, FunctionCalls

if TYPE_CHECKING:
    from evolve.core.episodes import EpisodeRecord, Json, Recalled, TaskView
    from evolve.environments.environment import Environment
    from evolve.runtime.functions import FunctionSource
    from evolve.runtime.sandbox.protocol import Sandbox
    from evolve.tasks.model import Task
    from evolve.tasks.reading.limits import FilePosition
    from evolve.tasks.verification.verifiers import Verifier
    from evolve.tasks.work import Work


@dataclass(frozen=True, kw_only=True)
class EnvironmentOptions:
    """What an environment works with.

    Attributes:
        folder: The episode's own folder, for snapshots; None keeps them in memory.
        branches, exploring: Most actions tried from one state, and how the next state is chosen; see
            :class:`evolve.agent.workflow.Knobs`.
        modules: Python files by name that actions can import.
        clean: Puts a mark in the place of secrets, in whatever is kept beside the record.
        judge: Makes the verifier that judges by a task's rubric; None where no model can.
        own: A person works on a task of their own: a refusal may show one row that was withheld, which then verifies
            nothing any more, and a question about a folder with a check may be answered in words. Where anything is
            measured or practised, neither happens.
        calls: Answers the calls of functions that actions make; checks make none.
        source: The functions that the task's own kind offers; see :class:`OffersFunctions`.
    """

    sandbox: Sandbox
    folder: Path | None = None
    branches: int = 1
    exploring: float = 0.0
    modules: Mapping[str, bytes] = field(default_factory=lambda: NO_FILES)
    clean: Callable[[str], str] = str
    judge: Callable[[Task], Verifier] | None = None
    own: bool = False
    calls: FunctionCalls | None = None
    source: FunctionSource | None = None


@dataclass(frozen=True, kw_only=True)
class PromptPart:
    """A part of how a task is put to a model.

    Attributes:
        text: In evolve's own words; or, with a name, data that comes from outside and is quoted.
        name: What the data is, such as ``files``; "" for words of evolve's own.
    """

    text: str
    name: str = ""


@runtime_checkable
class EnvironmentKind(Protocol):
    """One kind of environment, as one value."""

    @property
    def name(self) -> str:
        """As it stands in records; where a task needs more than rows, also the key of its work in task files."""
        ...

    @property
    def needs_model(self) -> bool:
        """Whether only a policy that asks a model can act there; the embedded search finds functions."""
        ...

    @property
    def one_file(self) -> bool:
        """Whether an answer is one source file that runs by itself.

        Then skills are written into it, stages can run and compare answers, and code that is no answer runs in a
        session of its own. Else skills are imported, and every piece of code acts.
        """
        ...

    @property
    def has_states(self) -> bool:
        """Whether an action leaves a state that a visible check scores and that can be gone back to."""
        ...

    @property
    def accepts_unchecked(self) -> bool:
        """Whether nothing can tell if an answer is right; then it counts that it runs."""
        ...

    @property
    def leaves_changes(self) -> bool:
        """Whether what came out is a change of the person's files, which waits for leave, and no value."""
        ...

    @property
    def least_steps(self) -> int:
        """Actions that an episode may take at least, whatever the workflow says; 0 leaves it to the workflow."""
        ...

    @property
    def least_tokens(self) -> int:
        """Tokens of models that an episode may spend at least, whatever the workflow says."""
        ...

    @property
    def prompt(self) -> str:
        """File name of the prompt by which a model is asked for an action; no sentence of it is untrue here."""
        ...

    @property
    def refusal(self) -> str:
        """What a policy is told of an answer that the verifier refused, where a judgement says no more."""
        ...

    def parse_work(self, data: Json, place: FilePosition) -> Work:
        """The work that a task file states under the kind's name.

        Raises:
            TaskError: It is not as it should be, or tasks of this kind state no work.
        """
        ...

    def open(self, task: Task, setting: EnvironmentOptions) -> Environment:
        """The environment of one episode.

        Raises:
            UsageError: The task cannot be worked on here.
        """
        ...

    def task_parts(self, view: TaskView) -> Sequence[PromptPart]:
        """How the task is put to a model, between its instruction and its examples."""
        ...

    def progress(self, task: Task, record: EpisodeRecord) -> float:
        """How far an unsolved episode came, 0.0 to below 1.0."""
        ...

    def summary(self, task: Task) -> str:
        """Where the work takes place and what decides, in one line for people; "" where rows say it."""
        ...


@runtime_checkable
class OffersFunctions(Protocol):
    """Optional: a kind whose environments are acted on by functions of their own."""

    def source(self, task: Task) -> FunctionSource:
        """The functions of one episode, which is opened with them and whose end closes them."""
        ...


@runtime_checkable
class SummarisesExperiments(Protocol):
    """Optional: a kind that tells a model itself what its experiments showed; see :data:`evolve.core.episodes.MOVE`."""

    def recount(self, items: Sequence[Recalled], view: TaskView) -> Sequence[PromptPart]:
        """The items as parts of a prompt; nothing where none says anything here."""
        ...


@runtime_checkable
class AdvisesWithoutModel(Protocol):
    """Optional: a kind that needs a model, and knows what a person can do who has none."""

    def advice(self, task: Task) -> str:
        """That, going on from "without a model,"."""
        ...


def kind_of(name: str) -> EnvironmentKind:
    """The kind with this name.

    Raises:
        UsageError: Nobody offers it.
    """
    kind: EnvironmentKind | None = find("environments", name, EnvironmentKind)
    if kind is None:
        known = ", ".join(extension_names("environments"))
        hint = install_hint(name) or "install the package that has it"
        raise UsageError(f"there is no environment {name!r}; there are {known}", hint=hint)
    return kind


@contextmanager
def opened_source(task: Task) -> Iterator[FunctionSource | None]:
    """The functions that the environment of an episode offers itself; None where it offers none."""
    kind = kind_of(task.environment)
    if not isinstance(kind, OffersFunctions):
        yield None
        return
    with closing(kind.source(task)) as source:
        yield source


def open_environment(task: Task, setting: EnvironmentOptions) -> Environment:
    """The environment that the task asks for.

    Raises:
        UsageError: The task cannot be worked on here; or it has a rubric, and nobody can judge by it.
    """
    return kind_of(task.environment).open(task, setting)


def judge_of(task: Task, setting: EnvironmentOptions) -> Verifier | None:
    """Who judges by the task's rubric; nobody where it has none.

    Raises:
        UsageError: It has one, and no model is named.
    """
    if not task.rubric:
        return None
    if setting.judge is None:
        raise UsageError(
            f"{task.id}: a rubric is judged by a model, and none is named",
            hint="--model NAME, or `evolve models default NAME`; model_judge in the settings names another judge",
        )
    return setting.judge(task)
