"""The first part of a recorded episode, and a policy that repeats it without asking a model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from evolve.agent.workflow import Workflow
from evolve.core.episodes import Action, Cost, EpisodeRecord, Json, Limits, Observation, Plan, Recalled, Step, TaskView
from evolve.policies.base import BasePolicy
from evolve.policies.language import LanguagePolicy
from evolve.policies.language.plans import carries_plan
from evolve.skills import Skill
from evolve.trials.learned_state import LearnedState
from evolve.trials.learner import Learner

_STAGES = frozenset({"recall", "plan", "act", "ask", "observe", "judge", "reflect", "distill", "commit"})
"""Stages that ask a policy for plans and actions alone, so that these are all that has to be said again."""


@dataclass(frozen=True, kw_only=True)
class EpisodePrefix:
    """The first part of an episode.

    Attributes:
        plan: What was planned, or None where the plan is asked for anew.
        actions: The actions that follow, in order.
    """

    plan: Plan | None = None
    actions: tuple[Action, ...] = ()


def beginning_of(record: EpisodeRecord, output: str, workflow: Workflow) -> EpisodePrefix | None:
    """What was said before an output of an episode, which ``plan`` or ``step:N`` names.

    None where it cannot be said again: the output is of another kind, the plan is not in the record, or further stages
    of the workflow ask the policy too.
    """
    if output == "plan":
        return EpisodePrefix()
    name, _, number = output.partition(":")
    leads_back = workflow.routes.get("judge", {}).get("again", "act")
    if name != "step" or not _STAGES.issuperset(workflow.stages) or leads_back != "act" or workflow.knobs.branches > 1:
        return None
    before = record.steps[: int(number) - 1]
    plan = record.steps[0].action.plan
    if plan is None:
        return None
    if carries_plan(record.steps[0]):  # no part of the question that the first reply answered
        plan = replace(plan, subgoals=())
    return EpisodePrefix(plan=plan, actions=tuple(replace(step.action, cost=Cost()) for step in before))


def same_beginning(before: EpisodeRecord, after: EpisodeRecord, count: int) -> bool:
    """Whether the first actions of two episodes gave the same in the sandbox; else more than one thing differs."""
    return len(after.steps) > count and all(
        _comparable_result(old.observation) == _comparable_result(new.observation)
        for old, new in zip(before.steps[:count], after.steps[:count], strict=True)
    )


def _comparable_result(seen: Observation | None) -> object:
    """What came back; of work in a folder its state, for what a check prints may tell the time it took."""
    if seen is None:
        return None
    if seen.state is None:
        return replace(seen, checks=())  # of a plan's subgoals; what they print may tell the time too
    return seen.ok, seen.denied, seen.fault, seen.state.snapshot, seen.state.score


@dataclass(frozen=True, kw_only=True)
class PrefixPolicy(LanguagePolicy):
    """Says what was said before, at no cost, and asks for what follows.

    Attributes:
        begun: What was said.
    """

    begun: EpisodePrefix

    def plan(self, view: TaskView, recalled: Sequence[Recalled]) -> Plan:
        """The plan of the record where there is one."""
        return super().plan(view, recalled) if self.begun.plan is None else self.begun.plan

    def act(self, view: TaskView, plan: Plan, steps: Sequence[Step], limits: Limits) -> Action:
        """The action of the record as long as there is one."""
        if len(steps) < len(self.begun.actions):
            return self.begun.actions[len(steps)]
        return super().act(view, plan, steps, limits)


@dataclass(frozen=True, kw_only=True)
class PrefixLearner(Learner):
    """A learner whose policies begin as an episode did that was recorded; implements ``Prompted`` too.

    Attributes:
        learner: Makes the policies.
    """

    learner: Learner
    begun: EpisodePrefix

    @property
    def name(self) -> str:
        """That of the learner."""
        return self.learner.name

    def policy(self, guide: Json, skills: Sequence[Skill], *, attended: bool = False) -> BasePolicy:
        """The learner's policy, beginning so."""
        return self._repeating(self.learner.policy(guide, skills, attended=attended))

    def policy_for(self, arm: LearnedState) -> BasePolicy:
        """The arm's policy, beginning so."""
        return self._repeating(arm.policy(self.learner))

    def _repeating(self, policy: BasePolicy) -> BasePolicy:
        if not isinstance(policy, LanguagePolicy):
            raise TypeError("only what a language policy said can be said again")
        own: dict[str, Any] = {attribute.name: getattr(policy, attribute.name) for attribute in fields(policy)}
        return PrefixPolicy(**own, begun=self.begun)
