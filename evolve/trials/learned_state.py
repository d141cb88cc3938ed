"""A learned state as a value that travels between processes, the agents made from it, and the skills verified for it.

A verdict holds for one content, one policy and one sandbox. What was admitted for another model or on another machine
is tried by its own tests before anybody is told of it, and the verdict is kept, so that this happens once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from evolve.agent.workflow import Workflow
from evolve.core.episodes import TRIAL, Guidance, Limits, Recalled, RunOrigin
from evolve.runtime.sandbox import ProgramRun, SandboxLimits, TestModule
from evolve.skills import SkillRepository
from evolve.skills.reader import PAIRING

if TYPE_CHECKING:
    from evolve.agent import Agent, Recall
    from evolve.core.episodes import Json, TaskView
    from evolve.core.redaction import Scanner
    from evolve.memory import MemoryRepository, MemorySnapshot
    from evolve.policies.base import BasePolicy
    from evolve.runtime.sandbox import Sandbox
    from evolve.skills import Skill

from evolve.trials.learner import Learner

UNLEARNED = "unlearned"
"""Name of the variant that has learned nothing."""


@runtime_checkable
class PromptedLearner(Protocol):
    """A learner whose policies read prompts, so that a variant's texts count before those of the workspace."""

    def policy_for(self, arm: LearnedState) -> BasePolicy:
        """The policy with the arm's texts, skills and knobs."""
        ...


@dataclass(frozen=True, kw_only=True)
class LearnedState:
    """One learned state taken together.

    Attributes:
        variant: Digest of the variant, or :data:`UNLEARNED`.
        guide: The guide as JSON, or None.
        skills: Skills that the policy may use.
        memory: Insights, for policies that recall them and for what a guide is fitted on; None for none.
        prompts: Texts that are in force instead of the workspace's, by file name.
        lacking: Causes of insights that the policy does without, to see whether they are needed.
        guidance: Skills and notes of others, for policies that read prompts.
    """

    variant: str = UNLEARNED
    guide: Json = None
    skills: tuple[Skill, ...] = ()
    memory: MemorySnapshot | None = None
    workflow: Workflow = field(default_factory=Workflow)
    prompts: Mapping[str, str] = field(default_factory=dict)
    lacking: frozenset[str] = frozenset()
    guidance: Guidance = field(default_factory=Guidance)

    def policy(self, learner: Learner, *, attended: bool = False) -> BasePolicy:
        """The learner's policy with everything that was learned; see :meth:`Learner.policy`."""
        if isinstance(learner, PromptedLearner):
            return learner.policy_for(self)
        policy = learner.policy(self.guide, self.skills, attended=attended)
        if not self.lacking:
            return policy
        reduced = policy.without_causes(self.lacking)
        if reduced is None:
            raise TypeError(f"a {policy.name} policy cannot go without {', '.join(sorted(self.lacking))}")
        return reduced

    def seen_by(self, learner: Learner) -> LearnedState:
        """The arm without a memory where the learner's policy recalls nothing, as to send a large one takes time."""
        if self.memory is None or isinstance(learner, PromptedLearner) or self.policy(learner).recalls:
            return self
        return replace(self, memory=None)

    def limits(self, most: Limits, environment: str) -> Limits:
        """What an episode may spend: at most that, and no more than the workflow's knobs allow in this environment."""
        from evolve.agent import remaining_room

        knobs = remaining_room(self.workflow, environment).knobs
        return replace(
            most,
            candidates=None if most.candidates is None else min(most.candidates, knobs.candidates),
            # That knob bounds a search; how long a model takes is bounded by the budget alone.
            seconds=most.seconds
            if most.seconds is None or most.tokens is not None
            else min(most.seconds, knobs.seconds),
            tokens=None if most.tokens is None else min(most.tokens, knobs.tokens),
        )


