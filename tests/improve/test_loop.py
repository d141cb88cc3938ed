"""The loop from practice to report."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest

import evolve
from benchmarks.doubles import slow_learner, small_suite
from evolve.core.episodes import Row, SkillDraft
from evolve.core.errors import BudgetExhausted, UsageError
from evolve.improve.report import Report
from evolve.skills import AdmissionVerdict, Skill
from evolve.tasks import load_suite, render_jsonl
from evolve.testing import FixedLearner


def figures(report):
    """What a report says, without times."""
    data = report.to_json()
    return {key: data[key] for key in ("rounds", "ratio", "gain", "insights", "promoted", "costs", "curve")}


def test_learning_is_promoted_and_shows_on_held_out_tasks(open_ws, suite_file):
    with open_ws() as workspace:
        report = workspace.improve(suite_file)
        assert report.rounds[0].promoted
        assert report.has_promoted
        assert report.ratio.high < 0.5
        assert report.helped
        unlearned, learned = report.arms[:2]
        assert learned.candidates < unlearned.candidates / 4
        assert learned.tasks == unlearned.tasks == 8
        assert [row.note.partition(" here")[0] for row in report.arms[2:]] == ["not run", "not run"]
        (only,) = report.contrasts
        assert only.saving_always.value > 0.5 and only.gain_always.n == 8
        assert report.looks == 1
        assert report.insight_count == 4
        assert workspace.stores.variants.active_digest == report.promoted


@pytest.mark.slow
def test_a_fresh_report_runs_the_control_arms_on_the_same_tasks(open_ws, suite_file):
    with open_ws() as workspace:
        made = workspace.improve(suite_file, rounds=1)
        fresh = workspace.report(fresh=True)
        assert [row.arm for row in fresh.arms] == ["unlearned", "learned", "best-of-n at equal total budget", "placebo"]
        assert [row.tasks for row in fresh.arms] == [8] * 4
        budget = workspace.settings.candidates + -(-made.spent.candidates // 8)
        assert fresh.arms[2].note == f"{budget:,} candidates a task"
        assert [one.arm for one in fresh.contrasts] == ["unlearned", *(row.arm for row in fresh.arms[2:])]
        assert fresh.looks == 2
        # Trying more of the same programs finds what was found before, for as much.
        assert fresh.arms[2].candidates == fresh.arms[0].candidates
        assert Report.from_json(fresh.to_json()) == fresh
        held_out = [one for one in workspace.stores.runs.episodes(run=fresh.run) if one.variant == "placebo"]
        assert held_out and {one.split for one in held_out} == {"test"}


@pytest.mark.slow
def test_nothing_of_held_out_tasks_is_learned(open_ws, suite_file):
    with open_ws() as workspace:
        workspace.improve(suite_file, rounds=1)
        records = workspace.stores.runs.episodes()
        held_out = {record.task for record in records if record.split in ("gate", "test")}
        seen = {row.task for one in workspace.memory.list() for row in workspace.memory.evidence(one.id)}
        assert held_out and not held_out & seen


@pytest.mark.slow
def test_what_a_person_ran_before_is_neither_judged_nor_tested_on(open_ws, suite_file):
    suite_file.write_text(render_jsonl(small_suite(60).tasks))
    with open_ws() as workspace:
        splits = load_suite(suite_file)
        own = [splits.split(name)[0] for name in ("gate", "test")]
        for task in own:
            assert workspace.run(f"{suite_file}#{task.id}").status == "solved"
        report = workspace.improve(suite_file, rounds=1)
        assert report.promoted and [row.tasks for row in report.arms[:2]] == [11, 11]
        tried = {one.task for one in workspace.stores.runs.episodes(run=report.run)}
        assert not tried & {task.id for task in own}


@pytest.mark.slow
def test_the_same_seed_gives_the_same_figures(open_ws, suite_file):
    with open_ws("a") as first, open_ws("b") as second:
        assert figures(first.improve(suite_file, rounds=1, seed=3)) == figures(
            second.improve(suite_file, rounds=1, seed=3)
        )


@pytest.mark.slow
def test_a_learner_that_cannot_learn_keeps_the_test_sealed(open_ws, suite_file):
    @dataclass(frozen=True)
    class Dull(FixedLearner):
        def fit(self, experience, views, skills, seed):
            return None

        def policy(self, guide, skills, *, attended=False):
            policy = super().policy(None, ())
            object.__setattr__(policy, "preferred", tuple(self.programs))
            return policy

    with open_ws(learner=Dull()) as workspace:
        report = workspace.improve(suite_file, rounds=1)
        assert not report.rounds[0].promoted
        assert not report.has_promoted
        assert report.looks == 0
        assert report.arms[0].note.startswith("not run")
        assert not report.helped


@pytest.mark.slow
def test_the_report_is_printed_again_without_a_look_and_fresh_takes_one(open_ws, suite_file):
    with open_ws() as workspace:
        made = workspace.improve(suite_file, rounds=1)
        assert workspace.report() == made
        assert Report.from_json(made.to_json()) == made
        fresh = workspace.report(fresh=True)
        assert fresh.looks == 2
        assert fresh.ratio == made.ratio
    with open_ws(read_only=True) as workspace:
        assert workspace.report() == fresh


class Stop(Exception):
    pass


class StopAt:
    """A listener that breaks off the loop at the n-th event of a kind."""

    def __init__(self, kind, count=1):
        self.kind, self.left = kind, count

    def emit(self, event):
        if event.kind == self.kind:
            self.left -= 1
            if self.left == 0:
                raise Stop


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "count"), [("practice", 2), ("gate", 3), ("test", 1)])
def test_a_loop_that_broke_off_continues_to_the_same_figures(open_ws, suite_file, kind, count):
    with open_ws("whole") as workspace:
        whole = workspace.improve(suite_file, rounds=1)
    with open_ws("broken", events=StopAt(kind, count)) as workspace, pytest.raises(Stop):
        workspace.improve(suite_file, rounds=1)
    with open_ws("broken") as workspace:
        before = {record.episode for record in workspace.stores.runs.episodes()}
        resumed = workspace.improve(suite_file, rounds=1)
        runs = workspace.stores.runs.list_runs()
        records = workspace.stores.runs.episodes()
    assert figures(resumed) == figures(whole)
    assert [run.state for run in runs] == ["done"]
    assert len({record.episode for record in records}) == len(records)
    assert before


@pytest.mark.slow
def test_a_budget_of_candidates_is_never_passed(open_ws, suite_file):
    with open_ws() as workspace:
        report = workspace.improve(suite_file, budget="60k-candidates")
        assert report.spent.candidates <= 60_000
        spent = sum(record.cost.candidates for record in workspace.stores.runs.episodes())
        assert spent == report.spent.candidates


def test_a_budget_for_nothing_says_so(open_ws, suite_file):
    with open_ws() as workspace, pytest.raises(BudgetExhausted, match="nothing was done"):
        workspace.improve(suite_file, budget="10-candidates")


@pytest.mark.slow
def test_no_skill_is_dropped_because_a_round_did_not_need_it(open_ws, suite_file):
    """What helped another task stays in use; the rest is kept, said to be idle and why, and can be found."""
    skills = [
        Skill.from_draft(
            SkillDraft(
                name=f"{word}-word",
                description=f"The {word} word of a text.",
                entry=f"{word}_word",
                signature="(text: str) -> str",
                code=f"def {word}_word(text: str) -> str:\n    return text.split()[{place}]\n",
                tests=(Row(input=("a b c",), output="abc"[place]),),
                source="task words-1",
            )
        )
        for word, place in (("first", 0), ("second", 1), ("last", -1))
    ]
    told = []
    with open_ws(events=Heard(told)) as workspace:
        workspace.run(examples=[("a b", "B"), ("c d", "D")], name="mine", budget="20-candidates")
        (mine,) = {record.task for record in workspace.stores.runs.episodes()}
        skills[2] = replace(skills[2], source=mine)  # of a task of one's own, which practice does not have
        for skill in skills:
            workspace.stores.skills.add(skill, AdmissionVerdict(digest=skill.digest, admitted=True))
        workspace.stores.skills.record_use(skills[0].digest, "another task")
        report = workspace.improve(suite_file, rounds=2)
        assert [workspace.skills.show(skill.name).status for skill in skills] == ["admitted", "idle", "admitted"]
        assert next(skill.name for skill in workspace.skills.find("second word")) == "second-word"
        reason = workspace.skills.reason("second-word")
    assert reason == f"on offer for {report.rounds[1].solved} tasks that were solved in round 2 of r2; used for none"
    assert [row.idle for row in report.rounds] == [0, 1]
    assert [event.data["skills"] for event in told if event.kind == "idle"] == [["second-word"]]


@pytest.mark.slow
def test_a_loop_says_whether_it_goes_on_or_begins_anew(open_ws, suite_file):
    told = []

    def begun(**more):
        with open_ws(events=Heard(told)) as workspace:
            workspace.improve(suite_file, **{"rounds": 1, **more})
        found = [event.data["text"] for event in told if event.kind == "begun"]
        told.clear()
        return found

    with open_ws(events=StopAt("practice", 1)) as workspace, pytest.raises(Stop):
        workspace.improve(suite_file, rounds=1)
    differs, *_ = begun(seed=1)
    assert differs.startswith("a new run: r1, begun ") and "what it was asked for differs" in differs
    on, *_ = begun()
    assert on.startswith("run r1, begun ") and on.endswith("goes on: 16 episodes are done")
    anew, *_ = begun()
    assert anew.startswith("a new run, which builds on what r2, begun ")


class Heard:
    """A listener that keeps what it hears."""

    def __init__(self, told):
        self.told = told

    def emit(self, event):
        self.told.append(event)


@pytest.mark.slow
def test_a_second_loop_builds_on_the_first(open_ws, suite_file):
    with open_ws() as workspace:
        first = workspace.improve(suite_file, rounds=1)
        second = workspace.improve(suite_file, rounds=1)
        assert second.run != first.run
        assert sum(point.candidates for point in second.curve) < sum(point.candidates for point in first.curve)


@pytest.mark.parametrize("call", [{"rounds": 0}, {"budget": "much"}])
def test_wrong_options_are_usage_errors(open_ws, suite_file, call):
    with open_ws() as workspace, pytest.raises(UsageError):
        workspace.improve(suite_file, **call)


def test_a_suite_too_small_to_be_split_is_refused(open_ws, tmp_path):
    file = tmp_path / "tiny.jsonl"
    file.write_text(render_jsonl(small_suite(3).tasks))
    with open_ws() as workspace, pytest.raises(UsageError, match="distinct problems"):
        workspace.improve(file)


@pytest.mark.slow
def test_forgetting_everything_gives_back_the_unlearned_policy(open_ws, suite_file):
    task = small_suite(61).tasks[-1]
    with open_ws("new") as workspace:
        unlearned = workspace.run(task)
    with open_ws() as workspace:
        workspace.improve(suite_file, rounds=1)
        assert workspace.run(task).cost.candidates < unlearned.cost.candidates
        workspace.memory.forget(everything=True)
        assert workspace.stores.active_state(workspace.workflow.show()).guide is None
        again = workspace.run(task)
    assert (again.cost, again.answer_frame) == (unlearned.cost, unlearned.answer)


@pytest.mark.slow
def test_workers_and_one_process_find_the_same(open_ws, suite_file, monkeypatch):
    with open_ws("one") as workspace:
        alone = workspace.improve(suite_file, rounds=1)
    monkeypatch.undo()
    monkeypatch.setenv("EVOLVE_WORKERS", "2")
    monkeypatch.setenv("EVOLVE_WORKSPACE", str(suite_file.parent / "two"))
    with evolve.open(policy=slow_learner()) as workspace:
        together = workspace.improve(suite_file, rounds=1)
    assert figures(together) == figures(alone)


@pytest.mark.slow
def test_skills_are_admitted_used_and_part_of_the_variant(tmp_path, suite_file, monkeypatch):
    """With the real sandbox, since admission rests on it."""
    monkeypatch.setenv("EVOLVE_WORKERS", "1")
    with evolve.open(tmp_path / "ws", policy=slow_learner(distils=True)) as workspace:
        report = workspace.improve(suite_file, rounds=2)
        skills = workspace.skills.list()
        variant = workspace.stores.variants.active()
        assert variant is not None
        assert {skill.name for skill in skills} == {"last", "length", "sort", "total"}
        assert all(skill.status in ("admitted", "trusted") and skill.tasks for skill in skills)
        assert len(variant.skills) == len(skills)
        assert {row.name for row in report.skills} == {skill.name for skill in skills}
        assert all(outcome.ok for outcome in workspace.skills.verify("total"))
        assert workspace.skills.find("total of a list")[0].name == "total"
        (folder,) = workspace.skills.export(["total"], to=tmp_path / "out").places
        assert (folder / "skills/total/SKILL.md").is_file()
        for skill in skills:
            workspace.skills.retire(skill.name)
        workspace.memory.forget(everything=True)
        assert workspace.stores.variants.active_digest == "unlearned"


def by_own_tests(task):
    """The task decided by tests that need the answer's own process."""
    lines = [f"    assert solve({row.input[0]!r}) == {row.output!r}\n" for row in task.hidden]
    tests = "import sys\nfrom solution import solve\n\n\ndef test_all():\n" + "".join(lines)
    return replace(task, hidden=(), tests=tests)


@pytest.mark.slow
def test_where_answers_can_only_be_checked_there_is_practice_and_no_gate(open_ws, tmp_path):
    file = tmp_path / "checked.jsonl"
    file.write_text(render_jsonl(map(by_own_tests, small_suite(12).tasks)))
    with open_ws(learner=slow_learner(distils=True)) as workspace:
        report = workspace.improve(file, rounds=1)
        (practised,) = report.rounds
        assert (practised.solved, practised.checked, practised.checkable) == (0, practised.episodes, practised.episodes)
        assert practised.episodes and "can only be checked, which proves nothing" in practised.reason
        assert (practised.verdict, report.promoted, report.insight_count) == ("", "", 0)
        assert workspace.skills.list() == []
        assert "not run" in report.arms[0].note
