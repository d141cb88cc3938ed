"""``evolve why`` and ``evolve memory graph`` as a person calls them."""

from __future__ import annotations

import json

import pytest

import evolve
from tests.golden.make import unpack

ROWS = "name,short\n" + "".join(
    f"{first} {last},{first[0]}. {last.upper()}\n"
    for first, last in (
        name.split() for name in ["Ann Lee", "Bob Ray", "Cy Dow", "Dee Fox", "Eve Kay", "Flo Jon", "Gus Hill"]
    )
)


@pytest.fixture
def failed(cli, tmp_path):
    (tmp_path / "names.csv").write_text(ROWS)
    assert cli("run", "--examples", "names.csv", "--budget", "100-candidates", "--set", "learn=off").code == 5


@pytest.mark.slow
def test_it_names_the_cause_and_what_to_try(cli, failed):
    done = cli("why", "r1")
    assert done.code == 0
    assert "r1 failed: nothing found within 100 candidates" in done.out
    assert "cause (0.80): budget" in done.out and "with 4 times as much it is solved" in done.out
    assert "try: the same run again with a larger --budget" in done.out


def test_nothing_is_had_again_where_that_is_not_wanted(cli, failed):
    done = cli("why", "r1", "--no-replay")
    assert "suspicion (0.80): budget" in done.out and "try: evolve why r1 --replay" in done.out


@pytest.mark.slow
def test_as_json_it_is_one_object(cli, failed):
    told = json.loads(cli("why", "r1", "--json").out)
    assert told["state"] == "failed" and told["suspects"][0]["verdict"] == "cause" and told["replays"] == 2


def test_a_run_that_is_not_there_is_a_mistake_of_the_command(cli, made):
    done = cli("why", "r9")
    assert done.code == 2 and "r9" in done.err


@pytest.mark.slow
def test_a_task_of_a_loop_is_named_and_can_be_diagnosed_further(cli, tmp_path):
    evolve.init(tmp_path / "ws")
    (tmp_path / "ws" / "evolve.toml").write_text("candidates = 200\nworkers = 1\n")
    done = cli("improve", "composed", "--rounds", "1", "--budget", "3k-candidates")
    assert done.code == 1, "nothing was kept"
    many = cli("why", "r1")
    assert many.code == 0 and "several tasks" in many.out, done.err
    made = json.loads(cli("runs", "show", "r1", "--json").out)
    episode = next(one["episode"] for one in made if one["status"] != "solved")
    assert f"evolve why {episode[:10]}" in many.out
    told = cli("why", episode, "--no-replay").out
    assert told.startswith("task ") and " of r1 failed" in told
    assert f"evolve why {episode[:10]} --replay" in told


@pytest.mark.slow
def test_a_run_that_went_well_is_told_so(cli, tmp_path):
    (tmp_path / "names.csv").write_text(ROWS)
    assert cli("run", "--examples", "names.csv").code == 0
    assert cli("why", "r1").out.startswith("r1: verified")
    assert cli("memory", "graph", "--out", "graph.svg").code == 0
    assert (tmp_path / "graph.svg").read_text().startswith("<svg")
    assert cli("memory", "graph").out.startswith("flowchart LR")


@pytest.fixture
def learned(tmp_path, private_home):
    unpack("learned", tmp_path)
    return tmp_path / "ws"


def test_an_insight_is_found_by_its_id_its_claim_and_its_sentence(cli, learned):
    with evolve.open(learned, read_only=True) as opened:
        insight = opened.memory.list()[0]
        sentence = opened.memory.sentences()[insight.id].text
    claim = f"{insight.cause} - {insight.relation} - {insight.effect}"
    for words in (insight.id[:12], claim, sentence):
        told = json.loads(cli("why", words, "--json").out)
        assert (told["kind"], told["id"]) == ("insight", insight.id), words
        assert told["evidence_rows"] and told["counts"] and told["chains"]


def test_a_skill_is_told_by_what_it_rests_on(cli, learned):
    with evolve.open(learned, read_only=True) as opened:
        skill = opened.skills.list()[0]
    told = json.loads(cli("why", skill.name, "--json").out)
    assert (told["kind"], told["name"], told["tasks"]) == ("skill", skill.name, list(skill.tasks))


def test_a_run_has_a_verdict_with_reasons_and_its_steps_from_the_record(cli, learned):
    run = next(run for run in json.loads(cli("runs", "list", "--json").out) if run["kind"] == "run")
    told = json.loads(cli("why", run["id"], "--steps", "--json").out)
    assert (told["kind"], told["run"]) == ("run", run["id"])
    assert told["verdict"] in ("verified", "checked", "unchecked", "doubtful") and told["reasons"]
    assert told["steps"][0]["episode"] == told["episode"] and told["replays"] == 0
    assert json.loads(cli("why", told["episode"][:12], "--json").out)["run"] == run["id"]


@pytest.mark.parametrize("name", ["r99", "", "\0", "no such thing", "%", "--", "a" * 5000])
def test_what_names_nothing_is_a_mistake_that_says_what_there_is(cli, learned, name):
    done = cli("why", "--", name)
    assert done.code == 2 and "try: evolve " in done.err


def test_steps_and_replays_are_of_runs_alone(cli, learned):
    assert cli("why", "solved", "--steps").code == 2


@pytest.mark.slow
def test_a_contested_answer_is_doubtful(cli, tmp_path):
    (tmp_path / "names.csv").write_text(ROWS)
    assert cli("run", "--examples", "names.csv").code == 0
    with evolve.open(tmp_path / "ws") as opened:
        run = opened.runs.show("r1").run
        opened.stores.runs.replace_body("r1", {**run.body, "contested": "another function fits as well"})
    told = json.loads(cli("why", "r1", "--json").out)
    assert told["verdict"] == "doubtful" and told["reasons"][0] == "another function fits as well"


def test_a_skill_may_be_called_without_the_mark_behind_its_name(cli, learned):
    with evolve.open(learned, read_only=True) as opened:
        skills = opened.skills.list()
    beginnings = [skill.name.rpartition("-")[0] for skill in skills]
    one = next(skill for skill in skills if beginnings.count(skill.name.rpartition("-")[0]) == 1)
    short = one.name.rpartition("-")[0]
    assert json.loads(cli("why", short, "--json").out)["name"] == one.name
    assert json.loads(cli("skills", "show", short, "--json").out)["name"] == one.name
    assert cli("skills", "show", one.name[:3] + "x").code == 2
