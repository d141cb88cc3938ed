"""A refusal in a person's own run teaches: it may show a row, and a later run of the task knows of it."""

from __future__ import annotations

import json

import pytest

import evolve
from evolve.agent import Agent, AgentServices
from evolve.core.episodes import Limits, RefusedAnswer, Row
from evolve.policies.search import SearchPolicy
from evolve.tasks import Task, load_examples
from evolve.testing import FixedLearner, FixedPolicy, TrustingSandbox
from evolve.workspace import Person

EXAMPLES = (Row(input=([5],), output=5), Row(input=([2, 2],), output=2), Row(input=([7, 7, 7],), output=7))
"""Fit by the first element, the last one, the greatest and others."""


def last_of(*lists, examples=EXAMPLES):
    """A task whose withheld rows want the last element."""
    verify = tuple(Row(input=(list(xs),), output=xs[-1]) for xs in lists)
    return Task(id="ends", family="lists", instruction="give an end", examples=examples, verify=verify)


FIVE = last_of([1, 2], [3, 1, 4], [9, 8], [4, 4, 6], [2, 0])
THREE = last_of([1, 2], [3, 1, 4], [9, 8])


def attempt(task, split, **more):
    around = AgentServices(policy=more.pop("policy", FixedPolicy()), sandbox=TrustingSandbox(), run="r1", **more)
    return Agent(around).run_episode(task, variant="v", split=split)


def judged(record):
    return [step.judgement for step in record.steps if step.judgement is not None]


def test_a_refusal_shows_a_row_and_the_next_answer_is_verified_on_the_others():
    record = attempt(FIVE, "own")
    first, second = judged(record)
    assert (first.accepted, first.rows, first.row, first.got) == (False, 5, FIVE.verify[0], 1)
    assert (second.verified, second.rows, second.row) == (True, 4, None)
    assert record.solved and record.note == (
        "reproduces every example and 4 rows it was not shown; one of your rows ruled out an earlier answer"
    )


def test_three_rows_have_to_stay_unseen_for_an_answer_to_be_verified():
    record = attempt(THREE, "own")
    assert record.solved and not record.verified
    why = "only 2 further rows are known; 1 more row could verify it; one of your rows ruled out an earlier answer"
    assert record.note == f"reproduces every example; {why}"


def test_every_row_may_be_shown_the_last_one_too():
    wrong = FixedPolicy(programs={name: FixedPolicy().programs[name] for name in ("first", "sort")})
    (alone,) = judged(attempt(last_of([1, 2]), "own", policy=wrong))
    assert not alone.accepted and alone.row is not None and alone.rows == 1
    sources = {f"p{n}": f"def solve(xs):\n    return xs[0] + {n} * (len(set(xs)) > 1)\n" for n in range(4)}
    record = attempt(last_of([1, 2], [3, 9]), "own", policy=FixedPolicy(programs=sources))
    assert [one.row is not None for one in judged(record)] == [True, True]
    assert record.status == "refused" and record.answer


@pytest.mark.parametrize(
    ("split", "submissions"), [("train", 2), ("gate", 1), ("test", 1), ("screen", 1), ("probe", 1)]
)
def test_where_anything_is_measured_or_practised_what_is_withheld_stays_so(split, submissions):
    record = attempt(FIVE, split)
    assert len(judged(record)) == submissions
    assert all(one.row is None and one.got is None and one.rows == 5 for one in judged(record))
    assert "shown after" not in record.note


def test_up_to_three_answers_are_submitted_and_each_refused_row_is_named():
    task = last_of([1, 2], [3, 9], [9, 8], [4, 4, 6], [2, 0])
    sources = {
        "first": "def solve(xs):\n    return xs[0]\n",
        "most": "def solve(xs):\n    return max(xs)\n",
        "fails": "def solve(xs):\n    return {2: 0, 5: 5, 7: 7, 1: 2, 3: 9, 9: 8}[xs[0]] or xs[0]\n",
        "last": "def solve(xs):\n    return xs[-1]\n",
    }
    record = attempt(task, "own", policy=FixedPolicy(programs=sources))
    assert record.status == "refused" and len(judged(record)) == 3
    assert record.note == (
        "every submitted answer failed on rows the policy had not seen; solve([1, 2]) gave 1, wanted 2;"
        " solve([9, 8]) gave 9, wanted 8; solve([4, 4, 6]) gave the error KeyError: 4, wanted 6"
    )


def test_an_answer_that_fails_a_shown_row_uses_up_no_submission():
    sources = {f"p{n}": f"def solve(xs):\n    return xs[0] + {n} * (len(set(xs)) > 1)\n" for n in (0, 2, 3)}
    record = attempt(FIVE, "own", policy=FixedPolicy(programs={**sources, "last": FixedPolicy().programs["last"]}))
    assert [step.judgement is not None for step in record.steps] == [True, False, False, True]
    row = record.steps[0].judgement.row
    assert record.steps[1].observation.error.endswith(f"solve({json.dumps(row.input[0])}): wanted {row.output}, got 3")
    assert record.verified


