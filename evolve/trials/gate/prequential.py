"""Whether learning has helped one person: their own tasks, each judged before anything is learned from it.

Every task is solved twice on equal terms, as what was learned before it would and as an agent that has learned nothing
would. What is claimed is about the procedure of learning against this fixed baseline: a pair of a problem that was not
met before, and that is no tie, is won with a probability above one half. Evidence grows over months and may be looked
at any time, since the test is the one of :mod:`evolve.trials.gate.eprocess`.

It is valid only because the order is that of arrival, because a problem counts once, and because the task alone, before
either arm acts, decides whether it counts: what shares a problem, rows, a table or an instruction with an earlier one
is shown and never bet on. What was to count and has no pair is taken for lost until it has one, so that nobody gains by
breaking off what goes badly. Each policy has a test of its own: that a procedure helps one model is no evidence for
another, which begins with a wealth of 1.

Sources: Dawid, "Statistical theory: the prequential approach", JRSS A 147 (1984); on betting against a null hypothesis,
the sources of :mod:`evolve.trials.gate.eprocess`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from evolve.core.episodes import Cost, EpisodeRecord
from evolve.core.store import value_of
from evolve.trials.gate.eprocess import SequentialTest, Tally, TestState, log_wealth
from evolve.trials.gate.outcome import Outcome, comparable_costs, is_verified, paired_outcome

LEVEL = 0.05
"""Bound on the probability, for each policy, of ever calling learning helpful where it is not."""
SEARCH = "search"
"""The embedded policy, which judged all pairs of earlier versions."""


@dataclass(frozen=True, kw_only=True)
class ArmOutcome:
    """One of the two arms on one task.

    Attributes:
        solved: Verified on rows that the policy did not see; in a folder, where nothing can be verified, its check
            accepted it.
        cost: Work units, else candidates, else tokens.
        seconds: CPU time of the policy.
    """

    solved: bool = False
    cost: float = 0.0
    seconds: float = 0.0


@dataclass(frozen=True, kw_only=True)
class PersonTaskOutcomes:
    """Both arms on one task of a person.

    Attributes:
        unlearned: None where that arm was not run, or was cut short by what is not its own: then the pair is withheld.
        policy: Name of the policy of both.
        cost: What judging cost beside the run that answered the person.
    """

    unlearned: EpisodeRecord | None
    learned: EpisodeRecord
    policy: str = SEARCH
    cost: Cost = field(default_factory=Cost)

    @property
    def outcome(self) -> Outcome:
        """Seen from what was learned."""
        return "withheld" if self.unlearned is None else paired_outcome(self.unlearned, self.learned)

    @property
    def arm_outcomes(self) -> tuple[ArmOutcome, ArmOutcome]:
        """Without what was learned, and with it."""
        before = Cost() if self.unlearned is None else self.unlearned.cost
        old, new = comparable_costs((before, self.learned.cost))
        return (
            ArmOutcome(
                solved=self.unlearned is not None and is_verified(self.unlearned), cost=old, seconds=before.seconds
            ),
            ArmOutcome(solved=is_verified(self.learned), cost=new, seconds=self.learned.cost.seconds),
        )


@dataclass(frozen=True, kw_only=True)
class PrequentialPair:
    """One task of a person, judged before it was learned from.

    Attributes:
        episode: The episode that answered the person.
        alike: Something of it was met before, so that it is no evidence.
        outcome: Seen from what was learned.
        policy: Name of the policy of both arms.
        group: The problem; "" in pairs of earlier versions.
        spent: What judging cost beside the run that answered the person; nothing in pairs of earlier versions.
    """

    episode: str
    family: str
    alike: bool
    outcome: Outcome
    unlearned: ArmOutcome
    learned: ArmOutcome
    at: float = 0.0
    policy: str = SEARCH
    group: str = ""
    spent: Cost = field(default_factory=Cost)

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> PrequentialPair:
        """The pair of a row; those of earlier versions do not say by whom they are and what they cost."""
        unlearned, learned, *more = json.loads(str(row["arms"]))
        how = dict(more[0]) if more else {}
        if "spent" in how:
            how["spent"] = Cost(**how["spent"])
        sides = {"unlearned": ArmOutcome(**unlearned), "learned": ArmOutcome(**learned)}
        return value_of(cls, row, alike=bool(row["alike"]), **sides, **how)


@dataclass(frozen=True, kw_only=True)
class FamilyRow:
    """The tasks of one kind.

    Attributes:
        wealth: e-value of these tasks alone; one of several, so it is told and decides nothing.
    """

    family: str
    tally: Tally
    wealth: float


@dataclass(frozen=True, kw_only=True)
class Proof:
    """What a person's own tasks say so far.

    Attributes:
        state: The test over all that count; ``accept`` says that learning has helped, ``reject`` with
            :attr:`harmed` that it has cost more than it gave.
        counted, alike: Tasks that are evidence, and those that are none since they are like earlier ones.
        missing: Problems that were to count and have no pair: broken off, ended by a fault, or not learned from yet.
            They are neither better nor worse; a proof that learning helps has to hold even had it lost them all.
        spent: What judging all of them cost, beside the runs that answered the person.
    """

    state: TestState
    families: tuple[FamilyRow, ...] = ()
    counted: int = 0
    alike: int = 0
    solved_unlearned: int = 0
    solved_learned: int = 0
    both: int = 0
    cost_unlearned: float = 0.0
    cost_learned: float = 0.0
    mean_ratio: float | None = None
    missing: int = 0
    spent: Cost = field(default_factory=Cost)

    @classmethod
    def from_pairs(cls, pairs: Iterable[PrequentialPair], *, missing: int = 0) -> Proof:
        """The proof from all pairs of one policy, in the order of arrival."""
        listed = list(pairs)
        counted = [pair for pair in listed if not pair.alike]
        both = [pair for pair in counted if pair.unlearned.solved and pair.learned.solved]
        logs = [math.log(max(pair.learned.cost, 1.0) / max(pair.unlearned.cost, 1.0)) for pair in both]
        names = sorted({pair.family for pair in counted})
        rows = [(name, Tally.from_outcomes(pair.outcome for pair in counted if pair.family == name)) for name in names]
        tally = Tally.from_outcomes(pair.outcome for pair in counted)
        bound = SequentialTest(alpha=LEVEL).judge(replace(tally, withheld=tally.withheld + missing))
        return cls(
            state=replace(bound, tally=tally, reason=f"{missing} not judged yet" if missing else bound.reason),
            families=tuple(FamilyRow(family=name, tally=tally, wealth=_wealth(tally)) for name, tally in rows),
            counted=len(counted),
            alike=len(listed) - len(counted),
            solved_unlearned=sum(pair.unlearned.solved for pair in counted),
            solved_learned=sum(pair.learned.solved for pair in counted),
            both=len(both),
            cost_unlearned=sum(pair.unlearned.cost for pair in both),
            cost_learned=sum(pair.learned.cost for pair in both),
            mean_ratio=math.exp(math.fsum(logs) / len(logs)) if logs else None,
            missing=missing,
            spent=sum((pair.spent for pair in listed), Cost()),
        )

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to tell."""
        return not self.counted + self.alike + self.missing

    @property
    def helped(self) -> bool:
        """Whether it is shown that learning has helped on this person's own tasks."""
        return self.state.verdict == "accept"

    @property
    def harmed(self) -> bool:
        """Whether it is shown that an agent without learning would have done better."""
        return self.state.verdict == "reject"

    def to_json(self) -> dict[str, Any]:
        """As one JSON object."""
        told = asdict(self)
        if not self.spent.estimated:  # as elsewhere, only where there are some
            del told["spent"]["estimated"]
        return {**told, "helped": self.helped, "harmed": self.harmed}


def _wealth(tally: Tally) -> float:
    return math.exp(min(log_wealth(tally.wins, tally.losses + tally.withheld), 700.0))
