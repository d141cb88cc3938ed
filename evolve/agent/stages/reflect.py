"""Turns what happened into claims."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TypeVar

from evolve.agent.attempts import EpisodeTrials
from evolve.agent.context import EpisodeContext
from evolve.agent.learning_costs import once_with_cost
from evolve.agent.questions import was_stopped
from evolve.agent.state import AgentState, AgentUpdate, read_aside, read_recalled, read_steps
from evolve.core.episodes import Claim, Step
from evolve.core.episodes.codec import from_json, to_json
from evolve.core.errors import BudgetExhausted, ModelMistake
from evolve.environments import OncePerEpisode

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class _Lesson:
    # A key of the JSON in episodes' files, as the fields of every class given to ``outputs.compute_once`` are.
    claims: tuple[Claim, ...] = ()
    found: Step | None = None


def reflect(state: AgentState, context: EpisodeContext) -> AgentUpdate:
    """Asks the policy for claims with evidence; it may re-run variations through the sandbox.

    Steps that the environment cut short (faults, denials, time-outs), or a person, are not shown: they are never
    evidence. Neither is an answer that was accepted on too few unseen rows to be called verified. In a folder, where
    nothing can be verified, a checked one is, and the evidence says that a check is what it rests on.

    Where the episode gave no right answer and a re-run did, a step hands that in.
    """
    if not context.learns or context.later:
        return {}
    everything = read_steps(state)
    steps = evidence_steps(everything, by_check=context.kind.has_states)
    if not steps:
        return {}
    result = once_with_cost(context, (len(steps), "reflect", "lesson"), lambda: to_json(_lesson(context, state, steps)))
    lesson = from_json(_Lesson, result.text)
    update: AgentUpdate = {"claims": to_json(lesson.claims), "aside": to_json(read_aside(state) + result.cost)}
    return update if lesson.found is None else {**update, "steps": [*state["steps"], to_json(lesson.found)]}


def _lesson(context: EpisodeContext, state: AgentState, steps: Sequence[Step]) -> _Lesson:
    everything = read_steps(state)
    attempts = EpisodeTrials(context, everything, len(steps))
    claims: tuple[Claim, ...] = ()
    # Where nothing usable was said, or nothing could be tried, nothing is learned.
    with suppress(ModelMistake, BudgetExhausted):
        claims = context.policy.reflect(context.view, context.identity.group, steps, attempts)
    claims += context.environment.claims(everything, read_recalled(state), _once(context, len(everything)))
    return _Lesson(claims=claims, found=attempts.handed_in())


def _once(context: EpisodeContext, number: int) -> OncePerEpisode:
    """Keeps what experiments give in the episode's file."""

    def once(what: str, cls: type[T], compute: Callable[[], T]) -> T:
        return context.outputs.compute_once((number, "reflect", what), cls, compute)

    return once


def evidence_steps(steps: Sequence[Step], *, by_check: bool = False) -> tuple[Step, ...]:
    """The steps whose outcome is the answer's own doing.

    Args:
        by_check: Take those along that a check accepted.
    """
    return tuple(step for step in steps if _is_evidence(step, by_check))


def _is_evidence(step: Step, by_check: bool) -> bool:
    observed, judged = step.observation, step.judgement
    if observed is None or observed.fault or observed.denied or was_stopped(step):
        return False
    if judged is None:
        return True
    # A model's opinion is no evidence, in either direction.
    founded = judged.verified or (by_check and judged.checked)
    return not judged.fault and (founded or not (judged.accepted or judged.judged))
