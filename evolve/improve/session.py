"""One run of a loop: its rounds, the parts of its budget, and how a run that the budget ended goes on.

A judgement that the budget ended stands as it is: the same variant is not judged twice in a run. What is practised
afterwards goes into a variant of its own.

How long a judgement took tells how close it was, which on tasks that are used again is more than an engine may know.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any

from evolve.agent import Journal
from evolve.core.episodes import EpisodeRecord
from evolve.core.events import Event, EventSink, NoEvents
from evolve.core.ledger import Budget, LedgerPart, Spent
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
        self.stores.runs.replace_body(self.run, request)
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

    def has_room(self, number: int, parts: float) -> bool:
        """Whether a round has spent less than so many parts since it began, whatever the gate took before it.

        A round's practice weighs three parts, its judgement two, the final test two.
        What judgements left is not practised with: how much that is tells of the gate's tasks. The first round that is
        worked on under a budget has the parts of the earlier ones too. Where nothing is judged there are no parts.
        """
        if self.ledger.budget.unlimited or self.plan.unjudged:
            return not self.ledger.exhausted_bound
        names = [f"round:{earlier}:{self.part}" for earlier in range(1, number + 1)]
        is_first = all(self.step_log.done(name) is None for name in names)
        begun = {"begun": 0.0, "more": 5 * (number - 1)} if is_first else {"begun": self.share_spent(), "more": 0}
        kept = self.step_log.once(names[-1], lambda: begun)
        room = (kept["more"] + parts) / (5 * self.plan.rounds + 2)
        return not self.ledger.exhausted_bound and self.share_spent() < kept["begun"] + room


TEST = "test:cut"
"""Step of the journal where the budget ended the comparison on test tasks."""


NOTHING_NEW = "practice:nothing new"
"""Step of the journal after the pass that brought nothing new, so that no further one is owed."""


def is_cut_short(journal: Journal, rounds: int) -> bool:
    """Whether a budget left tasks of a round, its variant, or a whole round undone."""
    rounds = int((journal.done(NOTHING_NEW) or {"rounds": rounds})["rounds"])
    for number in range(1, rounds + 1):
        practice = journal.done(f"practice:{number}")
        if practice is None or not practice["complete"]:
            return True
        if journal.done(f"unfitted:{number}") is not None and journal.done(f"variant:{number}") is None:
            return True
    return journal.done(TEST) is not None


def resume_session(journal: Journal, rounds: int) -> None:
    """Opens the steps of a run again that its budget cut short; what was finished stays finished."""
    journal.drop(TEST)
    for number in range(1, rounds + 1):
        journal.drop(f"unfitted:{number}")
        practice = journal.done(f"practice:{number}")
        if practice is None or practice["complete"]:
            continue
        judged = journal.done(f"gate:{number}")
        if judged is not None and journal.done(judged_step(judged["variant"])) is None:
            journal.finish(judged_step(judged["variant"]), judged)
        for name in (f"practice:{number}", f"variant:{number}", f"gate:{number}"):
            journal.drop(name)
        for start in range(0, int(practice["planned"]), BATCH):
            name = f"practice:{number}:{start}"
            part = journal.done(name)
            if part is not None and part["episodes"] < min(BATCH, int(practice["planned"]) - start):
                journal.drop(name)
                journal.drop(f"{name}:part")
                journal.finish(f"{name}:part", part)


def judged_step(variant: str) -> str:
    """Key of a verdict of this run that stands, whichever round proposes the same variant again."""
    return f"gate:{variant}"


SEARCHING, JUDGING = 0.55, 0.3
"""Parts of the budget for trials and for judgements; the rest measures on test tasks what was accepted."""


@dataclass(frozen=True, kw_only=True)
class BudgetSplit:
    """One run as three sessions over the same record.

    Attributes:
        whole: With the whole budget; measures on test tasks.
        search: What engines, rewriters and judges by a metric spend from.
        gate: What judgements spend from.
    """

    whole: Session
    search: Session
    gate: Session

    @contextmanager
    def judging_session(self, number: int) -> Iterator[Session]:
        """The gate's session while it judges; the search's clock stands still.

        Args:
            number: Of the engine's question.
        """
        search, gate = _part(self.search), _part(self.gate)
        before = gate.spent.seconds
        search.pause()
        gate.go_on()
        try:
            yield self.gate
            self.whole.step_log.finish(_took(number), gate.spent.seconds - before)
        finally:
            gate.pause()
            search.go_on()


def split_budget(session: Session) -> BudgetSplit:
    """Divides a run's budget; what earlier processes of the run spent counts where it was spent."""
    records = session.stores.runs.episodes(run=session.run)
    gate = _spent([record for record in records if record.split == "gate"], _judged_seconds(session))
    search = _less(_less(session.ledger.spent, gate), _spent([one for one in records if one.split == "test"], 0.0))
    searching = LedgerPart(session.ledger, SEARCHING, name="searching", spent=search)
    judging = LedgerPart(session.ledger, JUDGING, name="judging", spent=gate)
    searching.go_on()
    return BudgetSplit(
        whole=session,
        search=replace(session, ledger=searching, before=Spent()),
        gate=replace(session, ledger=judging, before=Spent()),
    )


def _part(session: Session) -> LedgerPart:
    assert isinstance(session.ledger, LedgerPart)
    return session.ledger


def _took(number: int) -> str:
    return f"judging:{number}"


def _judged_seconds(session: Session) -> float:
    """Wall seconds of the judgements that earlier processes finished."""
    total, number = 0.0, 0
    asked = session.step_log
    while (number == 0) or asked.done(f"answer:{number}") is not None:
        number += 1
        total += float(asked.done(_took(number)) or 0.0)
    return total


def _spent(records: Sequence[EpisodeRecord], seconds: float) -> Spent:
    costs = [record.cost for record in records]
    names = ("candidates", "tokens", "calls", "money", "completion", "cached")
    return Spent(seconds=seconds, **{name: sum(getattr(cost, name) for cost in costs) for name in names})


def _less(one: Spent, other: Spent) -> Spent:
    return Spent(**{name: max(0, count - getattr(other, name)) for name, count in asdict(one).items()})
