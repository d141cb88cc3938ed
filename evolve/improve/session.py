"""One run of a loop: its rounds, and which part of its budget is for what."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from evolve.core.events import Event, EventSink, NoEvents
from evolve.core.ledger import Budget, Spent
from evolve.runtime.sandbox import Sandbox
from evolve.tasks import Suite
from evolve.trials.paid_run import NO_TIME, BudgetedRun, TrialPlan

BATCH = 16
"""Episodes of practice that run on the same learned state; fixed, so that results do not depend on the machine."""
PASSES = 5
"""Most passes over tasks on which nothing can be proved, where nobody says how many."""


@dataclass(frozen=True, kw_only=True)
class LoopPlan(TrialPlan):
    """What was asked for.

    Attributes:
        unjudged: Why nothing is judged, in one clause, so that the rounds are passes of practice alone; else "".
        passes: Passes of practice at most, where nothing is judged.
    """

    rounds: int = 2
    unjudged: str = ""
    passes: int = PASSES


@dataclass(frozen=True, kw_only=True)
class Proposer:
    """Who proposes tasks, and for what.

    Attributes:
        name: At the seam ``proposers``.
        suite: The whole suite, also what no practice has met so far.
    """

    name: str
    suite: Suite


@dataclass(frozen=True, kw_only=True)
class Session(BudgetedRun):
    """One run of the loop.

    Attributes:
        sandbox: Opens the parent's own sandbox, for the few checks it makes itself.
        watching: The person's part of the events; what the gate's tasks say goes there alone.
        before: What was spent under earlier budgets, each of which had ended the run.
        part: How many budgets it has had, this one included.
        proposer: Who proposes further tasks of practice.
    """

    plan: LoopPlan
    sandbox: Callable[[], Sandbox]
    watching: EventSink = field(default_factory=NoEvents)
    before: Spent = field(default_factory=Spent)
    part: int = 1
    proposer: Proposer | None = None

    def judging_nothing(self, why: str, *, passes: int) -> Session:
        """The session that only practises from here on; the run keeps to that when it is taken up again."""
        request = {**self.request, "unjudged": why, "passes": passes}
        self.stores.runs.note(self.run, request)
        return replace(self, request=request, plan=replace(self.plan, unjudged=why, rounds=passes))

    def show(self, kind: str, **data: Any) -> None:
        """Tells a person who watches, and leaves nothing in the log of the run that a proposer could read."""
        self.watching.emit(Event(kind=kind, data=data))

    def end_reason(self) -> str:
        """Which bound of the budget leaves no room for another episode, or ""."""
        if self.ledger.exhausted_bound:
            return self.ledger.exhausted_bound
        seconds = self.ledger.remaining.seconds
        if seconds is not None and seconds < self.pace.latest:
            return NO_TIME
        for kind in ("candidates", "tokens"):
            left, wanted = getattr(self.ledger.remaining, kind), getattr(self.plan.limits, kind)
            if left is not None and wanted is not None and left < wanted:
                bound = getattr(self.ledger.budget, kind)
                return f"what is left of the budget of {bound:,} {kind} covers no further episode"
        return ""

    def share_spent(self) -> float:
        """How much of this budget is gone, in [0, 1], by the kind that is furthest; 0 without a budget."""
        spent = self.ledger.spent
        # A later budget is counted from where the one before it ended.
        kinds = {item.name: getattr(spent, item.name) - getattr(self.before, item.name) for item in fields(Budget)}
        return min(1.0, self.share_of(kinds))

    def share_of(self, amounts: Mapping[str, float]) -> float:
        """What amounts by kind are of this budget, by the kind that it bounds most tightly; 0 without a budget."""
        shares = []
        for item in fields(Budget):
            bound, before = getattr(self.ledger.budget, item.name), getattr(self.before, item.name)
            if bound:
                shares.append(amounts[item.name] / max(bound - before, 1e-9))
        return max(shares, default=0.0)

    def may_practise(self, number: int) -> bool:
        """Whether practice of round ``number`` is still within its part of the budget.

        A round's practice weighs three parts, its judgement two, the final test two. Tests of insights may take half
        a part of the judgement's.
        """
        return self._has_room(number, 3)

    def may_intervene(self, number: int) -> bool:
        """Whether tests of insights in round ``number`` are still within their part of the budget."""
        return self._has_room(number, 3.5)

    def _has_room(self, number: int, parts: float) -> bool:
        """Whether a round has spent less than so many parts since it began, whatever the gate took before it.

        What judgements left is not practised with: how much that is tells of the gate's tasks. The first round that is
        worked on under a budget has the parts of the earlier ones too. Where nothing is judged there are no parts.
        """
        if self.ledger.budget.unlimited or self.plan.unjudged:
            return not self.ledger.exhausted_bound
        names = [f"round:{earlier}:{self.part}" for earlier in range(1, number + 1)]
        if self.journal.done(names[-1]) is None:
            is_first = all(self.journal.done(name) is None for name in names)
            begun = 0.0 if is_first else self.share_spent()
            self.journal.finish(names[-1], {"begun": begun, "more": 5 * (number - 1) if is_first else 0})
        kept = self.journal.done(names[-1]) or {}
        room = (kept["more"] + parts) / (5 * self.plan.rounds + 2)
        return not self.ledger.exhausted_bound and self.share_spent() < kept["begun"] + room

    def may_judge(self, number: int) -> bool:
        """Whether judging the variant of round ``number`` is still within its part of the budget."""
        return not self.ledger.exhausted_bound and self.share_spent() < 5 * number / (5 * self.plan.rounds + 2)
