"""What an episode remembers between stages: JSON primitives only.

Values of :mod:`evolve.core.episodes` are held as JSON text (:mod:`evolve.core.episodes.codec`), which every
checkpoint keeps byte for byte.
"""

from __future__ import annotations

from typing import TypedDict

from evolve.core.episodes import Claim, Cost, Plan, Recalled, SkillDraft, Step
from evolve.core.episodes.codec import from_json, list_from_json, to_json


class AgentState(TypedDict, total=False):
    """The state of one episode."""

    graph_rev: str
    """Identity of the graph that wrote the state; another graph must not continue it."""
    recalled: str
    """JSON list of the offered :class:`Recalled` items."""
    withheld: list[str]
    """Ids of items that were found but left out, to measure what they are worth."""
    plan: str
    """JSON of the :class:`Plan`, or ""."""
    steps: list[str]
    """JSON of every :class:`Step`, the current one last."""
    claims: str
    """JSON list of what reflection claimed (:class:`Claim`), or ""."""
    drafts: str
    """JSON list of the proposed skills (:class:`SkillDraft`), or ""."""
    aside: str
    """JSON of the :class:`Cost` of plan, reflection and distillation, or ""."""
    record: str
    """JSON of the :class:`EpisodeRecord` once it has been committed, or ""."""
    kept: dict[str, str]
    """JSON of what stages of packages keep; see :mod:`evolve.agent.stage_values`. Earlier states have none."""


AgentUpdate = AgentState
"""What a stage changes: some of the keys."""


def initial_state(graph_rev: str) -> AgentState:
    """The state before the first stage."""
    return AgentState(
        graph_rev=graph_rev,
        recalled="",
        withheld=[],
        plan="",
        steps=[],
        claims="",
        drafts="",
        aside="",
        record="",
        kept={},
    )


def read_recalled(state: AgentState) -> tuple[Recalled, ...]:
    """The offered items."""
    return list_from_json(Recalled, state["recalled"])


def read_plan(state: AgentState) -> Plan:
    """The plan; an empty one before the stage ``plan``."""
    return from_json(Plan, state["plan"]) if state["plan"] else Plan(goal="")


def read_steps(state: AgentState) -> tuple[Step, ...]:
    """Every step so far."""
    return tuple(from_json(Step, text) for text in state["steps"])


def read_claims(state: AgentState) -> tuple[Claim, ...]:
    """What reflection claimed."""
    return list_from_json(Claim, state["claims"])


def read_drafts(state: AgentState) -> tuple[SkillDraft, ...]:
    """What distillation proposed."""
    return list_from_json(SkillDraft, state["drafts"])


def read_aside(state: AgentState) -> Cost:
    """What was spent outside of steps."""
    return from_json(Cost, state["aside"]) if state["aside"] else Cost()


def with_last_step(state: AgentState, step: Step) -> list[str]:
    """The steps with the last one replaced, as a new list."""
    return [*state["steps"][:-1], to_json(step)]
