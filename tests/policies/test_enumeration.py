"""The search loses no small program, keeps to the order of prices and to its budget."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from evolve.policies.search import SearchPolicy
from evolve.policies.search.meter import meter_for
from evolve.policies.search.problem import SearchProblem, problem_of
from evolve.policies.search.programs.evaluation import evaluate
from evolve.policies.search.programs.operation import EVALUATION_ERRORS
from evolve.policies.search.programs.operations import vocabulary
from evolve.policies.search.programs.terms import Apply, Constant, Input, Term, from_json, size, walk
from evolve.policies.search.programs.types import BOOL, INT, STR, Type, list_of, thaw_value
from evolve.policies.search.searcher import Searcher, Solution, Vocabulary
from tests.policies.samples import LISTS, TEXTS, first_action, unsolvable, view_of

INTS = list_of(INT)
SMALL: dict[str, tuple[tuple[Type, ...], Type]] = {
    "add": ((INT, INT), INT),
    "subtract": ((INT, INT), INT),
    "length": ((INTS,), INT),
    "first": ((INTS,), INT),
    "sum_of": ((INTS,), INT),
    "tail": ((INTS,), INTS),
    "reverse": ((INTS,), INTS),
    "sort": ((INTS,), INTS),
    "take": ((INT, INTS), INTS),
    "append": ((INTS, INT), INTS),
    "concatenate": ((INTS, INTS), INTS),
}
WORDS = Vocabulary(tuple(o for o in vocabulary() if o.name in SMALL), ())
NUMBERS = range(-1, 11)
FLAT = {
    **dict.fromkeys([*SMALL, "input"], 1),
    **{f"literal:int:{n}": 1 for n in NUMBERS},
    **{f"mined:{kind}": 1 for kind in (INT, BOOL, STR, INTS)},
}
LARGEST = 4


def plain_enumeration() -> dict[tuple[Type, int], list[Term]]:
    """Every term of at most ``LARGEST`` nodes over ``SMALL``, with nothing pruned, by type and size."""
    found: dict[tuple[Type, int], list[Term]] = {
        (INT, 1): [Constant(n, INT) for n in NUMBERS],
        (INTS, 1): [Input(0)],
    }
    for nodes in range(2, LARGEST + 1):
        for name, (params, result) in SMALL.items():
            for sizes in splits(nodes - 1, len(params)):
                parts = [found.get(key, []) for key in zip(params, sizes, strict=True)]
                found.setdefault((result, nodes), []).extend(Apply(name, args) for args in product(*parts))
    return found


def splits(total: int, parts: int) -> Iterator[tuple[int, ...]]:
    if parts == 1:
        yield (total,)
        return
    for first in range(1, total - parts + 2):
        for rest in splits(total - first, parts - 1):
            yield (first, *rest)


PLAIN = plain_enumeration()


def value_of(term: Term, inputs: tuple[tuple[Any, ...], ...]) -> tuple[Any, ...] | None:
    try:
        return tuple(evaluate(term, row, WORDS.by_name) for row in inputs)
    except EVALUATION_ERRORS:
        return None


def problem(inputs: tuple[tuple[Any, ...], ...], outputs: tuple[Any, ...], kind: Type) -> SearchProblem:
    return SearchProblem(inputs=inputs, outputs=outputs, input_types=(INTS,), output_type=kind)


def search(task: SearchProblem, limit: int = 60_000, prices: dict[str, int] = FLAT) -> Searcher:
    return Searcher(task, WORDS, prices, meter_for(limit, None), combine=False)


ROWS = st.lists(
    st.lists(st.integers(-4, 12), min_size=1, max_size=5).map(lambda xs: (tuple(xs),)), min_size=2, max_size=4
).map(tuple)


@pytest.mark.slow
@given(st.sampled_from((INT, INTS)), st.data(), ROWS)
@settings(max_examples=40)
def test_pruning_keeps_a_shortest_solution_of_all_that_plain_enumeration_finds(
    kind: Type, data: st.DataObject, inputs: tuple[tuple[Any, ...], ...]
) -> None:
    hidden = data.draw(st.sampled_from(PLAIN[kind, data.draw(st.integers(2, LARGEST))]))
    outputs = value_of(hidden, inputs)
    assume(outputs is not None)
    every = (t for nodes in range(1, LARGEST + 1) for t in PLAIN.get((kind, nodes), []))
    shortest = next(t for t in every if value_of(t, inputs) == outputs)
    found = next(search(problem(inputs, outputs, kind)).programs(), None)
    assert found is not None
    assert found.cost <= size(shortest)


def test_pruning_loses_no_value_of_any_small_program() -> None:
    """Whatever a program of up to three nodes computes, the search finds a program for it."""
    inputs = tuple((tuple(xs),) for xs in ([3, 1, 2], [5, 4, 4, 0]))
    for kind in (INT, INTS):
        wanted = {value_of(t, inputs): t for nodes in (3, 2, 1) for t in PLAIN.get((kind, nodes), [])}
        missing = []
        for outputs, term in wanted.items():
            if outputs is not None:
                found = next(search(problem(inputs, outputs, kind)).programs(), None)
                if found is None or found.cost > size(term):
                    missing.append((term, found))
        assert missing == []


@pytest.fixture(scope="module")
def many() -> list[Solution]:
    """Every program that one search gives for a task with many answers."""
    outputs = (2, 5, 7)
    inputs = tuple((xs,) for xs in ((2, 9, 1, 4), (5, 5), (7, 3, 8)))
    return list(search(problem(inputs, outputs, INT), 30_000).programs())


@pytest.mark.slow
def test_with_every_price_one_the_order_is_by_size(many: list[Solution]) -> None:
    assert len(many) >= 10
    assert [f.cost for f in many] == [size(f.term) for f in many]
    assert [f.cost for f in many] == sorted(f.cost for f in many)


def test_programs_come_in_the_order_of_their_prices() -> None:
    prices = {**FLAT, "add": 7, "first": 5, "length": 2, "tail": 4}
    inputs, outputs = tuple((xs,) for xs in ((2, 9, 1, 4), (5, 5), (7, 3, 8))), (2, 5, 7)
    found = list(search(problem(inputs, outputs, INT), 30_000, prices).programs())
    assert len(found) >= 5
    assert [f.cost for f in found] == sorted(f.cost for f in found)
    for each in found:
        calls = [t.operation for t in walk(each.term) if isinstance(t, Apply)]
        assert each.cost == sum(prices[name] for name in calls) + size(each.term) - len(calls)


def test_all_programs_are_right_and_different(many: list[Solution]) -> None:
    inputs = tuple((xs,) for xs in ((2, 9, 1, 4), (5, 5), (7, 3, 8)))
    assert all(value_of(f.term, inputs) == (2, 5, 7) for f in many)
    assert len({f.term for f in many}) == len(many)


@pytest.mark.parametrize("limit", [1, 20, 333, 4_000, 20_000])
def test_a_smaller_budget_finds_the_first_part_of_what_a_larger_one_finds(many: list[Solution], limit: int) -> None:
    inputs = tuple((xs,) for xs in ((2, 9, 1, 4), (5, 5), (7, 3, 8)))
    searcher = search(problem(inputs, (2, 5, 7), INT), limit)
    found = list(searcher.programs())
    assert [f.term for f in found] == [f.term for f in many[: len(found)]]
    assert {f.term for f in many if f.candidates < limit} <= {f.term for f in found}
    assert searcher.meter.used <= limit


def test_candidates_grow_with_every_program(many: list[Solution]) -> None:
    used = [f.candidates for f in many]
    assert used == sorted(used)
    assert used[0] >= 1


@pytest.mark.slow
def test_the_whole_vocabulary_keeps_to_its_budget() -> None:
    """Covers, conditionals and lambda bodies count too."""
    words = SearchPolicy().vocabulary
    texts = view_of(lambda s: f"{len(s)}-{s[::-1]}-{sum(map(ord, s)) % 7}", *TEXTS)
    for view in (unsolvable(), texts):
        for limit in (100, 3_000):
            searcher = Searcher(problem_of(view), words, {}, meter_for(limit, None))
            list(searcher.programs())
            assert searcher.meter.used <= limit + 400


@pytest.mark.slow
def test_the_time_limit_ends_a_search() -> None:
    searcher = Searcher(problem_of(unsolvable()), SearchPolicy().vocabulary, {}, meter_for(10**9, 0.2))
    assert list(searcher.programs()) == []
    assert searcher.meter.used < 10**8


SOLVED: list[tuple[str, Callable[..., Any], tuple[Any, ...]]] = [
    ("reverse", lambda xs: xs[::-1], LISTS),
    ("evens", lambda xs: [x for x in xs if x % 2 == 0], LISTS),
    ("plus length", lambda xs: [x + len(xs) for x in xs], LISTS),
    ("upper", str.upper, TEXTS),
    ("quoted", lambda s: f"<{s}>", TEXTS),
    ("conditional", lambda n: n * 2 if n > 5 else n - 1, (1, 2, 3, 6, 7, 9, 12, 4)),
    ("two arguments", lambda xs, n: xs[:n], (([4, 5, 6], 2), ([1, 2, 3, 4], 3), ([7], 0), ([8, 9], 1))),
    ("nested", lambda xss: [sum(xs) for xs in xss], ([[1, 2], [3]], [[], [5, 5]], [[1]], [])),
    ("column", lambda row: row["qty"], ({"qty": 3, "item": "a"}, {"qty": 5, "item": "b"}, {"qty": 1, "item": "c"})),
    ("halves", lambda x: x / 2, (1, 2.5, 7, 3.25)),
    ("constant", lambda xs: [7, 7], LISTS),
    ("identity", lambda s: s, TEXTS),
]


@pytest.mark.parametrize(("name", "function", "inputs"), SOLVED, ids=[name for name, _, _ in SOLVED])
def test_ordinary_tasks_of_every_kind_are_solved(
    name: str, function: Callable[..., Any], inputs: tuple[Any, ...], unlearned: SearchPolicy
) -> None:
    view = view_of(function, *inputs, name=name)
    action = first_action(unlearned, view)
    assert action.kind == "code"
    term = from_json(action.private["tree"])
    task = problem_of(view)
    values = [thaw_value(evaluate(term, row, unlearned.vocabulary.by_name)) for row in task.inputs]
    assert values == [row.output for row in view.examples]
