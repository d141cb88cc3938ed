"""Stages between an action and its judgement, with a model that goes by what its prompt says."""

from __future__ import annotations

import json
import re

import pytest

from evolve.core.failpoints import VARIABLE
from evolve.tasks import Task
from evolve.testing.doubles import prompt_of
from tests.agent.deliberating import FIRM, notes, rows, with_stages
from tests.policies.language.conftest import action, asked, plan

WRONG = "def solve(xs):\n    return xs[0]\n"
RIGHT = "def solve(xs):\n    return sum(xs)\n"
WORSE = "def solve(xs):\n    return None\n"

SUM = Task(
    id="sum",
    family="numbers",
    instruction="give the sum",
    examples=rows(sum, ([5],), ([7, 0],)),
    hidden=rows(sum, ([1, 2],), ([3, 3, 3],), ([4],), ([0, 9],), ([2, 1],)),
)


class Reader:
    """Answers wrong until its prompt shows a doubt that a call refutes; criticises only code that it is shown.

    Args:
        case: What its critique expects of ``solve([1, 2])``.
        revised: What it writes when it reads a doubt.
    """

    def __init__(self, case="3", revised=RIGHT):
        self.case, self.revised = case, revised

    def __call__(self, body):
        prompt = prompt_of(body)
        if asked(body) == "plan":
            parts = ("add(xs) gives the sum",) if "Take the task below apart" in prompt else ("all of it",)
            return plan(*((part, ()) for part in parts))
        if asked(body) == "critique":
            seen = "return xs[0]" in prompt
            case = {"input": "[[1, 2]]", "expected": self.case}
            return json.dumps({"fault": "only the first is used" if seen else "", "cases": [case] if seen else []})
        if re.search(r"The doubt:.*only the first is used; on \(\[1,2\]\) it gives 1, not", prompt, re.DOTALL):
            return action(self.revised)
        return action(RIGHT if "add(xs) gives the sum" in prompt else WRONG)


def test_a_critique_that_a_call_bears_out_leads_to_a_right_answer(model) -> None:
    plain = model(Reader()).run(SUM, workflow=with_stages(), split="own")
    episode = model(Reader())
    record = episode.run(SUM, workflow=with_stages("critique", "revise"), split="own")
    assert plain.status == "refused"
    assert record.solved
    assert notes(record, "critique")[0].doubtful
    assert notes(record, "revise")[0].text.startswith("revised because only the first is used")
    assert [asked(body) for body in episode.bodies].count("critique") == 1
    assert record.cost.calls == len(episode.bodies)


@pytest.mark.parametrize("after", [(), ("critique",)], ids=["before the trial", "after the trial"])
def test_a_doubt_that_leads_back_stands_in_the_next_question(model, after) -> None:
    def answer(body):
        if "doubted: only the first is used; on ([1,2]) it gives 1, not" in prompt_of(body):
            return action(RIGHT)
        return Reader()(body)

    on = "judge" if after else "observe"
    routes = {"critique": {"doubtful": "act", "agree": on}}
    workflow = with_stages(*(() if after else ("critique",)), after=after, routes=routes)
    record = model(answer).run(SUM, workflow=workflow, split="own")
    assert record.solved
    assert [step.judgement is not None for step in record.steps] == [False, True]


def test_a_critique_that_the_answer_withstands_is_no_doubt(model) -> None:
    episode = model(Reader(case="1"))  # it expects what the answer gives
    record = episode.run(SUM, workflow=with_stages("critique", "revise"), split="own")
    assert not notes(record, "critique")[0].doubtful
    assert record.answer == WRONG


def test_a_revision_that_fails_an_example_is_not_taken(model) -> None:
    record = model(Reader(revised=WORSE)).run(SUM, workflow=with_stages("critique", "revise"), split="own")
    assert notes(record, "revise")[0].text == "not taken: 0 examples in place of 2"
    assert record.answer == WRONG


def test_the_parts_of_a_task_stand_in_the_question_for_an_action(model) -> None:
    plain = model(Reader()).run(SUM, workflow=with_stages(), split="own")
    record = model(Reader()).run(SUM, workflow=with_stages(before=["decompose"]), split="own")
    assert (plain.solved, record.solved) == (False, True)


