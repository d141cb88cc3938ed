"""What an episode teaches, worked out once its outcome is on record and was shown: a job of its own."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, cast

from evolve.agent.context import EpisodeContext
from evolve.agent.learning_costs import once_with_cost
from evolve.agent.outputs import PaidOutput
from evolve.agent.progress import progress_of
from evolve.agent.stages.distill import distill
from evolve.agent.stages.reflect import reflect
from evolve.agent.state import AgentState, initial_state, read_aside, read_claims, read_drafts, read_steps
from evolve.core.episodes import Claim, Cost, EpisodeRecord, LateAnswer, SkillDraft, Suggestion
from evolve.core.episodes.codec import from_json, to_json
from evolve.core.episodes.plans import SPARSE
from evolve.core.errors import BudgetExhausted, ModelMistake
from evolve.core.events import Event

Unasked = Literal["", "budget", "reply"]


@dataclass(frozen=True, kw_only=True)
class EpisodeLessons:
    """What reflection and distillation made of an episode's steps.

    Attributes:
        suggestions: What the person is to be asked about.
        unasked: Why a question for suggestions brought none: the budget did not cover it, or no reply was usable.
        cost: What that took, beyond what the episode cost.
        stopped: A person stopped it or had it set aside: there is nothing else in it, and the same call goes on.
        found: A right answer that a trial found, where the episode gave none.
    """

    claims: tuple[Claim, ...] = ()
    drafts: tuple[SkillDraft, ...] = ()
    suggestions: tuple[Suggestion, ...] = ()
    unasked: Unasked = ""
    cost: Cost = field(default_factory=Cost)
    found: LateAnswer | None = None
    stopped: bool = False


def learn_from_episode(record: EpisodeRecord, revision: str, context: EpisodeContext) -> EpisodeLessons:
    """Runs the stages ``reflect`` and ``distill`` on a record's steps; each is paid for once, whatever a crash repeats.

    Args:
        revision: Identity of the graph, for the state that the stages read.
    """
    # A fault is never evidence, nor is what would be claimed of its episode.
    if record.status == "fault":
        return EpisodeLessons()
    state = cast(AgentState, {**initial_state(revision), "steps": [to_json(step) for step in record.steps]})
    for name, stage in (("reflect", reflect), ("distill", distill)):
        context.check()
        if name in context.stages:
            state = cast(AgentState, {**state, **stage(state, context)})
            data = progress_of(name, state, examples=len(context.view.examples))
            context.services.events.emit(Event(kind=name, episode=record.episode, step=len(record.steps), data=data))
    found = None
    for step in read_steps(state)[len(record.steps) :]:
        found = LateAnswer(step=step, answer=context.environment.answer(step))
    told = _suggested(record, context)
    suggested = from_json(_Suggested, told.text)
    return EpisodeLessons(
        claims=read_claims(state),
        drafts=read_drafts(state),
        suggestions=suggested.suggestions,
        unasked=suggested.unasked,
        cost=read_aside(state) + told.cost,
        found=found,
    )


@dataclass(frozen=True, kw_only=True)
class _Suggested:
    # A key of the JSON in episodes' files, as the fields of every class given to ``outputs.compute_once`` are.
    suggestions: tuple[Suggestion, ...] = ()
    unasked: Unasked = field(default="", metadata=SPARSE)


def _suggested(record: EpisodeRecord, context: EpisodeContext) -> PaidOutput:
    """What work in a folder or a question in words suggests to remember: last, because no skill or claim waits for it.

    Of a question about a folder that was answered at once, or work that a known procedure did at once, nobody is paid
    to say more.
    """
    policy, kind = context.policy, context.kind
    asked = kind.accepts_unchecked or (kind.leaves_changes and not _is_plain(record))
    if not asked:
        return PaidOutput(text=to_json(_Suggested()))

    def ask() -> str:
        try:
            return to_json(_Suggested(suggestions=policy.suggestions(context.view, record.steps)))
        except (ModelMistake, BudgetExhausted) as problem:
            return to_json(_Suggested(unasked="budget" if isinstance(problem, BudgetExhausted) else "reply"))

    context.check()
    return once_with_cost(context, (len(record.steps), "remember", "suggestions"), ask)


def _is_plain(record: EpisodeRecord) -> bool:
    """Whether one reply did all, without a change or by what was known already."""
    if len(record.steps) > 1:
        return False
    seen = record.steps[0].observation if record.steps else None
    changed = seen is not None and seen.state is not None and bool(seen.state.changed)
    return not changed or any(item.startswith("skill:") for item in record.consumed)
