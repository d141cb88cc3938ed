"""The benchmark of causal claims tells what is true from what went with it."""

from __future__ import annotations

import pytest

from benchmarks.causal import ARMS, Claims, measure, score, table, targets_of
from benchmarks.causal_worlds import draw_world


@pytest.mark.slow
def test_experiments_beat_watching_and_every_target_is_measured() -> None:
    rows = [row for seed in (0, 1, 2) for row in measure(seed, faults=0.0, each=10)]
    assert [line[0] for line in table(rows)][1:] == list(ARMS)
    figures = {target.name: target for target in targets_of(rows)}
    assert figures["precision"].met
    assert figures["precision, more than by observation"].met
    assert all(target.n for target in figures.values())


def test_a_claim_of_what_means_nothing_costs_precision_and_no_recall() -> None:
    world = draw_world(0)
    edge = next(iter(world.promoting()))
    idle = next(one for one in world.habits)
    found = score(Claims(promoting=frozenset({edge, (idle, edge[1])}), preventing=frozenset()), world)
    assert (found.right, found.claimed, found.true) == (1, 2, world.edges())
