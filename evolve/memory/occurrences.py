"""Evidence by cause, effect and group, so that any scope is a query over it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from evolve.core.episodes import Scope
from evolve.memory.insights import ClaimKey, EvidenceRow, relation_camp
from evolve.memory.necessity import CauseOccurrence

Place = tuple[str, ...]
"""A scope and its preconditions as a path: environment, family, preconditions."""


def _places_of(scope: Scope) -> tuple[Place, ...]:
    """The scopes that a scope lies in, the widest first, itself last."""
    path = (scope.environment, scope.family, *sorted(set(scope.preconditions)))
    depths = (1, 2, len(path)) if len(path) > 2 else (1, 2)
    return tuple(path[:depth] for depth in depths)


@dataclass(kw_only=True)
class Occurrences:
    """Which groups of every scope say what of a cause; rows may be added in any order."""

    _solved: dict[tuple[Place, str], set[str]] = field(default_factory=lambda: defaultdict(set))
    _rows: dict[tuple[Place, str, str], list[EvidenceRow]] = field(default_factory=lambda: defaultdict(list))
    _expired: dict[str, int] = field(default_factory=dict)

    def add(self, key: ClaimKey, row: EvidenceRow) -> None:
        """Takes in a row of evidence; rows that were added before must not come again."""
        for place in _places_of(key.scope):
            self._solved[place, key.effect].add(row.group)
            self._rows[place, key.cause, key.effect].append(row)

    def expire(self, insight: str, through: int) -> None:
        """Lets trials of an insight up to a ``seq`` say nothing of its cause; what occurs in an answer still does."""
        self._expired[insight] = through

    def levels(self, cause: str, effect: str, scope: Scope) -> Sequence[CauseOccurrence]:
        """What is known of a cause in a scope and in each that this lies in, the widest first."""
        return [
            _occurrence(
                self._solved.get((place, effect), set()),
                (
                    row
                    for row in self._rows.get((place, cause, effect), ())
                    if row.kind != "intervention" or row.seq > self._expired.get(row.insight, -1)
                ),
            )
            for place in _places_of(scope)
        ]


def _occurrence(solved: set[str], rows: Iterable[EvidenceRow]) -> CauseOccurrence:
    occurs, tried = set(), set()
    votes: dict[str, dict[str, int]] = {"promotes": defaultdict(int), "prevents": defaultdict(int)}
    for row in rows:
        if row.kind != "intervention":
            occurs |= {row.group} if row.direction > 0 else set()
            continue
        tried.add(row.group)
        if row.relation != "no_effect":
            votes[relation_camp(row.relation)][row.group] += row.direction
    return CauseOccurrence(
        solved=frozenset(solved),
        occurs=frozenset(occurs | tried),
        tried=frozenset(tried),
        mattered=frozenset(group for group, sum_ in votes["promotes"].items() if sum_ > 0),
        hindered=frozenset(group for group, sum_ in votes["prevents"].items() if sum_ > 0),
    )
