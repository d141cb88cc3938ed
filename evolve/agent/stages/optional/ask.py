"""Puts a question of the policy to the person."""

from __future__ import annotations

import json

from evolve.agent.context import EpisodeContext
from evolve.agent.questions import question_of, with_answer
from evolve.agent.state import AgentState, AgentUpdate, read_steps, with_last_step
from evolve.core.episodes.codec import to_json


def ask(state: AgentState, context: EpisodeContext) -> AgentUpdate:
    """Waits for the person's answer to an ``ask_user`` action, however long that takes and in whatever process.

    The graph runs a stage that was interrupted again from its first line, so this one does nothing else.
    """
    step = read_steps(state)[-1]
    if context.attendance is None or step.action.kind != "ask_user" or step.observation is not None:
        return {}
    from langgraph.types import interrupt

    reply = json.loads(interrupt(to_json(question_of(context.identity.episode, step))))
    return {"steps": with_last_step(state, with_answer(step, reply["text"]))}
