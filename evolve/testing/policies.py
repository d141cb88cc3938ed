"""Policies and a learner for tests, which try programs from a list or actions from a script."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from evolve.core.episodes import (
    Action,
    Claim,
    Cost,
    Evidence,
    Limits,
    Plan,
    Recalled,
    Scope,
    SkillDraft,
    Step,
    TaskView,
)
from evolve.environments.probing import Probe
from evolve.policies.base import BasePolicy

PROGRAMS: Mapping[str, str] = {
    "first": "def solve(xs):\n    return xs[0]\n",
    "last": "def solve(xs):\n    return xs[-1]\n",
    "length": "def solve(xs):\n    return len(xs)\n",
    "reverse": "def solve(xs):\n    return xs[::-1]\n",
    "sort": "def solve(xs):\n    return sorted(xs)\n",
    "total": "def solve(xs):\n    return sum(xs)\n",
}


@dataclass(frozen=True)
class FixedPolicy(BasePolicy):
    """Tries each program of a list once; what was recalled comes first, and so is found sooner.

    Every try costs ten candidates, so that learning shows as a lower cost. Its features are two
    numbers that every task shares: recall then depends on words and evidence.

    Attributes:
        programs: Sources by name, each defining ``solve``.
        preferred: Names to try before the others, learned or not.
        skills: Digest of the skill that is the same program, by the program's name; tried first of all.
        distils: Whether verified answers are proposed as skills.
    """

    programs: Mapping[str, str] = field(default_factory=lambda: dict(PROGRAMS))
    preferred: tuple[str, ...] = ()
    skills: Mapping[str, str] = field(default_factory=dict)
    distils: bool = False
    name: str = "fixed"

    def features(self, view: TaskView) -> tuple[float, ...]:
        """One constant vector."""
        return (1.0, 0.0)

    def plan(self, view: TaskView, recalled: Sequence[Recalled]) -> Plan:
        """Orders the programs: preferred, then recalled, then the rest."""
        hinted = [item.cause.removeprefix("program:") for item in recalled]
        order = dict.fromkeys(
            [*self.skills, *self.preferred, *(name for name in hinted if name in self.programs), *self.programs]
        )
        used = {item.cause.removeprefix("program:"): item.id for item in recalled if item.cause}
        return Plan(goal=f"find a program for {view.id}", private={"order": list(order), "insights": used})

    def act(self, view: TaskView, plan: Plan, steps: Sequence[Step], limits: Limits) -> Action:
        """The next program that reproduces the examples; every one looked at costs ten candidates."""
        tried = {str(step.action.private.get("program")) for step in steps}
        cost = 0
        for name in plan.private["order"]:
            if name in tried:
                continue
            cost += 10
            if limits.candidates is not None and cost > limits.candidates:
                spent = Cost(candidates=limits.candidates)
                return Action(kind="finish", text="out of candidates", cost=spent)
            if _fits(self.programs[name], view):
                insight = plan.private["insights"].get(name)
                return Action(
                    kind="code",
                    code=self.programs[name].replace("def solve(", f"def {view.entry}("),
                    text=f"try {name}",
                    private={"program": name},
                    cost=Cost(candidates=cost, seconds=cost / 1000),
                    consumed=tuple(
                        item for item in (insight, f"skill:{self.skills[name]}" if name in self.skills else "") if item
                    ),
                )
        return Action(kind="finish", text="no program is left", cost=Cost(candidates=cost, seconds=cost / 1000))

    def reflect(self, view: TaskView, group: str, steps: Sequence[Step], probe: Probe) -> tuple[Claim, ...]:
        """One claim per accepted program, backed by a re-run without it."""
        last = steps[-1]
        if last.judgement is None or not last.judgement.verified:
            return ()
        name = str(last.action.private["program"])
        without = probe([("def solve(xs):\n    return None\n", "solve")], [list(view.examples[0].input)])
        changed = without[0] is not None and without[0][0] != view.examples[0].output
        evidence = Evidence(
            task=view.id,
            group=group,
            kind="intervention",
            direction=1 if changed else -1,
            features=self.features(view),
            detail="without it the examples are not reproduced",
        )
        scope = Scope(environment="programs", family=view.signature)
        cause = f"program:{name}"
        text = f"the program {name} solves tasks like {view.family}"
        return (
            Claim(cause=cause, relation="contributes", effect="solved", scope=scope, evidence=(evidence,), text=text),
        )

    def distill(self, view: TaskView, steps: Sequence[Step]) -> tuple[SkillDraft, ...]:
        """The accepted program under its own name, where the policy distils at all."""
        if not self.distils:
            return ()
        action = steps[-1].action
        name = str(action.private["program"])
        draft = SkillDraft(
            name=name,
            description=f"Gives the {name} of a list.",
            entry=view.entry,
            signature=view.signature,
            code=action.code,
            tests=view.examples,
            source=view.id,
        )
        return (draft,)


def _fits(source: str, view: TaskView) -> bool:
    namespace: dict[str, Any] = {}
    exec(source, namespace)
    try:
        return all(namespace["solve"](*row.input) == row.output for row in view.examples)
    except (TypeError, LookupError, ValueError):
        return False


@dataclass(frozen=True)
class FixedLearner:
    """Makes fixed policies; its guide is the list of programs that experience speaks for, most often first."""

    programs: Mapping[str, str] = field(default_factory=lambda: dict(PROGRAMS))
    distils: bool = False
    name: str = "fixed"

    def policy(self, guide: Any, skills: Sequence[Any], *, attended: bool = False) -> FixedPolicy:
        """The policy that tries skills first and then the guide's programs."""
        by_code = {skill.code: skill.digest for skill in skills}
        return FixedPolicy(
            programs=self.programs,
            preferred=tuple((guide or {}).get("preferred", ())),
            skills={name: by_code[code] for name, code in self.programs.items() if code in by_code},
            distils=self.distils,
        )

    def interpreter(self, skills: Sequence[Any]) -> None:
        """Skills of this learner have no trees."""
        return None

    def fit(self, experience: Sequence[Any], views: Sequence[TaskView], skills: Sequence[Any], seed: int) -> Any:
        """Counts what helped."""
        counts = Counter(row.cause.removeprefix("program:") for row in experience if row.direction > 0)
        return {"preferred": [name for name, _ in counts.most_common()]} if counts else None


@dataclass(frozen=True)
class ScriptedWorker(BasePolicy):
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
        last = max((int(step.action.private.get("place", 0)) for step in steps), default=0)
        if last < len(self.actions):
            text = f"action {last + 1}"
            return Action(kind="code", code=self.actions[last], text=text, private={"place": last + 1})
        return Action(kind="finish", text="the script is over", private={"place": last})

    def reflect(self, view: TaskView, group: str, steps: Sequence[Step], probe: Probe) -> tuple[Claim, ...]:
        """Nothing."""
        return ()

    def distill(self, view: TaskView, steps: Sequence[Step]) -> tuple[SkillDraft, ...]:
        """Nothing."""
        return ()
