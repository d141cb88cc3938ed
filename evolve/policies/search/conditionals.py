"""Conditional programs: what a branch may be put together from, and the decisions between branches.

Programs that are right on only some examples are remembered by *which* examples they get
right; Boolean expressions already in the bank are the tests. A decision list is built when
one test sends every example to a program that is right on it (condition abduction over
observational equivalence, as in EUSolver, Alur et al. 2017).
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from evolve.policies.search.bank import Entry, EntryBank, term_of
from evolve.policies.search.decomposition import OutputSegments
from evolve.policies.search.meter import SearchMeter
from evolve.policies.search.programs.terms import Apply, Term, operations_in
from evolve.policies.search.programs.types import BOOL, STR

CHOOSE = 5
"""Price of one conditional."""
MAX_TESTS = 400
"""Conditions tried for one split."""
MIN_SUPPORT = 2
"""Examples that each branch must explain."""

Decision = tuple[int, int, Term]
"""``(cost, level at which it may be taken, term)``."""

_Branch = tuple[int, int, Term, int]
"""A decision and the examples it gets right."""

_Test = tuple[int, int, Entry]
"""Examples, price and entry, of a condition or of a program that is right on them."""

LEAST, ENOUGH, SHORT, FAR_FETCHED = 1.0, 2.5, 2, 4.0
"""Bits by which the rows that a condition decides must and should outnumber the conditions before it; what each that
is missing costs; and bits that a remainder, or a length, counts for less as a condition."""
REMAINDERS = {"is_even", "is_odd", "divides", "modulo", "rest_of_units"}
LENGTHS = {"text_length", "length", "count", "count_text", "count_matches", "count_if", "find_text"}

FIRM_SUPPORT = 3
PATIENCE = {True: 4, False: 1_000}
"""Levels to go on past the dearest part, by whether every branch has firm support; else to the end of the budget."""


@dataclass
class PartialPrograms:
    """The cheapest program for each set of examples that some program gets right."""

    outputs: Sequence[Any]
    same: Callable[[Any, Any], bool]
    best: dict[int, tuple[int, Entry]] = field(default_factory=dict)
    changed: bool = False
    mined: list[_Test] = field(default_factory=list)

    def add_conditions(self, tests: Iterable[tuple[tuple[bool, ...], int, Term]]) -> None:
        """Takes further conditions: ``(values, price, term)``."""
        everything = (1 << len(self.outputs)) - 1
        for values, cost, term in tests:
            mask = mask_of(values)
            if 0 < mask < everything and len(self.mined) < MAX_TESTS // 2:
                self.mined.append((mask, cost, (values, term, ())))
                self.changed = True

    def add_entry(self, entry: Entry, cost: int) -> None:
        """Notes which examples the entry explains."""
        right = list(map(self.same, entry[0], self.outputs))
        if True not in right:
            return
        mask = mask_of(right)
        if mask not in self.best:
            self.best[mask] = (cost, entry)
            self.changed = True

    def splitting_tests(self, bank: EntryBank) -> list[_Test]:
        """Conditions that split the examples, cheapest first."""
        everything = (1 << len(self.outputs)) - 1
        tests = []
        for cost, entry in bank.entries(BOOL):
            mask = mask_of(entry[0])
            if 0 < mask < everything:
                tests.append((mask, cost, entry))
            if len(tests) >= MAX_TESTS:
                break
        return sorted([*tests, *self.mined], key=lambda test: test[1])

    def decision_list(self, bank: EntryBank) -> Decision | None:
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
        best = self._split(everything, useful, self.splitting_tests(bank), 2)
        return None if best is None else best[:3]

    def _split(self, remaining: int, useful: list[_Test], tests: list[_Test], depth: int) -> _Branch | None:
        best: _Branch | None = None
        for before, (truth, test_cost, test) in enumerate(tests, 1):
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
            if best is not None and cost >= best[0]:
                continue
            condition = term_of(test)
            # Of so many conditions some one splits few rows in any wanted way.
            decided = ((then[3] ^ other[3]) & remaining).bit_count()
            bits = decided - math.log2(before) - is_far_fetched(condition)
            short = max(0.0, ENOUGH - bits)
            cost += math.ceil(SHORT * short)
            if bits >= LEAST and (best is None or cost < best[0]):
                firm = min(yes.bit_count(), no.bit_count()) >= FIRM_SUPPORT and not short
                term = Apply("choose", (condition, then[2], other[2]))
                right = (truth & then[3]) | (other[3] & ~truth)
                best = (cost, max(test_cost + PATIENCE[firm], then[1], other[1]), term, right)
        return best


def mask_of(values: Iterable[bool]) -> int:
    """The places that hold, as bits."""
    return sum(1 << i for i, value in enumerate(values) if value)


def is_far_fetched(condition: Term) -> float:
    """Bits that a condition counts for less because outputs seldom depend on what it looks at.

    A length or a remainder splits any rows in some way, the remainder of a length does so most of all.
    """
    names = set(operations_in(condition))
    return FAR_FETCHED * ((not names.isdisjoint(REMAINDERS)) + (not names.isdisjoint(LENGTHS)) / 2)


def _cheapest_for(wanted: int, useful: list[_Test]) -> _Branch | None:
    fits = [(cost, mask, entry) for mask, cost, entry in useful if mask & wanted == wanted]
    if not fits:
        return None
    cost, mask, entry = min(fits, key=lambda f: f[0])
    return cost, cost, term_of(entry), mask


PASSES = (150, 500, 1_500)
"""Texts that the search has built when concatenations for some rows are looked for."""
MOST_LOOKED_AT, MOST_USED, MOST_SIDES = 4_000, 600, 32
"""Texts looked at and used, and sets of rows, in one pass."""
MOST_FORMS = 4
PER_ROW = 12
"""Price up to which each row beyond the first speaks for a concatenation."""


@dataclass
class BranchCover:
    """Covers the outputs of some rows alone, and tells :class:`PartialPrograms` of what it finds."""

    outputs: Sequence[str]
    partials: PartialPrograms
    meter: SearchMeter
    passes: int = 0
    done: dict[int, int] = field(default_factory=dict)

    def search_again(self, bank: EntryBank) -> None:
        """Looks again once the search has built enough further texts."""
        if self.passes == len(PASSES) or len(bank.entries_of(STR).seen) < PASSES[self.passes]:
            return
        self.passes += 1
        texts = list(islice(self._usable(bank), MOST_USED))
        # Sets of rows: those whose outputs look alike, and those on either side of a condition.
        everything = (1 << len(self.outputs)) - 1
        forms: dict[str, int] = {}
        for place, output in enumerate(self.outputs):
            form = _form_of(output)
            forms[form] = forms.get(form, 0) | 1 << place
        alike = list(forms.values()) if len(forms) <= MOST_FORMS else []
        tests = sorted(self.partials.splitting_tests(bank), key=lambda test: test[1] + is_far_fetched(term_of(test[2])))
        masks = [*alike, *(everything & ~mask for mask in alike)]
        masks += [side for mask, _, _ in tests for side in (mask, everything & ~mask)]
        whole = (mask for mask in dict.fromkeys(masks) if MIN_SUPPORT <= mask.bit_count() < len(self.outputs))
        for side in list(whole)[:MOST_SIDES]:
            self._cover(side, texts)

    def _usable(self, bank: EntryBank) -> Iterator[tuple[int, Entry, int, int]]:
        """Texts with their price, the rows whose outputs hold them, and the rows where they are not empty."""
        for cost, entry in islice(bank.entries(STR), MOST_LOOKED_AT):
            held = sum(1 << i for i, (text, out) in enumerate(zip(entry[0], self.outputs, strict=True)) if text in out)
            if held.bit_count() >= MIN_SUPPORT:
                yield cost, entry, held, sum(1 << i for i, text in enumerate(entry[0]) if text)

    def _cover(self, side: int, texts: Sequence[tuple[int, Entry, int, int]]) -> None:
        rows = [place for place in range(len(self.outputs)) if side >> place & 1]
        segments = OutputSegments([self.outputs[place] for place in rows], STR)
        for cost, entry, held, filled in texts:
            if held & side == side and 2 * (filled & side).bit_count() > len(rows):
                segments.pieces.append((cost, tuple(entry[0][place] for place in rows), entry))
        found = segments.cheapest_cover()
        if found is None:
            return
        cost, _, term, counted = found
        self.meter.count(counted)
        known = self.partials.best.get(side)
        if cost <= PER_ROW * (len(rows) - 1) and (known is None or known[0] > cost):
            # Its values on the other rows are nobody's concern.
            self.partials.best[side] = (cost, (tuple(self.outputs), term, ()))
            self.partials.changed = True


def _form_of(text: str) -> str:
    """What a text looks like: signs as they are, runs of letters and of digits as one character each."""
    return re.sub(r"[^\W\d_]+", "a", re.sub(r"\d+", "9", text))
