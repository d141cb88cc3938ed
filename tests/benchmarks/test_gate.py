"""The rules of others are what their packages do, and a missing package is said and not counted."""

from __future__ import annotations

import pytest

from benchmarks import gate, gate_package
from benchmarks.gate_simulation import PROPOSALS


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
