"""Ends the episode: everything it leaves behind is kept at once."""

from __future__ import annotations

from evolve.agent.context import EpisodeContext
from evolve.agent.learning_costs import episode_cost
from evolve.agent.outcome import final_status
from evolve.agent.state import AgentState, AgentUpdate, read_claims, read_drafts, read_recalled, read_steps
from evolve.core.episodes import TRIAL, EpisodeRecord, Status
from evolve.core.episodes.codec import to_json
from evolve.runtime.sandbox import fingerprint_of


def commit(state: AgentState, context: EpisodeContext) -> AgentUpdate:
    """Builds the record and gives it to the recorder, which keeps it once however often this runs."""
    record = make_record(state, context)
    context.services.recorder.commit(record)
    return {"record": to_json(record)}


def make_record(state: AgentState, context: EpisodeContext, paused: tuple[Status, str] | None = None) -> EpisodeRecord:
    """The episode's record; a pure function of state and context.

    Args:
        paused: Status and note of an episode that has not ended; its record is for whoever follows it only.
    """
    steps, who = read_steps(state), context.identity
    status, note = paused or final_status(steps, context)
    submitted = [step for step in steps if step.judgement is not None]
    verified = status == "solved" and any(s.judgement is not None and s.judgement.verified for s in submitted)
    checked = status == "solved" and any(s.judgement is not None and s.judgement.checked for s in submitted)
    consumed = dict.fromkeys(item for step in steps for item in step.action.consumed)
    return EpisodeRecord(
        episode=who.episode,
        run=who.run,
        task=context.view.id,
        suite=who.suite,
        group=who.group,
        split=who.split,
        variant=who.variant,
        seed=who.seed,
        status=status,
        verified=verified,
        checked=checked and not verified,
        answer=context.environment.answer(submitted[-1]) if submitted else "",
        steps=steps,
        cost=episode_cost(state, context),
        recalled=tuple(item.id for item in read_recalled(state) if item.kind != TRIAL),
        consumed=tuple(consumed),
        # A fault is never evidence, nor is what was claimed in its episode.
        claims=read_claims(state) if status != "fault" else (),
        drafts=read_drafts(state) if status != "fault" else (),
        note=note,
        withheld=tuple(state["withheld"]),
        policy=context.policy.name,
        fingerprint=fingerprint_of(context.services.sandbox),
    )
