"""``evolve lab optimize --only prompts`` with a model that knows what its prompts tell: failures become advice."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from benchmarks.doubles import QuirkDouble
from benchmarks.doubles.quirks import quirk_family
from evolve.core.errors import UsageError
from evolve.core.prompts import PromptLayers, load_prompt
from evolve.policies.language.prompt_items import parse_prompt
from evolve.testing.endpoint_faults import chat_completion_body
from evolve.workspace.loops.optimizing import OptimizerRequest
from tests.improve.model_runs import USAGE, Stopped, stoppable, suite_of
from tests.improve.test_optimization import POOR

ONE_STEP = POOR.replace("candidates = 100", "steps = 1\nwithhold = 0.5")
JOBS = quirk_family("dates", 70)


@pytest.fixture
def suite(tmp_path: Path) -> str:
    return suite_of(JOBS, tmp_path)


@pytest.fixture
def open_desk(tmp_path: Path, open_ws):
    """Opens the workspace, whose model may stop some requests after the first rewrite; tells the rewrites it had."""
    prompts = tmp_path / "ws" / "prompts"
    prompts.mkdir(parents=True)
    (prompts / "workflow.toml").write_text(ONE_STEP)
    double = QuirkDouble(JOBS)
    return stoppable(
        tmp_path / "ws", open_ws, "edits", lambda body: chat_completion_body(double.answer(body), usage=USAGE)
    )


def test_the_engine_for_prompts_needs_a_model_and_its_package(open_ws, open_desk, suite, monkeypatch) -> None:
    with open_ws(name="plain") as ws, pytest.raises(UsageError, match="none is chosen here"):
        ws.optimize(OptimizerRequest(suite=suite, engine="gepa"), budget="1M-candidates")
    monkeypatch.setitem(sys.modules, "gepa", None)
    with open_desk[0]() as ws, pytest.raises(UsageError) as told:
        ws.optimize(OptimizerRequest(suite=suite, only="prompts"), budget="50M-tokens")
    assert "pip install" in told.value.hint
    with open_desk[0]() as ws, pytest.raises(UsageError, match="the engine gepa changes prompts, not knobs"):
        ws.optimize(OptimizerRequest(suite=suite, only="knobs", engine="gepa"), budget="50M-tokens")


@pytest.mark.slow
def test_a_fact_that_failures_show_becomes_advice_in_the_active_prompt(open_desk, suite) -> None:
    open_one, asked = open_desk
    with open_one() as ws:
        report = ws.optimize(OptimizerRequest(suite=suite, only="prompts", proposals=4), budget="50M-tokens")
        assert report.engine == "gepa"
        (change,) = report.changes
        assert report.active == change.variant
        assert change.realised.value > 0.5
        active = ws.stores.active_state(ws.workflow.show())
        assert set(active.prompts) == {"act.md"} or set(active.prompts) == {"plan.md"}
        (name, text), *_ = active.prompts.items()
        shipped, now = parse_prompt(load_prompt(name, PromptLayers())), parse_prompt(text)
        assert now.fixed_text == shipped.fixed_text
        (item,) = [one for one in now.items if one not in shipped.items]
        assert "day first" in item.text
        known = ws.stores.variants.item_utilities()[item.id]
        assert known.with_solved > 0 and known.without_failed > 0
        controls = [one for one in ws.stores.runs.episodes() if one.variant.startswith("control:")]
        assert controls and {one.split for one in controls} == {"screen"}
        # From now on the task is right at the first answer, because the prompt in force says so.
        assert ws.run(f"{suite}#{JOBS[0].task.id}").solved
    assert asked


@pytest.mark.slow
def test_a_search_that_was_cut_off_asks_for_no_proposal_twice(open_desk, suite) -> None:
    open_one, asked = open_desk
    request = OptimizerRequest(suite=suite, only="prompts", proposals=3)
    with open_one(stop_after=5) as ws, pytest.raises(Stopped):
        ws.optimize(request, budget="50M-tokens")
    before = [str(body["messages"]) for body in asked]
    with open_one() as ws:
        report = ws.optimize(request, budget="50M-tokens")
        assert report.judged >= 1 and report.active
        kept = ws.stores.db.query("SELECT COUNT(*) AS n FROM loop_steps WHERE name LIKE 'rewrite:%'")[0]["n"]
    after = [str(body["messages"]) for body in asked[len(before) :]]
    assert before and not set(before) & set(after)
    assert kept == len(before) + len(after)
