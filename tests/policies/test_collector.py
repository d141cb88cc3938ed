"""The search runs without the collector of cycles, so it must make none, and must leave the collector as it was."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator

import pytest

from evolve.core.episodes import Limits
from evolve.policies.search import SearchPolicy
from evolve.policies.search.meter import without_collector
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


@pytest.mark.slow
def test_a_search_that_is_over_is_freed_without_the_collector() -> None:
    policy, easy = SearchPolicy(), view_of(lambda xs: xs[::-1], *LISTS)
    first_action(policy, easy, LIMITS)
    gc.collect()
    gc.disable()

    def left() -> int:
        first_action(policy, unsolvable(), LIMITS)
        first_action(policy, easy, LIMITS)
        return gc.collect()

    # What other threads of the process leave behind meanwhile is in one of the counts, not in each.
    assert min(left() for _ in range(3)) < 50


@pytest.mark.parametrize("was_on", [True, False])
def test_a_search_leaves_the_collector_as_it_was(was_on: bool) -> None:
    (gc.enable if was_on else gc.disable)()
    first_action(SearchPolicy(), unsolvable(), LIMITS)
    assert gc.isenabled() is was_on


def test_the_collector_is_on_again_after_an_interruption_inside_of_another_search() -> None:
    gc.enable()
    with without_collector():
        with pytest.raises(KeyboardInterrupt), without_collector():
            raise KeyboardInterrupt
        assert not gc.isenabled()
    assert gc.isenabled()


@pytest.mark.parametrize("first_out", [0, 1])
def test_the_collector_is_on_again_after_searches_in_two_threads(first_out: int) -> None:
    gc.enable()
    inside, may_leave = threading.Semaphore(0), [threading.Event(), threading.Event()]

    def search(leave: threading.Event) -> None:
        with without_collector():
            inside.release()
            leave.wait(10)

    threads = [threading.Thread(target=search, args=(leave,)) for leave in may_leave]
    for thread in threads:
        thread.start()
        inside.acquire(timeout=10)
    assert not gc.isenabled()
    for number in (first_out, 1 - first_out):
        may_leave[number].set()
        threads[number].join(10)
    assert gc.isenabled()