def test_the_search_takes_a_shown_row_for_a_further_example():
    record = attempt(FIVE, "own", policy=SearchPolicy())
    assert record.verified and len(judged(record)) == 2 and judged(record)[0].row == FIVE.verify[0]
    again = attempt(FIVE, "own", policy=SearchPolicy())
    assert [step.action.code for step in again.steps] == [step.action.code for step in record.steps]


def test_a_search_that_was_cut_off_after_a_refusal_goes_on_to_the_same_answer(tmp_path, monkeypatch):
    monkeypatch.setenv("EVOLVE_FAULT", "stage.judge.after:1:int")
    with pytest.raises(KeyboardInterrupt):
        attempt(FIVE, "own", policy=SearchPolicy(), checkpoints=tmp_path)
    monkeypatch.delenv("EVOLVE_FAULT")
    record = attempt(FIVE, "own", policy=SearchPolicy(), checkpoints=tmp_path)
    alone = attempt(FIVE, "own", policy=SearchPolicy())
    assert [step.action.code for step in record.steps] == [step.action.code for step in alone.steps]


class Stubborn(FixedLearner):
    """Knows one wrong program, and keeps what it is told of the task."""

    views: list = []  # noqa: RUF012

    def policy(self, guide, skills, *, attended=False):
        made = super().policy(guide, skills, attended=attended)
        views = self.views

        class Watched(type(made)):
            def plan(self, view, recalled):
                views.append(view)
                return super().plan(view, recalled)

        return Watched(**made.__dict__)


@pytest.fixture
def workspace(tmp_path):
    def open_one(learner=None):
        opened = evolve.open(tmp_path / "ws", policy=learner)
        opened._sandbox = TrustingSandbox()
        return opened

    return open_one


def test_a_later_run_of_the_same_task_is_told_what_was_refused(workspace):
    Stubborn.views.clear()
    source = FixedPolicy().programs["first"]
    with workspace(Stubborn(programs={"first": source})) as opened:
        first = opened.run(FIVE)
        assert first.status == "refused"
        assert first.refused == (RefusedAnswer(answer=source, row=FIVE.verify[0], got=1),)
        assert json.loads(json.dumps(first.to_json()))["refused"][0]["row"] == {"input": [[1, 2]], "output": 2}
        second = opened.run(FIVE)
        other = opened.run(last_of([3, 2], [5, 6], [7, 8], examples=(*EXAMPLES, Row(input=([1, 1],), output=1))))
    assert [view.refused for view in Stubborn.views] == [(), first.refused, ()]
    # What was shown is an example by now, so that answer is not even handed in.
    assert second.status == "unsolved" and not second.refused and other.run_id == "r3"


@pytest.mark.slow
def test_rows_that_an_earlier_run_showed_verify_nothing_in_a_later_one(workspace):
    with workspace(FixedLearner(programs={"first": FixedPolicy().programs["first"]})) as opened:
        opened.run(FIVE, person=Person(learn="off"))
    with workspace() as opened:
        result = opened.run(FIVE)
        record = opened.stores.runs.episode(result.episode_id)
    assert result.verified and judged(record)[-1].rows == 4
    told = Task(**{**FIVE.__dict__, "refused": (RefusedAnswer(answer="", row=FIVE.verify[2]),)})
    assert told.verify_rows() == (*FIVE.verify[:2], *FIVE.verify[3:]) and told.group == FIVE.group


def test_the_search_does_not_propose_again_what_was_refused():
    policy, view = SearchPolicy(), last_of([1, 2]).view()
    plan = policy.plan(view, ())
    limits = Limits(candidates=5_000, seconds=None)
    first = policy.act(view, plan, (), limits)
    known = type(view)(**{**view.__dict__, "refused": (RefusedAnswer(answer=first.code),)})
    second = policy.act(known, policy.plan(known, ()), (), limits)
    assert second.code and second.code != first.code


@pytest.mark.parametrize(
    ("rows", "kept"), [(5, 0), (6, 3), (7, 3), (8, 3), (9, 3), (11, 3), (12, 4), (15, 5), (21, 7), (30, 10)]
)
def test_a_third_of_the_rows_is_kept_back(tmp_path, rows, kept):
    file = tmp_path / "rows.csv"
    file.write_text("n,twice\n" + "".join(f"{n},{2 * n}\n" for n in range(1, rows + 1)))
    task = load_examples(file)
    assert (len(task.verify), len(task.examples)) == (kept, rows - kept)
    assert len(task.examples) >= len(task.verify)
