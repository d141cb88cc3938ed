"""A policy that works in folders by following a script, for tests of what its actions act on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evolve.episodes import Action, Claim, Limits, Plan, Recalled, SkillDraft, Step, TaskView
from evolve.policies.protocol import Probe


@dataclass(frozen=True)
class ScriptedWorker:
    """Takes one action after another, whatever comes of them; then hands in what it has.

    It learns nothing and reads no prompt.

    Attributes:
        actions: Python source, in order.
    """

    actions: tuple[str, ...]
    name: str = "scripted"

    def features(self, view: TaskView) -> tuple[float, ...]:
        """One constant vector."""
        return (1.0, 0.0)

    def plan(self, view: TaskView, recalled: Sequence[Recalled]) -> Plan:
        """To follow the script."""
        return Plan(goal=f"follow a script of {len(self.actions)} actions")

    def act(self, view: TaskView, plan: Plan, steps: Sequence[Step], limits: Limits) -> Action:
        """The next action of the script that is not among the steps; a state that was left hides what led to it."""
        last = max((int(step.action.data.get("place", 0)) for step in steps), default=0)
        if last < len(self.actions):
            text = f"action {last + 1}"
            return Action(kind="code", code=self.actions[last], text=text, data={"place": last + 1})
        return Action(kind="finish", text="the script is over", data={"place": last})

    def reflect(self, view: TaskView, group: str, steps: Sequence[Step], probe: Probe) -> tuple[Claim, ...]:
        """Nothing."""
        return ()

    def distill(self, view: TaskView, steps: Sequence[Step]) -> tuple[SkillDraft, ...]:
        """Nothing."""
        return ()
