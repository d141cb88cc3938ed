import json
import os
import random
import signal
import subprocess
import sys
import tempfile
from datetime import date, timedelta
from pathlib import Path

import pytest

from benchmarks.suites import draw_suite
from evolve.cli.demo import CANDIDATES, MARCH, TASKS, Month, fill_first_month, fill_second_month
from evolve.cli.render.demo import LONGER, VERDICTS, DemoScreen
from evolve.tasks import render_jsonl
from tests.cli.conftest import ROOT

WAYS = (
    ("weekday", "%A"),
    ("day", "%a"),
    ("month", "%B"),
)
NO_LEARNING = """
stages = ["recall", "plan", "act", "observe", "judge", "commit"]
[routes.judge]
again = "act"
stop = "commit"
"""


def quiet():
    lines = []
    return DemoScreen(lambda text="", **_: lines.append(text)), lines


def drawn(seed):
    rng = random.Random(seed)
    column, way = WAYS[seed % len(WAYS)]
    days = [date(2020 + seed, 1, 1) + timedelta(days=n) for n in rng.sample(range(365), 13)]
    rows = [(day.isoformat(), f"{day:{way}}") for day in days]
    return tuple(Month(header=("date", column), rows=part, given=n) for part, n in ((rows[:9], 7), (rows[9:], 1)))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_what_was_learned_in_one_month_helps_in_the_next(seed, tmp_path, private_home):
    found = fill_first_month(tmp_path, *drawn(seed), quiet()[0])
    empty, memory = found["empty"], found["memory"]
    assert memory["used"] and not empty["used"]
    assert (memory["right"], -memory["flagged"]) > (empty["right"], -empty["flagged"])
    assert memory["right"] >= empty["right"]


@pytest.mark.slow
def test_without_memory_the_next_month_comes_out_the_same(tmp_path, private_home):
    found = fill_first_month(tmp_path, *drawn(0), quiet()[0], memory=False)
    assert found["empty"] == found["memory"]


def practised(folder, seed):
    """The second act on a suite that is drawn anew, with what it said and what is on record of it."""
    import evolve

    show, lines = quiet()
    found = fill_second_month(folder, render_jsonl(draw_suite("composed", seed=seed).tasks[:TASKS]), show)
    with evolve.open(folder / "loop", read_only=True) as opened:
        return found, "\n".join(lines), opened.report()


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_the_second_act_shows_a_gain_where_the_gate_accepted_one(seed, tmp_path, private_home):
    found, said, report = practised(tmp_path, seed)
    assert found["verdict"] == report.rounds[-1].verdict
    assert VERDICTS[found["verdict"]] + ":" in said
    assert found["practised"] and found["solved"]
    if found["verdict"] == "accept":
        before, after = found["before"], found["after"]
        assert (before["of"], report.promoted != "") == (after["of"], True)
        assert after["solved"] > before["solved"] and found["gain"]["low"] > 0
        assert f"{before['solved']} of {before['of']}" in said and LONGER not in said
    else:
        assert (found["promoted"], found["before"], found["after"], report.promoted) == (False, None, None, "")
        assert found["gain"]["value"] is None
        assert LONGER in said and "95 %" not in said


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 3])
def test_a_loop_that_learns_nothing_shows_no_gain(seed, tmp_path, private_home):
    import evolve

    loop = evolve.init(tmp_path / "loop").paths.root
    (loop / "prompts" / "workflow.toml").write_text(NO_LEARNING)
    found, said, _ = practised(tmp_path, seed)
    assert found["practised"] and found["solved"]
    assert not found["promoted"]
    assert found["verdict"] != "accept"
    assert found["after"] is None and found["gain"]["value"] is None
    assert LONGER in said


@pytest.mark.slow
def test_the_second_act_keeps_to_its_candidates(tmp_path, private_home):
    import evolve

    tasks = draw_suite("composed").tasks[:6]  # too few to prove a gain: the act must practise and say so
    found = fill_second_month(tmp_path, render_jsonl(tasks), quiet()[0])
    assert not found["promoted"] and found["practised"] and (found["pairs"], found["after"]) == (0, None)
    settings = {one.name: one.value for one in evolve.config(tmp_path / "loop").settings}
    assert settings["candidates"] == CANDIDATES


def test_a_month_counts_only_cells_that_were_blank(tmp_path):
    table = tmp_path / "table.csv"
    MARCH.write(table)
    assert MARCH.count_right_cells(table) == 0
    Month(header=MARCH.header, rows=MARCH.rows, given=len(MARCH.rows)).write(table)
    assert MARCH.count_right_cells(table) == MARCH.blank_cells == 3
    assert MARCH.count_right_cells(None) == 0


def test_a_folder_that_holds_something_is_left_alone(cli, tmp_path):
    mine = Path(tmp_path, "mine")
    mine.mkdir()
    (mine / "table.csv").write_text("a,b\n")
    done = cli("demo", "--dir", "mine")
    assert done.code == 2
    assert [path.name for path in mine.iterdir()] == ["table.csv"]


@pytest.mark.parametrize("named", ["table.csv", "table.csv/new"])
def test_where_no_folder_can_be_is_told(cli, tmp_path, named):
    (tmp_path / "table.csv").write_text("a,b\n")
    done = cli("demo", "--dir", named)
    assert done.code == 2
    assert (tmp_path / "table.csv").read_text() == "a,b\n"


def stopped(folder, *options, **env):
    """What a demonstration that was interrupted at its beginning says last."""
    program = [sys.executable, "-m", "evolve", "demo", *options]
    env = {**os.environ, "PYTHONPATH": str(ROOT), **env}
    process = subprocess.Popen(program, cwd=folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    process.stdout.readline()
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=120)
    assert process.returncode == 130
    return told.strip()


def test_what_was_interrupted_says_where_it_is(tmp_path, private_home):
    told = stopped(tmp_path, "--dir", "here")
    assert str(tmp_path / "here") in told and told.endswith("evolve demo")


def test_what_was_interrupted_leaves_no_temporary_folder(tmp_path, private_home):
    Path(tmp_path, "temporary").mkdir()
    told = stopped(tmp_path, TMPDIR=str(tmp_path / "temporary"))
    assert told.endswith("evolve demo")
    assert not list(Path(tmp_path, "temporary").iterdir())


def test_without_a_temporary_folder_it_says_how_to_name_one(cli, tmp_path, monkeypatch):
    Path(tmp_path, "temporary").write_text("no folder")
    with monkeypatch.context() as changed:
        changed.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
        done = cli("demo")
    assert done.code == 3
    assert done.err.strip().endswith("evolve demo --dir NEW")


@pytest.mark.slow
def test_the_facts_come_as_one_object(cli, tmp_path):
    done = cli("demo", "--dir", "here", "--json")
    facts = json.loads(done.out)
    assert done.code == 0
    assert facts["table"]["memory"]["right"] > facts["table"]["empty"]["right"]
    assert facts["suite"]["promoted"] == (facts["suite"]["verdict"] == "accept")
    assert facts["cpu_seconds"] > 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["here"]
    assert cli("demo", "--dir", "here").code == 2
    assert cli("fill", "here/march.csv").code == 0  # as the README has a reader do
    assert (tmp_path / "here" / "march.filled.csv").exists()
