"""A target is met by its figure alone, and never by a missing one."""

from __future__ import annotations

import json

import pytest

from benchmarks.record import Outcome, Target
from benchmarks.targets import targets_of
from tests.benchmarks.rows import row, unsolved, wrong


@pytest.mark.parametrize(
    ("op", "target", "met"),
    [
        ("<=", 0.5, True),
        ("<=", 0.49, False),
        (">=", 0.5, True),
        (">=", 0.51, False),
        ("==", 0.5, True),
        ("==", 0.4, False),
        ("high <=", 0.7, True),
        ("high <=", 0.69, False),
        ("low >", 0.2, True),
        ("low >", 0.3, False),
        ("low >=", 0.3, True),
    ],
)
def test_the_named_bound_decides(op, target, met):
    assert Target(name="t", op=op, target=target, value=0.5, low=0.3, high=0.7).met is met


@pytest.mark.parametrize("op", ["<=", ">=", "==", "high <=", "low >"])
def test_what_was_not_measured_is_not_met(op):
    assert not Target(name="t", op=op, target=0.0, value=None).met


def named(rows, kind, *, generated=True):
    return {target.name: target for target in targets_of(rows, kind, generated=generated)}


def both(old, new, count=200):
    """The same result on every task: ``old`` and ``new`` make a row from a task and an arm."""
    arms = {"unlearned": old, "guide+library": new, "plain": old, "placebo": old, "dreams-only": old}
    return [make(f"t{i}", arm) | {"seed": i % 3} for i in range(count) for arm, make in arms.items()]


@pytest.mark.slow
def test_everything_is_met_by_a_learner_that_is_much_better():
    slow = [*both(lambda t, a: row(t, a, 800), lambda t, a: row(t, a, 100), 200)]
    lost = both(lambda t, a: unsolved(t, a), lambda t, a: row(t, a, 200), 260)
    rows = slow + [{**one, "task": f"more-{one['task']}", "group": f"more-{one['group']}"} for one in lost]
    found = named(rows, "lists")
    assert [name for name, target in found.items() if not target.met] == []


def test_nothing_is_met_without_rows_except_where_nothing_is_wanted():
    assert not any(target.met for target in named([], "lists").values())
    assert not any(target.met for target in named([], "columns").values())
    assert not any(target.met for target in named([], "composed").values())


@pytest.mark.slow
def test_a_learner_that_is_no_better_misses():
    rows = both(lambda t, a: row(t, a, 400), lambda t, a: row(t, a, 400))
    found = named(rows, "lists")
    assert not found["candidates, learned / unlearned"].met
    assert not found["solved, learned / unlearned"].met
    assert not found["doublings of effort saved by learned over placebo"].met
    assert found["share solved, unlearned - plain"].met


@pytest.mark.slow
def test_composed_needs_three_times_as_many_and_twenty_points_more():
    def rows(before, after):
        old = [row(f"t{i}", "unlearned", 9) if i < before else unsolved(f"t{i}", "unlearned") for i in range(100)]
        new = [
            row(f"t{i}", "guide+library", 9) if i < after else unsolved(f"t{i}", "guide+library") for i in range(100)
        ]
        return named(old + new, "composed")

    assert rows(10, 31)["solved, learned / unlearned"].met
    assert rows(10, 31)["share solved, learned - unlearned"].met
    assert not rows(8, 27)["share solved, learned - unlearned"].met
    assert not rows(40, 80)["solved, learned / unlearned"].met


def test_four_wrong_claims_in_a_hundred_are_too_many():
    rows = [row(f"t{i}", "guide+library", 9) for i in range(384)]
    rows += [wrong(f"w{i}", "guide+library", 9) for i in range(16)]
    found = named(rows, "columns")
    assert not found["wrong share of claimed answers"].met
    assert found["claimed answers checked"].met


def test_only_suites_that_ship_need_many_distinct_groups():
    assert "distinct held-out groups" in named([], "lists", generated=True)
    assert "distinct held-out groups" not in named([], "lists", generated=False)


def test_the_file_has_the_agreed_keys_and_names_no_machine():
    import os
    import socket
    from pathlib import Path

    target = Target(name="t", op=">=", target=1, value=2, n=3)
    data = Outcome(benchmark="learning", seeds=3, quick=True, rows=[row("a", "plain", 5)], targets=[target]).to_json()
    keys = {"benchmark", "commit", "versions", "machine", "seeds", "quick", "rows", "targets"}
    assert keys <= set(data)
    assert set(data["targets"][0]) == {"name", "value", "low", "high", "n", "op", "target", "met"}
    text = json.dumps(data, allow_nan=False)
    assert str(Path.cwd()) not in text
    assert str(Path.home()) not in text
    name = socket.gethostname()
    assert len(name) < 4 or name not in text
    assert os.path.sep not in json.dumps(data["machine"])
