"""Runs and episodes in the record."""

from __future__ import annotations

from dataclasses import replace

import pytest

from evolve.agent import RunRepository
from evolve.core.episodes import Judgement
from evolve.core.errors import UsageError
from evolve.core.schema import AGENT
from evolve.core.store import Database


@pytest.fixture
def records(tmp_path):
    with Database(tmp_path / "memory.db", AGENT) as db:
        yield RunRepository(db)


def test_an_episode_is_kept_once(records, make_agent, task):
    record = make_agent().run_episode(task, variant="v", split="train")
    assert records.add(record) is True
    assert records.add(record) is False
    assert records.episodes(run="r1") == [record]
    assert records.episode(record.episode[:6]) == record


def test_an_open_run_with_the_same_key_is_continued(records):
    first = records.begin("run", "k", {"task": "t"}, started="now")
    assert records.begin("run", "k", {}, started="later").id == first.id
    records.end(first.id, "done")
    assert records.begin("run", "k", {}, started="later").id != first.id
    assert [run.state for run in records.list_runs()] == ["done", "open"]


def test_unknown_runs_and_episodes_name_the_listing(records):
    for ask in (lambda: records.run("r9"), lambda: records.episode("abc"), lambda: records.episode("")):
        with pytest.raises(UsageError) as caught:
            ask()
        assert "evolve runs" in caught.value.hint


def test_what_was_called_verified_on_the_word_of_a_command_is_read_as_checked(records, make_agent, task):
    record = make_agent().run_episode(task, variant="v", split="train")
    (step,) = (one for one in record.steps if one.judgement is not None)
    told = replace(step, judgement=Judgement(accepted=True, verified=True, rows=0, text="the check 'true' passes"))
    records.add(replace(record, episode="folder", steps=(told,)))
    records.add(record)
    read = records.episode("folder")
    assert (read.status, read.verified, read.checked) == ("solved", False, True)
    assert (read.steps[0].judgement.verified, read.steps[0].judgement.checked) == (False, True)
    assert [one.verified for one in records.episodes()] == [False, True]
