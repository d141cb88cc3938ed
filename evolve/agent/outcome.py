"""How an episode ends, and whether it goes on: pure functions of its steps."""

from __future__ import annotations

from collections.abc import Sequence

from evolve.agent.context import EpisodeContext
from evolve.agent.questions import was_stopped
from evolve.core.episodes import Limits, Observation, Status, Step, call_text, shown_rows, value_text
from evolve.core.redaction import MARK
from evolve.tasks import MIN_VERIFY


def should_continue(steps: Sequence[Step], context: EpisodeContext) -> bool:
    """Whether another action cycle follows: nothing accepted yet, no fault, and every limit leaves room."""
    last = steps[-1]
    if _ends(last) or is_accepted(last) or is_fault(last) or (last.judgement is not None and last.judgement.final):
        return False
    left = context.remaining(steps)
    spent = left.submissions == 0 or left.candidates == 0 or left.seconds == 0.0 or left.tokens == 0
    return not spent and context.count_steps(steps) < context.knobs.steps


def _ends(step: Step) -> bool:
    """Whether the action was the last, by its own words or for want of budget. A state that was not taken, or was
    refused, can be mended."""
    if step.action.kind != "finish" or step.action.ended is not None:
        return step.action.kind in ("finish", "give_up")
    if was_stopped(step):
        return False  # nothing was handed in; whoever goes on wants it done
    state = step.observation.state if step.observation is not None else None
    # Blocks before it may have failed, and the check may have warned; only an untouched folder was given up.
    return state is None or not (state.snapshot or step.action.code)


def is_accepted(step: Step) -> bool:
    """The verifier accepted the step's answer."""
    return step.judgement is not None and step.judgement.accepted


def is_fault(step: Step) -> bool:
    """The environment failed during the step."""
    observed, judged = step.observation, step.judgement
    return (observed is not None and observed.fault) or (judged is not None and judged.fault)


def final_status(steps: Sequence[Step], context: EpisodeContext) -> tuple[Status, str]:
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
        return "fault", (last.observation or Observation(ok=False)).failure
    if is_accepted(last):
        judged = last.judgement
        assert judged is not None
        if judged.unchecked or (context.kind.accepts_unchecked and not judged.measured):
            runs = (
                "nothing can check it" if judged.unchecked else "the code runs; there are no rows to check it against"
            )
            return "unverified", judged.text or runs
        return "solved", _accepted_note(steps, len(context.view.examples)) + _shown_note(len(shown_rows(steps)))
    left = context.remaining(steps)
    # A policy that takes every refused row for an example was ended by what ended its search, and not by the refusals.
    searched = bool(shown_rows(steps)) and context.policy.learns_from_refusals
    ended = last.action.kind == "finish" or 0 in (left.candidates, left.seconds)
    if any(step.judgement is not None for step in steps) and not (searched and ended):
        return "refused", _refusal(steps, context.view.entry)
    if last.action.ended is not None:
        return "budget", last.action.text
    if left.candidates == 0 or left.seconds == 0.0 or left.tokens == 0:
        return "budget", _ending(steps, context, left) + _shown_note(len(shown_rows(steps)))
    said, why = last.action.text, last.observation.error if last.observation else ""
    # What a folder was handed in with says that it is done, which it is not.
    if last.action.kind == "finish" and last.observation is not None and last.observation.state is not None:
        said = "; ".join(filter(None, (why, said)))
    return "unsolved", (said or why or "no answer found") + _shown_note(len(shown_rows(steps)))


def _refusal(steps: Sequence[Step], entry: str) -> str:
    """Why nothing was accepted, with the rows that may be named."""
    judged = [step.judgement for step in steps if step.judgement is not None]
    why = (judged[-1].text if judged else "") or "every submitted answer failed on rows the policy had not seen"
    failed = [
        f"{call_text(entry, one.row)} gave {value_text(one.got)}, wanted {value_text(one.row.output)}"
        for one in judged
        if one.row is not None
    ]
    return "; ".join([why, *failed])


def _accepted_note(steps: Sequence[Step], examples: int) -> str:
    judged = steps[-1].judgement
    assert judged is not None
    if judged.text:
        return judged.text
    every = "every other example" if steps[-1].action.misfits else "every example"
    right = f"reproduces {every}" + (f" and {judged.rows} rows it was not shown" if judged.rows else "")
    if judged.verified:
        return right
    if judged.checked:
        return f"reproduces every example, and {judged.rows} assertions hold in its own process"
    # The verdict itself is said by whoever shows the note.
    return right if judged.doubt is not None else f"reproduces every example; {_few_rows(steps, judged.rows, examples)}"


def _few_rows(steps: Sequence[Step], rows: int, examples: int) -> str:
    missing = rows_missing(steps, examples)
    more = f"{missing} more row{'s' * (missing != 1)} could verify it"
    if not rows and shown_rows(steps):
        return f"every row was needed to find it; {more}"
    if not rows:
        return f"no further row is known; {more}"
    return f"only {rows} further row{' is' if rows == 1 else 's are'} known; {more}"


def rows_missing(steps: Sequence[Step], examples: int) -> int:
    """How many more rows could verify the answer of the last step.

    Of fewer than twice the least none is kept back, so that many are enough; from then on the least is kept back.
    """
    judged = steps[-1].judgement
    rows = judged.rows if judged is not None else 0
    to_split = 2 * MIN_VERIFY - examples - rows - len(shown_rows(steps))
    return to_split if to_split > 0 and not rows else max(MIN_VERIFY - rows, to_split)


def _shown_note(rows: int) -> str:
    """How many rows no longer count among those that were not shown."""
    if not rows:
        return ""
    return (
        "; one of your rows ruled out an earlier answer"
        if rows == 1
        else f"; {rows} of your rows ruled out earlier answers"
    )


def _ending(steps: Sequence[Step], context: EpisodeContext, left: Limits) -> str:
    """Which limit ended it; a clock differs from machine to machine, so how far it let the work come is told."""
    tried = sum(step.action.cost.candidates for step in steps)
    if left.seconds == 0.0 and tried and left.candidates != 0:
        return f"stopped by the clock after {tried:,} candidates and {context.limits.seconds:g} s: nothing found"
    return f"nothing found within {_spent_text(context, left)}"


def _spent_text(context: EpisodeContext, left: Limits) -> str:
    """The limits that nothing is left of; others ended nothing."""
    limits = context.limits
    parts = [
        f"{limits.tokens:,} tokens" if left.tokens == 0 else "",
        f"{limits.candidates:,} candidates" if left.candidates == 0 else "",
        f"{limits.seconds:g} s" if left.seconds == 0.0 else "",
    ]
    return " and ".join(part for part in parts if part)
