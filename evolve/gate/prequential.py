"""Whether learning has helped one person: their own tasks, each judged before anything is learned from it.

Every task is solved twice on equal terms, as what was learned before it would and as an agent that has learned nothing
would. What is claimed is about the procedure of learning against this fixed baseline: a pair of a problem that was not
met before, and that is no tie, is won with a probability above one half. Evidence grows over months and may be looked
at any time, since the test is the one of :mod:`evolve.gate.eprocess`.

It is valid only because the order is that of arrival, because a problem counts once, and because the task alone, before
either arm acts, decides whether it counts: what shares a problem, rows, a table or an instruction with an earlier one
is shown and never bet on.

Sources: Dawid, "Statistical theory: the prequential approach", JRSS A 147 (1984); on betting against a null hypothesis,
the sources of :mod:`evolve.gate.eprocess`.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from evolve.episodes import EpisodeRecord
from evolve.files import canonical_json
from evolve.gate.eprocess import SequentialTest, Tally, TestState, log_wealth
from evolve.gate.outcome import Outcome, comparable_cost, is_verified, paired_outcome
from evolve.store import Database, Migration, Value, value_of

LEVEL = 0.05
"""Bound on the probability of ever calling learning helpful where it is not."""

OWN_PAIRS: tuple[Migration, ...] = (
    Migration(
        "prequential",
        1,
        """
        CREATE TABLE own_pairs (id INTEGER PRIMARY KEY AUTOINCREMENT, episode TEXT NOT NULL UNIQUE,
            family TEXT NOT NULL, alike INTEGER NOT NULL, outcome TEXT NOT NULL, arms TEXT NOT NULL,
            at REAL NOT NULL, checksum TEXT NOT NULL);
        CREATE TABLE own_traits (trait TEXT PRIMARY KEY, episode TEXT NOT NULL, checksum TEXT NOT NULL)
        """,
    ),
)


@dataclass(frozen=True, kw_only=True)
class ArmOutcome:
    """One of the two arms on one task.

    Attributes:
        solved: Verified on rows that the policy did not see.
        cost: Work units, else candidates, else tokens.
        seconds: CPU time of the policy.
    """

    solved: bool = False
    cost: float = 0.0
    seconds: float = 0.0


@dataclass(frozen=True, kw_only=True)
class OwnPair:
    """One task of a person, judged before it was learned from.

    Attributes:
        episode: The episode that answered the person.
        alike: Something of it was met before, so that it is no evidence.
        outcome: Seen from what was learned.
    """

    episode: str
    family: str
    alike: bool
    outcome: Outcome
    unlearned: ArmOutcome
    learned: ArmOutcome
    at: float = 0.0


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

    @classmethod
    def of(cls, pairs: Iterable[OwnPair]) -> Proof:
        """The proof from all pairs, in the order of arrival."""
        listed = list(pairs)
        counted = [pair for pair in listed if not pair.alike]
        both = [pair for pair in counted if pair.unlearned.solved and pair.learned.solved]
        logs = [math.log(max(pair.learned.cost, 1.0) / max(pair.unlearned.cost, 1.0)) for pair in both]
        names = sorted({pair.family for pair in counted})
        rows = [(name, _tally(pair for pair in counted if pair.family == name)) for name in names]
        return cls(
            state=SequentialTest(alpha=LEVEL).judge(_tally(counted)),
            families=tuple(FamilyRow(family=name, tally=tally, wealth=_wealth(tally)) for name, tally in rows),
            counted=len(counted),
            alike=len(listed) - len(counted),
            solved_unlearned=sum(pair.unlearned.solved for pair in counted),
            solved_learned=sum(pair.learned.solved for pair in counted),
            both=len(both),
            cost_unlearned=sum(pair.unlearned.cost for pair in both),
            cost_learned=sum(pair.learned.cost for pair in both),
            mean_ratio=math.exp(math.fsum(logs) / len(logs)) if logs else None,
        )

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
        return {**asdict(self), "helped": self.helped, "harmed": self.harmed}


def _tally(pairs: Iterable[OwnPair]) -> Tally:
    tally = Tally()
    for pair in pairs:
        tally = tally.plus(pair.outcome)
    return tally


def _wealth(tally: Tally) -> float:
    return math.exp(min(log_wealth(tally.wins, tally.losses + tally.withheld), 700.0))


class Prequential:
    """The pairs of a person's own tasks, in the order in which the tasks came.

    Args:
        db: The record, opened with :data:`evolve.gate.MIGRATIONS`.
        clock: Seconds since the epoch.
    """

    def __init__(self, db: Database, *, clock: Callable[[], float] = time.time) -> None:
        self._db = db
        self._clock = clock

    def has(self, episode: str) -> bool:
        """Whether the task of this episode was judged."""
        return bool(self._db.rows("own_pairs", {"episode": episode}))

    def met(self, traits: Iterable[str]) -> bool:
        """Whether an earlier task had one of these traits."""
        return bool(self.met_of(traits))

    def met_of(self, traits: Iterable[str]) -> frozenset[str]:
        """Those of the traits that an earlier task had."""
        return frozenset(trait for trait in traits if self._db.rows("own_traits", {"trait": trait}))

    def add(
        self, episode: str, family: str, traits: Iterable[str], arms: tuple[EpisodeRecord, EpisodeRecord], *, met: bool
    ) -> bool:
        """Keeps a pair with the traits by which later tasks are known as like it; the first of an episode stands.

        Args:
            traits: Whatever identifies the task's problem, rows, table and instruction.
            arms: The episodes without and with what was learned.
            met: What it asks was learned from elsewhere.

        Returns:
            False, with nothing changed, where the episode has a pair already.

        Raises:
            ValueError: The two are not of one task and seed.
        """
        unlearned, learned = arms
        outcome, listed = paired_outcome(unlearned, learned), sorted(set(traits))
        costs = comparable_cost(unlearned.cost, learned.cost)
        sides = [
            asdict(ArmOutcome(solved=is_verified(one), cost=cost, seconds=one.cost.seconds))
            for one, cost in zip(arms, costs, strict=True)
        ]
        with self._db.transaction():
            if self.has(episode):
                return False
            row: dict[str, Value] = {
                "episode": episode,
                "family": family,
                "alike": int(met or self.met(listed)),
                "outcome": outcome,
                "arms": canonical_json(sides),
                "at": self._clock(),
            }
            self._db.insert("own_pairs", row, key="episode")
            self.meet(episode, listed)
        return True

    def meet(self, episode: str, traits: Iterable[str]) -> None:
        """Keeps by what a task is known that is learned from, whether it was judged or not; joins a transaction."""
        with self._db.transaction():
            for trait in sorted(set(traits)):
                self._db.insert("own_traits", {"trait": trait, "episode": episode}, key="trait")

    def pairs(self) -> list[OwnPair]:
        """All pairs, in the order of arrival."""
        return [_pair(row) for row in self._db.rows("own_pairs")]

    def proof(self) -> Proof:
        """What they say so far."""
        return Proof.of(self.pairs())


def _pair(row: Mapping[str, Any]) -> OwnPair:
    unlearned, learned = (ArmOutcome(**side) for side in json.loads(str(row["arms"])))
    return value_of(OwnPair, row, alike=bool(row["alike"]), unlearned=unlearned, learned=learned)
