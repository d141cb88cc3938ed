"""The learning benchmark end to end, on a few tasks."""

from __future__ import annotations

import pytest

from benchmarks.attempts import Solver
from benchmarks.judging import HostJudge, SandboxJudge
from benchmarks.learner import ARMS, Course, practise, solver_of
from benchmarks.learning import Plan, halves, kind_of, run
from benchmarks.suites import draw_suite
from evolve.policies.search import SearchPolicy
from evolve.runtime.sandbox import open_sandbox
from evolve.tasks import load_suite, render_jsonl

KEYS = {
    "suite", "split", "task", "group", "arm", "seed", "budget", "solved", "claimed_verified", "correct_unseen",
    "candidates", "cpu_s", "cost", "work",
}  # fmt: skip


@pytest.fixture(scope="module")
def suite_file(tmp_path_factory):
    tasks = [task for task in draw_suite("lists", n=60).tasks if task.meta.get("difficulty", 1) <= 2][:14]
    assert len(tasks) == 14
    file = tmp_path_factory.mktemp("suites") / "few.jsonl"
    file.write_text(render_jsonl(tasks), encoding="utf-8")
    return file


@pytest.fixture(scope="module")
def outcome(suite_file):
    return run(Plan(suite=str(suite_file), budget=600, seeds=1, quick=True, workers=1))


@pytest.mark.parametrize("name", ["composed", "everyday"])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_no_group_is_on_both_sides_of_a_split(name, seed):
    tasks = draw_suite(name, n=40).tasks
    train, test = halves([*tasks, *tasks[:5]], seed)
    assert not {task.group for task in train} & {task.group for task in test}
    assert len(train) + len(test) == 45
    assert abs(len({task.group for task in train}) - len({task.group for task in test})) <= 1


def test_splits_differ_by_seed_and_not_by_order():
    tasks = draw_suite("everyday", n=40).tasks
    assert {task.id for task in halves(tasks, 0)[0]} == {task.id for task in halves(tasks[::-1], 0)[0]}
    assert {task.id for task in halves(tasks, 0)[0]} != {task.id for task in halves(tasks, 1)[0]}


@pytest.mark.slow
def test_every_arm_has_a_row_for_every_held_out_task(outcome):
    held = {row["task"] for row in outcome.rows if row["split"] == "test"}
    practised = {row["task"] for row in outcome.rows if row["split"] == "train"}
    assert len(held) == len(practised) == 7
    assert not held & practised
    for arm in ARMS:
        assert sorted(row["task"] for row in outcome.rows if row["arm"] == arm) == sorted(held)


@pytest.mark.slow
def test_rows_have_the_agreed_keys_and_are_consistent(outcome):
    assert any(row["solved"] for row in outcome.rows)
    for row in outcome.rows:
        assert set(row) == KEYS
        assert row["candidates"] <= row["cost"] or row["cost"] == 0
        if row["solved"]:
            assert row["claimed_verified"]
            assert row["correct_unseen"]


@pytest.mark.slow
def test_the_learner_total_counts_what_practice_cost(outcome):
    spent = sum(row["cost"] for row in outcome.rows if row["split"] == "train")
    budgets = {row["budget"] for row in outcome.rows if row["arm"] == "unlearned-total"}
    assert len(budgets) == 1
    assert budgets.pop() >= 600 + spent // 7


@pytest.mark.slow
def test_a_run_is_repeatable(suite_file, outcome):
    arms = ("guide+library", "plain")
    again = run(Plan(suite=str(suite_file), budget=600, seeds=1, quick=True, workers=2, arms=arms))
    first = [{**row, "cpu_s": 0} for row in outcome.rows if row["arm"] in arms or row["split"] == "train"]
    assert [{**row, "cpu_s": 0} for row in again.rows] == first


@pytest.mark.slow
def test_no_path_leaves_the_benchmark(suite_file, outcome):
    assert str(suite_file.parent.parent) not in str(outcome.to_json())


@pytest.mark.slow
def test_a_learner_without_insights_acts_as_the_unlearned_one(suite_file):
    tasks = load_suite(str(suite_file)).tasks
    learned = practise(Course(suite="few", tasks=tasks[:3], budget=1, seed=0, dreams=20), HostJudge())
    assert learned.memory is None
    for arm in ("guide", "guide+library", "placebo", "re-priced", "library"):
        policy = solver_of(arm, learned, HostJudge()).policy
        assert (policy.guide, policy.library) == (None, ())


@pytest.mark.slow
def test_the_placebo_is_fitted_on_the_same_insights_of_other_tasks(suite_file):
    tasks = load_suite(str(suite_file)).tasks
    learned = practise(Course(suite="few", tasks=tasks, budget=600, seed=0, dreams=20), HostJudge())
    real, placebo = (solver_of(arm, learned, HostJudge()).policy for arm in ("guide+library", "placebo"))
    assert real.guide != placebo.guide
    assert (real.guide.rows, real.library) == (placebo.guide.rows, placebo.library)


def test_kinds_of_suites():
    assert kind_of(draw_suite("lists", n=4)) == "lists"
    assert kind_of(draw_suite("composed", n=4)) == "composed"
    assert kind_of(draw_suite("strings", n=4)) == "columns"


@pytest.mark.slow
def test_evaluating_trees_gives_the_verdicts_of_the_sandbox(suite_file, tmp_path_factory):
    tasks = [*load_suite(str(suite_file)).tasks[:6], *draw_suite("everyday", n=6).tasks]
    with open_sandbox(cache_dir=tmp_path_factory.mktemp("cache")) as sandbox:
        here = Solver(policy=SearchPolicy(), judge=HostJudge())
        there = Solver(policy=here.policy, judge=SandboxJudge(sandbox))
        solved = 0
        for task in tasks:
            mine, real = here.attempt(task, 1500), there.attempt(task, 1500)
            assert [step.judgement for step in mine.steps] == [step.judgement for step in real.steps]
            answer = mine.answer
            if answer is None:
                continue
            solved += mine.accepted
            unseen = task.unseen_rows()
            verdicts = [one.judge.holds(one.policy, mine.view, answer, unseen) for one in (here, there)]
            assert verdicts[0] == verdicts[1]
            assert here.learned_from(mine)[0] == there.learned_from(real)[0]
        assert solved >= 4
