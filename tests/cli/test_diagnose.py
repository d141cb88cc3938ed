"""``evolve diagnose`` and ``evolve memory graph`` as a person calls them."""

from __future__ import annotations

import json

import pytest

ROWS = "name,short\n" + "".join(
    f"{first} {last},{first[0]}. {last.upper()}\n"
    for first, last in (
        name.split() for name in ["Ann Lee", "Bob Ray", "Cy Dow", "Dee Fox", "Eve Kay", "Flo Jon", "Gus Hill"]
    )
)


@pytest.fixture
def failed(cli, tmp_path):
    (tmp_path / "names.csv").write_text(ROWS)
    assert cli("run", "--examples", "names.csv", "--budget", "100-candidates", "--learn", "off").code == 5


@pytest.mark.slow
def test_it_names_the_cause_and_what_to_try(cli, failed):
    done = cli("diagnose", "r1")
    assert done.code == 0
    assert "r1 failed: nothing found within 100 candidates" in done.out
    assert "cause (0.80): budget" in done.out and "with 4 times as much it is solved" in done.out
    assert "try: the same run again with a larger --budget" in done.out


def test_nothing_is_had_again_where_that_is_not_wanted(cli, failed):
    done = cli("diagnose", "r1", "--no-replay")
    assert "suspicion (0.80): budget" in done.out and "try: evolve diagnose r1 --replay" in done.out


@pytest.mark.slow
def test_as_json_it_is_one_object(cli, failed):
    told = json.loads(cli("diagnose", "r1", "--json").out)
    assert told["state"] == "failed" and told["suspects"][0]["verdict"] == "cause" and told["replays"] == 2


def test_a_run_that_is_not_there_is_a_mistake_of_the_command(cli, made):
    done = cli("diagnose", "r9")
    assert done.code == 2 and "r9" in done.err


@pytest.mark.slow
def test_a_task_of_a_loop_is_named_and_can_be_diagnosed_further(cli, tmp_path):
    (tmp_path / "ws").mkdir()
    (tmp_path / "ws" / "evolve.toml").write_text("candidates = 200\nworkers = 1\n")
    done = cli("improve", "composed", "--rounds", "1", "--budget", "3k-candidates")
    many = cli("diagnose", "r1")
    assert many.code == 2 and "several tasks" in many.err and "evolve diagnose EPISODE" in many.err, done.err
    made = json.loads(cli("runs", "show", "r1", "--json").out)
    episode = next(one["episode"] for one in made if one["status"] != "solved")
    told = cli("diagnose", episode, "--no-replay").out
    assert told.startswith("task ") and " of r1 failed" in told
    assert f"evolve diagnose {episode[:10]} --replay" in told


@pytest.mark.slow
def test_a_run_that_went_well_is_told_so(cli, tmp_path):
    (tmp_path / "names.csv").write_text(ROWS)
    assert cli("run", "--examples", "names.csv").code == 0
    assert cli("diagnose", "r1").out.startswith("r1 went well: ")
    assert cli("memory", "graph", "--out", "graph.svg").code == 0
    assert (tmp_path / "graph.svg").read_text().startswith("<svg")
    assert cli("memory", "graph").out.startswith("flowchart LR")
