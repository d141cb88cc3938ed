"""Describes as JSON what each stage did, for views that show an episode while it runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from evolve.agent.state import AgentState, read_claims, read_drafts, read_plan, read_recalled, read_steps
from evolve.core.episodes import KEPT_FACT, TRIAL, Observation, Question, StageNote, Step, subgoal_states
from evolve.core.episodes.codec import to_data
from evolve.policies.base import ReplyDelta


def piece_data(piece: ReplyDelta) -> Mapping[str, Any]:
    """JSON about what a model has just written."""
    return {"stage": piece.stage, "field": piece.field, "piece": piece.text, "call": piece.call}


def question_data(question: Question) -> Mapping[str, Any]:
    """JSON about what a person is asked."""
    return {"id": question.id, "kind": question.kind, "text": question.text, "options": list(question.options)}


def progress_of(stage: str, state: AgentState, *, examples: int) -> Mapping[str, Any]:
    """JSON about what the stage just did; ``state`` already includes its update."""
    if stage == "recall":
        items = [
            {"id": item.id, "kind": item.kind, "text": item.text, "score": item.score}
            | ({"date": item.date} if item.date else {})
            | ({"fact": True} if item.status == KEPT_FACT else {})
            for item in read_recalled(state)
            if item.kind != TRIAL
        ]
        return {"items": items, "withheld": list(state["withheld"])}
    if stage == "plan":
        plan = read_plan(state)
        return {"goal": plan.goal, "subgoals": [subgoal.goal for subgoal in plan.subgoals]}
    if stage == "reflect":
        handed_in = _notes_of(stage, read_steps(state)[-1].action.notes) if state["steps"] else {}
        return {"claims": [claim.text for claim in read_claims(state) if not claim.is_denied], **handed_in}
    if stage == "distill":
        return {"drafts": [draft.name for draft in read_drafts(state)]}
    if stage in ("act", "ask", "observe", "judge") and state["steps"]:
        steps = read_steps(state)
        data = {**_about_step(stage, steps[-1]), **(_plan_so_far(steps) if stage in ("act", "observe") else {})}
        return {**data, "examples": examples} if stage == "observe" else data
    if stage == "decompose":
        plan = read_plan(state)
        return {"subgoals": [subgoal.goal for subgoal in plan.subgoals], **_notes_of(stage, plan.notes)}
    if state["steps"]:
        return _notes_of(stage, read_steps(state)[-1].action.notes)
    return {}


def _plan_so_far(steps: Sequence[Step]) -> Mapping[str, Any]:
    """How the plan stands that actions brought; {} where none did."""
    states = subgoal_states(steps)
    done = sum(state.status != "open" for state in states)
    return {"states": [to_data(state) for state in states], "done": done} if states else {}


def _notes_of(stage: str, notes: Sequence[StageNote]) -> Mapping[str, Any]:
    """What a stage between an action and its judgement noted; {} where it had nothing to do."""
    own = [note for note in notes if note.stage == stage]
    return {"text": own[-1].text, "doubtful": bool(own[-1].doubtful)} if own else {}


def _about_step(stage: str, step: Step) -> Mapping[str, Any]:
    if stage == "act":
        action = step.action
        return {
            "action": action.kind,
            "text": action.text,
            "code": action.code,
            "candidates": action.cost.candidates,
            "seconds": round(action.cost.seconds, 3),
        }
    if stage == "ask":
        answered = step.observation
        return {"question": step.action.text, "answer": answered.text} if answered and answered.person else {}
    if stage == "observe" and step.observation is not None:
        observation = step.observation
        # How often which functions were called, by what came of it; {} where none was
        counts = Counter((call.function, call.state) for call in observation.calls)
        calls = [{"function": name, "state": state, "count": count} for (name, state), count in counts.items()]
        return {
            "ok": observation.ok,
            "error": observation.error,
            "denied": observation.denied,
            "fault": observation.fault,
            "looked": _looked(step),
            **({"person": True} if observation.person else {}),
            **({"calls": calls} if calls else {}),
            **_changed_files(observation),
        }
    if stage == "judge" and step.judgement is not None:
        judgement = step.judgement
        return {
            "accepted": judgement.accepted,
            "verified": judgement.verified,
            "checked": judgement.checked,
            "rows": judgement.rows,
            "text": judgement.text,
        }
    return {}


def _looked(step: Step) -> str:
    """What a step brought that answers nothing, in its first words; "" where it was an answer."""
    observation = step.observation
    if observation is not None and step.action.kind == "answer":
        return "an answer in words"  # which is shown whole as the result
    if observation is None or not (step.action.explores or step.action.kind == "recall" or _in_its_words(observation)):
        return ""
    brought = observation.text or " ".join(map(str, observation.outputs)) or step.action.text
    return " ".join(brought.split())[:200]


def _changed_files(observation: Observation) -> Mapping[str, Any]:
    """What changed in a folder, and whether its check passes where that is known; {} elsewhere."""
    state = observation.state
    if state is None or _in_its_words(observation):
        return {}
    passes = True if state.score == 1.0 else False if state.check is not None else None
    return {"passes": passes, **({} if state.changed is None else {"changed": list(state.changed)})}


def _in_its_words(observation: Observation) -> bool:
    """Whether an environment that has states says itself how things stand."""
    return observation.state is not None and bool(observation.text)
