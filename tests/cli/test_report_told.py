"""What ``evolve report`` and ``evolve improve`` print: a few lines that decide."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from benchmarks.doubles import small_suite
from evolve.cli.render.layout import columns
from evolve.cli.render.report import learning_verdict, show_own_tasks, show_summary
from evolve.core.ledger import Spent
from evolve.improve.report import ArmContrast, CostShares, Report, RoundRow, RunChanges, UnsolvedTask
from evolve.tasks import render_jsonl
from evolve.trials.gate import ConfidenceInterval, SequentialTest, Tally
from evolve.trials.gate.prequential import Proof
from tests.cli.screens import check_screen

NOTHING = ConfidenceInterval(value=None, low=None, high=None, n=0)
LINES = {60: 35, 100: 25}

CHANGES = RunChanges(
    skills=tuple(f"give-the-first-day-of-the-next-month-{number}" for number in range(12)),
    insights=9,
    practised=216,
    unsolved=14,
    hardest=tuple(UnsolvedTask(task=f"table-of-many-columns-{number}", tries=number) for number in (5, 4, 3, 2, 1)),
)
ROW = RoundRow(number=1, episodes=216, solved=202, skills=12, planned=216)
BLANK = Report(
    run="r3",
    suite="prices",
    suite_digest="",
    seed=0,
    finish_reason="all 2 rounds done",
    rounds=(ROW,),
    arms=(),
    ratio=NOTHING,
    gain=NOTHING,
    looks=0,
    spent=Spent(candidates=3_987_958, seconds=214.0),
    insight_count=31,
    run_changes=CHANGES,
)
GAIN = ConfidenceInterval(value=0.04, low=0.017, high=0.064, n=64)
RATIO = ConfidenceInterval(value=0.26, low=0.18, high=0.33, n=60)


def judged(verdict, reason, **counts):
    return replace(ROW, verdict=verdict, reason=reason, pairs=sum(counts.values()), **counts)


SCREENS = {
    "proved": replace(
        BLANK,
        rounds=(
            replace(
                judged("accept", "9 wins, 1 losses, 2 ties: better at error level 0.025", better=9, worse=1, equal=2),
                promoted=True,
            ),
        ),
        looks=1,
        promoted="8d56a5356a" * 4,
        promoted_by="r3",
        gain=GAIN,
        ratio=RATIO,
        contrasts=(ArmContrast(arm="unlearned", gain=GAIN, ratio=RATIO, shares=CostShares(saved_seconds=0.25)),),
    ),
    "undecided": replace(
        BLANK,
        finish_reason="what is left of the budget of 4,000,000 candidates covers no further episode: 32 of 216 tasks"
        " practised in round 1 of 2",
        rounds=(
            judged(
                "undecided",
                "7 wins, 1 losses, 28 ties: about 50 more pairs needed; the budget for this judgement ended",
                better=7,
                worse=1,
                equal=28,
            ),
        ),
    ),
    "nothing-to-prove": replace(
        BLANK,
        finish_reason="the last pass over the tasks brought nothing new",
        rounds=(replace(ROW, reason="8 tasks would have to get better and none worse, and 6 are left to judge on"),),
    ),
    "nothing-to-do": replace(
        BLANK,
        finish_reason="every task was practised on before",
        rounds=(),
        spent=Spent(seconds=3.0),
        run_changes=replace(CHANGES, skills=(), insights=0, unsolved=0, hardest=()),
    ),
}


@pytest.mark.parametrize("width", LINES)
@pytest.mark.parametrize("name", SCREENS)
def test_a_report_fits_a_few_lines(capsys, monkeypatch, name, width):
    monkeypatch.setenv("COLUMNS", str(width))
    show_summary(SCREENS[name], "prices.jsonl")
    text = capsys.readouterr().out
    assert len(text.splitlines()) <= LINES[width] and all(columns(line) <= width for line in text.splitlines())
    check_screen(f"report-{name}-{width}", text, exact=True)


def test_the_answer_is_that_of_the_gate_and_of_what_was_measured():
    proved, undecided = SCREENS["proved"], SCREENS["undecided"]
    assert (learning_verdict(proved), learning_verdict(undecided), learning_verdict(SCREENS["nothing-to-do"])) == (
        "accepted",
        "undecided",
        "undecided",
    )
    worse = ConfidenceInterval(value=-0.04, low=-0.064, high=-0.017, n=64)
    assert learning_verdict(replace(proved, gain=worse)) == "worse"
    open_gain, open_ratio = replace(GAIN, low=-0.01), replace(RATIO, high=1.2)
    assert learning_verdict(replace(proved, gain=open_gain, ratio=open_ratio)) == "undecided"
    # Without a look at test tasks the figures are those of the pairs that the gate accepted.
    assert learning_verdict(replace(proved, gain=open_gain, ratio=open_ratio, looks=0)) == "accepted"
    assert learning_verdict(replace(BLANK, rounds=(judged("reject", "4 wins", better=4, worse=6),))) == "rejected"


def proof(**counts):
    return Proof(state=SequentialTest(alpha=0.05).judge(Tally(**counts)), counted=sum(counts.values()))


@pytest.mark.parametrize("width", LINES)
def test_own_tasks_of_many_models_fit_a_few_lines(capsys, monkeypatch, width):
    monkeypatch.setenv("COLUMNS", str(width))
    show_own_tasks(
        {
            "search": proof(wins=2, ties=1),
            "language:gpt-5-mini": proof(wins=30),
            "language:other": proof(losses=30),
            **{f"language:model-{number}": proof(ties=4) for number in range(9)},
        }
    )
    text = capsys.readouterr().out
    assert len(text.splitlines()) <= LINES[width] // 2
    check_screen(f"report-own-{width}", text, exact=True)


@pytest.mark.slow
def test_few_tasks_end_with_an_answer_and_a_second_time_at_once(cli, tmp_path):
    (tmp_path / "few.jsonl").write_text(render_jsonl(small_suite(6).tasks))
    done = cli("improve", "few.jsonl", "--budget", "300k-candidates")
    assert done.code == 1 and len(done.out.splitlines()) <= 25
    assert done.err.index("6 tasks") < done.err.index("Practising")
    made = json.loads(cli("report", "--json").out)
    assert made["promoted"] == "" and made["run_changes"]["practised"] == 6 and made["changes"] == []
    assert "evolve improve few.jsonl" in cli("report").out and "round 1" in cli("report", "--details").out
    again = cli("improve", "few.jsonl", "--json")
    assert again.code == 1 and json.loads(again.out)["rounds"] == [] and "Practising" not in again.err
    assert json.loads(cli("report", "--json").out)["run"] == made["run"]


def test_what_an_earlier_run_promoted_is_told_apart_from_this_one(capsys):
    later = replace(SCREENS["undecided"], run="r7", promoted="8d56", promoted_by="r3", looks=2, gain=GAIN, ratio=RATIO)
    assert learning_verdict(later) == "accepted"
    show_summary(later, "prices.jsonl")
    assert "r3" in capsys.readouterr().out.splitlines()[1]
    # Nothing was measured this time: that it was promoted once is no answer.
    assert learning_verdict(replace(later, gain=NOTHING, ratio=NOTHING)) == "undecided"


def test_the_pairs_told_are_of_the_round_that_was_accepted(capsys):
    first = replace(SCREENS["proved"].rounds[0], better=8, worse=0, equal=10)
    second = judged("undecided", "4 wins: about 73 more pairs needed", better=4, worse=0, equal=14)
    show_summary(replace(SCREENS["proved"], rounds=(first, replace(second, number=2))), "prices.jsonl")
    text = capsys.readouterr().out
    assert "Result: accepted. 8 better, 0 worse, 10 equal." in text and "73 more" not in text
    assert "Round 2: undecided. 4 better, 0 worse, 14 equal. The version of round 1 stays." in " ".join(text.split())
