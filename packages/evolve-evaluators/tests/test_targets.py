"""``evolve lab optimize --target``: a metric is a target where its judge was measured."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from benchmarks.doubles import QuirkDouble
from benchmarks.doubles.quirks import quirk_family
from evolve.cli.lab.optimize import show_optimization
from evolve.core.errors import UsageError
from evolve.core.paths import WorkspacePaths
from evolve.core.prompts import PromptLayers, load_prompt
from evolve.improve.optimization import OptimizationReport
from evolve.improve.optimizer.engine import Candidate
from evolve.testing import FixedLearner, question_of
from evolve.testing.endpoint_faults import chat_completion_body
from evolve.trials.gate.judges import Measurement
from evolve.workspace.loops.optimizing import OptimizerRequest
from tests.doubles.judges import StyledDouble, TasteJudge
from tests.improve.model_runs import USAGE, Stopped, learner_of, suite_of
from tests.offering import offer_engine

SAID = ("The docstring is missing.", "The docstring was helpful", "No docstring again")
FACT = "\n- Dates in this workspace are written day first.\n"
ADVICE = "- Write a docstring into every function.\n"
JOBS = quirk_family("dates", 40)


@dataclass(frozen=True)
class Adviser:
    """An engine that tries one piece of advice, and one that changes nothing."""

    name: str = "adviser"

    def search(self, trials, start):
        ids = [view.id for view in trials.tasks][:6]
        act = load_prompt("act.md", PromptLayers()) + FACT
        for text, why in ((act + "\n", "changes nothing"), (act + ADVICE, "asks for docstrings")):
            child = Candidate(
                workflow=start.workflow, prompts=(("act.md", text),), parents=(start.digest,), operator="edit", why=why
            )
            trials.screen(start, ids)
            trials.screen(child, ids)
        trials.judge(child, trials.incumbent)
        return "both were tried"


@pytest.fixture
def suite(tmp_path, monkeypatch):
    offer_engine(monkeypatch, tmp_path, Adviser())
    return suite_of(JOBS, tmp_path)


@pytest.fixture
def open_desk(tmp_path, open_ws):
    """Opens a workspace whose model may be stopped at its n-th verdict; tells the verdicts it was asked for."""
    acts, judges, asked = StyledDouble(QuirkDouble(JOBS)), TasteJudge(), []

    def open_one(stop_at=0, name="ws"):
        since = []

        def answer(body):
            if question_of(body) != "verdict":
                return chat_completion_body(acts.answer(body), usage=USAGE)
            since.append(body)
            if len(since) == stop_at:
                raise Stopped
            asked.append(str(body["messages"]))
            return chat_completion_body(judges.answer(body), usage=USAGE)

        paths = WorkspacePaths(tmp_path / name)
        paths.prompts.mkdir(parents=True, exist_ok=True)
        (paths.prompts / "act.md").write_text(load_prompt("act.md", PromptLayers()) + FACT)
        return open_ws(name, learner_of(paths.root, answer))

    return open_one, asked


def comment(workspace, suite):
    for number, text in enumerate(SAID):
        workspace.run(f"{suite}#{JOBS[number].task.id}")
        workspace.runs.comment(f"r{number + 1}", text)


def measure(workspace, accepted_wrong=0):
    numbers = {"sound": 40, "accepted_sound": 40, "wrong": 40, "accepted_wrong": accepted_wrong}
    judges = workspace.judges
    found = Measurement(model=judges.model, prompt=judges.prompt, suite="strings", **numbers)
    workspace.stores.decisions.add_measurement(found)


def wish(suite, **more):
    return OptimizerRequest(suite=suite, engine="adviser", target="docstring", **more)


@pytest.mark.slow
def test_a_target_needs_a_metric_and_a_measured_judge_and_says_what_to_do(open_desk, open_ws, suite, tmp_path):
    with open_desk[0]() as ws:
        with pytest.raises(UsageError, match="no metric called"):
            ws.optimize(wish(suite))
        comment(ws, suite)
        for accepted, standing in ((None, "unmeasured"), (30, "below the bar")):
            if accepted is not None:
                measure(ws, accepted)
            with pytest.raises(UsageError, match=standing) as told:
                ws.optimize(wish(suite))
            assert told.value.hint.startswith("evolve lab judges")
        assert [run.kind for run in ws.stores.runs.runs()] == ["run"] * 3
    with open_ws(learner=FixedLearner()) as ws, pytest.raises(UsageError, match="no model is named that could judge"):
        ws.optimize(wish(suite))


@pytest.mark.slow
def test_what_is_better_by_the_target_alone_is_reported_and_not_promoted(open_desk, suite, capsys):
    open_one, asked = open_desk
    with open_one() as ws:
        comment(ws, suite)
        measure(ws)
        report = ws.optimize(wish(suite))
        found = report.target
        assert OptimizationReport.from_json(report.to_json()) == report
        assert (report.active, report.changes, found.promoted) == ("", (), False)
        assert (found.start.value, found.best.value, found.gain.value) == (0.0, 1.0, 1.0)
        assert found.start.n == found.best.n == found.gain.n == 6
        assert found.verdict in ("reject", "undecided")
        assert "docstring" in ws.variants.texts(found.variant)["act.md"]
        # The start did eight tasks, to be priced, and two candidates six of them; like answers are one question.
        assert len(asked) == len(set(asked)) == 14
        show_optimization(report)
        ws.variants.promote(found.variant, reason="docstrings are wanted here")
    said = capsys.readouterr().out
    assert f"{found.variant[:12]} is better by docstring, not shown to be better by solves: not promoted" in said
    assert f"evolve lab variants promote {found.variant[:12]} --reason" in said


@pytest.mark.slow
def test_the_gate_decides_the_same_with_a_target_and_without(open_desk, suite):
    decided = []
    for target in ("", "docstring"):
        with open_desk[0](name=f"with {target}") as ws:
            comment(ws, suite)
            measure(ws)
            ws.optimize(OptimizerRequest(suite=suite, engine="adviser", target=target))
            decided.append([(one.variant, one.verdict, one.tally, one.reason) for one in ws.stores.decisions.log()])
    assert decided[0] == decided[1] and decided[0]
