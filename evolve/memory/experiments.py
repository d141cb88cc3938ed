"""What to test next: what acts most and is known least, and of searches what is cheap besides.

The memory plans, it runs nothing. Somebody else runs the same tasks with and without the insight.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from evolve.memory.insights import FIRM, EvidenceRow, Insight, relation_camp
from evolve.memory.necessity import CauseNecessity

_FEWEST = 2
"""Fresh problems; with fewer a test could not confirm anything."""


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
    """
    tried: dict[str, set[str]] = {}
    for row in evidence:
        if row.kind == "intervention":
            tried.setdefault(row.insight, set()).add(row.group)
    tests = []
    for insight in insights:
        fresh = tuple(sorted(set(groups.get(insight.id, ())) - tried.get(insight.id, set())))
        doubt = 1.0 - insight.posterior.sign_probability
        acts = insight.may_influence and relation_camp(insight.relation) == "promotes"
        if acts and len(fresh) >= _FEWEST and doubt > 1.0 - FIRM:
            tests.append(PlannedTest(insight=insight, groups=fresh, worth=uses.get(insight.id, 0) * doubt))
    worthwhile = [test for test in tests if test.worth > 0.0]
    return min(worthwhile, key=lambda test: (-test.worth, test.insight.id), default=None)


REMOVABLE = ("operation:", "skill:")
"""How causes begin that can be taken out of a search; a literal may come back from the rows."""


@dataclass(frozen=True, kw_only=True)
class PlannedRemoval:
    """A search without the cause of an insight that is worth its cost.

    Attributes:
        group: The problem to be searched again.
        cost: Candidates that it may take, the search with the cause included.
    """

    insight: Insight
    group: str
    cost: int


def plan_removals(
    needs: Iterable[tuple[Insight, CauseNecessity]], *, costs: Mapping[str, int], times: int, most: int
) -> list[PlannedRemoval]:
    """Searches that are worth most for their cost, as many as the bound allows, in an order that evidence decides.

    The worth of a search is how wide the bounds of the share of problems are that need the cause, times the problems in
    whose answer it occurs, over one more than how often it was or will be tried: each further trial says less.

    Args:
        needs: Insights with what is known of the need for their cause.
        costs: Candidates that the search with the cause took, by group; others are not searched again.
        times: How many times that a search without the cause may take.
        most: Candidates for all of them.
    """
    waiting: list[tuple[float, int, str, str]] = []
    known = {insight.id: (insight, need) for insight, need in needs if insight.cause.startswith(REMOVABLE)}
    for name, (_, need) in known.items():
        worth = (need.needed.upper_bound - need.needed.lower_bound) * len(need.known.occurs)
        fresh = sorted((costs[group], group) for group in need.known.occurs - need.known.tried if costs.get(group))
        for place, (cost, group) in enumerate(fresh):
            each = worth / (1 + len(need.known.tried) + place)
            waiting.append((-each / ((times + 1) * cost), (times + 1) * cost, name, group))
    planned, left = [], most
    for _, cost, name, group in sorted(waiting):
        if cost <= left:
            left -= cost
            planned.append(PlannedRemoval(insight=known[name][0], group=group, cost=cost))
    return planned
