"""What the gate writes down: verdicts, looks, and the tasks that must keep working."""

from __future__ import annotations

from pathlib import Path

import pytest

from evolve.core.episodes import Cost, EpisodeRecord, Limits, Status
from evolve.core.schema import GATE
from evolve.core.store import Database
from evolve.trials.gate import (
    DecisionRepository,
    RegressionTask,
    SequentialTest,
    Tally,
    check_regression,
)


@pytest.fixture
def database(tmp_path: Path):
    with Database(tmp_path / "memory.db", GATE) as db:
        yield db


def episode(
    task: str = "t", number: int = 0, *, status: Status = "solved", candidates: int = 100, variant: str = "v"
) -> EpisodeRecord:
    return EpisodeRecord(
        episode=f"{task}-{variant}-{number}",
        run="run",
        task=task,
        suite="suite",
        group=f"group of {task}",
        split="train",
        variant=variant,
        seed=number,
        status=status,
        verified=status == "solved",
        answer="",
        steps=(),
        cost=Cost(candidates=candidates),
    )


def test_looks_are_counted_per_suite_and_run(database: Database) -> None:
    looks = DecisionRepository(database, clock=lambda: 5.0)
    assert looks.looks("s") == []
    assert looks.look("s", run="r1", purpose="report") == 1
    assert looks.look("s", run="r1", purpose="report") == 1
    assert looks.look("s", run="r2", purpose="report") == 2
    assert looks.look("other", run="r2", purpose="report") == 1
    assert [(one.run, one.at) for one in looks.looks("s")] == [("r1", 5.0), ("r2", 5.0)]


def test_a_look_survives_reopening(tmp_path: Path) -> None:
    with Database(tmp_path / "r.db", GATE) as db:
        DecisionRepository(db).look("s", run="r", purpose="report")
    with Database(tmp_path / "r.db", GATE) as db:
        assert len(DecisionRepository(db).looks("s")) == 1


def test_each_proposal_on_a_suite_gets_a_smaller_level(database: Database) -> None:
    decisions = DecisionRepository(database)
    levels = []
    for number in range(3):
        proposal, alpha = decisions.next_level("s")
        levels.append(alpha)
        state = SequentialTest(alpha=alpha).judge(Tally(losses=20))
        kept = decisions.save_verdict(state, run="r", parent="old", variant=f"v{number}", suite="s")
        assert (kept.proposal, kept.verdict, kept.tally) == (proposal, "reject", Tally(losses=20))
    assert levels == sorted(levels, reverse=True)
    assert sum(levels) < 0.05
    assert decisions.next_level("other") == (1, levels[0])


def test_judging_again_in_the_same_run_spends_nothing(database: Database) -> None:
    decisions = DecisionRepository(database)
    first = decisions.save_verdict(SequentialTest().judge(Tally(wins=7)), run="r", parent="a", variant="b", suite="s")
    again = decisions.save_verdict(SequentialTest().judge(Tally(losses=7)), run="r", parent="a", variant="b", suite="s")
    assert again == first
    assert decisions.list_verdicts() == [first]
    assert decisions.next_level("s")[0] == 2


def test_a_judgement_that_was_broken_off_keeps_its_level_until_it_goes_on(database: Database) -> None:
    decisions = DecisionRepository(database)
    one = {"run": "r", "parent": "a", "variant": "b", "suite": "s"}
    first = decisions.open({"gate": "1"}, **one)
    number, level = decisions.next_level("s")
    assert (first.proposal, number) == (1, 2)
    assert level == pytest.approx(0.05 / (2 * 3))
    other = {**one, "variant": "c"}
    assert decisions.open({"gate": "1"}, **other).alpha == level
    decisions.save_verdict(SequentialTest(alpha=level).judge(Tally(wins=40)), **other)
    # It goes on as it was begun, as the same proposal, at the same level.
    assert decisions.open({"gate": "2"}, **one) == first
    assert decisions.judgement_number(**one) == 1
    assert [begun.variant for begun in decisions.open_judgements("s")] == ["b"]
    kept = decisions.save_verdict(SequentialTest(alpha=first.alpha).judge(Tally(losses=1)), **one)
    assert kept.proposal == 1 and decisions.open_judgements() == []
    assert decisions.next_level("s") == (3, pytest.approx(0.05 / (3 * 4)))


def test_a_task_enters_after_all_its_tries_solved_it(database: Database) -> None:
    suite = DecisionRepository(database)
    solved = [episode("t", number, candidates=100 + number) for number in range(3)]
    assert not suite.admit(solved[:2], stratum="lists", required=3)
    assert not suite.admit([*solved[:2], episode("t", 2, status="unsolved")], stratum="lists", required=3)
    assert not suite.admit([solved[0]] * 3, stratum="lists", required=3)
    assert not suite.admit([*solved[:2], episode("t", 2, candidates=0)], stratum="lists", required=3)
    assert suite.admit(solved, stratum="lists", required=3)
    assert not suite.admit(solved, stratum="lists", required=3)
    assert [(one.task, one.candidates, one.tries) for one in suite.regression_tasks()] == [("t", 102, 3)]
    with pytest.raises(ValueError):
        suite.admit([episode("t", 0), episode("u", 0)], stratum="lists", required=3)


def test_a_try_may_spend_twice_what_was_first_needed(database: Database) -> None:
    suite = DecisionRepository(database)
    suite.admit([episode(candidates=100)], stratum="lists")
    (task,) = suite.regression_tasks()
    assert task.limits(Limits(candidates=50_000, seconds=3.0)) == Limits(candidates=200, seconds=3.0)
    for spent, regressed in ((200, ()), (201, ("t",))):
        report = check_regression([task], lambda one, number, spent=spent: episode(one.task, number, candidates=spent))
        assert report.regressed == regressed


def test_a_task_regresses_only_when_every_try_fails(database: Database) -> None:
    suite = DecisionRepository(database)
    suite.admit([episode("t", number) for number in range(3)], stratum="lists", required=3)
    (task,) = suite.regression_tasks()

    def third_time_lucky(one: RegressionTask, number: int) -> EpisodeRecord:
        return episode(one.task, number, status="solved" if number == 2 else "unsolved")

    def never(one: RegressionTask, number: int) -> EpisodeRecord:
        return episode(one.task, number, status="unsolved")

    def broken(one: RegressionTask, number: int) -> EpisodeRecord:
        return episode(one.task, number, status="fault" if number == 1 else "unsolved")

    report = check_regression([task], third_time_lucky)
    assert (report.regressed, report.unclear) == ((), ())
    assert check_regression([task], never).regressed == ("t",)
    report = check_regression([task], broken)
    assert (report.regressed, report.unclear) == ((), ("t",))


def test_a_stored_answer_played_back_is_not_a_pass(database: Database) -> None:
    suite = DecisionRepository(database)
    suite.admit([episode()], stratum="lists")
    report = check_regression(suite.regression_tasks(), lambda one, number: episode(one.task, number, candidates=0))
    assert report.unclear == ("t",)


def test_an_override_names_a_person_and_a_reason(database: Database) -> None:
    suite = DecisionRepository(database)
    with pytest.raises(ValueError):
        suite.override("v", ["t"], person="", reason="it is fine")
    suite.override("v", ["u", "t"], person="Ada", reason="the task was wrong")
    (kept,) = suite.overrides("v")
    assert (kept["person"], kept["tasks"]) == ("Ada", '["t","u"]')
    assert suite.overrides("w") == []
