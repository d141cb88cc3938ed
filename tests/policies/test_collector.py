"""The search runs without the collector of cycles, so it must make none, and must leave the collector as it was."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from evolve.episodes import Limits
from evolve.policies.search import SearchPolicy
from tests.policies.samples import LISTS, first_action, unsolvable, view_of

LIMITS = Limits(candidates=5_000, seconds=None)


@pytest.fixture(autouse=True)
def collector() -> Iterator[None]:
    was_on = gc.isenabled()
    yield
    if was_on:
        gc.enable()
    else:
        gc.disable()


def test_a_search_that_is_over_is_freed_without_the_collector() -> None:
    policy, easy = SearchPolicy(), view_of(lambda xs: xs[::-1], *LISTS)
    first_action(policy, easy, LIMITS)
    gc.collect()
    gc.disable()
    first_action(policy, unsolvable(), LIMITS)
    first_action(policy, easy, LIMITS)
    assert gc.collect() < 50


@pytest.mark.parametrize("was_on", [True, False])
def test_a_search_leaves_the_collector_as_it_was(was_on: bool) -> None:
    (gc.enable if was_on else gc.disable)()
    first_action(SearchPolicy(), unsolvable(), LIMITS)
    assert gc.isenabled() is was_on
