"""Where programs start: the task's inputs, literals, and constants mined from the examples."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evolve.policies.search.grammar import COLUMN, ORDINARY
from evolve.policies.search.problem import SearchProblem
from evolve.policies.search.programs.operation import Operation, define
from evolve.policies.search.programs.operations.relevance import is_shown, may_matter
from evolve.policies.search.programs.terms import Constant, Input, Term
from evolve.policies.search.programs.types import BOOL, FLOAT, INT, STR, FrozenDict, Type, dict_of, inner_types


@dataclass(frozen=True)
class TermLeaf:
    """A term of one node with its type, price and the name it is priced under."""

    term: Term
    type: Type
    cost: int
    name: str


@dataclass(frozen=True)
class Literal:
    """A constant with its static cost, the name it is priced under, and its place among those of one price."""

    constant: Constant
    cost: int
    name: str
    order: tuple[str, str]

    @staticmethod
    def from_constant(constant: Constant, cost: int, name: str) -> Literal:
        """The literal of a constant."""
        return Literal(constant, cost, name, (str(constant.type), repr(constant)))


def built_in_leaves(literals: Iterable[tuple[Constant, int]]) -> tuple[Literal, ...]:
    """The literals that every search has: built-in constants, and small whole numbers behind them."""
    numbers = (Literal.from_constant(Constant(n, INT), SMALL.get(n, 5), f"literal:int:{n}") for n in NUMBERS)
    return (*(Literal.from_constant(constant, cost, constant_name(constant)) for constant, cost in literals), *numbers)


def leaves_of(problem: SearchProblem, literals: Iterable[Literal], prices: Mapping[str, int]) -> list[TermLeaf]:
    """Every leaf of a search, cheapest first, one per value and type."""
    leaves: dict[tuple[Type, Any], tuple[int, tuple[str, str], TermLeaf]] = {}

    def add(literal: Literal, more: int = 0) -> None:
        term = literal.constant
        key, cost = (term.type, term.value), max(1, prices.get(literal.name, literal.cost)) + more
        # One literal may come from several sources; the cheapest price counts.
        if key not in leaves or leaves[key][0] > cost:
            leaves[key] = cost, literal.order, TermLeaf(term, term.type, cost, literal.name)

    texts = texts_in(problem.inputs), texts_in(problem.outputs)
    for literal in literals:
        if may_matter(literal.constant, *texts):
            # On top of a learned price too: rows that do not show a format do not ask for it.
            add(literal, 0 if is_shown(literal.constant, texts[1]) else UNSHOWN)
    for constant, cost in (*((table, 4) for table in _look_ups(problem)), *_mined_constants(problem)):
        add(Literal.from_constant(constant, cost, f"mined:{constant.type}"))
    inputs = [TermLeaf(Input(i), t, max(1, prices.get("input", 1)), "input") for i, t in enumerate(problem.input_types)]
    return inputs + [leaf for _, _, leaf in sorted(leaves.values(), key=lambda one: one[:2])]


def texts_in(values: Iterable[Any]) -> list[str]:
    """Every text in the examples' inputs or outputs, at any depth."""
    return [scalar for value in values for scalar in _scalars(value) if isinstance(scalar, str)]


DELIMITER = Type("delimiter")
UNSHOWN = 4
"""What a format costs more where no output shows its sign, such as a comma between thousands."""
NUMBERS = range(-1, 11)
SMALL = {0: 3, 1: 2, 2: 2, 3: 3, -1: 4, 4: 4, 5: 4}
MINED = {"mined:int": 4, "mined:float": 5, "mined:str": 5}


def constant_name(constant: Constant) -> str:
    """The name a constant of an answer is priced under: its own for a literal, else the kind of mined ones."""
    small = constant.type == INT and constant.value in NUMBERS
    named = small or constant.type.name not in ORDINARY
    return f"literal:{constant.type}:{constant.value}" if named else f"mined:{constant.type}"


