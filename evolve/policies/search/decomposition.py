"""Outputs as concatenations: text or lists put together from pieces the search has built.

A cover is a shortest path over positions: a state holds, per example, how much of the
output is already written; an edge appends a segment whose value continues every output,
or a literal that all remaining outputs begin with. (The version-space idea of FlashFill,
Gulwani 2011, over enumerated segments instead of fixed substring expressions.)
"""

from __future__ import annotations

import heapq
import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from evolve.policies.search.bank import Entry, term_of
from evolve.policies.search.programs.terms import Apply, Constant, Term
from evolve.policies.search.programs.types import STR, Type

JOIN = 2
"""Price of one concatenation."""
MAX_STATES = 400
"""Positions looked at for one cover."""
MAX_SEGMENTS = 600
"""Pieces kept of one search."""
MAX_PARTS = 7
"""Pieces of one cover."""


@dataclass
class OutputSegments:
    """The entries that occur in every output, ready for covers.

    Attributes:
        outputs: The wanted results: strings, or lists encoded as strings.
        type: ``str`` or a list type.
    """

    outputs: Sequence[Any]
    type: Type
    pieces: list[tuple[int, tuple[str, ...], Entry]] = field(default_factory=list)
    changed: bool = False

    def __post_init__(self) -> None:
        self._codes: dict[Any, str] = {}
        self._textual = self.type == STR
        if self._textual:
            self.goals: tuple[str, ...] = tuple(self.outputs)
        else:
            for value in itertools.chain.from_iterable(self.outputs):
                # One character for each different item, so that lists are covered as texts are.
                self._codes.setdefault(value, chr(0x100 + len(self._codes)))
            self.goals = tuple("".join(map(self._codes.__getitem__, o)) for o in self.outputs)

    def add_entry(self, entry: Entry, cost: int, *, single: bool = False) -> None:
        """Keeps the entry if its value occurs in every output and is empty in few of them."""
        if len(self.pieces) >= MAX_SEGMENTS:
            return
        encode = self._codes.__getitem__ if single else self._encode
        texts: list[str] = []
        for value, goal in zip(entry[0], self.goals, strict=True):
            try:
                text = encode(value)
            except KeyError:
                return
            if text not in goal:
                return
            texts.append(text)
        if 2 * sum(map(bool, texts)) > len(texts):
            wrapped: Entry = (entry[0], Apply("singleton", (term_of(entry),)), ()) if single else entry
            self.pieces.append((cost + (JOIN if single else 0), tuple(texts), wrapped))
            self.changed = True

    def _encode(self, value: Any) -> str:
        return str(value) if self._textual else "".join(map(self._codes.__getitem__, value))

    def cheapest_cover(self) -> tuple[int, int, Term, int] | None:
        """The cheapest cover found: ``(cost, dearest segment, term, candidates counted)``."""
        self.changed = False
        return _Cover(self).search()

    def literal_term(self, text: str) -> Term:
        """A piece of the outputs as a constant."""
        if self.type == STR:
            return Constant(text, STR)
        values = {code: value for value, code in self._codes.items()}
        return Constant(tuple(values[c] for c in text), self.type)


@dataclass
class _Cover:
    segments: OutputSegments
    counted: int = 0

    def search(self) -> tuple[int, int, Term, int] | None:
        goals = self.segments.goals
        start, end = (0,) * len(goals), tuple(map(len, goals))
        best: dict[tuple[int, ...], int] = {start: 0}
        queue: list[tuple[int, int, tuple[int, ...], tuple[Any, ...]]] = [(0, 0, start, ())]
        # Breaks ties in the queue: what comes after it in an item cannot be compared.
        ticket = itertools.count(1)
        # Segments by the first character of their text in the first example ("" where empty).
        by_head: dict[str, list[tuple[int, tuple[str, ...], Entry]]] = {}
        for segment in self.segments.pieces:
            by_head.setdefault(segment[1][0][:1], []).append(segment)
        for _ in range(MAX_STATES):
            if not queue:
                return None
            cost, _, state, path = heapq.heappop(queue)
            if state == end and path:
                return self._result(cost, path)
            # The queue may still hold a dearer way to a state that was reached more cheaply since.
            if len(path) >= MAX_PARTS or cost > best.get(state, cost):
                continue
            for step, move, part in self._moves(state, by_head):
                total = cost + step + (JOIN if path else 0)
                if total < best.get(move, 1 << 30):
                    best[move] = total
                    heapq.heappush(queue, (total, next(ticket), move, (*path, part)))
        return None

    def _moves(self, state: tuple[int, ...], by_head: dict[str, list[Any]]) -> Iterator[tuple[int, Any, Any]]:
        goals = self.segments.goals
        head = goals[0][state[0] : state[0] + 1]
        for cost, texts, entry in [*by_head.get(head, []), *(by_head.get("", []) if head else [])]:
            if all(g.startswith(t, at) for g, t, at in zip(goals, texts, state, strict=True)):
                self.counted += 1
                yield cost, tuple(at + len(t) for at, t in zip(state, texts, strict=True)), (cost, entry)
        rests = [g[at:] for g, at in zip(goals, state, strict=True)]
        for text in self._literals(rests):
            self.counted += 1
            price = _literal_cost(text, self.segments.type)
            yield price, tuple(at + len(text) for at in state), (price, text)

    def _literals(self, rests: Sequence[str]) -> list[str]:
        """Prefixes that all remaining outputs share, cut where a token ends."""
        shared = rests[0]
        for rest in rests[1:]:
            while not rest.startswith(shared):
                shared = shared[:-1]
        if not shared:
            return []
        cuts = {len(shared), 1} | {m.end() for m in re.finditer(r"\w+|\W", shared)}
        return [shared[:cut] for cut in sorted(cuts, reverse=True)]

    def _result(self, cost: int, path: Sequence[Any]) -> tuple[int, int, Term, int]:
        parts = [self.segments.literal_term(p) if isinstance(p, str) else term_of(p) for _, p in path]
        join = "concatenate_text" if self.segments.type == STR else "concatenate"
        term = parts[0]
        for part in parts[1:]:
            term = Apply(join, (term, part))
        return cost, max(price for price, _ in path), term, self.counted


def _literal_cost(text: str, type_: Type) -> int:
    """Punctuation is cheap glue; words and numbers that all outputs share cost more."""
    if type_ != STR:
        return 3 + len(text)
    words = len(re.findall(r"\w+", text))
    return 2 + 2 * words + len(re.findall(r"[^\w\s]", text)) // 2