def agent_for(
    arm: LearnedState, learner: Learner, sandbox: Sandbox, *, run: str, suite: str, scanner: Scanner | None = None
) -> Agent:
    """An agent that acts as the arm and commits nothing itself.

    Args:
        scanner: Knows the secrets that nothing observed may bring into a record; by default there are none.
    """
    from evolve.agent import Agent, AgentServices
    from evolve.core.redaction import Scanner
    from evolve.runtime.sandbox import fingerprint_of

    policy = arm.policy(learner)
    around = AgentServices(
        policy=policy,
        sandbox=sandbox,
        recall=recall_from(
            arm.memory,
            trials=isinstance(learner, PromptedLearner),
            policy=policy.name,
            fingerprint=fingerprint_of(sandbox),
        ),
        run=run,
        suite=suite,
        skills=arm.skills,
        scanner=scanner or Scanner(),
    )
    return Agent(around, arm.workflow)


def recall_from(
    memory: MemoryRepository | MemorySnapshot | None,
    *,
    notes: bool = False,
    trials: bool = False,
    insights: bool = True,
    policy: str | None = None,
    fingerprint: str = "",
) -> Recall:
    """A recall for an episode: of insights, as far as they may act on its task.

    Args:
        notes: Also what a person noted; for policies that can read it.
        trials: Also claims that may not act there yet, for policies that try them.
        insights: False for what has learned nothing.
        policy: Who asks: what others found is no more than worth a trial to it. None reads the evidence of all as one.
        fingerprint: What its code runs in; see :class:`RunOrigin`.
    """
    if memory is None:
        from evolve.agent import recall_nothing

        return recall_nothing
    source = memory
    wanted = {"insight": insights, "note": notes, TRIAL: trials}
    kinds = tuple(kind for kind, is_wanted in wanted.items() if is_wanted)

    def recall(view: TaskView, features: tuple[float, ...], k: int) -> Sequence[Recalled]:
        origin = RunOrigin(
            environment=view.environment,
            family=view.family,
            policy=policy,
            fingerprint=fingerprint,
            place=view.place,
            goal=view.goal,
        )
        query = view.instruction or view.signature
        return source.recall(query, k, features=features, kinds=kinds, scope=origin)

    return recall


_MOST = 100
"""Skills that are tried before one run, the most helpful first; the others wait for the next."""
_TEST_S = 1.0


def verified_pairings(library: SkillRepository, skills: Sequence[Skill], policy: str, sandbox: Sandbox) -> list[Skill]:
    """Those of the skills that are verified for a policy and a sandbox, in their order; keeps the verdicts on new ones.

    Procedures stay: the folders on which they were tried are their evidence. A test that ran out of time says nothing,
    so its skill waits for the next run.
    """
    from evolve.skills import AdmissionVerdict

    blank = AdmissionVerdict(digest="", policy=policy, fingerprint=sandbox.backend)
    known = library.paired(policy, sandbox.backend)
    asked = [skill for skill in skills if skill.digest not in known and not skill.environment]
    asked = sorted(asked, key=lambda skill: -len(skill.tasks))[:_MOST]
    modules = [
        TestModule(files={"skill.py": one.code, "test_skill.py": one.test_code}, test_file="test_skill.py")
        for one in asked
    ]
    limits = SandboxLimits(wall_s=2.0 + _TEST_S * len(modules), program_s=_TEST_S)
    ran = sandbox.run_tests(modules, limits) if modules else None
    for skill, run in zip(asked, () if ran is None or ran.fault or ran.killed else ran.programs, strict=False):
        if not run.timed_out:
            reason = failure_of(run)
            failed = PAIRING if reason else ""
            verdict = replace(blank, digest=skill.digest, admitted=not reason, failed=failed, reason=reason)
            library.record_verdict(replace(verdict, checks={"tests": len(run.outputs)}))
            known[skill.digest] = not reason
    return [skill for skill in skills if skill.environment or known.get(skill.digest, False)]


def failure_of(run: ProgramRun) -> str:
    """Why a skill failed its own tests, in one sentence; "" where it passed them."""
    failed = next((f"{output.name} fails: {output.error}" for output in run.outputs if not output.ok), run.error)
    return failed or ("" if run.outputs else "it has no tests")
