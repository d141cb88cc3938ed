"""What answers to two problems share is learned by a loop, and only once."""

from __future__ import annotations

import random
from dataclasses import dataclass
from itertools import pairwise

import pytest

from evolve.core.episodes import Row
from evolve.tasks import Task, render_jsonl
from evolve.workspace.learners import SearchLearner

FUNCTIONS = {"total": sum, "largest": max}
SHARED = "add-lists-tail"


@dataclass(frozen=True)
class WithoutGuide(SearchLearner):
    """Learns skills only, which is quick."""

    def fit(self, experience, views, skills, seed):
        return None


def task(place):
    rng = random.Random(place)
    name = sorted(FUNCTIONS)[place % 2]
    lists = [[rng.randint(-20, 40) for _ in range(3 + n % 4)] for n in range(12)]
    rows = tuple(Row(input=(xs,), output=FUNCTIONS[name](a + b for a, b in pairwise(xs))) for xs in lists)
    return Task(id=f"pairs-{place}", family=name, instruction="", examples=rows[:6], hidden=rows[6:])


@pytest.fixture
def pairs_file(tmp_path):
    def of(count):
        file = tmp_path / f"pairs-{count}.jsonl"
        file.write_text(render_jsonl(tuple(task(place) for place in range(count))))
        return file

    return of


def learned(workspace):
    return [skill.name for skill in (*workspace.skills.list(), *workspace.skills.parts(()))]


@pytest.mark.slow
def test_a_part_that_answers_share_becomes_a_skill_once(open_ws, pairs_file):
    with open_ws(learner=WithoutGuide(look_on=0.0)) as workspace:
        workspace.improve(pairs_file(12), rounds=1, budget="1M-candidates")
        assert not [name for name in learned(workspace) if name.startswith(SHARED)]
        workspace.improve(pairs_file(24), rounds=2, budget="1M-candidates")
        assert not [skill for skill in workspace.skills.list() if skill.name.startswith(SHARED)]
        (part,) = [skill for skill in workspace.skills.parts(()) if skill.name.startswith(SHARED)]
        assert part.signature == "(items: list[int]) -> list[int]"
        assert all(outcome.ok for outcome in workspace.skills.verify(part.name))
        before = learned(workspace)
        workspace.improve(pairs_file(24), rounds=2, budget="1M-candidates")
        assert learned(workspace) == before
