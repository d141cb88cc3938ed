"""What the language policy states after an episode: claims, each tried at once by asking the task anew."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from evolve.environments.probing import Probe
from evolve.episodes import TRIAL, Claim, Plan, Recalled, Step, TaskView
from evolve.policies.language.asking import CLAIMS_SCHEMA
from evolve.policies.language.deliberation import Asking
from evolve.policies.language.prompt import task_message
from evolve.policies.language.reflection import (
    as_trial,
    cause_of,
    evidence_messages,
    evidence_of,
    is_failure,
    read_claims,
    right_answer,
)
from evolve.policies.language.repeated_question import RepeatedQuestion, state_before
from evolve.policies.language.repetition import told_in

_FIRM = frozenset({"confirmed"})


@dataclass(frozen=True, kw_only=True)
class Reflection:
    """From what happened on one task to claims with evidence.

    Attributes:
        policy: Who is asked.
        bare: The same without skills: one that rests on the same fact would hide whether the fact makes a difference.
        skilled: Whether ``policy`` had any.
    """

    policy: Asking
    bare: Asking
    skilled: bool
    view: TaskView
    group: str
    steps: Sequence[Step]
    probe: Probe

    def claims(self) -> tuple[Claim, ...]:
        """Claims, each with one intervention: the task is asked anew with and without the claim.

        Raises:
            ModelMistake: The model gave nothing usable; then nothing is learned.
        """
        if not any(is_failure(step) for step in self.steps):
            return self._tested_again()
        parts = [task_message(self.view), *evidence_messages(self.view, self.steps)]
        reply: Any = self.policy.asked(self.policy.questions.ask("reflect", parts, CLAIMS_SCHEMA))
        items = told_in(self.steps)
        known = [item.text for item in items if item.kind != TRIAL]
        # What may not act yet was recalled only to be tried, and it is tried here.
        open_ones = [{"cause": cause_of(item), "condition": ""} for item in items if item.kind == TRIAL]
        claims = read_claims([*open_ones[:1], *reply.data["claims"]], self.view, known=known)
        if not claims:
            return ()
        question = self._question()
        # Once for all claims: an answer without any of them.
        without = question.solves(())
        tested = []
        for claim in claims if without is not None else ():
            with_it = question.solves([as_trial(claim)])
            if with_it is not None:
                evidence = evidence_of(self.view, self.group, with_it=with_it, without_it=bool(without))
                tested.append(replace(claim, evidence=(evidence,)))
        return tuple(tested)

    def _question(self) -> RepeatedQuestion:
        before, snapshot = state_before(self.steps)

        def ask(facts: Sequence[Recalled], earlier: Sequence[Step]) -> Mapping[str, Any]:
            return self.bare.proposal(self.view, Plan(goal="", told=tuple(facts)), earlier)

        return RepeatedQuestion(view=self.view, probe=self.probe, ask=ask, steps=before, snapshot=snapshot)

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
            claims = read_claims([{"cause": cause_of(fact), "condition": "", "relation": ""}], self.view)
            question = self._question()
            if on_trial:
                facts = [*facts, replace(fact, kind="insight")]
            with_it = question.solves(facts) if self.skilled or on_trial else True
            without = question.solves([other for other in facts if other.id != fact.id])
            if claims and with_it is not None and without is not None:
                evidence = evidence_of(self.view, self.group, with_it=with_it, without_it=without)
                return (replace(claims[0], evidence=(evidence,)),)
        return ()
