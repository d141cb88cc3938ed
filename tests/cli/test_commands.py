"""Commands on a workspace that has learned something."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace

import pytest

import evolve
from benchmarks.doubles import slow_learner, small_suite
from evolve.cli.render.report import show_details
from evolve.tasks import render_jsonl
from evolve.testing import TrustingSandbox
from tests.write_protection import without_power_over_permissions


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """Where the workspace of :func:`trained` is kept, and the report of its loop once there is one."""
    return tmp_path_factory.mktemp("trained"), []


@pytest.fixture
def trained(kept, tmp_path, monkeypatch):
    """A workspace with one finished loop, made by a stand-in policy; the loop runs once, and every test has a copy."""
    folder, reports = kept
    if not reports:
        reports.append(improved(folder, monkeypatch))
    evolve.init(shutil.copytree(folder / "ws", tmp_path / "ws"), trust=True)
    return reports[0]


def improved(folder, monkeypatch):
    file = folder / "small.jsonl"
    file.write_text(render_jsonl(small_suite(60).tasks))
    monkeypatch.setenv("EVOLVE_WORKERS", "1")
    monkeypatch.setattr("evolve.workspace.loops.improving.sandbox_opener", lambda *_: TrustingSandbox)
    with evolve.open(folder / "ws", policy=slow_learner()) as workspace:
        workspace._sandbox = TrustingSandbox()
        return workspace.improve(file, rounds=1)


@pytest.mark.slow
def test_the_report_shows_arms_interval_and_looks(cli, trained, tmp_path):
    text = cli("report", "--curve", "curve.svg", "--details").out
    for part in ("unlearned", "learned", "not run", "95 % interval", "opened once", "learning helped", "4 insights"):
        assert part in text
    assert (tmp_path / "curve.svg").read_text().startswith("<svg")
    told = json.loads(cli("report", "--json").out)
    assert told.pop("changes") == []
    assert told == json.loads(json.dumps(trained.to_json()))


def test_what_an_earlier_run_promoted_is_named(trained, capsys):
    assert trained.promoted_by == trained.run
    show_details(replace(trained, run="r7"))
    said = capsys.readouterr().out
    assert f"measured was the variant {trained.promoted[:12]} that {trained.run} promoted, not this run" in said


def test_runs_can_be_listed_shown_and_replayed(cli, trained):
    (run,) = json.loads(cli("runs", "list", "--json").out)
    assert (run["kind"], run["state"]) == ("improve", "done")
    episodes = json.loads(cli("runs", "show", run["id"], "--json").out)
    assert run["episodes"] == len(episodes)
    assert episodes[0]["episode"][:10] in cli("runs", "show", run["id"]).out
    text = cli("why", episodes[0]["episode"][:12], "--steps").out
    assert "step 1: code" in text and "accepted" in text and "claim:" in text
    assert json.loads(cli("why", episodes[0]["episode"], "--json").out)["task"] == episodes[0]["task"]


SEEDS_TOLD = "3 skills from evolve: --seeds shows them\n"
READING = [
    ("report",),
    ("runs", "list"),
    ("memory", "list"),
    ("why", "solved"),
    ("skills", "list"),
]


@pytest.mark.slow
def test_a_workspace_that_cannot_be_written_can_be_read(cli, start_cli, trained, tmp_path):
    writable = {command: cli(*command).out for command in READING}
    parts = {part: part.stat().st_mode for part in (tmp_path / "ws", *(tmp_path / "ws").rglob("*"))}
    for part, mode in parts.items():
        part.chmod(mode & 0o555)
    try:
        for command in READING:
            reader = start_cli(*command, preexec_fn=without_power_over_permissions)
            out, err = reader.communicate(timeout=300)
            assert (reader.returncode, out) == (0, writable[command])
            assert err in ("", SEEDS_TOLD)
        writer = start_cli("memory", "note", "dates are day first", preexec_fn=without_power_over_permissions)
        out, err = writer.communicate(timeout=300)
        assert (writer.returncode, out) == (3, "") and "permission denied" in err
    finally:
        for part, mode in parts.items():
            part.chmod(mode)


@pytest.mark.slow
def test_memory_can_be_listed_shown_explained_and_forgotten(cli, trained):
    found = json.loads(cli("memory", "list", "--json").out)["insights"]
    assert {one["status"] for one in found} == {"confirmed"}
    assert found[0]["id"][:10] in cli("memory", "list", "--status", "confirmed").out
    assert "intervention" in cli("why", found[0]["id"][:8]).out
    assert "solved" in cli("why", "solved").out
    assert json.loads(cli("why", "solved", "--json").out)
    assert cli("memory", "recall", "give the total").out.startswith("kind")
    assert json.loads(cli("lab", "memory", "check", "--json").out)["ok"]
    assert cli("forget", found[0]["id"][:8]).out.startswith("forgot the insight ")
    active = json.loads(cli("lab", "variants", "list", "--json").out)["active"]
    done = cli("forget", "--all")
    assert done.out == f"forgot {len(found) - 1} insights\nactive: unlearned, before {active[:12]}\n"
    assert f"{active[:12]} goes, which was judged with them: guide, insights" in done.err
    assert cli("memory", "list").out == "evolve remembers nothing yet\n"


def test_notes_are_shown_with_their_author(cli):
    cli("memory", "note", "dates are day first")
    assert "dates are day first" in cli("memory", "list").out


def test_generated_suites_load_again_and_are_the_same_for_a_seed(cli, tmp_path, generators):
    cli("lab", "tasks", "generate", "lists", "--n", "12", "--seed", "5", "--out", "a.jsonl")
    again = cli("lab", "tasks", "generate", "lists", "--n", "12", "--seed", "5").out
    assert (tmp_path / "a.jsonl").read_text() == again
    shown = json.loads(cli("lab", "tasks", "show", "a.jsonl", "--json").out)
    assert len(shown["tasks"]) == 12
    task = shown["tasks"][0]["id"]
    assert "def " in cli("lab", "tasks", "show", f"a.jsonl#{task}").out


@pytest.mark.slow
def test_a_suite_that_ships_is_written_where_nothing_draws_tasks(cli, tmp_path):
    cli("lab", "tasks", "generate", "lists", "--out", "a.jsonl")
    ours, theirs = (json.loads(cli("lab", "tasks", "show", name, "--json").out) for name in ("lists", "a.jsonl"))
    assert {**ours, "name": "a"} == theirs


def test_showing_a_task_does_not_show_the_rows_kept_back(cli, tmp_path):
    rows = [{"input": [number], "output": number * 1000 + 77} for number in range(9)]
    task = {"id": "t", "family": "f", "instruction": "i", "examples": rows[:3], "hidden": rows[3:]}
    (tmp_path / "t.json").write_text(json.dumps(task))
    for extra in ([], ["--json"]):
        out = cli("lab", "tasks", "show", "t.json", *extra).out
        assert "2077" in out.replace(",", "") and "4077" not in out


def test_init_and_status_agree(cli, tmp_path, monkeypatch):
    monkeypatch.delenv("EVOLVE_WORKSPACE")
    assert cli("init").out.startswith("made a workspace")
    assert cli("init").out.startswith("already a workspace")
    assert json.loads(cli("status", "--json").out)["workspace"] == str(tmp_path)
    monkeypatch.setenv("EVOLVE_CANDIDATES", "123")
    settings = json.loads(cli("status", "--settings", "--json").out)["settings"]
    assert settings["candidates"] == {"value": 123, "source": "EVOLVE_CANDIDATES"}
    assert settings["seed"]["source"] == "default"


def test_status_makes_nothing(cli, tmp_path):
    assert cli("status").code == 0
    assert list(tmp_path.iterdir()) == []


def test_status_checks_every_part_and_tells_what_is_not_in_order(cli, monkeypatch):
    monkeypatch.setenv("LANGSMITH_TRACING", "true")
    parts = [one["part"] for one in json.loads(cli("status", "--json").out)["checks"]]
    done = cli("status")
    assert parts == [
        "workspace",
        "sandbox",
        "encoder",
        "index",
        "policy",
        "record",
        "bodies",
        "spending",
        "disk",
        "extensions",
        "privacy",
    ]
    assert "LANGSMITH_TRACING" in done.out


def test_preferences_are_stated_changed_and_deleted_and_one_that_is_unknown_is_named(cli, tmp_path):
    kept = json.loads(cli("memory", "preferences", "add", "Dates day first", "--about", "the meetings", "--json").out)
    assert kept["contexts"] == [{"instruction": "the meetings", "family": "", "folder": ""}]
    assert "the meetings" in cli("memory", "preferences", "list").out
    cli("memory", "preferences", "edit", kept["id"][:8], "Dates month first", "--dir", tmp_path)
    told = cli("memory", "preferences", "show", kept["id"][:8]).out
    assert "Dates month first" in told and str(tmp_path) in told and "    Dates day first" in told
    assert cli("forget", kept["id"][:8]).out.startswith("forgot the preference ")
    unknown = cli("memory", "preferences", "show", "ffff")
    assert (unknown.code, "evolve memory preferences list" in unknown.err) == (2, True)


@pytest.mark.parametrize(
    "words",
    [("-w", "mine", "runs", "list"), ("runs", "-w", "mine", "list"), ("runs", "list", "-w", "mine")],
)
def test_a_workspace_may_be_named_wherever_a_command_line_has_room_for_it(cli, tmp_path, words):
    with evolve.open(tmp_path / "mine"):
        pass
    done = cli(*words)
    assert (done.code, done.out) == (0, "no runs yet\n")


def test_the_list_of_memory_has_preferences_and_why_tells_of_one(cli):
    cli("memory", "preferences", "add", "no emojis in documentation")
    (kept,) = json.loads(cli("memory", "list", "--json").out)["preferences"]
    assert kept["id"][:8] in cli("memory", "list").out
    told = json.loads(cli("why", kept["id"][:8], "--json").out)
    assert (told["kind"], told["id"]) == ("preference", kept["id"])
    assert "no emojis in documentation" in cli("why", kept["id"]).out
