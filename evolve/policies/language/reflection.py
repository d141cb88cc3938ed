"""From what went wrong to causal claims, and what a pair of answers says of one."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from difflib import unified_diff
from typing import Any, Literal

from evolve.core.episodes import FACT, QUOTED, Claim, Evidence, Recalled, Scope, Step, TaskView
from evolve.core.text_screen import as_key, insight_problem, repeats_text, without_spaces
from evolve.environments import Attempted
from evolve.policies.language.quoting import quoted, truncate_middle
from evolve.policies.language.transcript import step_text
from evolve.runtime.models import KEPT, Message

EFFECT = "solved"
_FAILURES_SHOWN = 3
ON_TRIAL = "new"
"""Id of a claim that is not in the record yet."""
_ESCAPES = re.compile(r"\\+(?:[bfnrtv]|u00[01][0-9a-f]|x[01][0-9a-f])")
"""What stands for a tab, a line break and the like, also within the text of a value; its letter is none of a word."""


def failed_answers(steps: Sequence[Step]) -> list[Step]:
    """The steps whose answer was run and was wrong, or was refused.

    A change of a folder that was refused when it was handed in later is the step that made it, with the judgement.
    """
    failed: dict[int, Step] = {}
    made: Step | None = None
    for step in steps:
        judged = step.judgement
        refused = judged is not None and not (judged.accepted or judged.fault)
        state = step.observation.state if step.observation is not None else None
        changed = bool(step.action.code) and state is not None and bool(state.changed)
        made = step if changed else made
        if _is_wrong(step) or (refused and step.action.code and not step.action.explores):
            failed[step.number] = step
        elif refused and made is not None and step.action.kind == "finish":
            failed[made.number] = replace(made, judgement=judged)
    return list(failed.values())


def _is_wrong(step: Step) -> bool:
    observation = step.observation
    if observation is None or not step.action.code or step.action.explores:
        return False
    if step.action.kind not in ("code", "finish"):
        return False
    state = observation.state
    if state is None:
        return not observation.ok
    # A look around in a folder is no failed answer, nor is a change that passes the check before the work is done.
    return bool(state.changed) and state.check is not None and state.score < 1.0


def right_answer(steps: Sequence[Step]) -> Step | None:
    """The accepted answer, in a folder that was handed in the last change; or None."""
    accepted = [step for step in steps if step.judgement is not None and step.judgement.accepted]
    if not accepted or accepted[-1].action.code:
        return accepted[-1] if accepted else None
    states = [(step, step.observation.state) for step in steps if step.observation is not None]
    changes = [step for step, state in states if state is not None and state.changed]
    return changes[-1] if changes else None


def evidence_messages(view: TaskView, steps: Sequence[Step]) -> list[Message]:
    """The last failures, and where the right answer first differs from the last of them."""
    failures = failed_answers(steps)[-_FAILURES_SHOWN:]
    texts = [step_text(view, step) for step in failures]
    right = right_answer(steps)
    if right is not None:
        texts.append("This answer was right:\n" + step_text(view, right))
        before = failures[-1].action.source.splitlines()
        after = right.action.source.splitlines()
        changes = "\n".join(list(unified_diff(before, after, "failed", "right", lineterm="", n=1))[2:])
        texts.append("They differ in:\n" + quoted("difference", truncate_middle(changes, 1_500)))
    return [Message(role="user", text="\n".join(texts), priority=KEPT, kind="feedback")]


def read_claims(
    proposals: Sequence[Mapping[str, Any]], view: TaskView, *, known: Sequence[str] = (), shown: str = ""
) -> list[Claim]:
    """Claims without evidence yet: those that are fit to be kept, each once.

    A cause that repeats the task's own words, or what is known already, tells nothing new. One that a program, a file
    or a page said first is marked so (:data:`~evolve.core.episodes.QUOTED`): whoever wrote that may have wanted it
    said.

    Args:
        shown: What the model was shown from outside; see :func:`shown_text`.
    """
    claims: dict[str, Claim] = {}
    taken = {as_key(text) for text in known}
    for proposal in proposals:
        cause, condition = " ".join(str(proposal["cause"]).split()), " ".join(str(proposal["condition"]).split())
        key = as_key(cause)
        if insight_problem(cause) or key in taken or key in as_key(view.instruction) or _holds_a_value(cause, view):
            continue
        has_condition = condition and as_key(condition) != key and not insight_problem(condition)
        # Whatever is tried of a cause says nothing of a condition that somebody else worded.
        has_condition = has_condition and not repeats_text(condition, shown)
        claims[key] = Claim(
            cause=f"{QUOTED if proposal.get('quoted') or repeats_text(key, shown) else FACT}{key}",
            # Only one thing is ever tried, whether knowing it helps; so that is all it may claim.
            relation="contributes",
            effect=EFFECT,
            scope=Scope(environment=view.environment, family=view.family),
            evidence=(),
            text=f"{cause.rstrip('.')}." + (f" This holds where: {condition.rstrip('.')}." if has_condition else ""),
        )
    return list(claims.values())


def _holds_a_value(cause: str, view: TaskView) -> bool:
    """Whether a claim holds a long value of the task, which would only serve to repeat its answer."""
    values = [value for row in view.examples for value in (*row.input, row.output)]
    return any(isinstance(value, str) and len(value) >= 12 and value in cause for value in values)


def evidence_of(view: TaskView, group: str, with_it: Attempted, without_it: Attempted) -> Evidence | None:
    """What a pair of answers to one task says; None where they agree, since that tells neither for nor against."""
    difference = with_it.compared(without_it)
    if not difference:
        return None
    direction: Literal[1, -1] = 1 if difference > 0 else -1
    right, wrong = ("was right", "was not") if view.examples else ("passed the check", "did not")
    first, second = (right, wrong) if difference > 0 else (wrong, right)
    detail = f"an answer with it {first}, one without it {second}"
    return Evidence(task=view.id, group=group, kind="intervention", direction=direction, detail=detail)


def shown_text(view: TaskView, steps: Sequence[Step]) -> str:
    """Everything of an episode that somebody else wrote, without case, punctuation and spacing."""
    refused = [(one.row, one.got) for one in view.refused]
    refused += [(judged.row, judged.got) for step in steps if (judged := step.judgement) is not None]
    rows = [*view.examples, *(row for row, _ in refused if row is not None)]
    texts: list[Any] = [list(view.files), [part.text for part in view.seen], [turn.outcome for turn in view.earlier]]
    texts += [*([*row.input, row.output] for row in rows), *(got for _, got in refused)]
    for step in steps:
        seen = step.observation
        if seen is not None and not seen.person:
            texts += [seen.text, seen.error, list(seen.outputs), step.judgement.text if step.judgement else ""]
            texts += [] if seen.state is None else [seen.state.output, seen.state.value, seen.state.check]
    return without_spaces(_ESCAPES.sub(" ", json.dumps(texts, ensure_ascii=False, default=str)))


def unfit_fact(text: str) -> bool:
    """Whether this policy would not have kept a remembered text, such as a search's own insight."""
    return any(insight_problem(sentence) for sentence in text.split(" This holds where: "))


def cause_of(fact: Recalled) -> str:
    """The claim itself, without where it holds."""
    return fact.text.split(" This holds where: ", maxsplit=1)[0]


def as_trial(claim: Claim) -> Recalled:
    """A claim as a fact of a prompt, for the answer that is asked for with it."""
    provenance = "just stated, on trial"
    return Recalled(id=ON_TRIAL, kind="insight", text=claim.text, score=0.0, status="hypothesis", provenance=provenance)
