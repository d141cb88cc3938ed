"""The rules of others are what their packages do, and a missing package is said and not counted."""

from __future__ import annotations

import pytest

from benchmarks import gate, gate_package
from benchmarks.gate_reader import BIT, CONFIRMED, OUTCOMES, demo_gain, reader_loop
from benchmarks.gate_simulation import PROPOSALS


@pytest.mark.slow
def test_the_rules_as_written_down_say_what_the_package_decides() -> None:
    rows = list(gate_package.package_loops(3))
    assert [row["agreed"] for row in rows] == [PROPOSALS] * 3
    assert [row["proposals"] for row in rows] == [PROPOSALS] * 3
    for row in rows:
        assert 0 < row["kept"] < PROPOSALS and row["led"] <= row["kept"]
        assert (row["gain"] > 0) == (row["led"] > 0), "what leads at the end is reported as a gain"


def test_other_rules_than_those_of_the_package_are_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def lenient(before: float, after: float, kept: float | None, best: float) -> tuple[bool, bool]:
        return after >= before, kept is not None and kept > best

    monkeypatch.setattr(gate_package, "written", lenient)
    (row,) = gate_package.package_loops(1)
    assert row["agreed"] < PROPOSALS


def test_without_the_package_the_row_says_so_and_no_target_is_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gate_package, "installed", lambda: "")
    rows = list(gate_package.package_loops(3))
    assert [row.get("missing") for row in rows] == ["gepa 0.1.4 is not installed"]
    assert gate.package_rows(rows) == []
    assert gate.package_share(rows, "kept").value is None


@pytest.mark.slow
def test_a_reader_breaks_the_bound_only_where_it_is_told_how_tasks_came_out() -> None:
    told = [reader_loop(OUTCOMES, 120, loop) for loop in range(3)]
    assert [row["false"] for row in told] == [1, 1, 1] and max(row["proposals"] for row in told) < PROPOSALS
    assert reader_loop(BIT, 120, 0)["false"] == 0
    kept = reader_loop(CONFIRMED, 120, 0)
    assert kept["false"] == 0 < kept["unconfirmed"], "it wins what it has read, and nothing on what is kept back"


@pytest.mark.slow
def test_what_is_really_better_is_accepted_after_other_proposals_too() -> None:
    rows = [demo_gain(120, before, run) for before in (0, 9) for run in range(5)]
    assert sum(row["accepted"] for row in rows) > 8
    assert gate.gain_share(rows, 120, 9).n == 5
