"""Parts of texts: what stands after a marker and before a delimiter or the end, and a mined number of characters."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from evolve.policies.search.enumerator import Enumerator
from evolve.policies.search.programs.evaluation import evaluate
from evolve.policies.search.programs.operation import EVALUATION_ERRORS, Operation
from evolve.policies.search.programs.operations.strings import DELIMITER, common_prefix
from evolve.policies.search.programs.terms import Apply, Constant, Input, Term, operations_in
from evolve.policies.search.programs.types import INT, STR
from evolve.policies.search.solvers.base import (
    FIRST,
    RowColumn,
    SolvedTerm,
    apply,
    newest_values,
    number_constant,
    price_of,
)

DEAREST = 9
"""Price of the dearest text that is cut."""
PATIENCE = 4
"""Levels to go on before a part is taken."""
LONGEST_MARKER, MOST_MARKERS, MOST_FOUND = 24, 6, 6
MARKER = re.compile(r"[^\W\d_]{2,}\s?[:=#]?|[A-Za-z]\w*[:=#]")
"""A word that may say what comes after it, with its sign."""


@dataclass
class SlicePlaces:
    """Looks for the outputs, or pieces of them, in texts by what stands around them."""

    enumerator: Enumerator
    operations: Mapping[str, Operation]
    found: set[Term] = field(default_factory=set)

    def solutions(self) -> Iterator[SolvedTerm]:
        """Whole programs from the texts of the newest level, and at the first one pieces of the inputs."""
        problem = self.enumerator.problem
        if problem.output_type != STR or not all(problem.outputs):
            return
        for column in newest_values(self.enumerator, STR) if self.enumerator.cost <= DEAREST else ():
            self.enumerator.meter.count(1)
            if len(self.found) < MOST_FOUND and all(map(str.__contains__, column.values, problem.outputs)):
                yield from self._whole(column)
            if isinstance(column.term, Input):
                yield from self._pieces(column)

    def _whole(self, column: RowColumn) -> Iterator[SolvedTerm]:
        for term in (*self._by_count(column), *self._by_marks(column)):
            if term not in self.found and self._values(term) == self.enumerator.problem.outputs:
                self.found.add(term)
                price = price_of(term, self.enumerator.costs)
                yield SolvedTerm(term, price, min(price, max(FIRST, self.enumerator.cost + PATIENCE)))
                return

    def _by_count(self, column: RowColumn) -> Iterator[Term]:
        """So many characters of the text, or all but so many."""
        outputs = self.enumerator.problem.outputs
        lengths = {len(output) for output in outputs}
        dropped = {len(value) - len(output) for value, output in zip(column.values, outputs, strict=True)}
        for operations, counts in ((("suffix", "prefix"), lengths), (("skip_characters", "drop_characters"), dropped)):
            if len(counts) == 1 and min(counts) > 0:
                yield from (
                    apply(operation, number_constant(min(counts), INT), column.term) for operation in operations
                )

    def _by_marks(self, column: RowColumn) -> Iterator[Term]:
        """What stands after what all texts have before the output, up to what they have behind it."""
        outputs = self.enumerator.problem.outputs
        for find in (str.find, str.rfind):
            places = [find(value, output) for value, output in zip(column.values, outputs, strict=True)]
            before = [value[:at] for value, at in zip(column.values, places, strict=True)]
            after = [v[at + len(o) :] for v, o, at in zip(column.values, outputs, places, strict=True)]
            marker = common_prefix([text[::-1] for text in before])[::-1][-LONGEST_MARKER:]
            if any(before) and not marker:
                continue
            behind = common_prefix([rest for rest in after if rest]) if any(after) else ""
            for rest in _after(column.term, marker) if marker else [column.term]:
                yield from _before(rest, behind)

    def _pieces(self, column: RowColumn) -> Iterator[SolvedTerm]:
        """What follows a word that all texts have: the next word, and what comes before a sign that they share."""
        texts = list(map(str, column.values))
        shared = [m for m in dict.fromkeys(MARKER.findall(texts[0])) if all(m in text for text in texts)]
        signs = [s for s in dict.fromkeys(re.findall(r"[^\w\s]", texts[0])) if all(s in text for text in texts)]
        for marker in shared[:MOST_MARKERS]:
            rest = apply("strip", apply("after_text", Constant(marker.strip(), STR), column.term))
            cut = [apply("before_first", Constant(sign, DELIMITER), rest) for sign in signs]
            for term in (rest, apply("word", number_constant(0, INT), rest), *(apply("strip", one) for one in cut)):
                self.enumerator.meter.count(1)
                values = self._values(term)
                if values is not None and all(map(str.__contains__, self.enumerator.problem.outputs, values)):
                    price = min(price_of(term, self.enumerator.costs), self.enumerator.cost + 2 * PATIENCE)
                    yield SolvedTerm(term, price, price, values)

    def _values(self, term: Term) -> tuple[str, ...] | None:
        if not self.operations.keys() >= set(operations_in(term)):
            return None
        try:
            return tuple(evaluate(term, row, self.operations) for row in self.enumerator.problem.inputs)
        except EVALUATION_ERRORS:
            return None


def _after(text: Term, marker: str) -> Iterator[Term]:
    """What stands after the first or the last marker: its last word with its sign, else all that is common."""
    last = re.search(r"\w*[^\w\s]*\s*$", marker)
    for mark in dict.fromkeys((last.group().strip() if last else "", marker.strip(), marker)):
        if mark:
            for rest in (
                apply("after_text", Constant(mark, STR), text),
                apply("after_last", Constant(mark, DELIMITER), text),
            ):
                yield apply("strip", rest) if marker[-1].isspace() and mark != marker else rest


def _before(rest: Term, behind: str) -> Iterator[Term]:
    """The rest up to what comes next: the end of the word, its sign, or a word between blanks."""
    if not behind:
        yield rest
        return
    start = re.match(r"\s*(?:[^\w\s]|\w+\s)?", behind)
    mark = start.group() if start else behind
    if behind[0].isspace():
        # Splitting at blanks takes off those around.
        within = rest.args[0] if isinstance(rest, Apply) and rest.operation == "strip" else rest
        yield apply("word", number_constant(0, INT), within)
    if mark.strip() and not mark.strip()[0].isalnum():
        cut = apply("before_first", Constant(mark.strip(), DELIMITER), rest)
        yield apply("strip", cut) if behind[0].isspace() else cut
    for text in dict.fromkeys((mark, behind[:LONGEST_MARKER])):
        yield apply("before_text", Constant(text, STR), rest)
