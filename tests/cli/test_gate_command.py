"""What ``evolve lab gate`` and ``evolve report`` show."""

from __future__ import annotations

import json

import pytest

import evolve
from benchmarks.doubles import small_suite
from benchmarks.doubles.cheating import _solves_more
from evolve.cli.render.report import show_details
from evolve.core.ledger import Spent
from evolve.improve.report import ArmContrast, ArmRow, Report
from evolve.trials.gate import ComparisonPlan, ConfidenceInterval, VariantProposal
from evolve.trials.gate.gate import Gate


@pytest.fixture
def judged(tmp_path):
    """A workspace with one accepted and one refused variant."""
    with evolve.open(tmp_path / "ws") as opened:
        gate = Gate(opened.stores.decisions)
        suite = small_suite(300)
        copied = max((str(row.input[0]) for row in suite.split("gate")[0].hidden), key=len)
        for variant, text in (("better", ""), ("copied", copied)):
            proposal = VariantProposal(
                run="r1", parent="unlearned", variant=variant, suite=suite, texts={"prompt act": text}
            )
            gate.decisions.save_finding(gate.judge(proposal, ComparisonPlan(run=_solves_more)))


@pytest.mark.slow
def test_verdicts_are_listed_with_the_level_of_the_next_proposal(cli, judged):
    done = cli("lab", "gate", "list")
    assert done.code == 0
    lines = done.out.splitlines()
    assert lines[1].split()[3:5] == ["better", "accept"] and lines[2].split()[3:5] == ["copied", "reject"]
    assert lines[3].endswith("proposal 2 will need 120:1 (error level 0.0083)")
    body = json.loads(cli("lab", "gate", "list", "--json").out)
    assert [one["verdict"] for one in body["decisions"]] == ["accept", "reject"]
    assert [round(one["level"], 3) for one in body["next"]] == [0.008] and body["begun"] == []


def test_a_judgement_that_was_broken_off_is_listed_with_the_level_it_holds(cli, tmp_path):
    with evolve.open(tmp_path / "ws") as opened:
        opened.stores.decisions.open({}, run="r4", parent="unlearned", variant="stopped", suite="s")
    listed = cli("lab", "gate", "list").out
    assert "run r4 broke off judging stopped: its error level of 0.025 counts as spent" in listed
    assert "proposal 2 will need 120:1 (error level 0.0083)" in listed
    (begun,) = json.loads(cli("lab", "gate", "list", "--json").out)["begun"]
    assert (begun["run"], begun["proposal"]) == ("r4", 1)


@pytest.mark.slow
def test_one_verdict_is_shown_with_its_grounds(cli, judged):
    done = cli("lab", "gate", "show", 1)
    assert "for the variant; 40:1 was needed (error level 0.025)" in done.out
    assert "at most 1 of that many tests" in done.err
    assert "of 60 that could be tried" in done.out
    assert "solved   by both" in done.out and "verifier " in done.out
    assert "refused untested" in cli("lab", "gate", "show", 2).out
    body = json.loads(cli("lab", "gate", "show", 1, "--json").out)
    assert (body["proposal"], body["planned"], body["looks"]) == (1, 60, 0)
    assert set(body["pins"]) == {"verifier", "evaluator", "gate"}


def test_a_verdict_that_is_not_there_names_the_list(cli, judged):
    done = cli("lab", "gate", "show", 7)
    assert done.code == 2 and "evolve lab gate list" in done.err


def test_every_figure_of_a_report_stands_with_interval_n_and_looks(capsys):
    some = ConfidenceInterval(value=0.5, low=0.25, high=0.75, n=8)
    arms = [ArmRow(arm=name, tasks=8, note="made so") for name in ("unlearned", "learned", "best-of-n", "placebo")]
    contrasts = [
        ArmContrast(arm=name, gain=some, ratio=some, gain_always=some, saving_always=some)
        for name in ("unlearned", "best-of-n", "placebo")
    ]
    show_details(
        Report(
            run="r1",
            suite="small",
            suite_digest="",
            seed=0,
            finish_reason="done",
            rounds=(),
            arms=tuple(arms),
            ratio=some,
            gain=some,
            looks=3,
            spent=Spent(),
            contrasts=tuple(contrasts),
        )
    )
    out = capsys.readouterr().out
    assert out.count("95 % interval 0.250 to 0.750 over 8 groups") == 12
    assert all(f"learned / {name}:" in out and f"learned - {name}:" in out for name in ("best-of-n", "placebo"))
    assert "opened 3 times" in out
