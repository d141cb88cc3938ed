"""From what went wrong to causal claims, and what pairs of answers with and without a claim say of it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import unified_diff
from typing import Any, Literal

from evolve.core.episodes import FACT, QUOTED, TRIAL, Action, Claim, Evidence, Plan, Recalled, Scope, Step, TaskView
from evolve.core.text_screen import comparison_key, insight_problem, remove_spaces, repeats_text
from evolve.environments import AttemptResult, ReflectionTrials, environment_kind
from evolve.policies.language.deliberation import ModelPolicy
from evolve.policies.language.loop_detection import hints_in
from evolve.policies.language.prompt import task_message
from evolve.policies.language.questions import CLAIMS_SCHEMA
from evolve.policies.language.quoting import quote_text, truncate_middle
from evolve.policies.language.transcript import step_text
from evolve.runtime.models import ESSENTIAL, Message

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
    """The last failures, each once, and where the right answer first differs from the last of them."""
    failures = _telling_failures(steps)
    texts = [step_text(view, step) for step in failures]
    right = right_answer(steps)
    if right is not None:
        texts.append("This answer was right:\n" + step_text(view, right))
        before = failures[-1].action.source.splitlines()
        after = right.action.source.splitlines()
        changes = "\n".join(list(unified_diff(before, after, "failed", "right", lineterm="", n=1))[2:])
        texts.append("They differ in:\n" + quote_text("difference", truncate_middle(changes, 1_500)))
    return [Message(role="user", text="\n".join(texts), priority=ESSENTIAL, kind="feedback")]


def _telling_failures(steps: Sequence[Step]) -> list[Step]:
    """The last answers that failed, of equal ones the last; the first that was refused by a row stands before them."""
    latest = {step.action.code: step for step in failed_answers(steps)}
    by_row = [step for step in failed_answers(steps) if step.judgement is not None and step.judgement.row is not None]
    told = sorted(latest.values(), key=lambda step: step.number)[-_FAILURES_SHOWN:]
    return told if not by_row or by_row[0] in told else [by_row[0], *told[1:]]


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
    taken = {comparison_key(text) for text in known}
    for proposal in proposals:
        cause, condition = " ".join(str(proposal["cause"]).split()), " ".join(str(proposal["condition"]).split())
        key = comparison_key(cause)
        if (
            insight_problem(cause)
            or key in taken
            or key in comparison_key(view.instruction)
            or _holds_a_value(cause, view)
        ):
            continue
        has_condition = condition and comparison_key(condition) != key and not insight_problem(condition)
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


def _evidence_of(view: TaskView, group: str, with_it: AttemptResult, without_it: AttemptResult) -> Evidence | None:
    """What a pair of answers to one task says; None where they agree, since that tells neither for nor against."""
    difference = with_it.compare_with(without_it)
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
    return remove_spaces(_ESCAPES.sub(" ", json.dumps(texts, ensure_ascii=False, default=str)))


def unfit_fact(text: str) -> bool:
    """Whether this policy would not have kept a remembered text, such as a search's own insight."""
    return any(insight_problem(sentence) for sentence in text.split(" This holds where: "))


def _cause_of(fact: Recalled) -> str:
    """The claim itself, without where it holds."""
    return fact.text.split(" This holds where: ", maxsplit=1)[0]


def _as_trial(claim: Claim) -> Recalled:
    """A claim as a fact of a prompt, for the answer that is asked for with it."""
    provenance = "just stated, on trial"
    return Recalled(id=ON_TRIAL, kind="insight", text=claim.text, score=0.0, status="hypothesis", provenance=provenance)


_FIRM = frozenset({"confirmed"})


