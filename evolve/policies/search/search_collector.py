"""Searching without Python's collector of reference cycles.

A search keeps hundreds of thousands of small tuples and makes no cycles, so whatever it drops
is freed at once. The collector, which goes through all that is kept again and again, finds
nothing and takes a third of the time.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def without_collector() -> Iterator[None]:
    """Suspends the collector for a block, or for calls of a function it decorates.

    It works for the whole process: cycles that other threads drop meanwhile are freed after the block. A
    collector that was off before stays off. However blocks in several threads overlap, it is on again
    after the last one; at worst one of them runs with it on, and is slower.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
