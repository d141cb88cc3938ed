"""Trouble of an endpoint is waited out or told; it never becomes an answer."""

from __future__ import annotations

import socket
import threading
import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from evolve.core.errors import BudgetExhausted, EndpointProblem
from evolve.core.ledger import Budget, Ledger
from evolve.runtime.models import Breaker, Deadlines, ExchangeFailure, ModelSetup, RetryRules, open_models
from tests.models.conftest import ask

SHORT = Deadlines(connect=1.0, idle=0.15, total=0.4)


@pytest.mark.parametrize("status", [500, 502, 503, 504, 529, 408, 425])
def test_a_failing_server_is_asked_again(bench, status):
    one = bench({"status": status}, {"status": status}, "fine")
    assert one.complete().text == "fine"
    assert len(one.waits) == 2
    assert 0.5 <= one.waits[0] <= 1.0 <= one.waits[1] <= 2.0


def test_after_the_last_attempt_waiting_is_left_to_others(bench):
    with pytest.raises(EndpointProblem, match="HTTP 503: scripted .3 times.") as caught:
        bench(*[{"status": 503}] * 3).complete()
    assert caught.value.retryable
    assert caught.value.exit_code == 4


@pytest.mark.parametrize(
    ("told", "least", "most"), [("2", 2.0, 2.2), ("0", 0.0, 0.0), ("1000000", 300, 330), ("soon", 0.5, 1.0)]
)
def test_too_many_requests_wait_as_long_as_told_up_to_a_cap(bench, told, least, most):
    one = bench({"status": 429, "retry_after": told}, "fine")
    assert one.complete().calls == 2
    assert least <= one.waits[0] <= most


def test_a_date_to_wait_for_is_read_against_the_servers_own_clock(bench):
    one = bench({"status": 429, "retry_after": format_datetime(datetime.now(UTC) + timedelta(seconds=30))}, "fine")
    one.complete()
    assert 25 <= one.waits[0] <= 34


def test_a_request_that_was_turned_away_costs_no_tokens(bench):
    ledger = Ledger(Budget(tokens=1_000))
    one = bench({"status": 429}, {"status": 500}, {"fault": "close"}, setup={"meter": ledger})
    with pytest.raises(EndpointProblem):
        one.complete()
    # The last one may have been worked on before the line broke, so the most it can have cost is booked.
    assert 50 < ledger.spent.tokens < 200
    assert ledger.spent.calls == 3


def test_a_quota_that_is_used_up_is_not_waited_for(bench):
    one = bench({"status": 429, "code": "insufficient_quota"})
    with pytest.raises(EndpointProblem) as caught:
        one.complete()
    assert not caught.value.retryable
    assert one.waits == []


@pytest.mark.parametrize(("status", "hint"), [(401, "OPENAI_API_KEY"), (403, "OPENAI_API_KEY"), (404, "models list")])
def test_what_waiting_does_not_mend_is_told_at_once(bench, status, hint):
    one = bench({"status": status})
    with pytest.raises(EndpointProblem) as caught:
        one.complete()
    assert not caught.value.retryable
    assert hint in caught.value.hint
    assert len(one.bodies) == 1


@pytest.mark.parametrize("fault", ["reset", "close", "wrong length"])
def test_a_broken_connection_is_no_answer(bench, fault):
    one = bench({"fault": fault, "text": "half"}, "whole")
    assert one.complete().text == "whole"
    assert len(one.bodies) == 2


@pytest.mark.parametrize("fault", ["cut stream", "no last piece", "reset"])
def test_part_of_a_stream_is_no_answer(bench, fault):
    heard = []
    one = bench({"fault": fault, "text": "this is only half of it all"}, "whole")
    assert one.complete(on_delta=heard.append).text == "whole"
    assert heard[-1] == "whole"


@pytest.mark.parametrize("fault", ["hang", "slow body", "slow headers"])
def test_a_server_that_keeps_a_call_alive_is_cut_off_at_the_total_deadline(bench, fault):
    one = bench({"fault": fault, "every": 0.05}, setup={"deadlines": SHORT, "rules": RetryRules(attempts=1)})
    started = time.monotonic()
    with pytest.raises(EndpointProblem, match=r"no complete reply within 0.4 s"):
        one.complete()
    assert time.monotonic() - started < 30  # far from what the server would take


def test_a_total_deadline_is_told_as_one_where_a_loaded_machine_is_late_to_end_it(bench, monkeypatch):
    on_time = threading.Timer
    monkeypatch.setattr(threading, "Timer", lambda seconds, end: on_time(seconds + 5, end))
    one = bench({"fault": "hang"}, setup={"deadlines": SHORT, "rules": RetryRules(attempts=1)})
    with pytest.raises(EndpointProblem, match=r"no complete reply within 0.4 s"):
        one.complete()


def test_a_silent_stream_ends_at_the_idle_deadline(bench):
    deadlines = Deadlines(connect=1.0, idle=0.15, total=30.0)
    one = bench({"fault": "stalled stream"}, setup={"deadlines": deadlines, "rules": RetryRules(attempts=1)})
    with pytest.raises(EndpointProblem, match=r"nothing came for 0.15 s"):
        one.complete(on_delta=lambda text: None)


def test_the_connection_of_an_overdue_call_is_closed(bench):
    one = bench({"fault": "hang"}, *["fine"] * 8, setup={"deadlines": SHORT, "rules": RetryRules(attempts=9)})
    assert one.complete().text == "fine"
    assert one.endpoint.abandoned.wait(5)


def test_nobody_there(bench):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    waits = []
    setup = ModelSetup(model=f"http://127.0.0.1:{port}/v1#none", environ={}, sleep=waits.append)
    with open_models(setup) as models, pytest.raises(EndpointProblem, match="cannot connect") as caught:
        models.complete(ask())
    assert caught.value.retryable
    assert len(waits) == 4
    assert waits == sorted(waits)


