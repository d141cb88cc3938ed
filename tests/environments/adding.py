"""A kind of environment in one file: numbers are added until their sum is the one that is wanted.

It is what a package would offer: the kind, its work and its environment, and nothing of evolve changes for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evolve.core.episodes import (
    Action,
    EnvironmentState,
    EpisodeRecord,
    Exhibit,
    Json,
    Judgement,
    Observation,
    Step,
    TaskView,
)
from evolve.environments import Environment, EnvironmentOptions, PromptPart, make_probe
from evolve.runtime.sandbox.protocol import Sandbox, SandboxLimits
from evolve.tasks import PlainWork, Task
from evolve.tasks.reading.limits import FilePosition
from evolve.tasks.work import Work

LIMITS = SandboxLimits(wall_s=10.0)


class AddingEnvironment:
    """The value of every action is added to the sum, which the last step's state tells."""

    name = "adding"

    def __init__(self, total: int, sandbox: Sandbox) -> None:
        self._total, self._sandbox = total, sandbox

    def reset(self) -> Observation:
        return Observation(ok=False, outputs=("sum: 0",))

    def initial_view(self) -> tuple[Exhibit, ...]:
        return ()

    def active_steps(self, steps: Sequence[Step]) -> tuple[Step, ...]:
        return tuple(steps)

    def observe(self, action: Action, before: Sequence[Step]) -> Observation:
        done = _sum(before)
        number = max((step.number for step in before), default=0)
        if action.kind in ("finish", "give_up"):
            return Observation(ok=False, error=action.text or "given up", state=_state(done, number))
        if not action.code:
            return Observation(ok=False, error=action.text or "the action has no code")
        result = self._sandbox.execute(action.code, LIMITS)
        if result.state == "fault":
            return Observation(ok=False, error=result.error, fault=True)
        if not isinstance(result.value, int):
            return Observation(ok=False, error=result.error or "an action has a whole number as its value")
        done += result.value
        return Observation(ok=done == self._total, text=f"the sum is {done}", state=_state(done, number))

    def judge(self, steps: Sequence[Step]) -> Judgement:
        return Judgement(accepted=_sum(steps) == self._total, verified=True, rows=1, text=f"the sum is {_sum(steps)}")

    def probe(self, programs: Sequence[tuple[str, str]], inputs: Sequence[Sequence[Json]]) -> list[list[Json] | None]:
        return make_probe(self._sandbox)(programs, inputs)

    def full_output(self, step: Step) -> str:
        return step.observation.text if step.observation is not None else ""

    def answer(self, step: Step) -> str:
        return str(_sum([step]))

    def close(self) -> None:
        pass


@dataclass(frozen=True, kw_only=True)
class Adding:
    """Implements the protocol of kinds."""

    name: str = "adding"
    needs_model: bool = True
    one_file: bool = False
    has_states: bool = True
    accepts_unchecked: bool = False
    leaves_changes: bool = False
    least_steps: int = 4
    least_tokens: int = 0
    prompt: str = "act.md"
    refusal: str = "another sum is wanted"

    def parse_work(self, data: Json, place: FilePosition) -> Work:
        if not isinstance(data, dict) or not isinstance(data.get("total"), int):
            raise place.at("total").error("expected a whole number")
        return PlainWork(kind="adding", data=data)

    def open(self, task: Task, setting: EnvironmentOptions) -> Environment:
        return AddingEnvironment(_wanted(task), setting.sandbox)

    def task_parts(self, view: TaskView) -> Sequence[PromptPart]:
        return (
            PromptPart(text="The value of your code is added to a sum."),
            PromptPart(text="\n".join(view.files), name="sum"),
        )

    def progress(self, task: Task, record: EpisodeRecord) -> float:
        states = [step.observation.state for step in record.steps if step.observation is not None]
        return states[-1].score if states and states[-1] is not None else 0.0

    def summary(self, task: Task) -> str:
        return f"until the sum is {_wanted(task)}"


def _wanted(task: Task) -> int:
    assert isinstance(task.work, PlainWork) and isinstance(task.work.data["total"], int)
    return task.work.data["total"]


def _state(done: int, parent: int) -> EnvironmentState:
    return EnvironmentState(snapshot=str(done), parent=parent, value=done)


def _sum(steps: Sequence[Step]) -> int:
    states = [step.observation.state for step in steps if step.observation is not None]
    return int(next((state.snapshot for state in reversed(states) if state is not None), "0"))


ADDING = Adding()
