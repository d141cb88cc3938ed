"""Which functions a prompt shows, and in which order."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolve.agent.offered_functions import SHOWN, FindFunctions, chosen_functions
from evolve.runtime.functions import Function


def function(name: str, description: str = "", source: str = "s") -> Function:
    return Function(name=name, description=description, parameters={"type": "object"}, source=source)


CROWD = [function(f"idle_{number}", "Does nothing.") for number in range(50)]
WANTED = [
    function("seats_of", "How many seats a room has.", source="hotel"),
    function("bookRoom", "Takes a room for a night.", source="hotel"),
    function("zoo_hours", "When the zoo opens.", source="a"),
]


@pytest.mark.slow
@given(st.permutations([*CROWD, *WANTED]))
def test_what_shares_words_with_the_task_is_among_those_shown_whatever_the_order(offered):
    shown = chosen_functions(offered, "book a room with ten seats, and tell when the zoos open")
    assert len(shown) == SHOWN and {one.name for one in WANTED} <= {one.name for one in shown}
    assert shown == sorted(shown, key=lambda one: (one.source, one.name))


@given(st.permutations(CROWD[:SHOWN]), st.text())
def test_where_all_fit_every_task_is_shown_the_same_in_the_same_order(offered, words):
    assert chosen_functions(offered, words) == chosen_functions(CROWD[:SHOWN], "nothing")


def test_what_is_looked_for_is_found_again_after_the_search_was_closed():
    finds = FindFunctions([*CROWD, *WANTED])
    for _ in range(2):
        (first, *_) = finds.call("find_functions", {"query": "rooms for the night"}, seconds=1)
        assert first["call"].startswith("bookRoom(")
        finds.close()


def test_a_source_that_shares_no_words_is_shown_by_one_function():
    clock = [function(name, source="clock") for name in ("convert", "zone")]
    shown = chosen_functions([*CROWD, *clock], "nothing does idle")
    assert len(shown) == SHOWN and [one.source for one in shown].count("clock") == 1
    many = [function(f"f_{number}", source=f"s{number}") for number in range(40)]
    assert len(chosen_functions([*CROWD, *many], "nothing")) == SHOWN
