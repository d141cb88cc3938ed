"""``evolve lab optimize --only prompts`` by a user: a wrong item of ``prompts/act.md`` is found, mended, proved."""

from __future__ import annotations

import json
import re
import signal
from collections import Counter

import pytest

import evolve
from benchmarks.doubles.quirks import quirk_family
from evolve.core.prompts import PromptLayers, load_prompt
from evolve.tasks import render_jsonl
from evolve.testing import ScriptedEndpoint, question_of
from tests.doubles.advice import WRONG_ADVICE, AdvisedDouble

pytestmark = pytest.mark.slow
JOBS = quirk_family("dates", 70)
WRONG, RIGHT = WRONG_ADVICE["dates"], JOBS[0].quirk.sentence
SEARCH = ("lab", "optimize", "dates.jsonl", "--only", "prompts", "--engine", "gepa", "--proposals", "4")


class Unhelpful(AdvisedDouble):
    """Acts by its rules, and has nothing usable to say where edits are wanted."""

    def answer(self, body):
        wanted = question_of(body)
        return "Let me think about that." if wanted == "edits" else super().answer(body)


@pytest.fixture
def desk(tmp_path, start_cli):
    """A workspace with a wrong item in its prompt, and the command line in processes of their own."""
    (tmp_path / "dates.jsonl").write_text(render_jsonl([job.task for job in JOBS]))
    seed(tmp_path / "ws")

    def run(*arguments):
        process = start_cli(*arguments)
        out, err = process.communicate(timeout=600)
        assert "Traceback" not in err
        return process.returncode, out, err

    return run


def seed(folder) -> None:
    (folder / "prompts").mkdir(parents=True)
    (folder / "evolve.toml").write_text("")
    advice = f"\nAdvice:\n- {WRONG}\n"
    (folder / "prompts" / "act.md").write_text(load_prompt("act.md", PromptLayers()) + advice)
    evolve.init(folder, trust=True)


@pytest.fixture
def endpoint(monkeypatch):
    with ScriptedEndpoint(double=AdvisedDouble(JOBS)) as serving:
        monkeypatch.setenv("EVOLVE_MODEL", serving.model)
        yield serving


def asked(endpoint) -> Counter:
    """How often each thing was asked for, word for word."""
    return Counter(json.dumps([body["messages"], body.get("seed")]) for body in endpoint.requests)


def test_a_wrong_item_is_found_mended_proved_written_out_and_taken_back(desk, endpoint, tmp_path) -> None:
    task = f"dates.jsonl#{JOBS[0].task.id}"
    assert desk("run", task)[0] == 1, "the wrong item spoils the work"
    code, out, err = desk(*SEARCH, "--budget", "2M-tokens")
    assert code == 0, err
    asked_for = int(re.search(r"(\d+) edits asked for, 1 put to trial", out)[1])
    assert asked_for > 1, "what a hunch brings is turned down on a single stage"
    assert "edit of act.md, tried on a single failure" in err and "Compared: accept" in err
    assert re.search(r"accepted \w{12} over unlearned: edit of act.md: ", out)
    figures = dict(re.findall(r"(predicted on gate|realised on test) tasks, won minus lost: +([+-][\d.]+), 95 %", out))
    assert all(float(figures[name]) > 0.5 for name in ("predicted on gate", "realised on test"))
    changed = [line for line in desk("lab", "variants", "diff")[1].splitlines() if re.match(r"[-+](?!--|\+\+)", line)]
    assert changed == [f"-- {WRONG}", f"+- {RIGHT}"], "nothing else has changed"
    assert desk("run", task)[0] == 0

    assert desk("lab", "variants", "rollback")[0] == 0
    assert desk("run", f"dates.jsonl#{JOBS[8].task.id}")[0] == 1, "the old behaviour is back"
    name = next(one["digest"] for one in json.loads(desk("lab", "variants", "list", "--json")[1])["variants"])
    assert desk("lab", "variants", "promote", name)[0] == 0
    code, out, err = desk("lab", "variants", "write")
    assert code == 0, err
    prompt = tmp_path / "ws" / "prompts" / "act.md"
    assert RIGHT in prompt.read_text() and WRONG not in prompt.read_text()
    code, _, err = desk("lab", "variants", "rollback")
    assert code == 0 and str(prompt) in err, "that the file goes on to act is told"


@pytest.mark.parametrize("fault", ["answer.kept:2:kill", "replay.kept:2:kill", "gate.inside:1:kill"])
def test_killed_in_the_middle_the_same_command_goes_on_and_pays_nothing_twice(
    desk, endpoint, tmp_path, monkeypatch, fault
) -> None:
    whole = json.loads(desk(*SEARCH, "--budget", "2M-tokens", "--json")[1])
    straight = asked(endpoint)
    (tmp_path / "ws").rename(tmp_path / "whole")
    seed(tmp_path / "ws")
    endpoint.requests.clear()
    monkeypatch.setenv("EVOLVE_FAULT", fault)
    assert desk(*SEARCH, "--budget", "2M-tokens")[0] == -signal.SIGKILL
    monkeypatch.delenv("EVOLVE_FAULT")
    code, out, err = desk(*SEARCH, "--budget", "2M-tokens", "--resume", "--json")
    assert code == 0, err
    again = json.loads(out)
    assert asked(endpoint) == straight, "every question was asked as often as without the kill"
    for report in (whole, again):
        report["spent"].pop("seconds")
    assert again == whole


def test_a_budget_that_is_too_small_names_one_that_does(desk, endpoint) -> None:
    code, out, err = desk(*SEARCH, "--budget", "200k-tokens")
    assert (code, out) == (5, "") and "too small to decide anything" in err
    hint = r"try: evolve (lab optimize dates.jsonl --only prompts --engine gepa --budget \d+k-tokens)"
    command = re.search(hint, err)[1]
    before = len(endpoint.requests)
    code, out, err = desk(*command.split(), "--proposals", "4")
    assert code == 0, err
    assert "candidates tried: 1; judged: 1 (1 accept)" in out
    assert len(endpoint.requests) > before


def test_a_model_that_cannot_rewrite_is_told_and_another_one_goes_on(desk, tmp_path) -> None:
    settings = tmp_path / "ws" / "evolve.toml"
    with ScriptedEndpoint(double=Unhelpful(JOBS)) as poor, ScriptedEndpoint(double=AdvisedDouble(JOBS)) as good:
        settings.write_text(f'model = "{poor.model}"\n')
        evolve.init(settings.parent, trust=True)
        code, out, err = desk(*SEARCH, "--budget", "2M-tokens")
        assert (code, out) == (4, "")
        assert "nothing usable 3 times in a row" in err and "evolve models check" in err
        settings.write_text(f'model = "{poor.model}"\nmodel_rewrite = "{good.model}"\n')
        evolve.init(settings.parent, trust=True)
        code, out, err = desk(*SEARCH, "--budget", "2M-tokens", "--resume")
        assert code == 0, err
        assert "judged: 1 (1 accept)" in out
        assert {question_of(body) for body in good.requests} == {"edits"}
