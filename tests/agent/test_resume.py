"""What a crash leaves, and how the next process goes on."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import textwrap
from dataclasses import dataclass

import pytest

from evolve.agent.runner import episode_id, open_saver
from evolve.episodes import Cost
from evolve.errors import WorkspaceError
from evolve.testing import FixedPolicy
from evolve.workflow import Workflow


@dataclass(frozen=True)
class Counting(FixedPolicy):
    """Counts its calls; can be told to fail in one of them."""

    calls: tuple = ()
    fail: str = ""

    def __post_init__(self):
        object.__setattr__(self, "calls", [])

    def plan(self, view, recalled):
        self._note("plan")
        return super().plan(view, recalled)

    def act(self, view, plan, steps, limits):
        self._note("act")
        return super().act(view, plan, steps, limits)

    def reflect(self, view, group, steps, probe):
        self._note("reflect")
        return super().reflect(view, group, steps, probe)

    def _note(self, name):
        self.calls.append(name)
        if name == self.fail:
            raise KeyboardInterrupt


@pytest.mark.parametrize("stage", ["plan", "act", "reflect"])
def test_an_interrupted_episode_continues_after_its_last_finished_stage(make_agent, collector, task, tmp_path, stage):
    broken = Counting(fail=stage)
    with pytest.raises(KeyboardInterrupt):
        make_agent(policy=broken, checkpoints=tmp_path).run_episode(task, variant="v", split="train")
    assert collector.records == []
    resumed = Counting()
    record = make_agent(policy=resumed, checkpoints=tmp_path).run_episode(task, variant="v", split="train")
    order = ["plan", "act", "reflect"]
    assert resumed.calls == order[order.index(stage) :]
    assert record == make_agent().run_episode(task, variant="v", split="train")


def test_a_finished_episode_is_not_run_again(make_agent, collector, task, tmp_path):
    first = make_agent(checkpoints=tmp_path).run_episode(task, variant="v", split="train")
    again = Counting()
    assert make_agent(policy=again, checkpoints=tmp_path).run_episode(task, variant="v", split="train") == first
    assert again.calls == []


def test_another_workflow_does_not_continue_an_episode(make_agent, task, tmp_path):
    with pytest.raises(KeyboardInterrupt):
        make_agent(policy=Counting(fail="act"), checkpoints=tmp_path).run_episode(task, variant="v", split="own")
    other = Workflow(stages=("recall", "plan", "act", "observe", "judge", "commit"), routes={})
    with pytest.raises(WorkspaceError, match="another workflow"):
        make_agent(checkpoints=tmp_path, workflow=other).run_episode(task, variant="v", split="own")


def test_a_checkpoint_cannot_bring_objects_back(tmp_path):
    with open_saver(tmp_path / "checkpoint.db") as saver:
        kind, data = saver.serde.dumps_typed({"cost": Cost()})
        assert not isinstance(saver.serde.loads_typed((kind, data))["cost"], Cost)


def test_a_damaged_checkpoint_is_named(make_agent, task, tmp_path):
    path = tmp_path / episode_id("r1", task, "v", 0) / "checkpoint.db"
    path.parent.mkdir()
    path.write_bytes(b"not a database, and long enough to be looked at" * 40)
    with pytest.raises(WorkspaceError, match="checkpoint.db"):
        make_agent(checkpoints=tmp_path).run_episode(task, variant="v", split="own")


KILLED = """
    import os, signal, sys
    from pathlib import Path
    from evolve.agent import Agent, Surroundings
    from evolve.testing import FixedPolicy, TrustingSandbox
    from tests.agent.conftest import make_task

    class Killer(FixedPolicy):
        def reflect(self, view, group, steps, probe):
            os.kill(os.getpid(), signal.SIGKILL)

    around = Surroundings(policy=Killer(), sandbox=TrustingSandbox(), run="r1", checkpoints=Path(sys.argv[1]))
    Agent(around).run_episode(make_task(), variant="v", split="train")
"""


def test_kill_9_in_a_stage_loses_no_finished_stage(make_agent, collector, task, tmp_path):
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(KILLED), str(tmp_path)], cwd=root, env={**os.environ, "PYTHONPATH": root}
    )
    assert done.returncode == -signal.SIGKILL
    resumed = Counting()
    record = make_agent(policy=resumed, checkpoints=tmp_path).run_episode(task, variant="v", split="train")
    assert resumed.calls == ["reflect"]
    assert record.solved and collector.records == [record]


def test_an_episode_has_its_own_small_checkpoint_file(make_agent, task, tmp_path):
    record = make_agent(checkpoints=tmp_path).run_episode(task, variant="v", split="own")
    with sqlite3.connect(tmp_path / record.episode / "checkpoint.db") as connection:
        (count,) = connection.execute("SELECT count(*) FROM checkpoints").fetchone()
    assert count >= len(Workflow().stages)
