"""What was paid for is not paid again: stages and loops that go on after a stop."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import pytest

import evolve
from benchmarks.doubles import slow_learner, small_suite
from evolve.agent import Agent, AgentServices
from evolve.core.errors import RecordDamaged
from evolve.core.failpoints import VARIABLE
from evolve.tasks import render_jsonl
from evolve.testing import FixedLearner, FixedPolicy, TrustingSandbox
from tests.agent.conftest import make_task


@dataclass(frozen=True)
class Counting(FixedPolicy):
    """Counts what it is asked, in a list that its copies share."""

    calls: list = None

    def act(self, view, plan, steps, limits):
        self.calls.append(view.id)
        return super().act(view, plan, steps, limits)


def run_episode(folder, calls, sandbox):
    around = AgentServices(policy=Counting(calls=calls), sandbox=sandbox, run="r1", checkpoints=folder)
    return Agent(around).run_episode(make_task(), variant="v", split="train")


@pytest.mark.parametrize("stage", ["act", "observe", "judge", "reflect"])
@pytest.mark.parametrize("when", ["stage.{}.after", "output.after"])
def test_a_stage_stopped_at_its_end_pays_nothing_twice(tmp_path, monkeypatch, stage, when):
    place = ["act", "observe", "judge", "reflect"].index(stage) + 1
    count = 1 if "stage" in when else place
    monkeypatch.setenv(VARIABLE, f"{when.format(stage)}:{count}:int")
    calls, sandbox = [], TrustingSandbox()
    with pytest.raises(KeyboardInterrupt):
        run_episode(tmp_path, calls, sandbox)
    record = run_episode(tmp_path, calls, sandbox)
    alone, walls = [], TrustingSandbox()
    assert record == run_episode(tmp_path / "alone", alone, walls)
    assert (len(calls), sandbox.executions) == (len(alone), walls.executions) == (1, 3)


def test_a_damaged_output_is_named(tmp_path, monkeypatch):
    import sqlite3

    monkeypatch.setenv(VARIABLE, "stage.act.after:1:int")
    with pytest.raises(KeyboardInterrupt):
        run_episode(tmp_path, [], TrustingSandbox())
    (file,) = tmp_path.glob("*/checkpoint.db")
    with sqlite3.connect(file) as connection:
        connection.execute("UPDATE step_outputs SET body = replace(body, 'xs', 'ys')")
    connection.close()
    with pytest.raises(RecordDamaged, match=r"step 1, act of episode .* does not match its checksum"):
        run_episode(tmp_path, [], TrustingSandbox())


@dataclass(frozen=True)
class CountingLearner(FixedLearner):
    calls: list = None

    def policy(self, guide, skills, *, attended=False):
        made = super().policy(guide, skills, attended=attended)
        return Counting(**{**made.__dict__, "calls": self.calls})


@pytest.fixture
def improved(tmp_path, monkeypatch):
    """Runs the loop; gives how often each task was worked on, the report and what is spent."""
    monkeypatch.setenv("EVOLVE_WORKERS", "1")
    monkeypatch.setattr("evolve.workspace.loops.improving.sandbox_opener", lambda *_: TrustingSandbox)
    (tmp_path / "small.jsonl").write_text(render_jsonl(small_suite(40).tasks))

    def run(name, calls):
        learner = CountingLearner(programs=slow_learner().programs, distils=True, calls=calls)
        with evolve.open(tmp_path / name, policy=learner) as workspace:
            workspace._sandbox = TrustingSandbox()
            return workspace.improve(tmp_path / "small.jsonl", rounds=1).to_json()

    return run


def test_a_loop_stopped_anywhere_runs_no_finished_episode_again(improved, monkeypatch):
    alone = []
    wanted = improved("alone", alone)
    calls = []
    # In a batch of practice, after it, between pairs of the gate, and before the decision.
    for point, count in [("attempt.kept", 3), ("practice.ran", 1), ("attempt.kept", 6), ("gate.before", 1)]:
        monkeypatch.setenv(VARIABLE, f"{point}:{count}:int")
        with pytest.raises(KeyboardInterrupt):
            improved("stopped", calls)
    monkeypatch.delenv(VARIABLE)
    found = improved("stopped", calls)
    assert Counter(calls) == Counter(alone)
    for report in (wanted, found):
        report["spent"].pop("seconds")
    assert found == wanted


def test_until_a_result_is_delivered_the_same_call_gives_it_again_without_work(tmp_path):
    calls = []
    learner = CountingLearner(distils=True, calls=calls)
    task = small_suite(4).tasks[0]

    def solve(workspace):
        workspace._sandbox = TrustingSandbox()
        return workspace.run(task)

    with evolve.open(tmp_path / "ws", policy=learner) as workspace:
        with pytest.raises(BrokenPipeError), workspace.delivering():
            first = solve(workspace)
            raise BrokenPipeError
        assert first.solved and not first.skills
    with evolve.open(tmp_path / "ws", policy=learner) as workspace:
        with workspace.delivering():
            again = solve(workspace)
        assert (again.episode_id, again.skills, len(calls)) == (first.episode_id, (), 1)
        (taught,) = workspace.learn()
        assert (taught.episode, len(taught.skills), len(calls)) == (first.episode_id, 1, 1)
        assert solve(workspace).episode_id != first.episode_id
        assert [run.state for run in workspace.stores.runs.list_runs()] == ["done", "done"]


@pytest.mark.slow
def test_a_fresh_look_that_was_stopped_is_one_look(improved, monkeypatch, tmp_path):
    before = improved("ws", [])["looks"]
    learner = CountingLearner(programs=slow_learner().programs, distils=True, calls=[])
    for plan in ("look.after:1:int", "report.after:1:int", ""):
        monkeypatch.setenv(VARIABLE, plan)
        with evolve.open(tmp_path / "ws", policy=learner) as workspace:
            workspace.stores.variants.promote(workspace.stores.variants.entries()[0].digest, grounds="a test")
            if plan:
                with pytest.raises(KeyboardInterrupt):
                    workspace.report(fresh=True)
            else:
                assert workspace.report(fresh=True).looks == before + 1
            looks = workspace.stores.decisions.looks()
    assert len(looks) == before + 1
