"""In a person's own runs a refused row becomes an example and the search goes on; what then counts as verified."""

from __future__ import annotations

import pytest

import evolve
from evolve.agent import Agent, AgentServices
from evolve.core.episodes import Limits, RefusedAnswer, Row
from evolve.core.reasons import reason
from evolve.policies.search import SearchPolicy
from evolve.tasks import Task, load_examples
from evolve.testing import FixedPolicy, TrustingSandbox

LIMITS = Limits(candidates=200_000, seconds=None)


def rows_of(*pairs):
    return tuple(Row(input=(given,), output=wanted) for given, wanted in pairs)


ALIKE = rows_of(([5], 5), ([2, 2], 2), ([7, 7, 7], 7))
"""Fit by the first element, the last one, the greatest and others."""


def attempt(examples, verify, split="own", policy=None, **more):
    task = Task(id="t", family="lists", instruction="", examples=examples, verify=verify)
    around = AgentServices(policy=policy or SearchPolicy(), sandbox=TrustingSandbox(), run="r1", **more)
    return Agent(around).run_episode(task, variant="v", split=split, limits=LIMITS)


def judged(record):
    return [step.judgement for step in record.steps if step.judgement is not None]


@pytest.mark.slow
def test_the_search_goes_on_for_as_long_as_rows_are_refused():
    # Nothing short explains these, so each answer meets a row that speaks against it.
    verify = rows_of(*(([n, 3 * n % 7, n % 2], 11 * n % 5) for n in range(1, 9)))
    record = attempt(ALIKE, verify)
    refused = [one for one in judged(record) if not one.accepted]
    shown = [one.row for one in refused]
    assert len(refused) > 3 and None not in shown
    assert len(set(map(repr, shown))) == len(shown)  # none is shown twice
    assert record.solved or (record.status, record.cost.candidates) == ("budget", 200_000)


def test_all_rows_may_become_examples_and_the_answer_is_then_unverified():
    record = attempt(ALIKE, rows_of(([1, 2], 2), ([8, 1, 3], 3)))
    assert record.solved and not record.verified
    assert "could verify it" in record.note
    alone = attempt(rows_of(([5], 5), ([2, 2], 2)), rows_of(([1, 2], 2)))
    assert alone.solved and not alone.verified
    assert "every row was needed to find it; 3 more rows could verify it" in alone.note


@pytest.mark.parametrize(("split", "submissions"), [("train", 3), ("gate", 1), ("test", 1), ("screen", 1)])
def test_where_anything_is_measured_the_search_learns_one_bit_of_an_answer(split, submissions):
    impossible = rows_of(([1, 2], 90), ([3, 1, 4], 17), ([9, 8], -3))
    record = attempt(ALIKE, impossible, split)
    assert len(judged(record)) <= submissions
    assert all(one.row is None for one in judged(record))


def test_a_row_that_alone_speaks_for_an_answer_leaves_it_unverified():
    # Without [1, 2] the first element is right on every other row.
    record = attempt(ALIKE, rows_of(([1, 2], 2), ([3, 3], 3), ([9], 9), ([4, 4, 4], 4), ([6, 6], 6)))
    assert record.solved and not record.verified
    assert judged(record)[-1].rows == 4
    assert judged(record)[-1].doubt == reason("rests_on_one_row", row="solve([1, 2])")


def test_an_answer_that_every_other_row_leaves_the_same_is_verified():
    record = attempt(ALIKE, rows_of(([1, 2], 2), ([3, 1, 4], 4), ([9, 8], 8), ([4, 4, 6], 6), ([2, 0], 0)))
    assert len(judged(record)) == 2 and record.verified
    looked_again = record.cost.candidates - sum(step.action.cost.candidates for step in record.steps)
    assert looked_again > 0  # what the check took is part of what the run cost


@pytest.mark.slow
def test_the_check_is_made_once_however_often_the_run_is_cut_off(tmp_path, monkeypatch):
    verify = rows_of(([1, 2], 2), ([3, 1, 4], 4), ([9, 8], 8), ([4, 4, 6], 6), ([2, 0], 0))
    monkeypatch.setenv("EVOLVE_FAULT", "stage.judge.after:2:int")
    with pytest.raises(KeyboardInterrupt):
        attempt(ALIKE, verify, checkpoints=tmp_path)
    monkeypatch.delenv("EVOLVE_FAULT")
    record, alone = attempt(ALIKE, verify, checkpoints=tmp_path), attempt(ALIKE, verify)
    assert record.verified and record.answer == alone.answer
    assert record.cost.candidates == alone.cost.candidates


def test_a_model_keeps_its_submissions_and_its_rule():
    sources = {f"p{n}": f"def solve(xs):\n    return xs[0] + {n} * (len(set(xs)) > 1)\n" for n in range(9)}
    verify = rows_of(([1, 2], 2), ([3, 1, 4], 4), ([9, 8], 80), ([4, 4, 6], 600), ([2, 0], -7))
    assert len(judged(attempt(ALIKE, verify, policy=FixedPolicy(programs=sources)))) <= 3


def seven(tmp_path, lines):
    file = tmp_path / "rows.csv"
    file.write_text("name,out\n" + "".join(f"{name},{out}\n" for name, out in lines))
    return load_examples(file)


@pytest.mark.slow
@pytest.mark.parametrize("count", [4, 5, 6, 7])
def test_a_small_table_gets_its_function(tmp_path, count):
    names = ["Ada Lovelace", "Alan Turing", "Grace Hopper", "Kurt Prefix", "Emmy Noether", "Jo Li", "Max von Laue"]
    task = seven(tmp_path, [(name, f"{name.split()[-1]} {name[0]}") for name in names][:count])
    with evolve.open(tmp_path / "ws") as opened:
        opened._sandbox = TrustingSandbox()
        result = opened.run(task, budget="100k-candidates")
    assert result.solved, result.note
    values: dict = {}
    exec(result.answer, values)
    for row in (*task.examples, *task.verify):
        assert values[task.entry](*row.input) == row.output
    if count < 6:
        assert not result.verified and result.reason.code == "rows_missing"


def test_a_later_run_knows_every_row_that_was_shown(tmp_path):
    rows = rows_of(([1, 2], 2), ([8, 1, 3], 3), ([9, 8], 8), ([4, 4, 6], 6))
    task = Task(id="t", family="lists", instruction="", examples=ALIKE, verify=rows)
    wrong = {f"p{n}": f"def solve(xs):\n    return xs[0] + {n} * (len(set(xs)) > 1)\n" for n in range(9)}
    refused = tuple(
        RefusedAnswer(answer=source, row=row, got=0) for source, row in zip(wrong.values(), rows, strict=False)
    )
    shown = Task(**{**task.__dict__, "refused": refused})
    assert len(shown.view().refused) == 4 and not shown.verify_rows()
