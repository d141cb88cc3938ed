"""Concatenations for some of the rows: what a branch of a conditional may be put together from."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from evolve.policies.search.bank import Bank, Entry, term_of
from evolve.policies.search.decomposition import Segments
from evolve.policies.search.meter import SearchMeter
from evolve.policies.search.programs.types import STR
from evolve.policies.search.search_decisions import MIN_SUPPORT, Partials, far_fetched

PASSES = (150, 500, 1_500)
"""Texts that the search has built when concatenations for some rows are looked for."""
MOST_LOOKED_AT, MOST_USED, MOST_SIDES = 4_000, 600, 32
"""Texts looked at and used, and sets of rows, in one pass."""
MOST_FORMS = 4
PER_ROW = 12
"""Price up to which each row beyond the first speaks for a concatenation."""


@dataclass
class Branches:
    """Covers the outputs of some rows alone, and tells :class:`Partials` of what it finds."""

    outputs: Sequence[str]
    partials: Partials
    meter: SearchMeter
    passes: int = 0
    done: dict[int, int] = field(default_factory=dict)

    def look(self, bank: Bank) -> None:
        """Looks again once the search has built enough further texts."""
        if self.passes == len(PASSES) or len(bank.shelf(STR).seen) < PASSES[self.passes]:
            return
        self.passes += 1
        texts = list(islice(self._usable(bank), MOST_USED))
        # Sets of rows: those whose outputs look alike, and those on either side of a condition.
        everything = (1 << len(self.outputs)) - 1
        forms: dict[str, int] = {}
        for place, output in enumerate(self.outputs):
            form = form_of(output)
            forms[form] = forms.get(form, 0) | 1 << place
        alike = list(forms.values()) if len(forms) <= MOST_FORMS else []
        tests = sorted(self.partials.tests(bank), key=lambda test: test[1] + far_fetched(term_of(test[2])))
        masks = [*alike, *(everything & ~mask for mask in alike)]
        masks += [side for mask, _, _ in tests for side in (mask, everything & ~mask)]
        whole = (mask for mask in dict.fromkeys(masks) if MIN_SUPPORT <= mask.bit_count() < len(self.outputs))
        for side in list(whole)[:MOST_SIDES]:
            self._cover(side, texts)

    def _usable(self, bank: Bank) -> Iterator[tuple[int, Entry, int, int]]:
        """Texts with their price, the rows whose outputs hold them, and the rows where they are not empty."""
        for cost, entry in islice(bank.entries(STR), MOST_LOOKED_AT):
            held = sum(1 << i for i, (text, out) in enumerate(zip(entry[0], self.outputs, strict=True)) if text in out)
            if held.bit_count() >= MIN_SUPPORT:
                yield cost, entry, held, sum(1 << i for i, text in enumerate(entry[0]) if text)

    def _cover(self, side: int, texts: Sequence[tuple[int, Entry, int, int]]) -> None:
        rows = [place for place in range(len(self.outputs)) if side >> place & 1]
        segments = Segments([self.outputs[place] for place in rows], STR)
        for cost, entry, held, filled in texts:
            if held & side == side and 2 * (filled & side).bit_count() > len(rows):
                segments.pieces.append((cost, tuple(entry[0][place] for place in rows), entry))
        found = segments.cover()
        if found is None:
            return
        cost, _, term, counted = found
        self.meter.count(counted)
        known = self.partials.best.get(side)
        if cost <= PER_ROW * (len(rows) - 1) and (known is None or known[0] > cost):
            # Its values on the other rows are nobody's concern.
            self.partials.best[side] = (cost, (tuple(self.outputs), term, ()))
            self.partials.changed = True


def form_of(text: str) -> str:
    """What a text looks like: signs as they are, runs of letters and of digits as one character each."""
    return re.sub(r"[^\W\d_]+", "a", re.sub(r"\d+", "9", text))
