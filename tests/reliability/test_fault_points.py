"""Fault points: every one has a place and a meaning, and without a plan none does anything."""

from __future__ import annotations

import ast
import errno
import fnmatch
import os
import subprocess
import sys

import pytest

from evolve.core import failpoints as faults
from evolve.core.errors import UsageError
from evolve.core.failpoints import POINTS, VARIABLE, hit_failpoint
from tests.architecture.source import ROOT, called_name


def call_sites():
    """Patterns of the names with which ``hit`` is called; what is filled in at run time is a star."""
    for path in sorted((ROOT / "evolve").rglob("*.py")):
        text = path.read_text("utf-8")
        for node in ast.walk(ast.parse(text)) if "hit_failpoint(" in text else ():
            if isinstance(node, ast.Call) and called_name(node) in ("hit_failpoint", "faults.hit_failpoint"):
                (name,) = node.args
                parts = name.values if isinstance(name, ast.JoinedStr) else [name]
                place = path.relative_to(ROOT).as_posix()
                yield place, "".join(p.value if isinstance(p, ast.Constant) else "*" for p in parts)


@pytest.mark.slow
def test_every_point_is_somewhere_and_every_place_is_a_point():
    sites = list(call_sites())
    assert [(place, name) for place, name in sites if not fnmatch.filter(POINTS, name)] == []
    assert [point for point in POINTS if not any(fnmatch.fnmatch(point, name) for _, name in sites)] == []


def test_a_point_has_one_place_so_that_a_count_means_something():
    fixed = [name for _, name in call_sites() if "*" not in name]
    assert sorted({name for name in fixed if fixed.count(name) > 1}) == ["sandbox.after", "sandbox.before"]


def test_without_a_plan_nothing_happens():
    before = dict(os.environ)
    for point in POINTS:
        hit_failpoint(point)
    assert dict(os.environ) == before


def test_the_fault_comes_at_the_count_and_once(monkeypatch):
    monkeypatch.setenv(VARIABLE, "record.begin:2:full, file.begin:1:full")
    hit_failpoint("record.begin")
    hit_failpoint("record.commit.after")
    with pytest.raises(OSError) as full:
        hit_failpoint("record.begin")
    assert full.value.errno == errno.ENOSPC
    hit_failpoint("record.begin")
    with pytest.raises(OSError):
        hit_failpoint("file.begin")
    assert os.environ[VARIABLE] == ""


def test_a_started_process_counts_on_for_itself(monkeypatch):
    monkeypatch.setenv(VARIABLE, "file.begin:2:full")
    hit_failpoint("file.begin")
    script = (
        "from evolve.core.failpoints import hit_failpoint\n"
        "try: hit_failpoint('file.begin')\nexcept OSError: print('full')"
    )
    child = [sys.executable, "-S", "-c", script]
    assert subprocess.run(child, capture_output=True, cwd=ROOT, text=True, check=True).stdout == "full\n"
    assert os.environ[VARIABLE] == "file.begin:1:full"


def test_points_reached_are_listed(monkeypatch, tmp_path):
    monkeypatch.setenv(VARIABLE, f">{tmp_path / 'points'}")
    for point in ("file.begin", "record.begin", "file.begin"):
        hit_failpoint(point)
    assert (tmp_path / "points").read_text().split() == ["file.begin", "record.begin", "file.begin"]


@pytest.mark.parametrize("action", ["kill", "term", "int"])
def test_signals_reach_the_process_itself(action):
    script = "import sys; from evolve.core.failpoints import hit_failpoint; hit_failpoint('file.begin'); sys.exit(9)"
    env = {**os.environ, VARIABLE: f"file.begin:1:{action}"}
    ended = subprocess.run([sys.executable, "-S", "-c", script], cwd=ROOT, env=env, stderr=subprocess.DEVNULL)
    assert ended.returncode == -{"kill": 9, "term": 15, "int": 2}[action]


def test_a_stalled_process_does_nothing_for_a_while(monkeypatch):
    waited = []
    monkeypatch.setattr(faults.time, "sleep", waited.append)
    monkeypatch.setenv(VARIABLE, "file.begin:1:stall")
    hit_failpoint("file.begin")
    assert waited == [60.0]


@pytest.mark.parametrize("plan", ["file.begn:1:kill", "file.begin:0:kill", "file.begin:1:explode", "file.begin"])
def test_what_is_no_plan_is_refused_in_words(monkeypatch, plan):
    monkeypatch.setenv(VARIABLE, plan)
    with pytest.raises(UsageError, match="EVOLVE_FAULT=file.beg"):
        hit_failpoint("file.begin")


def test_the_page_on_reliability_lists_every_point():
    page = (ROOT / "docs" / "reliability.md").read_text("utf-8")
    rows = [line for line in page.splitlines() if line.startswith("| `") and line.count("|") == 3]
    assert {f"| `{name}` | {text} |" for name, text in POINTS.items()} <= set(rows)