@pytest.mark.parametrize("stage", ["decompose", "best_of_n", "critique", "revise"])
def test_a_crash_after_a_stage_asks_and_pays_nothing_twice(model, tmp_path, monkeypatch, stage) -> None:
    workflow = with_stages("best_of_n", "critique", "revise", before=["decompose"], rivals=1)
    whole = model(Plain())
    expected = whole.run(SUM, workflow=workflow, split="own", checkpoints=tmp_path / "whole")
    cut = model(Plain())
    monkeypatch.setenv(VARIABLE, f"stage.{stage}.after:1:full")
    with pytest.raises(OSError):
        cut.run(SUM, workflow=workflow, split="own", checkpoints=tmp_path / "cut")
    record = cut.run(SUM, workflow=workflow, split="own", checkpoints=tmp_path / "cut")
    assert cut.bodies == whole.bodies
    assert record.answer == expected.answer == RIGHT
    assert (record.cost.calls, record.cost.tokens) == (expected.cost.calls, expected.cost.tokens)


class Plain(Reader):
    """As a reader, whom no decomposition helps."""

    def __call__(self, body):
        if asked(body) == "plan":
            return plan(("some of it", ()))
        return super().__call__(body)


class Sampling:
    """Writes another answer each time it is asked the same question, by the seed of the request."""

    def __init__(self, *answers):
        self.answers = answers

    def __call__(self, body):
        if asked(body) == "plan":
            return plan(("all of it", ()))
        return action(self.answers[body.get("seed", 0) // 1_000 % len(self.answers)])


BROKEN = "def solve(xs):\n    return 1 / 0\n"
LONG = "def solve(xs):\n    found = 0\n    for x in xs:\n        found += x\n    return found\n"


def test_the_best_of_several_answers_is_handed_in(model) -> None:
    record = model(Sampling(BROKEN, LONG, RIGHT)).run(SUM, workflow=with_stages("best_of_n", rivals=2), split="own")
    assert record.solved
    assert len(record.steps) == 1
    assert BROKEN in {one.code for one in record.steps[0].action.rivals}


def test_the_answer_that_most_agree_with_is_handed_in(model) -> None:
    record = model(Sampling(WRONG, LONG, RIGHT)).run(SUM, workflow=with_stages("vote", rivals=3), split="own")
    assert record.solved
    assert "3 of 3 answers vote" in notes(record, "vote")[0].text


def test_the_embedded_search_helps_where_a_model_fails_an_example(model) -> None:
    plain = model(Sampling(BROKEN)).run(FIRM, workflow=with_stages(), split="own")
    episode = model(Sampling(BROKEN))
    record = episode.run(FIRM, workflow=with_stages("search"), split="own")
    assert not plain.solved
    assert record.solved
    assert record.cost.candidates > 0


def test_a_prompt_of_a_stage_can_be_changed_in_the_workspace(model, tmp_path) -> None:
    from evolve.core.prompts import PromptLayers
    from evolve.policies.language import Questions

    (tmp_path / "critique.md").write_text("Look at the first element.\n")
    episode = model(Reader(), questions=Questions(layers=PromptLayers(workspace=tmp_path)))
    episode.run(SUM, workflow=with_stages("critique"), split="gate")
    (prompt,) = episode.prompts("critique")
    assert prompt.startswith("Look at the first element.")


def test_a_stage_of_programs_is_idle_in_a_folder(model) -> None:
    from evolve.agent.workflow import inapplicable_stages

    workflow = with_stages("critique", before=["decompose"])
    assert set(inapplicable_stages(workflow, policy="language:x", environment="files", one_file=False)) == {"critique"}


@pytest.mark.parametrize("steps", [2, 3])
def test_an_answer_that_was_only_doubted_is_judged_where_the_last_reply_is_worse(model, steps) -> None:
    def answer(body):
        if asked(body) == "critique":
            return json.dumps({"fault": "it adds", "cases": [{"input": "[[1, 2]]", "expected": "4"}]})
        return action(WORSE if "doubted: it adds" in prompt_of(body) else RIGHT)

    routes = {"critique": {"doubtful": "act", "agree": "judge"}}
    record = model(answer).run(SUM, workflow=with_stages(after=["critique"], routes=routes, steps=steps), split="own")
    assert record.solved and record.answer == RIGHT
    assert sum(step.judgement is not None for step in record.steps) == 1
