"""What an episode teaches, worked out once its outcome is on record and was shown: a job of its own."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import cast

from evolve.agent.codec import to_json
from evolve.agent.context import EpisodeContext
from evolve.agent.narration import narrate
from evolve.agent.stages.distill import distill
from evolve.agent.stages.reflect import reflect
from evolve.agent.state import AgentState, initial_state, read_aside, read_claims, read_drafts, read_steps
from evolve.episodes import Claim, Cost, EpisodeRecord, Found, SkillDraft
from evolve.events import Event


@dataclass(frozen=True, kw_only=True)
class Lessons:
    """What reflection and distillation made of an episode's steps.

    Attributes:
        cost: What that took, beyond what the episode cost.
        stopped: A person stopped it or had it set aside: there is nothing else in it, and the same call goes on.
        found: A right answer that a trial found, where the episode gave none.
    """

    claims: tuple[Claim, ...] = ()
    drafts: tuple[SkillDraft, ...] = ()
    cost: Cost = field(default_factory=Cost)
    found: Found | None = None
    stopped: bool = False


def lessons_of(record: EpisodeRecord, revision: str, context: EpisodeContext) -> Lessons:
    """Runs the stages ``reflect`` and ``distill`` on a record's steps; each is paid for once, whatever a crash repeats.

    Args:
        revision: Identity of the graph, for the state that the stages read.
    """
    # A fault is never evidence, nor is what would be claimed of its episode.
    if record.status == "fault":
        return Lessons()
    state = cast(AgentState, {**initial_state(revision), "steps": [to_json(step) for step in record.steps]})
    for name, stage in (("reflect", reflect), ("distill", distill)):
        context.check()
        if name in context.stages:
            state = cast(AgentState, {**state, **stage(state, context)})
            data = narrate(name, state, examples=len(context.view.examples))
            context.events.emit(Event(kind=name, episode=record.episode, step=len(record.steps), data=data))
    found = None
    for step in read_steps(state)[len(record.steps) :]:
        found = Found(step=step, answer=context.environment.answer(step))
    return Lessons(claims=read_claims(state), drafts=read_drafts(state), cost=read_aside(state), found=found)
