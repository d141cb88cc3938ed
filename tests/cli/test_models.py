from __future__ import annotations

import json

import pytest

import evolve
from benchmarks.doubles import QuirkDouble
from evolve.testing import Scenario, ScriptedEndpoint


@pytest.fixture
def endpoint():
    with ScriptedEndpoint(Scenario(models=("gpt-5-mini", "a")), double=QuirkDouble()) as serving:
        yield serving


def test_without_a_model_the_search_decides(cli):
    done = cli("models")
    assert done.code == 0
    assert "program search" in done.out
    assert "evolve models default" in done.out
    assert json.loads(cli("models", "--json").out) == {"policies": ["search", "language"], "models": {}}


def test_a_default_is_written_read_and_taken_back(cli, tmp_path):
    assert cli("models", "default").out.strip() == "no language model is chosen"
    assert cli("models", "default", "gpt-5-nano,gpt-5").code == 0
    text = (tmp_path / "ws" / "evolve.toml").read_text()
    assert '\nmodel = "gpt-5-nano,gpt-5"\n' in text
    assert "# candidates" in text
    assert cli("models", "default").out.strip() == "gpt-5-nano,gpt-5"
    assert "gpt-5-nano,gpt-5" in cli("models").out
    cli("models", "default", "openai:gpt-5")
    assert json.loads(cli("models", "default", "--json").out) == {"model": "openai:gpt-5"}
    cli("models", "default", 'http://x/v1#a"b\\c')
    assert cli("models", "default").out.strip() == 'http://x/v1#a"b\\c'
    cli("models", "default", "")
    assert (tmp_path / "ws" / "evolve.toml").read_text().count("model =") == text.count("model =")
    assert json.loads(cli("models", "default", "--json").out) == {"model": ""}


def test_an_option_is_not_lost_between_the_two_words(cli, tmp_path):
    cli("models", "default", "gpt-5", "-w", tmp_path / "other")
    assert cli("-w", tmp_path / "other", "models", "default").out.strip() == "gpt-5"
    assert "gpt-5" in cli("models", "-w", tmp_path / "other").out
    done = cli("models", "-w", tmp_path / "other", "default")
    assert done.code == 2
    assert "-w must come after 'default'" in done.err
    assert cli("models", "--json", "default").code == 2


@pytest.mark.parametrize("text", ["seed = 3\n", "[evolve]\nseed = 3\n", "[evolve] # mine\nmodel = 'x'\nseed = 3"])
def test_a_default_leaves_the_other_settings_alone(cli, tmp_path, text):
    evolve.init(tmp_path / "ws")
    (tmp_path / "ws" / "evolve.toml").write_text(text)
    assert cli("models", "default", "gpt-5").code == 0
    settings = json.loads(cli("status", "--settings", "--json").out)["settings"]
    assert (settings["model"]["value"], settings["seed"]["value"]) == ("gpt-5", 3)


def test_a_workspace_in_a_pyproject_is_not_edited(cli, tmp_path):
    (tmp_path / "ws").mkdir()
    (tmp_path / "ws" / "pyproject.toml").write_text("[tool.evolve]\n")
    evolve.init(tmp_path / "ws", trust=True)
    done = cli("models", "default", "gpt-5")
    assert done.code == 3
    assert 'model = "gpt-5" under [tool.evolve]' in done.err


def test_what_an_endpoint_offers_is_listed_with_prices(cli, endpoint):
    found = json.loads(cli("models", "list", endpoint.base_url, "--json").out)
    assert found["base_url"] == endpoint.base_url
    assert found["models"] == [{"model": name, "input": 0, "output": 0} for name in ("a", "gpt-5-mini")]
    assert "gpt-5-mini" in cli("models", "list", endpoint.model).out


@pytest.mark.slow
def test_a_check_finds_out_what_works_and_remembers_it(cli, endpoint, private_home):
    found = json.loads(cli("models", "check", endpoint.model, "--json").out)[0]
    assert found["rungs"] == {"json_schema": True, "json_object": True, "fenced": True}
    assert (found["streams"], found["responses"], found["api"]) == (True, False, "chat")
    assert 0 < found["tokens"] < 2_000
    (kept,) = private_home.rglob("endpoints.json")
    assert json.loads(kept.read_text())[endpoint.model]["rungs"] == found["rungs"]


def test_a_check_of_a_modest_endpoint(cli):
    scenario = Scenario(supports=("chat", "json_object"), refuses=("max_tokens",))
    with ScriptedEndpoint(scenario, double=QuirkDouble()) as modest:
        done = cli("models", "check", modest.model)
    assert done.code == 0
    works = dict(line.rsplit(None, 1) for line in done.out.splitlines()[2:])
    assert works == {
        "structure by json_schema": "no",
        "structure by json_object": "yes",
        "structure by fenced": "yes",
        "streaming": "no",
        "Responses API": "no",
    }


def test_trouble_ends_with_the_code_for_endpoints(cli, endpoint):
    endpoint.close()
    done = cli("models", "list", endpoint.model)
    assert done.code == 4
    assert "cannot connect" in done.err


def test_a_wrong_key_is_told_with_the_next_step(cli, monkeypatch):
    with ScriptedEndpoint(Scenario(key="right")) as strict:
        monkeypatch.setenv("EVOLVE_API_KEY", "wrong-key")
        done = cli("models", "check", strict.model)
    assert done.code == 4
    assert "wrong-key" not in done.err
    assert "OPENAI_API_KEY" in done.err


@pytest.mark.slow
def test_the_longest_wait_for_a_reply_is_a_setting(cli, tmp_path):
    evolve.init(tmp_path / "ws")
    (tmp_path / "ws" / "evolve.toml").write_text("reply_seconds = 0.3")
    with ScriptedEndpoint(Scenario(replies=[{"fault": "hang"}] * 4)) as silent:
        done = cli("models", "check", silent.model)
    assert done.code == 4
    assert "no complete reply within 0.3 s" in done.err


def test_a_check_keeps_to_the_limit_of_the_day(cli, endpoint, tmp_path):
    evolve.init(tmp_path / "ws")
    (tmp_path / "ws" / "evolve.toml").write_text("day_limit = '2-calls'")
    done = cli("models", "check", endpoint.model)
    assert done.code == 5
    assert "limit of 2 calls for today" in done.err
    (tmp_path / "ws" / "evolve.toml").write_text("day_limit = 'two'")
    done = cli("models", "check", endpoint.model)
    assert done.code == 3
    assert "evolve.toml: day_limit: two: not a budget" in done.err


def test_an_endpoint_that_cannot_be_reached_is_told_as_json_too(cli):
    done = cli("models", "list", "http://127.0.0.1:9/v1", "--json")
    assert done.code == 4 and "127.0.0.1:9" in done.err
    told = json.loads(done.out)
    assert told["models"] == [] and "127.0.0.1:9" in told["problem"]


def test_a_missing_key_of_a_host_that_needs_one_is_said_at_once(cli, monkeypatch):
    for name in ("OPENAI_API_KEY", "EVOLVE_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    done = cli("models", "check", "gpt-5-mini")
    assert done.code and "OPENAI_API_KEY is not set" in " ".join(done.err.split()) and "times)" not in done.err
