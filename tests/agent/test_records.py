"""Runs and episodes in the record."""

from __future__ import annotations

import pytest

from evolve.agent import MIGRATIONS, RunRecords
from evolve.errors import UsageError
from evolve.store import Database


@pytest.fixture
def records(tmp_path):
    with Database(tmp_path / "memory.db", MIGRATIONS) as db:
        yield RunRecords(db)


def test_an_episode_is_kept_once(records, make_agent, task):
    record = make_agent().run_episode(task, variant="v", split="train")
    assert records.add(record) is True
    assert records.add(record) is False
    assert records.episodes(run="r1") == [record]
    assert records.episode(record.episode[:6]) == record
    assert records.counts() == {"solved": 1}


def test_an_open_run_with_the_same_key_is_continued(records):
    first = records.begin("run", "k", {"task": "t"}, started="now")
    assert records.begin("run", "k", {}, started="later").id == first.id
    records.end(first.id, "done")
    assert records.begin("run", "k", {}, started="later").id != first.id
    assert [run.state for run in records.runs()] == ["done", "open"]


def test_unknown_runs_and_episodes_name_the_listing(records):
    for ask in (lambda: records.run("r9"), lambda: records.episode("abc"), lambda: records.episode("")):
        with pytest.raises(UsageError) as caught:
            ask()
        assert "evolve runs" in caught.value.hint
