"""The draws of the two benchmarks on months say what they promise, and their figures come of their rows."""

from __future__ import annotations

import pytest

from benchmarks import frozen_constants, months, next_month


@pytest.mark.parametrize("number", range(20))
def test_months_have_the_same_columns_and_other_rows(number):
    pair = months.drawn(5, number)
    assert pair == months.drawn(5, number) != months.drawn(6, number)
    keys = [row[pair.header.index(job.columns[0])] for job in months.JOBS if job.name == pair.job for row in pair.march]
    assert len(set(keys)) == len(keys) == months.FILLED_FIRST + 3
    shown = pair.shown(pair.april, 2)
    assert [bool(row[pair.target]) for row in shown[1:4]] == [True, True, False]
    assert not {row[: pair.target] for row in pair.march} & {row[: pair.target] for row in pair.april}
    strange = months.with_strange_cells(pair, 5, number).april
    assert len(strange) == len(pair.april) and all(
        (old == new) == bool(new[-1]) for old, new in zip(pair.april, strange, strict=True)
    )


@pytest.mark.parametrize("number", range(8))
def test_frozen_rows_share_their_piece_and_later_rows_have_another(number):
    task = frozen_constants.drawn(5, number)
    pieces = [one for alike in frozen_constants._PIECES[task.kind] for one in alike]
    frozen = max((one for one in pieces if all(one.lower() in given.lower() for given, _ in task.given)), key=len)
    assert all(frozen.lower() not in wanted.lower() for _, wanted in task.other)
    control = frozen_constants.drawn(5, number, "suffix")
    endings = {suffix for suffix in frozen_constants._SUFFIXES if control.given[0][1].endswith(suffix)}
    assert endings and all(suffix not in given for suffix in endings for given, _ in control.given)


def test_a_wrong_cell_that_nothing_marks_misses_the_target():
    row = {
        "table": "t",
        "early": False,
        "given": 1,
        "used": True,
        "march_verified": True,
        "right": 9,
        "right_marked": 0,
        "wrong": 1,
    }
    row |= {"wrong_marked": 0, "empty": 0}
    met = {one.name: one.met for one in next_month.targets_of([row])}
    assert met == {
        "right cells marked": True,
        "cells wrong and unmarked": False,
        "verified months that serve the next": True,
    }


def test_a_verified_answer_that_fails_next_year_misses_the_target():
    row = {"control": "", "solved": True, "verified": True, "borne": True, "skills": 1, "right_same": True}
    targets = frozen_constants.targets_of([{**row, "right_other": False}])
    assert [one.met for one in targets] == [False, False, False]
    assert [one.met for one in frozen_constants.targets_of([{**row, "right_other": True}])] == [True, True, True]
