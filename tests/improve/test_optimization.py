"""A search for a better variant: what is kept of it, what is said of it, and that nothing is paid twice."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from dataclasses import dataclass

import pytest

from benchmarks.doubles import small_suite
from evolve.core.errors import BudgetExhausted, UsageError
from evolve.improve.optimizer.engine import Candidate
from evolve.improve.screening import EngineNotDeterministic
from evolve.tasks import render_jsonl
from evolve.testing import TrustingSandbox
from evolve.workspace.loops.optimizing import OptimizerRequest
from tests.architecture.source import ROOT
from tests.offering import offer_engine

POOR = """
stages = ["recall", "plan", "act", "observe", "judge", "reflect", "distill", "commit"]

[routes.judge]
again = "act"
stop = "reflect"

[knobs]
candidates = 100
"""


@dataclass(frozen=True)
class Turner:
    """An engine that tries given numbers of candidates in turn and has each of them judged."""

    numbers: tuple[int, ...]
    name: str = "turner"

    def search(self, trials, start):
        ids = [view.id for view in trials.tasks][:4]
        for number in self.numbers:
            found = trials.incumbent.workflow.with_knobs(candidates=number)
            child = Candidate(workflow=found, parents=(start.digest,), operator="turn", why="turns one knob")
            trials.screen(child, ids)
            trials.judge(child, trials.incumbent)
        return "every number was tried"


@pytest.fixture
def poor(tmp_path):
    """A workspace whose workflow allows too few candidates for any task."""
    folder = tmp_path / "ws" / "prompts"
    folder.mkdir(parents=True)
    (folder / "workflow.toml").write_text(POOR)


@pytest.fixture
def turner(monkeypatch, tmp_path):
    """Puts in an engine that tries these numbers."""

    def put_in(*numbers):
        offer_engine(monkeypatch, tmp_path, Turner(numbers))

    return put_in


def wish(suite_file, **more):
    return OptimizerRequest(suite=str(suite_file), engine="turner", **more)


@pytest.mark.slow
def test_what_the_gate_accepts_acts_from_then_on_and_is_measured_on_sealed_tasks(
    poor, turner, suite_file, open_ws
) -> None:
    turner(400)
    with open_ws() as ws:
        report = ws.optimize(wish(suite_file))
        (change,) = report.changes
        assert report.active == change.variant == ws.stores.variants.active_digest
        assert ws.stores.active_workflow(ws.workflow.show()).knobs.candidates == 400
        assert change.predicted.value == change.realised.value == 1.0
        assert change.realised.n == 8
        assert len(ws.stores.decisions.looks(report.suite_digest)) == report.looks == 1
        task = ws.stores.runs.episodes()[0].task
        assert ws.run(f"{suite_file}#{task}").solved


@pytest.mark.slow
def test_an_arm_sets_aside_no_more_than_its_workflow_may_spend(poor, turner, suite_file, open_ws) -> None:
    turner(400)
    with open_ws() as ws:
        # Less than the most that any one episode may have: by that measure not one pair could be paid for.
        (change,) = ws.optimize(wish(suite_file), budget="45k-candidates").changes
        assert change.realised.n == 8


@pytest.mark.slow
def test_a_change_without_an_effect_is_not_accepted_and_leaves_the_test_sealed(
    poor, turner, suite_file, open_ws
) -> None:
    turner(101)
    with open_ws() as ws:
        report = ws.optimize(wish(suite_file))
        assert report.judged == 1 and not report.changes
        assert report.active == "" and report.looks == 0
        splits = {record.split for record in ws.stores.runs.episodes()}
        assert splits == {"screen", "gate"}
        assert not ws.memory.list()


@pytest.mark.slow
def test_a_run_that_was_cut_off_goes_on_with_the_answers_it_had(poor, turner, suite_file, open_ws, monkeypatch) -> None:
    turner(400, 401)
    with open_ws() as ws:
        with monkeypatch.context() as cut:
            cut.setattr(Turner, "search", _cut_after_one(Turner.search))
            with pytest.raises(KeyboardInterrupt):
                ws.optimize(wish(suite_file))
        before = {record.episode for record in ws.stores.runs.episodes()}
        report = ws.optimize(wish(suite_file, resume=True))
        after = [record.episode for record in ws.stores.runs.episodes()]
        assert before < set(after) and len(after) == len(set(after))
        assert report.judged == 2 and len(report.changes) == 1
        assert [run.kind for run in ws.stores.runs.list_runs()] == ["optimize"]


def _cut_after_one(search):
    def cut(self, trials, start):
        search(Turner(self.numbers[:1]), trials, start)
        raise KeyboardInterrupt

    return cut


def test_an_engine_that_asks_something_else_when_it_goes_on_is_a_fault(
    poor, turner, suite_file, open_ws, monkeypatch, tmp_path
) -> None:
    class Cut(Turner):
        def search(self, trials, start):
            trials.screen(start, [view.id for view in trials.tasks][:2])
            raise KeyboardInterrupt

    with open_ws() as ws:
        offer_engine(monkeypatch, tmp_path, Cut(()))
        with pytest.raises(KeyboardInterrupt):
            ws.optimize(wish(suite_file))
        turner(400)
        with pytest.raises(EngineNotDeterministic):
            ws.optimize(wish(suite_file))


def test_a_budget_that_decides_nothing_is_refused(poor, turner, suite_file, open_ws) -> None:
    turner(400)
    with open_ws() as ws, pytest.raises(BudgetExhausted, match="too small to decide"):
        ws.optimize(wish(suite_file), budget="2k-candidates")


def test_a_larger_budget_is_counted_anew_after_one_that_was_refused(poor, turner, suite_file, open_ws) -> None:
    turner(101)
    with open_ws() as ws:
        with pytest.raises(BudgetExhausted, match="about 0 proposals"):
            ws.optimize(wish(suite_file), budget="2k-candidates")
        report = ws.optimize(wish(suite_file), budget="1M-candidates")
        assert report.forecast.tests > 3
        assert len(ws.stores.runs.list_runs()) == 1  # what the pilot cost is not paid again


class Ailing(TrustingSandbox):
    """Fails this many times, then works."""

    def __init__(self, failures: float) -> None:
        super().__init__()
        self.failures = failures

    def run_programs(self, *args, **more):
        self.fault = "the machine failed" if self.executions < self.failures else ""
        return super().run_programs(*args, **more)


@pytest.mark.parametrize(("failures", "known"), [(4, True), (float("inf"), False)])
def test_faults_at_the_start_are_no_missing_budget(suite_file, open_ws, tmp_path, monkeypatch, failures, known) -> None:
    class Idle(Turner):
        def search(self, trials, start):
            return "nothing to do"

    offer_engine(monkeypatch, tmp_path, Idle(()))
    with open_ws() as ws:
        monkeypatch.setattr("evolve.workspace.loops.improving.sandbox_opener", lambda *_: lambda: Ailing(failures))
        forecast = ws.optimize(wish(suite_file), budget="10M-candidates").forecast
        assert (forecast.tests is not None) == known
        assert ("ended in a fault" in forecast.text) != known


def test_a_budget_of_another_kind_than_what_is_spent_is_said_to_bound_nothing(
    poor, turner, suite_file, open_ws
) -> None:
    turner()
    with open_ws() as ws:
        assert "bounds nothing" in ws.optimize(wish(suite_file), budget="5M-tokens").forecast.text
        assert "no budget was given" in ws.optimize(wish(suite_file, seed=1)).forecast.text


def test_a_run_does_not_go_on_under_another_workflow(poor, suite_file, open_ws, monkeypatch, tmp_path) -> None:
    class Cut(Turner):
        def search(self, trials, start):
            trials.screen(start, [view.id for view in trials.tasks][:2])
            if start.workflow.knobs.steps == 6:
                raise KeyboardInterrupt
            return f"{start.workflow.knobs.steps} steps"

    offer_engine(monkeypatch, tmp_path, Cut(()))
    with open_ws() as ws, pytest.raises(KeyboardInterrupt):
        ws.optimize(wish(suite_file))
    (tmp_path / "ws" / "prompts" / "workflow.toml").write_text(POOR + "steps = 4\n")
    with open_ws() as ws:
        with pytest.raises(UsageError, match="no such run"):
            ws.optimize(wish(suite_file, resume=True))
        assert ws.optimize(wish(suite_file)).finish_reason == "4 steps"


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({"only": "everything"}, "--only"),
        ({"engine": "annealing"}, "no engine"),
        ({"only": "prompts"}, "no"),
        ({"resume": True}, "no such run"),
    ],
)
def test_a_wish_that_cannot_be_met_is_refused(more, says, suite_file, open_ws) -> None:
    with open_ws() as ws, pytest.raises(UsageError, match=says):
        ws.optimize(OptimizerRequest(**{"suite": str(suite_file), **more}))


def test_a_run_of_an_engine_that_is_gone_ends_with_what_to_do_and_the_next_one_begins_anew(
    poor, turner, suite_file, open_ws
) -> None:
    turner()
    request = {"suite": str(suite_file), "seed": 0, "engine": "bandit", "only": "knobs", "target": ""}
    with open_ws() as ws:
        old = ws.stores.runs.begin("optimize", "of an earlier version", request, started="")
        with pytest.raises(UsageError, match="its engine bandit is gone, and linked has taken its place") as refused:
            ws.optimize(OptimizerRequest(suite=str(suite_file), only="knobs", resume=True))
        assert refused.value.hint == f"to begin anew: evolve lab optimize {suite_file} --only knobs"
        assert ws.stores.runs.run(old.id).state == "interrupted"
        assert ws.optimize(wish(suite_file, only="knobs")).finish_reason == "every number was tried"


@pytest.mark.slow
def test_a_winner_is_called_transferable_only_where_it_won_again(poor, turner, suite_file, open_ws, tmp_path) -> None:
    turner(400)
    other = tmp_path / "other.jsonl"
    other.write_text(render_jsonl(small_suite(40, seed=5).tasks))
    with open_ws() as ws:
        name = ws.optimize(wish(suite_file)).active
        assert ws.variants.show(name)["transferable"] == []
        with pytest.raises(UsageError, match="was chosen on"):
            ws.variants.transfer(name, str(suite_file))
        found = ws.variants.transfer(name, str(other))
        assert found["verdict"] == "accept"
        assert ws.variants.show(name)["transferable"] == [found["on"]]
        assert len(ws.stores.variants.list_promotions()) == 1


def ran(folder, name, fault=""):
    suite = folder / "suite.jsonl"
    suite.write_text(render_jsonl(small_suite(40).tasks))
    env = {**os.environ, "PYTHONPATH": str(ROOT), "EVOLVE_WORKERS": "1", "EVOLVE_FAULT": fault}
    command = [sys.executable, "-m", "tests.improve.optimizer_run", str(folder / name), str(suite)]
    return subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """What a run gives that nobody interrupts."""
    return json.loads(ran(tmp_path_factory.mktemp("whole"), "ws").stdout)


@pytest.mark.slow
@pytest.mark.parametrize(
    "fault", ["screen.ran:2:kill", "screen.kept:2:kill", "gate.inside:1:kill", "look.after:1:kill"]
)
def test_killed_at_any_point_the_same_run_goes_on_and_pays_nothing_twice(tmp_path, whole, fault) -> None:
    killed = ran(tmp_path, "cut", fault)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    again = json.loads(ran(tmp_path, "cut").stdout)
    assert again == whole
    assert len(again["episodes"]) == len(set(again["episodes"]))
