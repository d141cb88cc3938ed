"""The benchmark of diagnoses: planted runs fail for what was planted, and figures come from rows."""

from __future__ import annotations

import pytest

from benchmarks.diagnose import FAULTS, measured, share, table, targets_of
from benchmarks.diagnose_cases import HELD_OUT, MAKERS

ROW = {"kind": "note", "held_out": False, "step": 2, "steps": 4, "said": 2, "suspects": 4, "last": 0.5, "cause": "none"}


def rows(*ranks, **more):
    return [{**ROW, **more, "seed": seed, "rank": rank, "rank_tried": 1} for seed, rank in enumerate(ranks)]


def test_shares_are_counted_and_what_is_missing_is_in_no_place():
    some = rows(1, 3, 0, 2)
    assert share(some, "rank").value == 0.25 and share(some, "rank", 3).value == 0.75
    assert share(some, "chance").value == 0.25 and share(some, "chance", 3).value == 0.75
    assert share(some, "last").value == 0.5 and share(some, "step").value == 1.0


def test_a_cause_that_is_none_and_a_fault_that_is_not_named_are_told():
    some = [*rows(1, held_out=True), *rows(2, cause="wrong")]
    some += [{"kind": FAULTS[0], "held_out": False, "seed": 0, "named": False}]
    missed = {one.name for one in targets_of(some) if not one.met}
    assert {"causes that are none", "faults named as such"} <= missed


def test_every_kind_has_its_line_and_held_out_ones_their_mark():
    lines = list(table([*rows(1), *rows(2, kind="skill")]))
    assert [line[0] for line in lines[1:]] == ["note", "skill *", "all", "all held out"][: len(lines) - 1]
    assert set(HELD_OUT) < set(MAKERS)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["insight", "denied"])
def test_a_planted_run_is_measured(kind):
    for row in measured(kind, 0):
        assert row["named"] if kind in FAULTS else row["cause"] == "right"
