"""What the language policy states after an episode: claims, each tried at once by asking the task anew."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from evolve.core.episodes import QUOTED, TRIAL, Action, Claim, Evidence, Plan, Recalled, Step, TaskView
from evolve.environments import Attempted, ReflectionTrials, kind_of
from evolve.policies.language.deliberation import ModelCaller
from evolve.policies.language.loop_detection import told_in
from evolve.policies.language.prompt import task_message
from evolve.policies.language.questions import CLAIMS_SCHEMA
from evolve.policies.language.reflection import (
    ON_TRIAL,
    as_trial,
    cause_of,
    evidence_messages,
    evidence_of,
    failed_answers,
    read_claims,
    right_answer,
    shown_text,
)

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

    policy: ModelCaller
    bare: ModelCaller
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
        reply: Any = self.policy.asked(self.policy.questions.ask("reflect", parts, CLAIMS_SCHEMA))
        items = told_in(self.steps)
        known = [item.text for item in items if item.kind != TRIAL]
        # What may not act yet was recalled only to be tried, and it is tried here.
        open_ones = [_proposal(item) for item in items if item.kind == TRIAL]
        shown = shown_text(self.view, self.steps)
        claims = read_claims([*open_ones[:1], *reply.data["claims"]], self.view, known=known, shown=shown)[: self.most]
        return self._tried(claims) if claims else ()

    def _tried(self, claims: Sequence[Claim]) -> tuple[Claim, ...]:
        """The claims that make a difference, all together first: where they make none, none of them does alone."""
        question, everything = self._question(), frozenset(range(len(claims)))
        known: dict[frozenset[int], Attempted | None] = {}

        def outcome(told: frozenset[int]) -> Attempted | None:
            if told not in known:
                known[told] = question.outcome([as_trial(claims[place]) for place in sorted(told)])
            return known[told]

        nothing, together = outcome(frozenset()), outcome(everything)
        if nothing is None or together is None or not together.compared(nothing):
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

    def _pair(self, with_it: Attempted | None, without_it: Attempted | None) -> Evidence | None:
        if with_it is None or without_it is None:
            return None
        return evidence_of(self.view, self.group, with_it, without_it)

    def _question(self) -> RepeatedQuestion:
        def ask(facts: Sequence[Recalled], earlier: Sequence[Step]) -> Action:
            plan = Plan(goal="", told=tuple(facts))
            action = self.bare.action_of(self.view, plan, earlier, self.bare.proposal(self.view, plan, earlier))
            return replace(action, consumed=tuple(item for item in action.consumed if item != ON_TRIAL))

        return RepeatedQuestion(view=self.view, trials=self.trials, ask=ask, steps=preceding_steps(self.steps))

    def _tested_again(self) -> tuple[Claim, ...]:
        """Tests a fact after a right first answer: one that it cited and that is not settled yet is left out.

        Where there is none, one that may not act here yet is tried in the same way.
        """
        right = right_answer(self.steps)
        if right is None:
            return ()
        known = told_in(self.steps)
        facts = [item for item in known if item.kind == "insight"]
        open_ones = [fact for fact in facts if fact.id in right.action.consumed and fact.status not in _FIRM]
        on_trial = () if open_ones else [item for item in known if item.kind == TRIAL][:1]
        for fact in (*open_ones[:1], *on_trial):
            claims = read_claims([_proposal(fact)], self.view)
            question = self._question()
            if on_trial:
                facts = [*facts, replace(fact, kind="insight", status="hypothesis")]
            right_with_it = Attempted(fits=True, right=True)
            with_it = question.outcome(facts) if self.skilled or on_trial else right_with_it
            without = question.outcome([other for other in facts if other.id != fact.id])
            evidence = self._pair(with_it, without)
            return (replace(claims[0], evidence=(evidence,)),) if claims and evidence is not None else ()
        return ()


def _proposal(fact: Recalled) -> Mapping[str, Any]:
    """A remembered claim as one that is stated again; whoever said it first stays known."""
    return {"cause": cause_of(fact), "condition": "", "quoted": fact.cause.startswith(QUOTED)}


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

    def outcome(self, facts: Sequence[Recalled]) -> Attempted | None:
        """What becomes of an action with these facts; None where nothing can be said of it."""
        action = self.ask(facts, self.steps)
        if action.kind == "finish" and kind_of(self.view.environment).one_file:
            return Attempted(fits=False, right=False)
        if not action.code or action.explores:
            return None
        return self.trials.attempt(action, self.steps)


def preceding_steps(steps: Sequence[Step]) -> tuple[Step, ...]:
    """The steps after which the question is asked anew."""
    step = next(iter(failed_answers(steps)), None) or right_answer(steps)
    if step is None or step.observation is None or step.observation.state is None:
        return ()
    parent = step.observation.state.parent
    return tuple(earlier for earlier in steps if earlier.number <= parent)
