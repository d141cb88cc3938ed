"""Conditionals learnt by splitting the examples.

Programs that are right on only some examples are remembered by *which* examples they get
right; Boolean expressions already in the bank are the tests. A decision list is built when
one test sends every example to a program that is right on it (condition abduction over
observational equivalence, as in EUSolver, Alur et al. 2017).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from evolve.policies.search.bank import Bank, Entry, term_of
from evolve.programs.terms import Apply, Term
from evolve.programs.types import BOOL

CHOOSE = 5
"""Price of one conditional."""
MAX_TESTS = 400
"""Conditions tried for one split."""
MIN_SUPPORT = 2
"""Examples that each branch must explain."""

Decision = tuple[int, int, Term]
"""``(cost, level at which it may be taken, term)``."""

FIRM_SUPPORT = 3
PATIENCE = {True: 4, False: 1_000}
"""Levels to go on past the dearest part, by whether every branch has firm support; else to the end of the budget."""


@dataclass
class Partials:
    """The cheapest program for each set of examples that some program gets right."""

    outputs: Sequence[Any]
    same: Callable[[Any, Any], bool]
    best: dict[int, tuple[int, Entry]] = field(default_factory=dict)
    changed: bool = False

    def offer(self, entry: Entry, cost: int) -> None:
        """Notes which examples the entry explains."""
        right = list(map(self.same, entry[0], self.outputs))
        if True not in right:
            return
        mask = sum(1 << i for i, is_right in enumerate(right) if is_right)
        if mask not in self.best:
            self.best[mask] = (cost, entry)
            self.changed = True

    def decide(self, bank: Bank) -> Decision | None:
        """The cheapest decision list of one or two tests, if there is one."""
        self.changed = False
        everything = (1 << len(self.outputs)) - 1
        if len(self.outputs) < 2 * MIN_SUPPORT:
            return None
        # A branch that explains a single example would learn it by heart.
        useful = [(m, c, e) for m, (c, e) in self.best.items() if m.bit_count() >= MIN_SUPPORT]
        union = 0
        for mask, _, _ in useful:
            union |= mask
        # Where no program explains an example, no list of these programs can.
        if union != everything:
            return None
        tests = _tests(bank, everything)
        return self._split(everything, useful, tests, 2)

    def _split(
        self, remaining: int, useful: list[tuple[int, int, Entry]], tests: list[tuple[int, int, Entry]], depth: int
    ) -> Decision | None:
        best: Decision | None = None
        for truth, test_cost, test in tests:
            yes, no = truth & remaining, remaining & ~truth
            if yes.bit_count() < MIN_SUPPORT or no.bit_count() < MIN_SUPPORT:
                continue
            then = _cheapest_for(yes, useful)
            if then is None:
                continue
            other = _cheapest_for(no, useful)
            if other is None and depth > 1:
                other = self._split(no, useful, tests, depth - 1)
            if other is None:
                continue
            cost = CHOOSE + test_cost + then[0] + other[0]
            if best is None or cost < best[0]:
                term = Apply("choose", (term_of(test), then[2], other[2]))
                firm = min(yes.bit_count(), no.bit_count()) >= FIRM_SUPPORT
                best = (cost, max(test_cost + PATIENCE[firm], then[1], other[1]), term)
        return best


def _cheapest_for(wanted: int, useful: list[tuple[int, int, Entry]]) -> Decision | None:
    fits = [(cost, entry) for mask, cost, entry in useful if mask & wanted == wanted]
    if not fits:
        return None
    cost, entry = min(fits, key=lambda f: f[0])
    return cost, cost, term_of(entry)


def _tests(bank: Bank, everything: int) -> list[tuple[int, int, Entry]]:
    """Boolean expressions that split the examples, and their negations' masks are implied."""
    tests = []
    for cost, entry in bank.entries(BOOL):
        mask = sum(1 << i for i, value in enumerate(entry[0]) if value)
        if 0 < mask < everything:
            tests.append((mask, cost, entry))
        if len(tests) >= MAX_TESTS:
            break
    return tests
