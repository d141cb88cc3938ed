"""What worlds left in a workspace opens where the package is not installed, and is there again where it is."""

from __future__ import annotations

import pytest

import evolve
from evolve.testing import ScriptedWorker
from evolve_worlds.trials import TrialsRequest
from tests.offering import hide, offer
from world_doubles.acting import act_all, task
from world_doubles.house import House
from world_doubles.vault import SOLUTION, Vault


def test_claims_and_episodes_are_listed_without_it(tmp_path, monkeypatch, cli):
    offer(monkeypatch, tmp_path / "house", "worlds", "house", House)
    root = tmp_path / "ws"
    with evolve.open(root) as opened:
        opened.trials(TrialsRequest(world="house", variations=2, trials=2))
        before = [one.id for one in opened.memory.list()]
    assert before
    with monkeypatch.context() as patch:
        (tmp_path / "empty").mkdir()
        hide(patch, tmp_path / "empty")
        with evolve.open(root) as opened:
            assert [one.id for one in opened.memory.list()] == before
            assert opened.memory.check().ok and opened.memory.sentences()
            assert opened.memory.recall("bring the lamp") is not None
            with pytest.raises(AttributeError, match="evolve-worlds"):
                _ = opened.trials
        for words in (("memory", "list", "--json"), ("runs", "list"), ("status", "--json")):
            done = cli(*words, "-w", str(root))
            assert done.code == 0, done.err
    with evolve.open(root) as opened:
        again = opened.trials(TrialsRequest(world="house", variations=2, trials=2))
        assert all(one.kept for one in again.trials)


def test_a_finished_run_in_a_world_is_read_without_it(tmp_path, monkeypatch, cli):
    offer(monkeypatch, tmp_path / "vault", "worlds", "vault", Vault)
    root = tmp_path / "ws"
    with evolve.open(root, policy=ScriptedWorker((act_all(*SOLUTION),))) as opened:
        assert opened.run(task()).solved
        (run,) = opened.runs.list()
    (tmp_path / "empty").mkdir()
    hide(monkeypatch, tmp_path / "empty")
    with evolve.open(root) as opened:
        assert opened.runs.list() == [run]
        assert SOLUTION[-1] in str(opened.runs.show(run.run.id))
        assert opened.run(examples=[((word,), word.upper()) for word in ("ab", "cd", "ef")], name="shout").solved
        opened.learn()
    for words in (("runs", "show", run.run.id), ("why", run.run.id), ("runs", "search", "chest"), ("status", "--json")):
        done = cli(*words, "-w", str(root))
        assert done.code == 0, (words, done.err)


def test_a_run_that_is_still_to_be_learned_from_waits_for_it(tmp_path, monkeypatch):
    offer(monkeypatch, tmp_path / "vault", "worlds", "vault", Vault)

    def opened():
        return evolve.open(tmp_path / "ws", policy=ScriptedWorker((act_all(*SOLUTION),)))

    with opened() as workspace, workspace.delivering():
        assert workspace.run(task()).solved
    with monkeypatch.context() as patch, opened() as workspace:
        (tmp_path / "empty").mkdir()
        hide(patch, tmp_path / "empty")
        (waiting,) = workspace.learn()
        assert waiting.waits and "pip install ./packages/evolve-worlds" in str(waiting.note)
    with opened() as workspace:
        (taught,) = workspace.learn()
        assert taught.learned and not workspace.learn()
