"""Asks one stage of a failed episode again under changed prompts; what came before it is taken from the record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from evolve.agent import EpisodePrefix, remaining_room
from evolve.agent.workflow import Workflow
from evolve.core.episodes import SCREEN, Cost, EpisodeRecord, Observation
from evolve.core.failpoints import hit_failpoint
from evolve.core.files import canonical_json, digest
from evolve.improve.optimizer.credit import Divergence
from evolve.improve.optimizer.engine import SearchEnded
from evolve.improve.session import Session
from evolve.policies.language.plans import carries_plan
from evolve.trials.comparisons import Change
from evolve.trials.gate import is_informative
from evolve.trials.pairs import ArmTrials

_STAGES = frozenset({"recall", "plan", "act", "ask", "observe", "judge", "reflect", "distill", "commit"})
"""Stages that ask a policy for plans and actions alone, so that these are all that has to be said again."""


@dataclass(frozen=True, kw_only=True)
class StageRerun:
    """Implements :data:`evolve.improve.optimizer.counterfactual.EpisodeReplay` with real episodes of a run.

    The plan and the actions before the stage that is asked again are those of the record: no model is asked for them.
    Actions run in the sandbox again, with the same seed. What follows is asked for under the changed texts and paid
    from the run's budget. The episode is kept under an id of its own as a ``screen``, so nothing is learned from it; a
    run that goes on reads it back.
    """

    session: Session

    def __call__(self, record: EpisodeRecord, texts: Mapping[str, str], at: Divergence) -> EpisodeRecord | None:
        """The episode, asked anew from an output on.

        None where the beginning cannot be said again, gave something else in the sandbox, or the environment failed.

        Raises:
            SearchEnded: The part of the budget that is for searching is spent.
        """
        session = self.session
        arm = session.stores.state(record.variant, session.workflow)
        workflow = remaining_room(arm.workflow, session.suite.task(record.task).environment)
        begun = beginning_of(record, at.output, workflow)
        if begun is None:
            return None
        name = f"replay:{digest(canonical_json([record.episode, at.output, sorted(texts.items())]))}"
        tasks, change = [session.suite.task(record.task)], Change(texts=texts, begun=begun)
        attempts = ArmTrials(run=session, split=SCREEN, seed=record.seed).attempt_tasks(tasks, arm, change, name=name)
        if not attempts:
            raise SearchEnded(session.ledger.exhausted_bound or "what is left of the budget covers no further episode")
        session.commit(attempts[0])
        hit_failpoint("replay.kept")
        replayed = attempts[0].record
        session.emit_event("replayed", prompt=at.prompt, output=at.output, solved=replayed.solved)
        if not is_informative(replayed) or not has_same_beginning(record, replayed, len(begun.actions)):
            return None
        return replayed


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


def has_same_beginning(before: EpisodeRecord, after: EpisodeRecord, count: int) -> bool:
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
