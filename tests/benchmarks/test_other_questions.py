"""Demo, coverage, speed and the results page."""

from __future__ import annotations

import json

import pytest

from benchmarks import coverage, demo, results, speed
from benchmarks.record import Outcome, Target
from benchmarks.targets import targets_of
from tests.benchmarks.rows import row, unsolved


@pytest.mark.parametrize(
    ("ratio", "gain", "expected"),
    [
        ((0.5, 0.4, 0.9), (0.0, -0.1, 0.1), True),
        ((0.9, 0.7, 1.1), (0.2, 0.1, 0.3), True),
        ((0.9, 0.7, 1.1), (0.0, -0.1, 0.1), False),
        ((2.0, 1.5, 3.0), (0.2, 0.1, 0.3), False),
        ((0.5, 0.4, 0.9), (-0.2, -0.3, -0.1), False),
        ((None, None, None), (0.2, 0.1, 0.3), True),
        ((None, None, None), (None, None, None), False),
    ],
)
def test_a_gain_is_one_that_neither_interval_denies(ratio, gain, expected):
    assert demo.excludes_no_gain(ratio, gain) is expected


def run_of(seed, **changes):
    return {
        "suite": "everyday", "seed": seed, "wall_s": 100.0, "promoted": True, "ratio": [0.5, 0.4, 0.6],
        "gain": [0.1, 0.0, 0.2], "excludes_no_gain": True, "solved": {}, "tasks": 60, "rounds": [], "error": "",
        **changes,
    }  # fmt: skip


@pytest.mark.parametrize("spoilt", [{"wall_s": 181.0}, {"promoted": False}, {"excludes_no_gain": False}])
def test_one_bad_seed_spoils_the_demo(spoilt):
    assert all(target.met for target in demo.targets_of([run_of(seed) for seed in range(5)]))
    assert not all(target.met for target in demo.targets_of([*map(run_of, range(4)), run_of(4, **spoilt)]))


def test_a_run_that_failed_has_no_time():
    failed = run_of(0, error="no sandbox", promoted=False, excludes_no_gain=False)
    assert not any(target.met for target in demo.targets_of([failed] * 5) if target.name != "runs")
    assert not any(target.met for target in demo.targets_of([]))


def served_row(task, family, operations, solved=True):
    return {
        "suite": "s", "task": task, "family": family, "solved": solved, "verified": solved, "candidates": 3,
        "operations": operations,
    }  # fmt: skip


def test_an_operation_needs_three_tasks_of_two_families():
    rows = [
        served_row("a", "f", ["one", "two", "three"]),
        served_row("b", "f", ["two", "three"]),
        served_row("c", "g", ["two"]),
        served_row("d", "f", ["three"]),
        served_row("e", "g", ["one"], solved=False),
    ]
    counts = coverage.served(rows, ["one", "two", "three", "four"])
    assert counts == {"one": (1, 1), "two": (3, 2), "three": (3, 1), "four": (0, 0)}
    assert coverage.idle(counts) == ["four", "one", "three"]
    assert coverage.share_solved(rows, "s") == (4, 5)


def test_every_example_has_the_topic_its_readme_gives():
    from benchmarks.record import ROOT

    tasks = coverage.example_tasks(ROOT / "examples")
    assert len(tasks) >= 40
    assert "examples" not in {family for _, family, _ in tasks}


def test_importing_evolve_loads_no_heavy_package():
    assert not speed.imported() & set(speed.MUST_STAY_OUT)


def test_speed_targets_compare_the_median():
    rows = [{"measure": "episode graph, CPU ms", "seed": i, "value": v} for i, v in enumerate((5, 19, 90))]
    found = {target.name: target for target in speed.targets_of(rows)}
    assert found["episode graph, CPU ms"].met
    assert not found["candidates a CPU second"].met


def learning_file(folder, name="learning.json"):
    rows = [row("a", "unlearned", 100), row("a", "guide+library", 25), unsolved("b", "unlearned")]
    rows.append(row("b", "guide+library", 500))
    settings = {"suite": "lists", "tasks": 4, "budget": 1000, "answers_run_in": "host"}
    outcome = Outcome(
        benchmark="learning",
        seeds=1,
        quick=False,
        rows=rows,
        targets=targets_of(rows, "lists", generated=True),
        settings=settings,
    )
    (folder / name).write_text(json.dumps(outcome.to_json()), encoding="utf-8")


def test_the_page_shows_aggregates_and_drops_rows(tmp_path):
    learning_file(tmp_path)
    page = results.page(results.read(tmp_path))
    assert "## learning: lists" in page
    median = next(line for line in page.splitlines() if line.startswith("| guide+library | 2"))
    assert "| 0.25 |" in median and "[0.25" not in median  # one group has no interval
    assert "| guide+library | 2 | 2 | 1 | 2 | 2 | 0 of 2 |" in page
    assert "g-a" not in page
    assert "**no**" in page


def test_learning_comes_first_and_other_benchmarks_are_shown_too(tmp_path):
    outcome = Outcome(
        benchmark="demo",
        seeds=1,
        quick=False,
        rows=[run_of(0)],
        targets=[Target(name="runs", op=">=", target=5, value=1, n=1)],
        settings={"suite": "everyday"},
    )
    (tmp_path / "a.json").write_text(json.dumps(outcome.to_json()), encoding="utf-8")
    learning_file(tmp_path, "z.json")
    page = results.page(results.read(tmp_path))
    assert page.index("## learning") < page.index("## demo")
    assert "| 0 | 100.0 | yes |" in page


def test_a_file_of_another_kind_is_refused(tmp_path):
    (tmp_path / "x.json").write_text("{}", encoding="utf-8")
    with pytest.raises(ValueError, match=r"x\.json lacks benchmark"):
        results.read(tmp_path)
