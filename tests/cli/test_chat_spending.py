"""What a session in the terminal counts as spent, and so what it may still spend."""

from __future__ import annotations

import pytest

from evolve.cli.chat.spending import SessionBudget, spent_of
from evolve.core.episodes import Cost
from evolve.core.errors import BudgetExhausted
from evolve.core.ledger import Budget


def test_a_turn_that_was_stopped_and_goes_on_is_counted_once_and_whole() -> None:
    purse = SessionBudget(budget=Budget(tokens=1_000))
    stopped = Cost(tokens=300, calls=2)
    purse.add_cost(stopped, {})
    assert purse.remaining().tokens == 700

    purse.add_cost(Cost(tokens=450, calls=3), spent_of(stopped))  # the same run, with what it cost before

    assert purse.remaining().tokens == 550
    assert purse.spent["calls"] == 3


def test_nothing_is_begun_when_all_is_spent() -> None:
    purse = SessionBudget(budget=Budget(tokens=1_000))
    purse.add_cost(Cost(tokens=1_000), {})
    with pytest.raises(BudgetExhausted, match="1,000 tokens"):
        purse.remaining()
