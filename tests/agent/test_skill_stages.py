"""Learned skills as stages: new building blocks in code, run in the sandbox and tried before they count."""

from __future__ import annotations

from dataclasses import replace

import pytest

from evolve.core.errors import WorkspaceError
from evolve.improve.optimizer import resample_part
from evolve.skills import Skill
from tests.agent.deliberating import FIRM, SPLIT, notes, search_agent, with_stages


def skill(name, signature, code):
    return Skill(
        name=name, description="A building block.", entry="block", signature=signature, code=code, rows=(),
        test_code="", status="admitted",
    )  # fmt: skip


def stage_for(one):
    return f"skill:{one.name}@{one.digest[:12]}"


PROPOSE = skill(
    "two-elements",
    "(instruction: str, examples: str) -> str",
    """
import json

def block(instruction, examples):
    if "two elements" not in instruction or not json.loads(examples):
        return ""
    return "def solve(xs, n):\\n    return [max(xs) if n > 2 else min(xs), len(xs) + n]\\n"
""",
)
CHANGE = skill("name-it", "(code: str) -> str", "def block(code):\n    return '# tidied\\n' + code\n")
SPOIL = skill("spoil-it", "(code: str) -> str", "def block(code):\n    return 'def solve(xs):\\n    return None\\n'\n")
DOUBT = skill("doubt-it", "(code: str) -> bool", "def block(code):\n    return 'if x % 2' not in code\n")
NEVER = skill("never", "(code: str) -> bool", "def block(code):\n    return False\n")
RAISES = skill("raise-it", "(code: str) -> str", "def block(code):\n    raise ValueError('no')\n")
ENDLESS = skill("endless", "(code: str) -> str", "def block(code):\n    return 7\n")
NUMBER = skill("plus-one", "(n: int) -> int", "def block(n):\n    return n + 1\n")


def run(task, used, *, split="own", skills=None, routes=None, **knobs):
    workflow = with_stages(stage_for(used), routes=routes, **knobs)
    return search_agent(workflow, skills=(used,) if skills is None else skills).run_episode(
        task, variant="v", split=split
    )


def test_a_skill_proposes_an_answer_where_the_search_has_none() -> None:
    record = run(SPLIT, PROPOSE, candidates=1_000)
    assert record.solved
    assert f"skill:{PROPOSE.digest}" in record.consumed
    assert notes(record, stage_for(PROPOSE))[0].text == "proposed by the skill"


def test_a_skill_changes_an_answer_and_is_credited() -> None:
    record = run(FIRM, CHANGE)
    assert record.answer.startswith("# tidied\n")
    assert record.solved
    assert f"skill:{CHANGE.digest}" in record.consumed


def test_a_change_that_makes_the_answer_worse_is_not_taken() -> None:
    record = run(FIRM, SPOIL)
    assert record.solved
    assert notes(record, stage_for(SPOIL))[0].text.startswith("not taken")
    assert f"skill:{SPOIL.digest}" not in record.consumed


def test_a_skill_that_doubts_sends_back_for_another_action() -> None:
    routes = {stage_for(DOUBT): {"doubtful": "act", "agree": "observe"}}
    record = run(FIRM, DOUBT, routes=routes, steps=2, split="train")
    assert notes(record, stage_for(DOUBT))[0].doubtful
    assert record.steps[0].observation is None
    assert len(record.steps) == 2


def test_where_all_answers_are_doubted_the_first_is_handed_in_last() -> None:
    routes = {stage_for(NEVER): {"doubtful": "act", "agree": "observe"}}
    record = run(FIRM, NEVER, routes=routes, steps=3)
    first, second, last = record.steps
    assert second.action.code != first.action.code == last.action.code
    assert notes(record, stage_for(NEVER))[-1].text.startswith("all answers are doubted, so that of step 1")
    assert record.solved


@pytest.mark.parametrize("broken", [RAISES, ENDLESS], ids=lambda one: one.name)
def test_a_failing_skill_is_an_observation_and_ends_nothing(broken) -> None:
    record = run(FIRM, broken)
    assert record.solved
    (note,) = notes(record, stage_for(broken))
    assert "failed: " in note.text or note.text == "the skill gave no source"


def test_a_skill_that_is_not_admitted_is_refused() -> None:
    for skills in ((), (replace(CHANGE, status="draft"),), (SPOIL,)):
        with pytest.raises(WorkspaceError, match="no such skill is admitted here") as caught:
            run(FIRM, CHANGE, skills=skills)
        assert caught.value.hint


def test_a_skill_of_another_type_is_refused() -> None:
    with pytest.raises(WorkspaceError, match="is no building block"):
        run(FIRM, NUMBER)


def test_a_change_may_put_a_learned_skill_into_a_workflow() -> None:
    from random import Random

    part = f"stage:{stage_for(CHANGE)}"
    made = resample_part(with_stages(), part, Random(1))
    assert made is not None
    record = search_agent(made, skills=(CHANGE,)).run_episode(FIRM, variant="v", split="own")
    assert record.answer.startswith("# tidied\n")
