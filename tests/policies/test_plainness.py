"""Where the rows do not decide, the plainest program wins."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from evolve.policies.search import SearchPolicy
from tests.policies.samples import BUDGET, first_action, view_of
from tests.policies.test_functions_of_two import compiled


def found(policy: SearchPolicy, function: Callable[..., Any], *inputs: Any) -> Callable[..., Any]:
    """What the search makes of the function's values on a few inputs."""
    view = view_of(function, *inputs)
    return compiled(view, first_action(policy, view))


@pytest.mark.parametrize(
    ("function", "inputs", "unseen"),
    [
        (lambda n: f"#{n}", (3, 7, 45, 120, 250), 1500),
        (lambda n: f"no. {n}", (13, 45, 99), 5),
        (lambda n: f"{n:,}", (3, 1500, 45), 150_000),
        (lambda n: f"{n:03d}", (3, 150, 45), 8),
    ],
)
def test_a_number_is_written_with_signs_that_some_row_shows(
    unlearned: SearchPolicy, function: Callable[[int], str], inputs: tuple[int, ...], unseen: int
) -> None:
    assert found(unlearned, function, *inputs)(unseen) == function(unseen)


def test_learned_prices_do_not_make_an_unshown_sign_likely(unlearned: SearchPolicy) -> None:
    view = view_of(lambda n: f"#{n}", 3, 7, 45, 120, 250)
    plan = unlearned.plan(view, ())
    plan.private["prices"].update({"literal:integer_format:,": 1, "number_to_text": 4})
    assert compiled(view, unlearned.act(view, plan, (), BUDGET))(1500) == "#1500"


def test_letters_are_changed_in_the_part_that_is_kept(unlearned: SearchPolicy) -> None:
    view = view_of(lambda text: text.split()[0].capitalize(), "ann lee", "bob stone", "cy fox")
    code = first_action(unlearned, view).code or ""
    assert ".title()" in code.splitlines()[-1][-9:] or ".capitalize()" in code.splitlines()[-1][-14:]
