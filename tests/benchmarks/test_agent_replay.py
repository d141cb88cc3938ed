"""What a strong model answered once is replayed by task and ordinal; a prompt that is another one by now is stale."""

from __future__ import annotations

import pytest

from benchmarks.agent.replayed import exchanges, replayed


def test_the_same_tasks_were_answered_for_both():
    asked = exchanges()
    assert {task for task, arm in asked if arm == "plain"} == {task for task, arm in asked if arm == "evolve"}
    assert len(asked) >= 40 and all(one["reply"].strip() for listed in asked.values() for one in listed)


@pytest.mark.slow
def test_where_the_prompts_are_those_that_were_answered_the_same_comes_of_it():
    rows = list(replayed())
    assert all(row["solved"] for row in rows if row["stale"] is None)
    assert all(row["stale"] is None for row in rows if row["arm"] == "plain")
    print([row["task"] for row in rows if row["stale"] is not None], "stale")
