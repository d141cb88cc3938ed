"""Planning prices every name as the definition says, whatever was planned before."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolve.core.episodes import Row, TaskView
from evolve.policies.search import SearchPolicy
from evolve.policies.search.features import TaskFeatures, literal_clue_kind
from evolve.policies.search.guide import FLOOR, MAX_PRICE, UNSEEN, Pricing
from evolve.policies.search.problem import problem_from_rows
from evolve.policies.search.programs.operations import literals, vocabulary
from evolve.policies.search.searcher import Vocabulary

WORDS = Vocabulary(vocabulary(), literals())
STATIC = WORDS.static
SOME = sorted(STATIC)[::7]
TEXTS = st.text(st.sampled_from("ab Z09,-/."), max_size=9)


@pytest.mark.slow
@given(st.dictionaries(st.sampled_from([*SOME, "no such name", "literal:pattern:gone"]), st.floats(0, 1), max_size=40))
def test_a_price_is_the_pooled_surprise_within_its_bounds(probabilities: dict[str, float]) -> None:
    prices = Pricing(STATIC, tuple(probabilities)).prices(tuple(probabilities.values()))
    assert set(prices) == set(STATIC)
    for name in SOME:
        likely, kind = probabilities.get(name, 0.0), literal_clue_kind(name)
        if kind not in ("", "int"):
            likely /= UNSEEN + math.fsum(p for other, p in probabilities.items() if literal_clue_kind(other) == kind)
        pooled = 0.8 * (0.3 - math.log2(max(likely, FLOOR))) + 0.2 * STATIC[name]
        most = min(MAX_PRICE, STATIC[name] + (5 if name in probabilities else 3))
        # Half of a price and a little, since which way a half is rounded hangs on a last bit here.
        assert prices[name] == most if pooled > most else abs(prices[name] - max(1, pooled)) <= 0.500001


@pytest.mark.slow
@given(st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=4), st.lists(st.tuples(TEXTS, TEXTS), min_size=1))
def test_clues_of_a_problem_do_not_hang_on_the_problem_before(
    first: list[tuple[str, str]], second: list[tuple[str, str]]
) -> None:
    one, two = (problem_from_rows([Row(input=[x], output=y) for x, y in pairs], "t") for pairs in (first, second))
    shared = TaskFeatures(WORDS)
    shared.clue_reader(one).clues()
    assert shared.clue_reader(two).clues() == TaskFeatures(WORDS).clue_reader(two).clues()


@pytest.mark.parametrize("values", [(1, 1.0), (1.0, True)])
def test_examples_that_are_equal_but_of_other_types_are_planned_anew(values: tuple[object, object]) -> None:
    """Python calls 1, 1.0 and True equal."""
    policy = SearchPolicy()
    views = [
        TaskView(id="t", family="", instruction="", signature="", examples=(Row(input=(v,), output=v),)) for v in values
    ]
    assert views[0] == views[1]
    assert policy.features(views[0]) != policy.features(views[1])
