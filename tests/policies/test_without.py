"""A search that goes without one operation or skill, to see whether a problem needs it."""

from __future__ import annotations

from math import isqrt

import pytest

from evolve.core.episodes import Limits
from evolve.policies.search import SearchPolicy
from evolve.policies.search.programs.operations import vocabulary
from evolve.policies.search.programs.terms import from_json, operations_in
from tests.policies.samples import LISTS, view_of

pytestmark = pytest.mark.slow

LIMITS = Limits(candidates=4_000, seconds=None)
VIEWS = [
    view_of(lambda xs: sorted(xs)[1:], *LISTS),
    view_of(lambda xs: [2 * x for x in xs if x > 1], *LISTS),
    view_of(lambda name: name.split()[0][0] + ". " + name.split()[1].upper(), "Ada Lovelace", "Alan Turing", "Bo Xi"),
    view_of(lambda word: "-".join(reversed(word.split())), "a b", "c d e", "f", "gg hh"),
]


def answer_of(policy: SearchPolicy, view) -> frozenset[str] | None:
    action = policy.act(view, policy.plan(view, ()), (), LIMITS)
    return frozenset(operations_in(from_json(action.private["tree"]))) if action.kind == "code" else None


@pytest.mark.parametrize("view", VIEWS, ids=range(len(VIEWS)))
def test_an_operation_that_was_taken_out_is_in_no_answer(unlearned: SearchPolicy, view) -> None:
    """Nor do covers, conditionals and solvers, which make programs of their own, bring it back."""
    found = answer_of(unlearned, view)
    assert found
    for name in found:
        left = answer_of(unlearned.without_causes([f"operation:{name}"]), view)
        assert left is None or name not in left
    # What is not in the answer is not missed, and the policy itself is as it was.
    spare = next(one.name for one in vocabulary() if one.name not in found and one.cost > 6)
    assert answer_of(unlearned.without_causes([f"operation:{spare}"]), view) == found == answer_of(unlearned, view)


def test_a_search_can_do_without_any_operation(unlearned: SearchPolicy) -> None:
    """They are laid out in a square and taken out by rows and by columns.

    So each is missed, and of any two each is missed once where the other is there, in a ninth of the searches that
    one for each would take.
    """
    names = [operation.name for operation in vocabulary()]
    side = isqrt(len(names) - 1) + 1
    rows = [names[start : start + side] for start in range(0, len(names), side)]
    for left_out in (*rows, *(names[start::side] for start in range(side))):
        policy = unlearned.without_causes([f"operation:{name}" for name in left_out])
        assert not set(left_out) & set(policy.vocabulary.by_name)
        for view in VIEWS[1:3]:
            action = policy.act(view, policy.plan(view, ()), (), Limits(candidates=150, seconds=None))
            assert action.kind in ("code", "finish")