def static_prices(operations: Iterable[Operation], literals: Iterable[tuple[Constant, int]]) -> dict[str, int]:
    """The hand-tuned price of every name a learned price can replace."""
    prices = {f"literal:int:{n}": SMALL.get(n, 5) for n in NUMBERS} | MINED | {COLUMN: COLUMN_COST}
    # Built-in floats share the name of mined ones, which has its price already.
    prices |= {constant_name(constant): cost for constant, cost in literals if constant.type != FLOAT}
    return prices | {o.name: o.cost for o in operations}


def _mined_constants(problem: SearchProblem) -> Iterator[tuple[Constant, int]]:
    """Literals that the examples themselves suggest: numbers, list heads, shared pieces of text."""
    kinds = {t for kind in (*problem.input_types, problem.output_type) for t in inner_types(kind)}
    outputs = [set(_scalars(o)) for o in problem.outputs]
    inputs = [set(_scalars(i)) for i in problem.inputs]
    if INT in kinds:
        yield from ((Constant(n, INT), 4) for n in _shared_numbers(inputs, outputs))
        yield from ((Constant(n, INT), 3) for n in numeric_relations(problem))
    if FLOAT in kinds:
        yield from ((Constant(float(n), FLOAT), 5) for n in _shared_numbers(inputs, outputs))
    if STR in kinds:
        for piece in _pieces(problem):
            yield Constant(piece, STR), 5
            if len(piece) <= 6:
                yield Constant(piece, DELIMITER), 5
    if problem.output_type.name == "list" and None not in problem.outputs:
        yield from _constant_lists(problem)
    yield Constant("", STR), 4
    yield Constant(" ", STR), 4


