"""Which insight to test next: the one that acts most and is known least.

The memory plans, it runs nothing. Somebody else runs the same tasks with and without the insight.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from evolve.memory.insights import FIRM, EvidenceRow, Insight, camp_of


@dataclass(frozen=True, kw_only=True)
class PlannedTest:
    """A test that is worth running.

    Attributes:
        groups: Problems on which the insight acts and that have told nothing of it by an intervention yet.
        worth: How often it acts, times the probability that its direction is wrong.
    """

    insight: Insight
    groups: tuple[str, ...]
    worth: float


def plan_test(
    insights: Iterable[Insight],
    evidence: Iterable[EvidenceRow],
    *,
    uses: Mapping[str, int],
    groups: Mapping[str, Iterable[str]],
    fewest: int = 2,
) -> PlannedTest | None:
    """The test that is worth most, or None where none is worth running.

    The worth of a test is the expected number of uses in which the insight misleads: uses times P(theta < 1/2) under
    the posterior of :mod:`evolve.memory.insights`. An insight whose direction is settled has nothing to gain, and a
    problem on which an intervention was made would only repeat itself.

    Args:
        insights: Those that act, of which one can be left out.
        evidence: All that is known of them.
        uses: How often each acts, by id.
        groups: The problems on which each acts, by id.
        fewest: With fewer fresh problems a test could not confirm anything.
    """
    tried: dict[str, set[str]] = {}
    for row in evidence:
        if row.kind == "intervention":
            tried.setdefault(row.insight, set()).add(row.group)
    tests = []
    for insight in insights:
        fresh = tuple(sorted(set(groups.get(insight.id, ())) - tried.get(insight.id, set())))
        doubt = 1.0 - insight.posterior.firmness
        acts = insight.influences and camp_of(insight.relation) == "promotes"
        if acts and len(fresh) >= fewest and doubt > 1.0 - FIRM:
            tests.append(PlannedTest(insight=insight, groups=fresh, worth=uses.get(insight.id, 0) * doubt))
    worthwhile = [test for test in tests if test.worth > 0.0]
    return min(worthwhile, key=lambda test: (-test.worth, test.insight.id), default=None)
