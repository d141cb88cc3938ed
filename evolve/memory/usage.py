"""Claims in words that move nothing: chance withholds a share of what is recalled, and the outcomes are compared.

A claim may make a model do what seems to confirm it. What it is worth shows only against tasks of the same kind on
which chance left it out. Both rates of success have a Beta posterior whose prior is worth two tasks, at the mean of
both together; their difference is read as normal with its first two moments. A claim is retired for a policy once it
is unlikely to add :data:`WORTH` to the rate of success, and unlikely to spare :data:`SPARED` of the failures. The
second counts where most tasks are easy: what turns the few hard ones adds little to the whole. Tasks all of which are
solved, or none, say nothing. With a tenth of the recalls withheld, nine of ten useless ones go within 300 tasks where
three to six of ten are solved, seven of ten where nine are, and none where all are; of claims that add .3 or more, one
of nine goes by chance, and the next trial that agrees brings it back.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from evolve.core.episodes import FACT, HELD_OUT, PROBE, EpisodeRecord
from evolve.core.store import Database, Value

WORTH = 0.15
"""What a claim has to add to the rate of success, to be told."""
SPARED = 0.3
"""The share of failures that it is enough to spare: what was prevented among those exposed (Abbott 1925)."""
UNLIKELY = 0.2
"""Probability that it does as much, below which it goes."""
FEWEST = 8
"""Tasks without it before anything is concluded, and tasks that were solved, and tasks that were not."""
_FAILED = frozenset({"refused", "unsolved"})
"""A budget's end says how much was left, and not what the claim is worth."""


@dataclass(frozen=True, kw_only=True)
class OutcomeRates:
    """Tasks on which a claim was told and those on which it was withheld, and how many of them were solved."""

    told: int = 0
    told_solved: int = 0
    withheld: int = 0
    withheld_solved: int = 0

    @property
    def probability_worthwhile(self) -> float:
        """Probability that telling it adds :data:`WORTH` to the rate of success, or that it spares :data:`SPARED` of
        the failures, whichever is likelier."""
        expected = (self._solved + 1) / (self._tasks + 2)
        with_it = _moments(self.told_solved, self.told, expected)
        without = _moments(self.withheld_solved, self.withheld, expected)
        adds = _above_zero(with_it[0] - without[0] - WORTH, with_it[1] + without[1])
        left = 1.0 - SPARED
        spares = _above_zero(left * (1.0 - without[0]) - (1.0 - with_it[0]), with_it[1] + left * left * without[1])
        return max(adds, spares)

    @property
    def moves_nothing(self) -> bool:
        """Whether it is to be told no longer."""
        known = min(self.withheld, self._solved, self._tasks - self._solved) >= FEWEST
        return known and self.probability_worthwhile < UNLIKELY

    @property
    def _tasks(self) -> int:
        return self.told + self.withheld

    @property
    def _solved(self) -> int:
        return self.told_solved + self.withheld_solved

    @property
    def text(self) -> str:
        """In words."""
        return (
            f"solved {self.told_solved} of {self.told} tasks with it and {self.withheld_solved} of {self.withheld}"
            " on which chance withheld it"
        )


def _above_zero(mean: float, variance: float) -> float:
    """P(X > 0) of a normal variable."""
    return 0.5 * (1.0 + math.erf(mean / math.sqrt(2.0 * variance)))


def _moments(solved: int, tasks: int, expected: float) -> tuple[float, float]:
    a, b = 2 * expected + solved, 2 * (1 - expected) + tasks - solved
    return a / (a + b), a * b / ((a + b) ** 2 * (a + b + 1))


def write_uses(db: Database, record: EpisodeRecord, at: float) -> None:
    """Counts an episode for every claim in words that it was told or spared, and retires what moves nothing.

    A problem counts once for a claim and a policy, as first seen: one that is run again and again says it once. Where
    nothing judged the answer, nothing was asked anew or nothing is withheld, it does not count.
    """
    judged = record.status in _FAILED or (record.solved and (record.verified or record.checked))
    fresh = record.cost.tokens or record.cost.candidates
    if not (judged and fresh) or record.split in HELD_OUT or record.split == PROBE:
        return
    for names, told in ((record.recalled, 1), (record.withheld, 0)):
        for name in dict.fromkeys(names):
            if any(str(row["cause"]).startswith(FACT) for row in db.rows("memory_insights", {"id": name})):
                use: dict[str, Value] = {
                    "episode": record.episode,
                    "insight": name,
                    "policy": record.policy,
                    "problem": record.group or record.task,
                    "told": told,
                }
                db.insert("memory_uses", {**use, "solved": int(record.solved)}, key=("insight", "policy", "problem"))
                _retire(db, name, record.policy, at)


def _outcome_rates(db: Database, insight: str, policy: str) -> OutcomeRates:
    """How tasks came out with a claim and without it, since it was last retired."""
    rows = db.query(
        "SELECT told, count(*) AS tasks, sum(solved) AS solved FROM memory_uses WHERE insight = ? AND policy = ?"
        " AND seq > (SELECT coalesce(max(uses), 0) FROM memory_retirements WHERE insight = ? AND policy = ?)"
        " GROUP BY told",
        [insight, policy, insight, policy],
    )
    counts = {int(str(row["told"])): (int(str(row["tasks"])), int(str(row["solved"]))) for row in rows}
    told, withheld = counts.get(1, (0, 0)), counts.get(0, (0, 0))
    return OutcomeRates(told=told[0], told_solved=told[1], withheld=withheld[0], withheld_solved=withheld[1])


def _retire(db: Database, insight: str, policy: str, at: float) -> None:
    found = _outcome_rates(db, insight, policy)
    if not found.moves_nothing:
        return
    [last] = db.query(
        "SELECT (SELECT max(seq) FROM memory_evidence WHERE insight = ?) AS evidence,"
        " (SELECT max(seq) FROM memory_uses WHERE insight = ?) AS uses",
        [insight, insight],
    )
    row = {"insight": insight, "policy": policy, "through": last["evidence"] or 0, "uses": last["uses"] or 0}
    db.insert("memory_retirements", {**row, "reason": found.text, "at": at})
