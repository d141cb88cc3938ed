"""``evolve status`` as a person and a program call it."""

from __future__ import annotations

import json

import pytest

import evolve
from tests.golden.make import unpack


def test_it_says_which_workspace_and_makes_nothing(cli, tmp_path):
    told = json.loads(cli("status", "--json").out)
    assert (told["workspace"], told["exists"], told["trusted"]) == (str(tmp_path / "ws"), False, True)
    assert (told["model"], told["waiting"], told["unfinished"], told["loop"]) == ("", [], [], None)
    assert list(tmp_path.iterdir()) == []


def test_settings_come_with_their_origin(cli, made, monkeypatch):
    monkeypatch.setenv("EVOLVE_WORKERS", "2")
    monkeypatch.setenv("EVOLVE_ALL", "1")
    told = json.loads(cli("status", "--settings", "--json").out)
    assert told["settings"]["workers"] == {"value": 2, "source": "EVOLVE_WORKERS"}
    assert told["variables"]["EVOLVE_WORKERS"] is True and told["unread_variables"] == ["EVOLVE_ALL"]
    assert told["workspace"] == str(made)


def test_another_process_that_writes_is_not_waited_for(cli, made):
    with evolve.open(made):
        assert cli("status").code == 0


def test_what_is_missing_is_code_3(cli, made, monkeypatch):
    (made / "evolve.toml").write_text("candidatse = 3\n")
    found = cli("status", "--json")
    assert found.code == 3
    told = json.loads(found.out)
    assert not told["ok"] and [one["part"] for one in told["checks"] if one["state"] == "missing"] == ["settings"]


@pytest.mark.parametrize("options", ["--pause", "--resume", "--stop", "--stop --pause", "--repair --stop"])
def test_without_a_loop_there_is_none_to_steer(cli, made, options):
    assert cli("status", *options.split()).code == 2


def test_a_run_that_waits_is_named_with_its_question(cli, tmp_path):
    unpack("question-waiting", tmp_path)
    told = json.loads(cli("status", "--json").out)
    assert [one["run"] for one in told["waiting"]] == ["r1"] and told["waiting"][0]["question"]
    assert "evolve runs answer r1" in cli("status").out


def test_a_run_that_no_key_let_begin_is_not_called_cut_off(cli, monkeypatch):
    for name in ("OPENAI_API_KEY", "EVOLVE_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    assert cli("run", "What is one and one?", "--model", "gpt-5-mini").code == 4
    assert json.loads(cli("status", "--json").out)["unfinished"] == []
    assert [run["state"] for run in json.loads(cli("runs", "list", "--json").out)] == ["left"]
