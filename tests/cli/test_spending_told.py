"""What a run, a loop and their reports say of the calls, tokens and money that a model took."""

from __future__ import annotations

import json
import re

import pytest

from benchmarks.doubles import QuirkDouble, quirk_suite
from evolve.cli.chat.spending import SessionBudget, spent_of
from evolve.cli.lab.optimize import show_optimization
from evolve.cli.render.layout import format_spending
from evolve.core.episodes import Cost
from evolve.core.ledger import Budget, Ledger, Spent
from evolve.improve.optimization import OptimizationReport, OptimizerForecast
from evolve.tasks import render_jsonl
from evolve.testing import Scenario, ScriptedEndpoint
from tests.cli.screens import check_screen

AMOUNTS = (
    Cost(calls=5, tokens=13_500, completion=1_200, cached=9_800, money=0.012),
    Cost(candidates=3),
    Cost(calls=1, tokens=7),  # of an earlier version
    Cost(calls=1, tokens=7, completion=2, money=1e-6),
    Spent(candidates=3, calls=1, tokens=7, completion=2, money=2.0),
    Cost(),
    Cost(calls=2, tokens=7_000, completion=2_000, estimated=1),  # one was stopped
)
TOLD = re.compile(r"[\d,]+ calls, [\d,]+ tokens in \([\d,]+ cached\), [\d,]+ out, \$\d")


@pytest.fixture
def endpoint(cli, tmp_path):
    """A model that counts what was cached, and a price for it."""
    with ScriptedEndpoint(Scenario(cached=128), double=QuirkDouble()) as serving:
        assert cli("models", "default", serving.model).code == 0  # makes the workspace
        price = f'[models."{serving.model}"]\ninput = 1.0\noutput = 4.0\ncached = 0.1\n'
        (tmp_path / "ws" / "prices.toml").write_text(price)
        yield serving


@pytest.fixture
def tasks(tmp_path):
    file = tmp_path / "quirks.jsonl"
    file.write_text(render_jsonl(quirk_suite(32).tasks))
    return file


@pytest.mark.slow
def test_a_run_tells_calls_tokens_in_and_out_cached_and_money(cli, endpoint, tasks):
    done = cli("run", f"{tasks}#quirk-00", "--model", endpoint.model)
    assert done.code == 0, done.err
    assert TOLD.search(done.out), done.out
    assert "candidate" not in done.out
    cost = json.loads(cli("run", f"{tasks}#quirk-04", "--model", endpoint.model, "--json").out)["cost"]
    prompt = cost["tokens"] - cost["completion"]
    assert 0 < cost["cached"] <= 128 * cost["calls"] and 0 < cost["completion"] < prompt
    expected = (prompt - cost["cached"]) * 1.0 + cost["cached"] * 0.1 + cost["completion"] * 4.0
    assert cost["money"] == pytest.approx(expected / 1e6)


def test_a_limit_of_the_day_ends_a_run_as_a_budget_does(cli, endpoint, tasks, monkeypatch):
    monkeypatch.setenv("EVOLVE_DAY_LIMIT", "500-tokens")
    done = cli("run", f"{tasks}#quirk-00", "--model", endpoint.model)
    assert done.code == 5
    assert "--budget" not in done.out + done.err  # a larger one lifts no limit
    assert json.loads(cli("run", f"{tasks}#quirk-00", "--model", endpoint.model, "--json").out)["limit_ended"]


@pytest.mark.slow
def test_a_loop_tells_the_same_and_no_candidates(cli, endpoint, tasks):
    command = ("improve", tasks, "--model", endpoint.model, "--rounds", "1", "--budget", "9-calls")
    done = cli(*command)
    assert TOLD.search(done.out.partition("Spent:")[2]), done.out + done.err
    assert "candidate" not in done.out
    report = json.loads(cli("report", "--json").out)
    spent = report["spent"]
    assert 0 < spent["calls"] <= 9
    assert 0 < spent["completion"] < spent["tokens"]
    assert min(spent["cached"], spent["money"]) > 0
    assert report["overshoot"] == ""
    assert all(point["tokens"] > 0 for point in report["curve"])
    assert TOLD.search(cli("report").out)


def test_an_optimiser_tells_the_same_and_by_how_much_its_budget_was_passed(capsys):
    spent = Spent(calls=5, tokens=13_500, completion=1_200, cached=9_800, money=0.012, seconds=3.0)
    report = OptimizationReport(
        run="r1", suite="s", suite_digest="d", seed=0, engine="rewrite", finish_reason="over",
        forecast=OptimizerForecast(),
        tried=0, judged=0, changes=(), looks=0, spent=spent, overshoot="the budget was passed by 7 tokens",
    )  # fmt: skip
    show_optimization(report)
    check_screen("amounts", capsys.readouterr().out, *map(format_spending, AMOUNTS), exact=True)


def test_a_session_books_a_turn_that_goes_on_once():
    purse = SessionBudget(budget=Budget(money=1.0))
    stopped = Cost(calls=2, tokens=1_000, completion=100, cached=300, money=0.01)
    purse.add_cost(stopped, {})
    purse.add_cost(stopped + stopped, spent_of(stopped))
    assert (purse.spent["calls"], purse.spent["tokens"], purse.spent["money"]) == (4, 2_000, pytest.approx(0.02))
    assert purse.remaining().money == pytest.approx(0.98)


def test_a_budget_that_was_passed_is_told_with_both_bounds():
    ledger = Ledger(Budget(tokens=100, money=0.001))
    assert ledger.overshoot_told == ""
    ledger.reserve(Cost(tokens=90, money=0.0005))
    ledger.settle(Cost(tokens=90, money=0.0005), Cost(tokens=190, money=0.0015))
    assert "90 tokens" in ledger.overshoot_told and "$0.0005" in ledger.overshoot_told