def _scalars(value: Any) -> Iterator[Any]:
    if isinstance(value, tuple):
        for item in value:
            yield from _scalars(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from _scalars(item)
    else:
        yield value


def _shared_numbers(inputs: Sequence[set[Any]], outputs: Sequence[set[Any]]) -> list[Any]:
    """Numbers that most outputs hold though their inputs do not, and that all inputs share."""

    def numbers(values: set[Any]) -> set[Any]:
        return {v for v in values if isinstance(v, (int, float)) and not isinstance(v, bool)}

    news = Counter(n for i, o in zip(inputs, outputs, strict=True) for n in numbers(o) - numbers(i))
    often = [n for n, k in news.most_common(12) if k >= max(2, len(inputs) // 2)]
    both = Counter(n for values in inputs for n in numbers(values))
    common = [n for n, k in both.most_common(4) if k == len(inputs) >= 3]
    return sorted({*often, *common})


def numeric_relations(problem: SearchProblem) -> list[int]:
    """Whole numbers that the examples determine: coefficients of a line, steps, thresholds."""
    # Outputs are None where dreams are made: they are not known before.
    if None in problem.outputs or not problem.input_types:
        return []
    kind, goal = problem.input_types[0], problem.output_type
    if kind == INT and goal == INT:
        numbers = [(row[0], out) for row, out in zip(problem.inputs, problem.outputs, strict=True)]
        return _line(numbers) or _modulus(numbers)
    if kind != goal or goal.name != "list" or goal.args[0] != INT:
        return []
    pairs = [(row[0], out) for row, out in zip(problem.inputs, problem.outputs, strict=True)]
    if all(len(x) == len(y) for x, y in pairs):
        return _line([ab for x, y in pairs for ab in zip(x, y, strict=True)])
    # Bounds that separate kept from dropped items, the roundest in the gap and its edges
    kept = {v for _, y in pairs for v in y}
    dropped = {v for x, _ in pairs for v in x} - kept
    if not kept or not dropped:
        return []
    if min(kept) > max(dropped):
        return _bounds(max(dropped), min(kept))
    if max(kept) < min(dropped):
        return _bounds(max(kept), min(dropped))
    return []


def _line(pairs: Sequence[tuple[int, int]]) -> list[int]:
    """Slope and offset of the integer line through the pairs, or their common step, if there is one."""
    steps = {b - a for a, b in pairs}
    if len(steps) == 1:
        return sorted({abs(step) for step in steps} | steps)
    points = sorted(set(pairs))
    if not points:
        return []
    (a, fa), (b, fb) = points[0], points[-1]
    if a != b and (fb - fa) % (b - a) == 0:
        slope = (fb - fa) // (b - a)
        offset = fa - slope * a
        if all(slope * x + offset == y for x, y in points):
            return sorted({slope, offset, abs(offset)})
    return []


def _modulus(pairs: Sequence[tuple[int, int]]) -> list[int]:
    """The number that all outputs could be remainders of: it divides every difference and exceeds every output."""
    divisor = math.gcd(*(a - b for a, b in pairs))
    return [divisor] if divisor > max(max(b for _, b in pairs), 1) and min(b for _, b in pairs) >= 0 else []


def _bounds(low: int, high: int) -> list[int]:
    for unit in (100, 10, 5):
        round_ones = [n for n in range(low, high + 1) if n % unit == 0]
        if round_ones:
            return sorted({low, high, round_ones[0]})
    return sorted({low, high})


def _constant_lists(problem: SearchProblem) -> Iterator[tuple[Constant, int]]:
    first = problem.outputs[0]
    type_ = problem.output_type
    if all(o == first for o in problem.outputs):
        yield Constant(first, type_), 3
    yield Constant((), type_), 5
    head = _common_prefix(problem.outputs)
    tail = _common_prefix([o[::-1] for o in problem.outputs])[::-1]
    for piece in (head, tail):
        if len(piece) >= 2:
            yield Constant(tuple(piece), type_), 4


def _common_prefix(values: Sequence[Any]) -> Any:
    shortest = min(values, key=len)
    for i in range(len(shortest)):
        if any(v[: i + 1] != shortest[: i + 1] for v in values):
            return shortest[:i]
    return shortest


MARK = re.compile(r"[^\w\s]+\s?|\s+|[A-Za-z]+|\d+")


def _pieces(problem: SearchProblem) -> list[str]:
    """Short pieces of text that recur: separators of the inputs, words the outputs add."""
    ins = [" ".join(s for s in _scalars(i) if isinstance(s, str)) for i in problem.inputs]
    outs = [" ".join(s for s in _scalars(o) if isinstance(s, str)) for o in problem.outputs]
    half = max(2, (len(ins) + 1) // 2) if len(ins) > 1 else 1
    marks = Counter(m for text in ins for m in set(re.findall(r"[^\w\s]", text)))
    pieces = {m for m, k in marks.items() if k >= half}
    words = Counter(w for text in ins for w in set(re.findall(r"[A-Za-z]{2,}", text)))
    pieces |= {w for w, k in words.items() if k >= half}
    news = Counter(
        m for i, o in zip(ins, outs, strict=True) for m in set(MARK.findall(o)) if m not in i and len(m) <= 12
    )
    pieces |= {m for m, k in news.items() if k >= min(2, len(ins))}
    pieces |= {m for o in outs for m in set(re.findall(r"[^\w\s]", o)) if all(m in x for x in outs)}
    # Sorted before it is cut: the order of a set of texts differs from process to process.
    return sorted(pieces)[:24]


COLUMN_COST = 1


def column_operations(problem: SearchProblem) -> list[Operation]:
    """Accessors ``row["qty"]`` for every column of a row type in the problem."""
    rows = sorted({t for k in problem.input_types for t in inner_types(k) if t.name == "row"}, key=str)
    return [
        define(f"{COLUMN}:{name}", (row,), kind, f"a0[{name!r}]", cost=COLUMN_COST, scalar=True, noun=COLUMN)
        for row in rows
        for name, kind in zip(row.fields, row.args, strict=True)
    ]


def _look_ups(problem: SearchProblem) -> list[Constant]:
    """Dictionaries from one text column to the output, where repeated keys agree.

    A look-up needs a key seen at least twice, so that it is more than a list of answers.
    """
    tables = []
    if problem.output_type in (STR, INT, FLOAT, BOOL):
        for i, kind in enumerate(problem.input_types):
            if kind in (STR, INT):
                table: dict[Any, Any] = {}
                keys = [row[i] for row in problem.inputs]
                pairs = zip(keys, problem.outputs, strict=True)
                if len(set(keys)) < len(keys) and all(table.setdefault(k, v) == v for k, v in pairs):
                    tables.append(Constant(FrozenDict(table), dict_of(kind, problem.output_type)))
    return tables
