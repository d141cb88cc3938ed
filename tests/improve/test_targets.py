"""``evolve lab optimize --target``: an evaluator chooses among candidates that do no worse; it accepts nothing."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest

from benchmarks.doubles import QuirkDouble
from benchmarks.doubles.quirks import quirk_family
from evolve.cli.lab.optimize import show_optimization
from evolve.core.errors import UsageError
from evolve.core.paths import WorkspacePaths
from evolve.core.prompts import PromptLayers, load_prompt
from evolve.improve.optimization import OptimizationReport
from evolve.improve.optimizer.engine import Candidate
from evolve.testing import question_of
from evolve.testing.endpoint_faults import chat_completion_body
from evolve.workspace.loops.optimizing import OptimizerRequest
from evolve.workspace.resources.evaluators import Criterion, Evaluator, Opinion
from tests.doubles.judges import StyledDouble, TasteJudge
from tests.improve.model_runs import USAGE, Stopped, learner_of, suite_of
from tests.offering import hide, offer_engine, offering

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


class Docstrings(Evaluator):
    """Whether an answer has docstrings, as the model of the workspace sees it."""

    def criteria(self):
        return [Criterion(id="d0c", name="docstring", definition="docstring: the function says what it does")]

    def opinion(self, criterion):
        def score(task, submission, sandbox):
            asked = replace(task, meta={**task.meta, "rubric": criterion.definition})
            return float(self.services.rubric_judge.uncalibrated_verifier(asked).verify(submission, sandbox).accepted)

        return Opinion(criterion=criterion, judge="the model", wanted=criterion.definition, score=score)


@pytest.fixture
def suite(tmp_path, monkeypatch):
    offer_engine(monkeypatch, tmp_path, Adviser())
    with offering(tmp_path / "evaluators", "evaluators", "docstrings", f"{__name__}:Docstrings"):
        yield suite_of(JOBS, tmp_path)


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


def wish(suite, **more):
    return OptimizerRequest(suite=suite, engine="adviser", target="docstring", **more)


@pytest.mark.slow
def test_a_target_that_nobody_offers_is_refused_before_a_run_begins(open_desk, suite, monkeypatch, tmp_path):
    with open_desk[0]() as ws:
        with pytest.raises(UsageError, match="no metric called 'brevity'"):
            ws.optimize(OptimizerRequest(suite=suite, target="brevity"))
        (tmp_path / "empty").mkdir()
        hide(monkeypatch, tmp_path / "empty")
        with pytest.raises(UsageError, match="no metric called") as told:
            ws.optimize(OptimizerRequest(suite=suite, target="docstring"))
        assert told.value.hint.endswith("pip install ./packages/evolve-evaluators")
        assert list(ws.stores.runs.list_runs()) == []


@pytest.mark.slow
def test_what_is_better_by_the_target_alone_is_reported_and_not_promoted(open_desk, suite, capsys):
    open_one, asked = open_desk
    with open_one() as ws:
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
def test_a_run_that_was_cut_off_asks_for_no_opinion_twice_and_counts_what_it_paid(open_desk, suite):
    open_one, asked = open_desk
    with open_one(stop_at=9) as ws, pytest.raises(Stopped):
        ws.optimize(wish(suite), budget="50M-tokens")
    assert len(asked) == 8
    with open_one() as ws:
        report = ws.optimize(wish(suite, resume=True), budget="50M-tokens")
        spent = sum(record.cost.tokens for record in ws.stores.runs.episodes(run=report.run))
    assert len(asked) == len(set(asked)) == 14
    assert report.target.best.value == 1.0
    assert report.spent.tokens == spent + 14 * 460


@pytest.mark.slow
def test_where_every_task_is_solved_prompts_are_edited_for_what_the_target_lacks(open_desk, suite):
    with open_desk[0]() as ws:
        wanted = OptimizerRequest(suite=suite, only="prompts", target="docstring", proposals=2)
        report = ws.optimize(wanted, budget="50M-tokens")
        found = report.target
        assert (found.start.value, found.best.value, report.active, report.judged) == (0.0, 1.0, "", 0)
        assert "docstring" in ws.variants.diff(found.variant)
        untargeted = ws.optimize(OptimizerRequest(suite=suite, only="prompts", proposals=2), budget="50M-tokens")
    assert untargeted.tried == 0, "without the target there is nothing to learn from"


@pytest.mark.slow
def test_the_gate_decides_the_same_with_a_target_and_without(open_desk, suite):
    decided = []
    for target in ("", "docstring"):
        with open_desk[0](name=f"with {target}") as ws:
            ws.optimize(OptimizerRequest(suite=suite, engine="adviser", target=target))
            decided.append(
                [(one.variant, one.verdict, one.tally, one.reason) for one in ws.stores.decisions.list_verdicts()]
            )
    assert decided[0] == decided[1] and decided[0]
