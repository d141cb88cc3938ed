"""Workflows by a model for ``evolve lab optimize``: what it reads, what it costs, and that nothing is asked twice."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import evolve
from benchmarks.doubles import QuirkDouble
from benchmarks.doubles.designing import DesigningDouble
from benchmarks.doubles.quirks import quirk_family
from evolve.cli.lab.optimize import show_optimization
from evolve.core.errors import UsageError
from evolve.improve.optimization import OptimizationReport
from evolve.improve.optimizer.engine import engine_kind
from evolve.tasks import load_suite
from evolve.testing import ScriptedEndpoint, prompt_of, question_of
from evolve.testing.endpoint_faults import chat_completion_body
from evolve.workspace.loops.optimizing import OptimizerRequest
from tests.improve.model_runs import USAGE, Stopped, stoppable, suite_of
from tests.improve.test_optimization import POOR

ONE_ACTION = POOR.replace("candidates = 100", "steps = 1")
JOBS = quirk_family("dates", 70)
DESIGN = 2_300
DESIGN_USAGE = {"prompt_tokens": 2_000, "completion_tokens": 300, "total_tokens": DESIGN}


@pytest.fixture
def suite(tmp_path: Path) -> str:
    return suite_of(JOBS, tmp_path)


@pytest.fixture
def open_desk(tmp_path: Path, open_ws):
    """Opens a workspace whose model has one action, and may stop some requests after the first design."""
    prompts = tmp_path / "ws" / "prompts"
    prompts.mkdir(parents=True)
    (prompts / "workflow.toml").write_text(ONE_ACTION)
    acting, designing = QuirkDouble(JOBS), DesigningDouble()

    def answer(body):
        if question_of(body) == "design":
            return chat_completion_body(designing.answer(body), usage=DESIGN_USAGE)
        return chat_completion_body(acting.answer(body), usage=USAGE)

    return stoppable(tmp_path / "ws", open_ws, "design", answer)


def test_the_engine_follows_from_the_part_and_from_whether_a_model_could_write() -> None:
    parts = ("", "workflow", "knobs", "prompts")
    assert [engine_kind("", part).name for part in parts] == ["linked", "linked", "linked", "gepa"]
    assert [engine_kind("", part, drafts=True).name for part in parts] == ["adas", "adas", "linked", "gepa"]
    with pytest.raises(UsageError, match="the engine adas changes workflow, not knobs"):
        engine_kind("adas", "knobs")


def test_without_a_model_nothing_is_begun(suite, open_ws) -> None:
    with open_ws() as ws:
        with pytest.raises(UsageError, match="workflows are written by a model, and none is chosen here"):
            ws.optimize(OptimizerRequest(suite=suite, engine="adas"), budget="1M-candidates")
        assert ws.stores.runs.list_runs() == []


@pytest.mark.slow
def test_what_trials_show_becomes_a_workflow_that_the_gate_accepts_and_the_run_pays_for(open_desk, suite) -> None:
    open_one, asked = open_desk
    with open_one() as ws:
        report = ws.optimize(OptimizerRequest(suite=suite, only="workflow", proposals=5), budget="2M-tokens")
        assert report.engine == "adas"
        (change,) = report.changes
        assert change.why == "steps: 1 -> 8" and change.realised.value > 0.5
        records = ws.stores.runs.episodes()
        assert report.spent.tokens == sum(one.cost.tokens for one in records) + DESIGN * len(asked)
        told = [entry.origin for entry in ws.stores.variants.entries()]
        assert any(": design; A second action could mend the first." in origin for origin in told)
        _tells_of_no_gate_task(asked, suite, ws.stores)


def _tells_of_no_gate_task(asked, suite, stores) -> None:
    """What the model was told holds nothing of a task that judges, and no tally."""
    records, decisions = stores.runs.episodes(), stores.decisions.list_verdicts()
    gated = [one for one in records if one.split in ("gate", "test")]
    assert gated and decisions
    sealed = {task.id: task for split in ("gate", "test") for task in load_suite(suite).split(split)}
    secret = {word for one in gated for word in (one.episode, one.group)} | {one.reason for one in decisions}
    for task in sealed.values():
        secret |= {task.instruction, *(json.dumps(row.output) for row in task.hidden if len(str(row.output)) > 7)}
    screened = load_suite(suite).split("train")
    secret -= {word for task in screened for word in (task.group, task.instruction)}
    assert len(secret) > len(gated)
    for prompt in map(prompt_of, asked):
        assert not [word for word in secret if word in prompt]
        assert not re.search(r"\bwins\b|\blosses\b|\bpairs\b", prompt.partition("Who acts:")[2])


@pytest.mark.slow
def test_a_search_that_was_cut_off_asks_for_no_workflow_twice(open_desk, suite) -> None:
    open_one, asked = open_desk
    request = OptimizerRequest(suite=suite, only="workflow", proposals=4)
    with open_one(stop_after=60) as ws, pytest.raises(Stopped):
        ws.optimize(request, budget="2M-tokens")
    before = [prompt_of(body) for body in asked]
    with open_one() as ws:
        report = ws.optimize(request, budget="2M-tokens")
        assert report.active and report.tried >= 4
        kept = ws.stores.db.query("SELECT COUNT(*) AS n FROM loop_steps WHERE name LIKE 'design:%'")[0]["n"]
        spent = sum(one.cost.tokens for one in ws.stores.runs.episodes()) + DESIGN * len(asked)
        assert report.spent.tokens == spent, "what was paid before the stop is spent, and once"
    assert before and not set(before) & {prompt_of(body) for body in asked[len(before) :]}
    assert kept == len(asked)


@pytest.mark.parametrize("reply", ["Let me think.", '{"workflow": "stages = 1", "why": "a hunch"}'])
def test_that_no_reply_could_be_used_is_told_first(reply: str, suite_file, open_ws, tmp_path, capsys) -> None:
    class Unhelpful(DesigningDouble):
        def answer(self, body):
            return reply

    with ScriptedEndpoint(double=Unhelpful()) as serving:
        (tmp_path / "ws").mkdir()
        (tmp_path / "ws" / "evolve.toml").write_text(f'model_rewrite = "{serving.model}"\n')
        with open_ws() as ws:
            report = ws.optimize(OptimizerRequest(suite=str(suite_file), only="workflow", proposals=3))
        assert serving.requests
    assert report.unusable
    show_optimization(report)
    assert capsys.readouterr().out.splitlines()[0].startswith(report.unusable[:40])
    assert OptimizationReport.from_json(json.loads(json.dumps(report.to_json()))) == report


@pytest.mark.slow
def test_the_embedded_search_has_its_workflow_written_by_the_model_for_rewriting(suite_file, open_ws, tmp_path) -> None:
    folder = tmp_path / "ws" / "prompts"
    folder.mkdir(parents=True)
    (folder / "workflow.toml").write_text(POOR)
    with ScriptedEndpoint(double=DesigningDouble()) as serving:
        (tmp_path / "ws" / "evolve.toml").write_text(f'model_rewrite = "{serving.model}"\n')
        evolve.init(tmp_path / "ws", trust=True)
        with open_ws() as ws:
            report = ws.optimize(OptimizerRequest(suite=str(suite_file), proposals=3))
        assert {question_of(body) for body in serving.requests} == {"design"}
        assert "nothing found within 100 candidates" in prompt_of(serving.requests[0])
    assert report.engine == "adas" and report.active
    assert report.changes[0].why == "candidates: 100 -> 800"
    assert report.spent.tokens > 0 and report.spent.candidates > 0
