"""Clues inside functions: what one step of an operation on the items says of a map, filter or scan.

Where every item has one image, the examples of a list function hold many examples of the
function inside; where items are kept or dropped, they hold examples of a test. Each such
*reading* of the examples is a small problem over single items.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, product
from typing import Any

from evolve.policies.search.features.operations import rule_values
from evolve.policies.search.grammar import Rule
from evolve.policies.search.problem import SearchProblem
from evolve.policies.search.programs.terms import Constant
from evolve.policies.search.programs.types import BOOL, INT, Type

MOST = 24
"""Items looked at in one reading."""
CHOICES = 12
"""Most arguments tried for one rule."""
LITERALS = 5
"""Literals of a type tried as an argument."""
SMALL = (1, 2, 3, 4, 5, 10)
"""Whole numbers tried as an argument."""

Values = tuple[Any, ...]


@dataclass(frozen=True)
class InnerExamples:
    """The examples of a function inside an operation.

    Attributes:
        operation: The operation that would take the function.
        columns: Type and values of each argument of the function, one value per item.
        type: Type of what it should give.
        wanted: What it should give, one value per item.
    """

    operation: str
    columns: tuple[tuple[Type, Values], ...]
    type: Type
    wanted: Values


def _readings_of(problem: SearchProblem) -> Iterator[InnerExamples]:
    """The readings that the examples allow."""
    if problem.output_type.name != "list" or not problem.input_types or problem.input_types[0].name != "list":
        return
    item, image = problem.input_types[0].args[0], problem.output_type.args[0]
    pairs = [(row[0], out) for row, out in zip(problem.inputs, problem.outputs, strict=True)]
    if all(len(x) == len(y) for x, y in pairs):
        yield from _images(pairs, item, image)
    else:
        yield from _choices(pairs, item)
    if len(problem.input_types) > 1 and problem.input_types[1].name == "list":
        # Two lists come in, and something stands in the place of every pair of items
        rows = [(row[0], row[1], out) for row, out in zip(problem.inputs, problem.outputs, strict=True)]
        if all(min(len(a), len(b)) == len(y) for a, b, y in rows):
            calls = [call for row in rows for call in zip(*row, strict=False)][:MOST]
            if calls:
                first, second, images = zip(*calls, strict=True)
                other = problem.input_types[1].args[0]
                yield InnerExamples("zip_with", ((item, first), (other, second)), image, images)


def _images(pairs: Sequence[tuple[Values, Values]], item: Type, image: Type) -> Iterator[InnerExamples]:
    """Something stands in the place of every item: decided by the item, or by its place as well."""
    rows = [(a, b, i) for x, y in pairs for i, (a, b) in enumerate(zip(x, y, strict=True))]
    if all(a == b for a, b, _ in rows):
        return
    image_of: dict[Any, Any] = {}
    if all(image_of.setdefault(a, b) == b for a, b, _ in rows):
        items = tuple(islice(image_of, MOST))
        yield InnerExamples("map", ((item, items),), image, tuple(image_of[a] for a in items))
        return
    items, images, places = zip(*rows[:MOST], strict=True)
    yield InnerExamples("map_with_index", ((INT, places), (item, items)), image, images)
    if item == image and all(x[:1] == y[:1] for x, y in pairs):
        steps = [(y[i - 1], x[i], y[i]) for x, y in pairs for i in range(1, len(x))][:MOST]
        if steps:
            before, items, images = zip(*steps, strict=True)
            yield InnerExamples("scan", ((item, before), (item, items)), image, images)


def _choices(pairs: Sequence[tuple[Values, Values]], item: Type) -> Iterator[InnerExamples]:
    """Items are kept or dropped: decided by the item, or by its place."""
    if any(not set(y) <= set(x) for x, y in pairs):
        return
    kept = {v for _, y in pairs for v in y}
    dropped = {v for x, y in pairs for v in set(x) - set(y)}
    name, kind = "filter", item
    if kept & dropped:
        # The place may decide. Only lists without repeats show which place an item was kept from.
        plain = [(x, set(y)) for x, y in pairs if len(set(x)) == len(x)]
        kept = {i for x, y in plain for i, v in enumerate(x) if v in y}
        dropped = {i for x, y in plain for i, v in enumerate(x) if v not in y}
        name, kind = "filter_by_index", INT
    if kept and dropped and not kept & dropped:
        yes, no = (tuple(sorted(side, key=repr)[: MOST // 2]) for side in (kept, dropped))
        yield InnerExamples(name, ((kind, yes + no),), BOOL, (True,) * len(yes) + (False,) * len(no))


@dataclass(frozen=True)
class BodyRules:
    """What a function inside may be made of: one rule, on the function's own arguments and a few literals.

    Attributes:
        rules: By their result.
        literals: By their type.
    """

    rules: Mapping[Type, Sequence[Rule]]
    literals: Mapping[Type, Sequence[Any]]

    @staticmethod
    def from_rules(rules: Sequence[Rule], literals: Sequence[tuple[Constant, int]]) -> BodyRules:
        """Sorts the rules that bodies may use and the built-in literals."""
        values: dict[Type, list[Any]] = {INT: list(SMALL)}
        for constant, _ in literals:
            # Whole numbers have their own short list.
            known = values.setdefault(constant.type, [])
            if constant.type != INT and len(known) < LITERALS:
                known.append(constant.value)
        by_result: dict[Type, list[Rule]] = {}
        for rule in rules:
            by_result.setdefault(rule.result, []).append(rule)
        return BodyRules(by_result, values)

    def useful_rules(self, reading: InnerExamples) -> Iterator[Rule]:
        """Rules that may give what is wanted from what is given."""
        results = (BOOL, INT) if reading.type == BOOL else (reading.type,)
        column_types = {kind for kind, _ in reading.columns}
        known = column_types | set(self.literals)
        for result in results:
            for rule in self.rules.get(result, ()):
                if known.issuperset(rule.params) and not column_types.isdisjoint(rule.params):
                    yield rule

    def arguments(self, reading: InnerExamples, kind: Type) -> list[Values]:
        """What may be passed for a parameter of a type, one value per item each."""
        columns = [values for known, values in reading.columns if known == kind]
        if columns and kind != INT:
            return columns
        return columns + [(value,) * len(reading.wanted) for value in self.literals.get(kind, ())]


def clues_of_bodies(problem: SearchProblem, inside: BodyRules) -> Iterator[tuple[str, str]]:
    """``(priced name, clue)`` for every clue of an operation inside a function, and of what takes functions."""
    for reading in _readings_of(problem):
        clues = {(rule.priced, clue) for rule in inside.useful_rules(reading) for clue in _clues(reading, rule, inside)}
        for name, clue in sorted(clues):
            yield name, f"inside a function: {clue}"
        yield reading.operation, "function: the examples can be read so"
        if clues:
            yield reading.operation, "function: and something is known of its inside"


def _clues(reading: InnerExamples, rule: Rule, inside: BodyRules) -> set[str]:
    sources = [inside.arguments(reading, kind) for kind in rule.params]
    columns = {id(values) for _, values in reading.columns}
    # A choice of literals alone says nothing of the items.
    used = (choice for choice in product(*sources) if any(id(values) in columns for values in choice))
    judged = _test_clues if reading.type == BOOL else _image_clues
    clues: set[str] = set()
    for arguments in islice(used, CHOICES):
        values = rule_values(rule, arguments)
        if values is not None:
            clues.update(judged(rule.result, values, reading))
    return clues


def _image_clues(_: Type, values: Values, reading: InnerExamples) -> Iterator[str]:
    right = sum(a == b for a, b in zip(values, reading.wanted, strict=True))
    if right == len(values):
        yield "every image"
    elif 2 * right >= len(values):
        yield "half of the images"
    elif reading.type == INT and len({b - a for a, b in zip(values, reading.wanted, strict=True)}) == 1:
        yield "one distance from the images"


def _test_clues(result: Type, values: Values, reading: InnerExamples) -> Iterator[str]:
    """What the values say of a wanted truth value, such as whether an item is kept."""
    if result == BOOL:
        if len({v == w for v, w in zip(values, reading.wanted, strict=True)}) == 1:
            yield "tells yes from no"
    elif result == INT:
        yes, no = ({v for v, w in zip(values, reading.wanted, strict=True) if w is side} for side in (True, False))
        if yes and no and not yes & no:
            if len(yes) == 1 or len(no) == 1:
                yield "one value for yes or for no"
            elif max(yes) < min(no) or max(no) < min(yes):
                yield "a bound between yes and no"