def test_the_time_budget_is_not_waited_away(bench):
    one = bench({"status": 429, "retry_after": "60"})
    ledger = Ledger(Budget(seconds=30), clock=lambda: one.now)
    one.models.model_for("act").services = replace_meter(one, ledger)
    with pytest.raises(BudgetExhausted, match="time budget"):
        one.complete()
    assert one.waits == []


def replace_meter(one, ledger):
    from dataclasses import replace

    return replace(one.models.model_for("act").services, meter=ledger)


class TestBreaker:
    def make(self):
        self.now = 0.0
        return Breaker(lambda: self.now, limit=3, pause=60.0)

    def test_opens_after_failures_in_a_row_and_lets_one_through_after_a_pause(self):
        breaker, down = self.make(), ExchangeFailure(kind="server", text="down")
        for _ in range(3):
            assert breaker.wait() == 0
            breaker.record_attempt(down)
        assert breaker.wait() == 60
        self.now = 61
        assert breaker.wait() == 0
        assert breaker.wait() == 60  # the others wait for what that one finds
        breaker.record_attempt(None)
        assert breaker.wait() == 0

    def test_being_told_to_slow_down_is_not_being_down(self):
        breaker = self.make()
        for _ in range(9):
            breaker.record_attempt(ExchangeFailure(kind="limit", text="slow down"))
        assert breaker.wait() == 0

    def test_an_open_one_pauses_without_a_call(self, bench):
        one = bench(*[{"status": 500}] * 8)
        for _ in range(3):
            with pytest.raises(EndpointProblem):
                one.complete()
        assert len(one.bodies) == 8
        with pytest.raises(EndpointProblem, match="left alone for") as caught:
            one.complete()
        assert caught.value.retryable
        assert len(one.bodies) == 8
        one.sleep(60)
        one.endpoint.add("fine")
        assert one.complete().text == "fine"


class TestLongPrompts:
    def request(self):
        from evolve.runtime.models import ESSENTIAL, Message, ModelRequest

        return ModelRequest(
            messages=[
                Message(role="system", text="rules", priority=ESSENTIAL),
                Message(role="user", text="n" * 400, priority=10, kind="note"),
                Message(role="user", text="i" * 400, priority=60, kind="insight"),
                Message(role="user", text="g" * 300, priority=ESSENTIAL, kind="golden"),
                Message(role="user", text="the task", priority=0),
            ],
            max_tokens=20,
        )

    def test_what_matters_least_goes_and_what_is_golden_stays(self, bench):
        one = bench("fine", context=800)
        reply = one.complete(self.request())
        assert reply.dropped == ("note",)
        assert [len(message["content"]) for message in one.bodies[0]["messages"]] == [5, 400, 300, 8]

    def test_the_same_prompt_always_loses_the_same(self, bench):
        bodies = []
        for _ in range(2):
            one = bench("fine", context=500)
            assert one.complete(self.request()).dropped == ("note", "insight")
            bodies.append(one.bodies[0]["messages"])
        assert bodies[0] == bodies[1]

    def test_when_only_golden_is_left_it_is_told(self, bench):
        with pytest.raises(EndpointProblem, match="context length") as caught:
            bench("fine", context=200).complete(self.request())
        assert not caught.value.retryable

    @pytest.mark.parametrize(
        "words",
        [
            "the request exceeds the available context size. try increasing the context size",
            "This model's maximum context length is 4,096 tokens. However, you requested 9,000 tokens",
            "prompt is too long: 210000 tokens > 200000 maximum",
            "Please reduce the length of the messages or completion.",
            "Input is too long for requested model.",
        ],
    )
    def test_the_wordings_of_other_servers(self, bench, words):
        one = bench({"status": 400, "message": words}, "fine")
        assert "note" in one.complete(self.request()).dropped

    def test_a_reply_that_would_not_fit_is_given_less_room_and_nothing_is_lost(self, bench):
        one = bench("fine", context=1_000)
        reply = one.complete(ask("p" * 600, max_tokens=900))
        assert (reply.dropped, one.bodies[0]["max_tokens"]) == ((), 400)

    def test_there_is_one_retry(self, bench):
        told = {"status": 400, "code": "context_length_exceeded"}
        one = bench(told, told, "fine")
        with pytest.raises(EndpointProblem):
            one.complete(self.request())
        assert len(one.bodies) == 2


def test_threads_get_their_own_replies(bench):
    from concurrent.futures import ThreadPoolExecutor

    class Echo:
        def answer(self, body):
            return body["messages"][0]["content"]

    one = bench()
    one.endpoint.double = Echo()
    with ThreadPoolExecutor(6) as pool:
        texts = list(pool.map(lambda number: one.complete(ask(f"number {number}")).text, range(24)))
    assert texts == [f"number {number}" for number in range(24)]


def test_prompts_do_not_follow_a_redirect(bench):
    with pytest.raises(EndpointProblem, match="HTTP 307") as caught:
        bench({"status": 307}).complete()
    assert not caught.value.retryable


@pytest.mark.slow
def test_the_real_clock_and_the_real_sleep(bench):
    """One byte every five seconds is cut off in time, and a Retry-After of a second is waited for."""
    deadlines = Deadlines(connect=1.0, idle=2.0, total=1.5)
    one = bench(
        {"fault": "slow body", "every": 5.0},
        {"status": 429, "retry_after": "1"},
        "fine",
        setup={"sleep": time.sleep, "clock": time.monotonic, "deadlines": deadlines},
    )
    started = time.monotonic()
    assert one.complete().text == "fine"
    assert 1.5 + 0.5 + 1.0 <= time.monotonic() - started < 60  # the server alone would take longer
