"""Turns what happened into claims."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from evolve.agent.codec import to_json
from evolve.agent.context import EpisodeContext
from evolve.agent.questions import was_stopped
from evolve.agent.stage_costs import paid
from evolve.agent.state import AgentState, AgentUpdate, read_aside, read_steps
from evolve.environments.probing import Probe
from evolve.episodes import Json, Step
from evolve.errors import BudgetExhausted, ModelMistake
from evolve.files import digest


def reflect(state: AgentState, context: EpisodeContext) -> AgentUpdate:
    """Asks the policy for claims with evidence; it may re-run variations through the sandbox.

    Steps that the environment cut short (faults, denials, time-outs), or a person, are not shown: they are never
    evidence. Neither is an answer that was accepted on too few unseen rows to be called verified. In a folder, where
    nothing can be verified, a checked one is, and the evidence says that a check is what it rests on.
    """
    if not context.learns or context.later:
        return {}
    steps = evidence_steps(read_steps(state), by_check=context.kind.has_states)
    if not steps:
        return {}
    probe = _probe_once(context.environment.probe, context, len(steps))
    result = paid(context, (len(steps), "reflect", "claims"), lambda: _claims(context, steps, probe))
    return {"claims": result.text, "aside": to_json(read_aside(state) + result.cost)}


def _claims(context: EpisodeContext, steps: Sequence[Step], probe: Probe) -> str:
    try:
        return to_json(context.policy.reflect(context.view, context.identity.group, steps, probe))
    except (ModelMistake, BudgetExhausted):  # nothing usable was said, or nothing could be tried: nothing is learned
        return to_json(())


@dataclass(frozen=True, kw_only=True)
class _Probed:
    values: tuple[Json, ...]


def _probe_once(probe: Probe, context: EpisodeContext, number: int) -> Probe:
    """The probe with each run kept in the episode's file, so that a stage that is run again does not repeat it."""

    def probe_once(programs: Sequence[tuple[str, str]], inputs: Sequence[Sequence[Json]]) -> list[list[Json] | None]:
        kind = f"probe {digest(to_json([programs, inputs]))[:16]}"
        work = partial(probe, programs, inputs)
        return list(
            context.outputs.once((number, "reflect", kind), _Probed, lambda: _Probed(values=tuple(work()))).values
        )

    return probe_once


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
