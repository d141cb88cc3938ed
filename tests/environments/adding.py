"""A kind of environment in one file: numbers are added until their sum is the one that is wanted.

It is what a package would offer: the kind, its work and its environment, and nothing of evolve changes for it.
"""

from __future__ import annotations

from collections.abc import Sequence

from evolve.core.episodes import Action, EnvironmentState, Json, Judgement, Observation, Step, TaskView
from evolve.environments import BaseEnvironment, BaseKind, EnvironmentOptions, PromptPart
from evolve.runtime.sandbox.protocol import Sandbox, SandboxLimits
from evolve.tasks import PlainWork, Task
from evolve.tasks.reading.limits import FilePosition
from evolve.tasks.work import Work

LIMITS = SandboxLimits(wall_s=10.0)


class AddingEnvironment(BaseEnvironment):
    """The value of every action is added to the sum, which the last step's state tells."""

    name = "adding"

    def __init__(self, total: int, sandbox: Sandbox) -> None:
        super().__init__(sandbox)
        self._total = total

    def reset(self) -> Observation:
        return Observation(ok=False, outputs=("sum: 0",))

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

    def answer(self, step: Step) -> str:
        return str(_sum([step]))


class Adding(BaseKind):
    """A sum that is to be made."""

    name = "adding"
    refusal = "another sum is wanted"
    has_states = True
    least_steps = 4

    def parse_work(self, data: Json, place: FilePosition) -> Work:
        if not isinstance(data, dict) or not isinstance(data.get("total"), int):
            raise place.field_position("total").error("expected a whole number")
        return PlainWork(kind="adding", data=data)

    def open(self, task: Task, setting: EnvironmentOptions) -> AddingEnvironment:
        return AddingEnvironment(_wanted(task), setting.sandbox)

    def task_parts(self, view: TaskView) -> Sequence[PromptPart]:
        return (
            PromptPart(text="The value of your code is added to a sum."),
            PromptPart(text="\n".join(view.files), name="sum"),
        )

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
