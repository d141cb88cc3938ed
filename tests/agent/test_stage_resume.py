"""Every stage that may stand in a workflow goes on after a crash at its boundaries, and pays once."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from random import Random

import pytest

from evolve.core.failpoints import VARIABLE
from evolve.policies.search import SearchPolicy
from evolve.skills import Skill
from evolve.testing import TrustingSandbox
from tests.agent.deliberating import LOOSE, search_agent, with_stages

LOOKS = Skill(
    name="keep-all", description="Keeps every answer.", entry="keeps", signature="(code: str) -> bool",
    code="def keeps(code):\n    return True\n", rows=(), test_code="", status="admitted",
)  # fmt: skip
CALL = f"skill:keep-all@{LOOKS.digest[:12]}"

WORKFLOW = with_stages(
    "search", "best_of_n", "vote", CALL,
    before=["decompose"],
    after=["critique"],
    routes={"critique": {"doubtful": "act", "agree": "judge"}, "vote": {"doubtful": "act", "agree": CALL}},
    steps=3, candidates=2_500, rivals=2, quorum=0.9,
)  # fmt: skip


class Counted:
    """The real thing, with a count of what is paid for: searches and programs run."""

    def __init__(self):
        self.calls = Counter()
        outer = self

        class Policy(SearchPolicy):
            def act(self, view, plan, steps, limits):
                outer.calls["act", len(steps)] += 1
                return super().act(view, plan, steps, limits)

            def alternatives(self, view, plan, steps, limits, wanted):
                outer.calls["alternatives", len(steps), limits.candidates, wanted] += 1
                return super().alternatives(view, plan, steps, limits, wanted)

            def search_again(self, view, steps, limits):
                outer.calls["search again", len(steps)] += 1
                return super().search_again(view, steps, limits)

        self.policy, self.sandbox = Policy(), TrustingSandbox()


def attempt(folder, counted):
    """One process's attempt at the episode; the search's own state dies with it."""
    agent = search_agent(
        WORKFLOW, policy=replace(counted.policy), sandbox=counted.sandbox, checkpoints=folder, skills=(LOOKS,)
    )
    return agent.run_episode(LOOSE, variant="v", split="train")


def comparable(record):
    """The record without CPU seconds, which no two runs share."""

    def timeless(cost):
        return replace(cost, seconds=0.0)

    steps = [replace(step, action=replace(step.action, cost=timeless(step.action.cost))) for step in record.steps]
    return replace(record, cost=timeless(record.cost), steps=tuple(steps))


def reached(tmp_path, monkeypatch):
    """The points of a whole episode, in order, and what it comes to."""
    monkeypatch.setenv(VARIABLE, f">{tmp_path / 'points'}")
    counted = Counted()
    record = attempt(tmp_path / "whole", counted)
    monkeypatch.setenv(VARIABLE, "")
    found = [line for line in (tmp_path / "points").read_text().split() if line.startswith(("stage.", "output."))]
    return found, comparable(record), counted.calls


def check_crashes(points, expected, calls, around):
    """Lets the episode crash at each of some points, go on, and come to what it came to without a crash."""
    tmp_path, monkeypatch, some = around
    seen: Counter = Counter()
    for number, point in enumerate(points):
        seen[point] += 1
        if number not in some:
            continue
        counted = Counted()
        monkeypatch.setenv(VARIABLE, f"{point}:{seen[point]}:full")
        with pytest.raises(OSError):
            attempt(tmp_path / str(number), counted)
        assert comparable(attempt(tmp_path / str(number), counted)) == expected, point
        if point.startswith("stage."):  # what was going on when output.before struck is all that is paid twice
            assert counted.calls == calls, point


def test_all_stages_take_part(tmp_path, monkeypatch) -> None:
    points, record, calls = reached(tmp_path, monkeypatch)
    stages = {point.split(".")[1] for point in points if point.startswith("stage.")}
    assert stages == {stage.partition(":")[0] for stage in WORKFLOW.stages}
    assert len(record.steps) > 1
    assert calls


@pytest.mark.slow
def test_a_crash_at_a_boundary_changes_nothing_and_pays_once(tmp_path, monkeypatch) -> None:
    points, record, calls = reached(tmp_path, monkeypatch)
    some = Random(4).sample(range(len(points)), 2)
    check_crashes(points, record, calls, (tmp_path, monkeypatch, some))


@pytest.mark.slow
def test_a_crash_at_any_boundary_changes_nothing_and_pays_once(tmp_path, monkeypatch) -> None:
    points, record, calls = reached(tmp_path, monkeypatch)
    check_crashes(points, record, calls, (tmp_path, monkeypatch, range(len(points))))
