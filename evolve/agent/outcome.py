"""How an episode ends, and whether it goes on: pure functions of its steps."""

from __future__ import annotations

from collections.abc import Sequence

from evolve.agent.context import EpisodeContext
from evolve.episodes import Status, Step
from evolve.redaction import MARK


def goes_on(steps: Sequence[Step], context: EpisodeContext) -> bool:
    """Whether another action cycle follows: nothing accepted yet, no fault, and every limit leaves room."""
    last = steps[-1]
    ended = last.action.kind == "give_up" or (last.action.kind == "finish" and not _is_warned(last))
    if ended or is_accepted(last) or is_fault(last):
        return False
    left = context.left(steps)
    spent = left.submissions == 0 or left.candidates == 0 or left.seconds == 0.0 or left.tokens == 0
    return not spent and len(steps) < context.knobs.steps


def _is_warned(step: Step) -> bool:
    """It was handed in and not taken, because its visible check fails; handed in again, it is."""
    observed = step.observation
    return observed is not None and not observed.ok and observed.state is not None and observed.state.check is not None


def is_accepted(step: Step) -> bool:
    """The verifier accepted the step's answer."""
    return step.judgement is not None and step.judgement.accepted


def is_fault(step: Step) -> bool:
    """The environment failed during the step."""
    observed, judged = step.observation, step.judgement
    return (observed is not None and observed.fault) or (judged is not None and judged.fault)


def conclude(steps: Sequence[Step], context: EpisodeContext) -> tuple[Status, str]:
    """The episode's status and why, in one sentence."""
    status, why = _concluded(steps, context)
    observations = [step.observation for step in reversed(steps) if step.observation is not None]
    unseen = next((observation.unseen for observation in observations if observation.unseen), ())
    if not unseen or status in ("solved", "unverified"):
        return status, why
    names = ", ".join(unseen)
    return status, f"{why}; {names} has {MARK} in the place of a value that the model is not shown"


def _concluded(steps: Sequence[Step], context: EpisodeContext) -> tuple[Status, str]:
    if not steps:
        return "unsolved", "no action was taken"
    last = steps[-1]
    if is_fault(last):
        reason = last.observation.error if last.observation is not None else ""
        return "fault", f"the sandbox failed: {reason or 'no result'}"
    if is_accepted(last):
        if context.kind.unchecked and not (last.judgement is not None and last.judgement.measured):
            if last.judgement is not None and last.judgement.text:
                return "unverified", last.judgement.text
            return "unverified", "the code runs; there are no rows to check its answer against"
        return "solved", _accepted_note(last)
    left = context.left(steps)
    if any(step.judgement is not None for step in steps):
        return "refused", _last_text(steps) or "every submitted answer failed on rows the policy had not seen"
    if last.action.ended is not None:
        return "budget", last.action.text
    if left.candidates == 0 or left.seconds == 0.0 or left.tokens == 0:
        return "budget", f"nothing found within {_limits_text(context)}"
    return "unsolved", last.action.text or (last.observation.error if last.observation else "") or "no answer found"


def _last_text(steps: Sequence[Step]) -> str:
    return next((step.judgement.text for step in reversed(steps) if step.judgement is not None), "")


def _accepted_note(step: Step) -> str:
    rows = step.judgement.rows if step.judgement is not None else 0
    if step.judgement is not None and step.judgement.text:
        return step.judgement.text
    if step.judgement is not None and step.judgement.verified:
        return f"reproduces every example and {rows} rows it was not shown"
    if step.judgement is not None and step.judgement.checked:
        return f"reproduces every example, and {rows} assertions hold in its own process"
    return f"reproduces every example; unverified, because only {rows} further rows are known"


def _limits_text(context: EpisodeContext) -> str:
    limits = context.limits
    parts = [
        f"{limits.tokens:,} tokens" if limits.tokens is not None else "",
        f"{limits.candidates:,} candidates" if limits.candidates is not None else "",
        f"{limits.seconds:g} s" if limits.seconds is not None else "",
    ]
    return " and ".join(part for part in parts if part)
