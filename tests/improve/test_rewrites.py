"""Proposals are paid from the run's budget once, and a run that goes on gets the answers it had."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evolve.agent import Journal
from evolve.core.errors import EndpointProblem
from evolve.core.ledger import Budget, Ledger
from evolve.core.schema import IMPROVE
from evolve.core.store import Database
from evolve.improve.optimizer.engine import SearchEnded
from evolve.improve.paid import PaidAnswers, PaidRewriter
from evolve.policies.language import EpisodeMeter, LanguageRewriter
from evolve.runtime.models import ExchangeFailure, ModelSetup, open_models
from evolve.testing import LocalWire
from evolve.testing.endpoint_faults import chat_completion_body

EDITS = json.dumps({"edits": [{"op": "add", "item": 0, "text": "Dates are read day first.", "why": "t1"}]})
USAGE = {"prompt_tokens": 300, "completion_tokens": 40, "total_tokens": 340}


@pytest.fixture
def database(tmp_path: Path):
    with Database(tmp_path / "memory.db", IMPROVE) as db:
        yield db


def paid(database, budget: Budget, answer=lambda body: chat_completion_body(EDITS, usage=USAGE)):
    """A rewriter of the run ``r1``, its ledger, and the requests that reached its model."""
    asked = []

    def handler(body):
        asked.append(body)
        return answer(body)

    meter = EpisodeMeter()
    setup = ModelSetup(
        model="http://localhost:1/v1#double",
        environ={},
        meter=meter,
        wire=lambda _: LocalWire(handler),
        sleep=lambda _: None,
    )
    rewriter = LanguageRewriter(models=open_models(setup))
    ledger = Ledger(budget)
    made = PaidRewriter(rewriter=rewriter, paid=PaidAnswers(meter, ledger, Journal(database, "r1")))
    return made, ledger, asked


def test_an_answer_is_paid_once_and_counts_in_a_run_that_goes_on(database) -> None:
    first, ledger, asked = paid(database, Budget(tokens=50_000))
    edits = first.propose(["a b"], ["trace"], seed=1)
    assert [edit.text for edit in edits] == ["Dates are read day first."]
    assert ledger.spent.tokens == 340
    again, ledger, asked_again = paid(database, Budget(tokens=50_000))
    for _ in range(2):
        assert again.propose(["a b"], ["trace"], seed=1) == edits
        assert (len(asked), len(asked_again)) == (1, 0)
        assert ledger.spent.tokens == 340, "what was spent before the stop is spent, and once"
    again.propose(["a b"], ["trace"], seed=2)
    assert len(asked_again) == 1


def test_what_was_tried_belongs_to_the_question(database) -> None:
    rewriter, _, asked = paid(database, Budget(tokens=50_000))
    for _ in range(2):
        assert rewriter.propose(["a b"], ["trace"], tried=["add: Be brief. (it changed nothing)"])
        assert rewriter.propose(["a b"], ["trace"])
    assert ["Be brief." in str(body) for body in asked] == [True, False]


def test_a_budget_that_does_not_cover_the_question_ends_the_search(database) -> None:
    rewriter, ledger, asked = paid(database, Budget(tokens=100))
    with pytest.raises(SearchEnded):
        rewriter.propose(["a b"], ["trace"])
    assert asked == [] and ledger.spent.tokens == 0


def test_a_model_that_rewrites_nothing_usable_again_and_again_ends_the_run_and_another_goes_on(database) -> None:
    refusing, _, _ = paid(
        database, Budget(tokens=50_000), lambda body: chat_completion_body("no edits here", usage=USAGE)
    )
    assert refusing.propose(["a b"], ["trace"], seed=1) == refusing.propose(["a b"], ["trace"], seed=2) == ()
    with pytest.raises(EndpointProblem, match="nothing usable 3 times in a row") as told:
        refusing.propose(["a b"], ["trace"], seed=3)
    assert told.value.exit_code == 4 and "evolve models check" in told.value.hint
    other, _, asked = paid(database, Budget(tokens=50_000))
    assert [len(other.propose(["a b"], ["trace"], seed=seed)) for seed in (1, 2, 3)] == [0, 0, 1]
    assert len(asked) == 1, "what was told is not asked for again"


def test_an_endpoint_that_fails_leaves_no_answer_behind(database) -> None:
    failing, *_ = paid(
        database, Budget(tokens=50_000), lambda body: ExchangeFailure(kind="auth", text="no", status=401)
    )
    with pytest.raises(EndpointProblem):
        failing.propose(["a b"], ["trace"])
    working, _, asked = paid(database, Budget(tokens=50_000))
    assert working.propose(["a b"], ["trace"]) and len(asked) == 1
