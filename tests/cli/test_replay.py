"""A recording in place of an endpoint: the same run again, at no cost, on any machine."""

from __future__ import annotations

import json

import pytest

from benchmarks.doubles import QuirkDouble, quirk_suite
from evolve.tasks import render_jsonl
from evolve.testing import Scenario, ScriptedEndpoint


@pytest.fixture
def tasks(tmp_path):
    file = tmp_path / "quirks.jsonl"
    file.write_text(render_jsonl(quirk_suite(8).tasks))
    return file


@pytest.fixture
def made(cli, tasks):
    """Runs a command with a recording, ends the endpoint, and gives the model's name and what was printed."""

    def record(*command):
        with ScriptedEndpoint(double=QuirkDouble()) as serving:
            done = cli(*command, "--model", serving.model, "--json")
            # A loop over so few tasks keeps nothing.
            assert done.code == (1 if command[0] == "improve" else 0), done.err
            return serving.model, json.loads(done.out)

    return record


@pytest.mark.slow
@pytest.mark.parametrize("place", ["rec", "rec.jsonl"])
def test_a_run_is_replayed_without_an_endpoint(cli, made, tasks, place):
    model, first = made("run", f"{tasks}#quirk-00", "--record", place)
    again = ("run", f"{tasks}#quirk-00", "--model", model, "--replay", place, "-w", "other", "--json")
    done = cli(*again)
    assert done.code == 0, done.err
    second = json.loads(done.out)
    assert (second["answer"], second["learned"], second["verified"]) == (first["answer"], first["learned"], True)
    assert (first["cost"]["calls"] > 0, second["cost"]["calls"], second["cost"]["tokens"]) == (True, 0, 0)


@pytest.mark.slow
def test_what_is_not_recorded_is_named_and_can_be_added(cli, made, tasks):
    model, _ = made("run", f"{tasks}#quirk-00", "--record", "rec")
    done = cli("run", f"{tasks}#quirk-01", "--model", model, "--replay", "rec", "-w", "other")
    assert (done.code, done.out) == (4, "")
    digest = done.err.partition("nothing is recorded for the request ")[2].split()[0]
    assert len(digest) == 64
    assert "--record in place of --replay" in done.err
    assert cli("models", "check", model, "--replay", "rec").code == 4


def test_a_check_is_recorded_with_what_the_endpoint_refused(cli):
    with ScriptedEndpoint(Scenario(supports=("chat", "json_object")), double=QuirkDouble()) as modest:
        first = cli("models", "check", modest.model, "--record", "rec", "--json")
    again = cli("models", "check", modest.model, "--replay", "rec", "--json")
    assert again.code == 0, again.err
    found, known = json.loads(again.out)[0], json.loads(first.out)[0]
    assert (found["rungs"], found["streams"]) == (known["rungs"], known["streams"])
    assert found["tokens"] == 0 < known["tokens"]


def test_wrong_options_are_told_before_anything_is_made(cli, tasks, tmp_path):
    model = "http://localhost:1/v1#m"
    both = cli("run", f"{tasks}#quirk-00", "--model", model, "--replay", "a", "--record", "b")
    assert both.code == 2 and "leave one of them out" in both.err
    missing = cli("run", f"{tasks}#quirk-00", "--model", model, "--replay", "nowhere")
    assert missing.code == 2 and "no recording at" in missing.err and "nowhere makes one" in missing.err
    (tmp_path / "text.txt").write_text("no recording")
    assert cli("improve", tasks, "--model", model, "--replay", "text.txt").code == 2
    assert not (tmp_path / "ws").exists()
    search = cli("run", f"{tasks}#quirk-00", "--record", "rec")
    assert search.code == 2 and "--model" in search.err


@pytest.mark.slow
def test_a_loop_is_replayed_without_an_endpoint(cli, made, tasks):
    model, first = made("improve", tasks, "--rounds", "1", "--record", "rec")
    done = cli("improve", tasks, "--rounds", "1", "--model", model, "--replay", "rec", "-w", "other", "--json")
    assert done.code == 1, done.err
    second = json.loads(done.out)
    assert [row["solved"] for row in second["rounds"]] == [row["solved"] for row in first["rounds"]]
    assert second["spent"]["tokens"] == 0 < first["spent"]["tokens"]
