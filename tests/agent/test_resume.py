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

from evolve.agent.checkpoints import is_sound, open_saver
from evolve.agent.runner import episode_id
from evolve.agent.workflow import Workflow
from evolve.core.episodes import Cost
from evolve.core.errors import RecordDamaged, WorkspaceError
from evolve.testing import FixedPolicy


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
    with pytest.raises(RecordDamaged, match="checkpoint.db"):
        make_agent(checkpoints=tmp_path).run_episode(task, variant="v", split="own")


def test_a_flipped_bit_in_a_stage_is_named_and_never_gone_on_from(make_agent, task, tmp_path):
    agent = make_agent(checkpoints=tmp_path)
    agent.run_episode(task, variant="v", split="own")
    path = tmp_path / episode_id("r1", task, "v", 0) / "checkpoint.db"
    assert is_sound(path)
    data = path.read_bytes()
    place = data.index(b"goal") + 9
    path.write_bytes(data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :])
    assert not is_sound(path)


KILLED = """
    import os, signal, sys
    from pathlib import Path
    from evolve.agent import Agent, AgentServices
    from evolve.agent.context import NoRecorder
    from evolve.testing import FixedPolicy, TrustingSandbox
    from tests.agent.conftest import make_task

    def die(*_):
        os.kill(os.getpid(), signal.SIGKILL)

    policy, recorder = FixedPolicy(), NoRecorder()
    object.__setattr__(policy if sys.argv[1] == "reflect" else recorder, sys.argv[1], die)
    around = AgentServices(
        policy=policy, sandbox=TrustingSandbox(), recorder=recorder, run="r1", checkpoints=Path(sys.argv[2])
    )
    Agent(around).run_episode(make_task(), variant="v", split="train")
"""


def _run_killed(where, folder):
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    command = [sys.executable, "-c", textwrap.dedent(KILLED), where, str(folder)]
    assert subprocess.run(command, cwd=root, env={**os.environ, "PYTHONPATH": root}).returncode == -signal.SIGKILL


@pytest.mark.slow
def test_kill_9_in_a_stage_loses_no_finished_stage(make_agent, collector, task, tmp_path):
    _run_killed("reflect", tmp_path)
    resumed = Counting()
    record = make_agent(policy=resumed, checkpoints=tmp_path).run_episode(task, variant="v", split="train")
    assert resumed.calls == ["reflect"]
    assert record.solved and collector.records == [record]


@pytest.fixture
def killed(tmp_path):
    """The folder of an episode whose process was killed while it committed."""
    _run_killed("commit", tmp_path)
    (folder,) = tmp_path.iterdir()
    return folder


@pytest.mark.slow
def test_an_episode_cut_off_after_any_write_goes_on_to_the_same_record(make_agent, task, tmp_path, killed):
    """Each beginning of the log is what a kill at that moment, or a power loss later, leaves behind."""
    file, log = killed / "checkpoint.db", killed / "checkpoint.db-wal"
    first, frames = file.read_bytes(), log.read_bytes()
    header, frame = 32, 24 + int.from_bytes(frames[8:12], "big")
    wanted = make_agent().run_episode(task, variant="v", split="train")
    left = []
    for end in range(header, len(frames) + 1, frame):
        log.with_name("checkpoint.db-shm").unlink(missing_ok=True)
        file.write_bytes(first)
        log.write_bytes(frames[:end])
        resumed = Counting()
        assert make_agent(policy=resumed, checkpoints=tmp_path).run_episode(task, variant="v", split="train") == wanted
        left.append(resumed.calls)
    assert left[0] == ["plan", "act", "reflect"] and left[-1] == []
    assert left == sorted(left, key=len, reverse=True)
    assert all(calls == left[0][len(left[0]) - len(calls) :] for calls in left)
    assert {len(calls) for calls in left} == {0, 1, 2, 3}


@pytest.mark.slow
def test_a_file_that_never_reached_the_disk_means_a_fresh_start(make_agent, task, tmp_path, killed):
    (killed / "checkpoint.db").write_bytes(b"")
    record = make_agent(checkpoints=tmp_path).run_episode(task, variant="v", split="train")
    assert record == make_agent().run_episode(task, variant="v", split="train")


def test_stages_wait_for_no_disk_but_their_file_is_never_torn(tmp_path):
    path = tmp_path / "e" / "checkpoint.db"
    with open_saver(path) as saver:
        saver.setup()
        settings = [saver.conn.execute(f"PRAGMA {name}").fetchone()[0] for name in ("journal_mode", "synchronous")]
    assert settings == ["wal", 1]
    assert [file.name for file in path.parent.iterdir()] == ["checkpoint.db"]


def test_an_episode_has_its_own_small_checkpoint_file(make_agent, task, tmp_path):
    record = make_agent(checkpoints=tmp_path).run_episode(task, variant="v", split="own")
    with sqlite3.connect(tmp_path / record.episode / "checkpoint.db") as connection:
        (count,) = connection.execute("SELECT count(*) FROM checkpoints").fetchone()
    assert count >= len(Workflow().stages)