@dataclass(frozen=True, kw_only=True)
class Reflection:
    """From what happened on one task to claims with evidence.

    Attributes:
        policy: Who is asked.
        bare: The same without skills: one that rests on the same fact would hide whether the fact makes a difference.
        skilled: Whether ``policy`` had any.
        most: Most claims that are tried; None for all.
    """

    policy: ModelPolicy
    bare: ModelPolicy
    skilled: bool
    view: TaskView
    group: str
    steps: Sequence[Step]
    trials: ReflectionTrials
    most: int | None = None

    def claims(self) -> tuple[Claim, ...]:
        """Claims, each with one intervention that made a difference: the task is asked anew with and without it.

        Raises:
            ModelMistake: The model gave nothing usable; then nothing is learned.
        """
        if not failed_answers(self.steps):
            return self._tested_again()
        parts = [task_message(self.view), *evidence_messages(self.view, self.steps)]
        reply = self.policy.ask_own("reflect", parts, CLAIMS_SCHEMA)
        items = hints_in(self.steps)
        known = [item.text for item in items if item.kind != TRIAL]
        # What may not act yet was recalled only to be tried, and it is tried here.
        open_ones = [_proposal(item) for item in items if item.kind == TRIAL]
        shown = shown_text(self.view, self.steps)
        claims = read_claims([*open_ones[:1], *reply["claims"]], self.view, known=known, shown=shown)[: self.most]
        return self._tried(claims) if claims else ()

    def _tried(self, claims: Sequence[Claim]) -> tuple[Claim, ...]:
        """The claims that make a difference, all together first: where they make none, none of them does alone."""
        question, everything = self._question(), frozenset(range(len(claims)))
        known: dict[frozenset[int], AttemptResult | None] = {}

        def outcome(told: frozenset[int]) -> AttemptResult | None:
            if told not in known:
                known[told] = question.attempt_outcome([_as_trial(claims[place]) for place in sorted(told)])
            return known[told]

        nothing, together = outcome(frozenset()), outcome(everything)
        if nothing is None or together is None or not together.compare_with(nothing):
            return ()
        taught = []
        for place, claim in enumerate(claims):
            own = frozenset({place})
            # Alone, or else as what the other ones lack.
            for told, without in ((own, frozenset[int]()), (everything, everything - own)):
                evidence = self._pair(outcome(told), outcome(without))
                if evidence is not None:
                    taught.append(replace(claim, evidence=(evidence,)))
                    break
        return tuple(taught)

    def _pair(self, with_it: AttemptResult | None, without_it: AttemptResult | None) -> Evidence | None:
        if with_it is None or without_it is None:
            return None
        return _evidence_of(self.view, self.group, with_it, without_it)

    def _question(self) -> RepeatedQuestion:
        def ask(facts: Sequence[Recalled], earlier: Sequence[Step]) -> Action:
            plan = Plan(goal="", told=tuple(facts))
            action = self.bare.action_of(self.view, plan, earlier, self.bare.ask_for_action(self.view, plan, earlier))
            return replace(action, consumed=tuple(item for item in action.consumed if item != ON_TRIAL))

        return RepeatedQuestion(view=self.view, trials=self.trials, ask=ask, steps=_preceding_steps(self.steps))

    def _tested_again(self) -> tuple[Claim, ...]:
        """Tests a fact after a right first answer: one that it cited and that is not settled yet is left out.

        Where there is none, one that may not act here yet is tried in the same way.
        """
        right = right_answer(self.steps)
        if right is None:
            return ()
        known = hints_in(self.steps)
        facts = [item for item in known if item.kind == "insight"]
        open_ones = [fact for fact in facts if fact.id in right.action.consumed and fact.status not in _FIRM]
        on_trial = () if open_ones else [item for item in known if item.kind == TRIAL][:1]
        for fact in (*open_ones[:1], *on_trial):
            claims = read_claims([_proposal(fact)], self.view)
            question = self._question()
            if on_trial:
                facts = [*facts, replace(fact, kind="insight", status="hypothesis")]
            right_with_it = AttemptResult(fits=True, right=True)
            with_it = question.attempt_outcome(facts) if self.skilled or on_trial else right_with_it
            without = question.attempt_outcome([other for other in facts if other.id != fact.id])
            evidence = self._pair(with_it, without)
            return (replace(claims[0], evidence=(evidence,)),) if claims and evidence is not None else ()
        return ()


def _proposal(fact: Recalled) -> Mapping[str, Any]:
    """A remembered claim as one that is stated again; whoever said it first stays known."""
    return {"cause": _cause_of(fact), "condition": "", "quoted": fact.cause.startswith(QUOTED)}


@dataclass(frozen=True, kw_only=True)
class RepeatedQuestion:
    """A question that is asked again with other facts, and nothing else changed.

    Attributes:
        ask: Gives an action, from facts and the steps before it. No skill is offered: one that rests on the same fact
            would hide whether the fact makes a difference.
        steps: What was done before: nothing where a function is wanted; in a folder what led to the state from which
            the first failed change started, or the right one where none failed.
    """

    view: TaskView
    trials: ReflectionTrials
    ask: Callable[[Sequence[Recalled], Sequence[Step]], Action]
    steps: tuple[Step, ...] = ()

    def attempt_outcome(self, facts: Sequence[Recalled]) -> AttemptResult | None:
        """What becomes of an action with these facts; None where nothing can be said of it."""
        action = self.ask(facts, self.steps)
        if action.kind == "finish" and environment_kind(self.view.environment).one_file:
            return AttemptResult(fits=False, right=False)
        if not action.code or action.explores:
            return None
        return self.trials.attempt(action, self.steps)


def _preceding_steps(steps: Sequence[Step]) -> tuple[Step, ...]:
    """The steps after which the question is asked anew."""
    step = next(iter(failed_answers(steps)), None) or right_answer(steps)
    if step is None or step.observation is None or step.observation.state is None:
        return ()
    parent = step.observation.state.parent
    return tuple(earlier for earlier in steps if earlier.number <= parent)
