"""What the benchmark of written workflows makes of its rows."""

from __future__ import annotations

import pytest

from benchmarks.optimize_designs import ARMS, mean, targets_of


def row(arm: str, seed: int, gain: float):
    return {"measure": "design", "arm": arm, "seed": seed, "gain": gain}


def test_arms_are_paired_by_seed_and_what_was_not_measured_is_not_met() -> None:
    linked, adas, _ = ARMS
    rows = [row(linked, 0, 0.25), row(linked, 1, 0.5), row(adas, 0, 1.0), row(adas, 1, 1.0), row(adas, 2, 0.0)]
    assert mean(rows, adas, linked).value == pytest.approx(0.625)
    met = {target.name: target.met for target in targets_of(rows)}
    assert met["gained, adas minus linked"]
    assert not met["gained, adas minus adas, told nothing"]
