"""The cheap model is asked first, the dear one after a failed verification, and that is what the money follows."""

from __future__ import annotations

import pytest

from benchmarks.escalation import ARMS, PRICES, measured, saving, targets_of


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    prices = tmp_path_factory.mktemp("prices") / "prices.toml"
    lines = [
        f'"https://double.example/v1#{name}" = {{ input = {p[0]}, output = {p[1]} }}' for name, p in PRICES.items()
    ]
    prices.write_text("[models]\n" + "\n".join(lines) + "\n")
    return [row for arm in ARMS for row in measured(arm, "hard", 0, 60, prices)]


def test_only_what_was_refused_goes_to_the_dear_model(rows):
    both = [row for row in rows if row["arm"] == "cheap,dear"]
    cheap = {row["task"]: row for row in rows if row["arm"] == "cheap"}
    dear = {row["task"]: row for row in rows if row["arm"] == "dear"}
    for row in both:
        assert row["dear"] == row["calls"] - 1  # the first is the cheap one's, each further one the dear one's
        assert (row["dear"] == 0) is cheap[row["task"]]["solved"]
        assert row["solved"] is dear[row["task"]]["solved"]
    assert {row["solved"] for row in both} == {True, False}


def test_the_money_of_a_solved_task_is_less_than_with_the_dear_one_alone(rows):
    assert saving(rows).value < 0.75
    assert all(row["money"] > 0 for row in rows)
    assert len(targets_of([*rows, *({**row, "kind": "unsteady"} for row in rows)])) == 4
