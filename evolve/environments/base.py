"""The base of environment kinds: all that differs from one kind of work to another stands in one value."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from evolve.core.errors import UsageError
from evolve.core.extensions import extension_names, find, install_hint
from evolve.runtime.sandbox.actions import NO_FILES, FunctionCalls

if TYPE_CHECKING:
    from evolve.core.episodes import EpisodeRecord, Json, Recalled, RunOrigin, TaskView
    from evolve.environments.environment import BaseEnvironment
    from evolve.memory.insight_book import InsightBook
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
        source: The functions that the task's own kind offers; see :meth:`BaseKind.source`.
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


class BaseKind(ABC):
    """One kind of environment, as one value: what a package offers is an object of a class derived from this one.

    Attributes:
        name: As it stands in records; where a task needs more than rows, also the key of its work in task files.
        refusal: What a policy is told of an answer that the verifier refused, where a judgement says no more.
        prompt: File name of the prompt by which a model is asked for an action; no sentence of it is untrue here.
        needs_model: Only a policy that asks a model can act there; the embedded search finds functions.
        one_file: An answer is one source file that runs by itself. Then skills are written into it, stages can run and
            compare answers, and code that is no answer runs in a session of its own. Else skills are imported, and
            every piece of code acts.
        has_states: An action leaves a state that a visible check scores and that can be gone back to.
        accepts_unchecked: Nothing can tell if an answer is right; then it counts that it runs.
        leaves_changes: What came out is a change of the person's files, which waits for leave, and no value.
        least_steps: Actions that an episode may take at least, whatever the workflow says; 0 leaves it to the workflow.
        least_tokens: Tokens of models that an episode may spend at least, whatever the workflow says.
    """

    name: str
    refusal: str
    prompt: str = "act.md"
    needs_model: bool = True
    one_file: bool = False
    has_states: bool = False
    accepts_unchecked: bool = False
    leaves_changes: bool = False
    least_steps: int = 0
    least_tokens: int = 0

    @abstractmethod
    def open(self, task: Task, setting: EnvironmentOptions) -> BaseEnvironment:
        """The environment of one episode.

        Raises:
            UsageError: The task cannot be worked on here.
        """

    def parse_work(self, data: Json, place: FilePosition) -> Work:
        """The work that a task file states under the kind's name; refused where rows and tests are all there is.

        Raises:
            TaskError: It is not as it should be, or tasks of this kind state no work.
        """
        raise place.error("tasks of this kind have examples or tests")

    def source(self, task: Task) -> FunctionSource | None:
        """The functions by which one episode acts, which is opened with them and whose end closes them."""
        return None

    def task_parts(self, view: TaskView) -> Sequence[PromptPart]:
        """How the task is put to a model, between its instruction and its examples."""
        return ()

    def progress(self, task: Task, record: EpisodeRecord) -> float:
        """How far an unsolved episode came, 0.0 to below 1.0: the score of the last state, where there is one."""
        observations = [step.observation for step in record.steps if step.observation is not None]
        # 1.0 would say that it was solved, which what decides has not said.
        return min(0.99, observations[-1].state.score) if observations and observations[-1].state is not None else 0.0

    def summary(self, task: Task) -> str:
        """Where the work takes place and what decides, in one line for people; "" where rows say it."""
        return ""

    def recall(self, book: InsightBook, origin: RunOrigin) -> list[Recalled]:
        """The insights that hold at a place, such as one variation of a task; told there before all others."""
        return []

    def recount(self, items: Sequence[Recalled], view: TaskView) -> Sequence[PromptPart]:
        """What its experiments showed as parts of a prompt; see :data:`evolve.core.episodes.MOVE`."""
        return ()

    def advice(self, task: Task) -> str:
        """What a person can do who has no model, going on from "without a model,"; "" where nothing is known."""
        return ""


def environment_kind(name: str) -> BaseKind:
    """The kind with this name.

    Raises:
        UsageError: Nobody offers it.
    """
    kind: BaseKind | None = find("environments", name, BaseKind)
    if kind is None:
        known = ", ".join(extension_names("environments"))
        hint = install_hint(name) or "install the package that has it"
        raise UsageError(f"there is no environment {name!r}; there are {known}", hint=hint)
    return kind


def open_environment(task: Task, setting: EnvironmentOptions) -> BaseEnvironment:
    """The environment that the task asks for.

    Raises:
        UsageError: The task cannot be worked on here; or it has a rubric, and nobody can judge by it.
    """
    return environment_kind(task.environment).open(task, setting)


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
