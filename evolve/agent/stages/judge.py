"""Puts an answer to the verifier."""

from __future__ import annotations

from dataclasses import replace

from evolve.agent.context import EpisodeContext
from evolve.agent.execution import try_rows
from evolve.agent.state import AgentState, AgentUpdate, read_steps, with_last_step
from evolve.episodes import Judgement, Step
from evolve.tasks.model import MIN_VERIFY


def judge(state: AgentState, context: EpisodeContext) -> AgentUpdate:
    """Runs an answer that reproduced the examples on the rows the policy never saw; one bit comes back.

    An answer that failed a visible example is not submitted and uses up no submission.
    """
    steps = read_steps(state)
    step = steps[-1]
    observed = step.observation
    if observed is None or not observed.ok or context.left(steps).submissions < 1:
        return {}
    key = (step.number, "judge", "judgement")
    judgement = context.outputs.once(key, Judgement, lambda: _judged(step, context))
    return {"steps": with_last_step(state, replace(step, judgement=judgement))}


def _judged(step: Step, context: EpisodeContext) -> Judgement:
    rows = context.verify_rows
    trial = try_rows(context.sandbox, step.action.code, context.view.entry, rows)
    return Judgement(
        accepted=trial.ok,
        verified=trial.ok and len(rows) >= MIN_VERIFY,
        rows=len(rows),
        fault=trial.fault,
    )
