"""Limits of a day and of a workspace, which outlast runs and processes."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from evolve.core.episodes import Cost
from evolve.core.errors import RecordDamaged, WorkspaceError
from evolve.core.ledger import Budget, Ledger, LimitedLedger, SpendingLimits


class Calendar:
    def __init__(self):
        self.date = "2030-01-01"

    def __call__(self):
        return self.date


@pytest.fixture
def calendar():
    return Calendar()


def spend(ledger, **amounts):
    cost = Cost(**amounts)
    if not ledger.reserve(cost):
        return False
    ledger.settle(cost, cost)
    return True


def limited(path, calendar, run=None, **limits):
    return LimitedLedger(Ledger(run or Budget()), SpendingLimits(path, date=calendar, **limits))


def test_a_new_day_begins_with_nothing_spent_and_the_workspace_does_not(tmp_path, calendar):
    limits = {"day": Budget(tokens=100), "total": Budget(tokens=150)}
    ledger = limited(tmp_path / "s.db", calendar, **limits)
    assert spend(ledger, tokens=100)
    assert ledger.exhausted_bound == "the limit of 100 tokens for today is reached"
    assert not spend(ledger, tokens=1)
    calendar.date = "2030-01-02"
    assert limited(tmp_path / "s.db", calendar, **limits).remaining.tokens == 50
    assert not spend(ledger, tokens=51)
    assert spend(ledger, tokens=50)
    assert ledger.exhausted_bound == "the limit of 150 tokens for this workspace is reached"
    assert ledger.book.spent("2030-01-02").tokens == 50
    assert ledger.book.spent().tokens == 150


def test_the_smallest_of_all_bounds_holds(tmp_path, calendar):
    ledger = limited(
        tmp_path / "s.db",
        calendar,
        Budget(tokens=10, money=3.0),
        day=Budget(money=2.0, calls=4),
        total=Budget(seconds=60, calls=9),
    )
    left = ledger.remaining
    assert (left.tokens, left.money, left.calls, left.seconds, left.candidates) == (10, 2.0, 4, 60.0, None)
    assert not ledger.reserve(Cost(money=2.5))
    assert not ledger.reserve(Cost(seconds=61))
    assert ledger.spent.money == 0
    assert ledger.book.spent().money == 0


def test_ten_dimes_are_a_dollar_here_too(tmp_path, calendar):
    ledger = limited(tmp_path / "s.db", calendar, day=Budget(money=1.0))
    assert [spend(ledger, money=0.1) for _ in range(11)] == [True] * 10 + [False]
    assert ledger.exhausted_bound == "the limit of $1 for today is reached"


def test_work_that_cost_more_or_less_is_booked_as_it_was(tmp_path, calendar):
    ledger = limited(tmp_path / "s.db", calendar, day=Budget(tokens=100))
    most = Cost(tokens=80)
    assert ledger.reserve(most)
    assert ledger.remaining.tokens == 20
    calendar.date = "2030-01-02"
    ledger.settle(most, Cost(tokens=7))
    assert ledger.book.spent("2030-01-01").tokens == 7  # on the day it was begun
    assert ledger.spent.tokens == 7
    with pytest.raises(ValueError, match="not reserved"):
        ledger.settle(most, Cost())


def test_what_a_killed_process_had_set_aside_counts_as_spent(tmp_path):
    script = (
        "import os, sys; from pathlib import Path; from evolve.core.ledger import *\n"
        "from evolve.core.episodes import Cost\n"
        "ledger = LimitedLedger(Ledger(Budget()), SpendingLimits(Path(sys.argv[1]), day=Budget(tokens=100)))\n"
        "assert ledger.reserve(Cost(tokens=70)); os.kill(os.getpid(), 9)\n"
    )
    ended = subprocess.run([sys.executable, "-c", script, str(tmp_path / "s.db")], env={**os.environ}, check=False)
    assert ended.returncode == -9
    assert SpendingLimits(tmp_path / "s.db", day=Budget(tokens=100)).remaining.tokens == 30


def test_threads_with_books_of_their_own_share_one_limit(tmp_path, calendar):
    path = tmp_path / "s.db"
    SpendingLimits(path)

    def work(seed):
        rng, ledger = random.Random(seed), limited(path, calendar, total=Budget(tokens=300, calls=25))
        for _ in range(8):
            most = Cost(tokens=rng.randint(1, 40), calls=1)
            if ledger.reserve(most):
                ledger.settle(most, Cost(tokens=rng.randint(0, most.tokens), calls=1))

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))
    spent = SpendingLimits(path).spent()
    assert 0 < spent.tokens <= 300
    assert 0 < spent.calls <= 25


def test_a_damaged_book_is_named_and_not_begun_anew(tmp_path):
    path = tmp_path / "s.db"
    path.write_bytes(b"not a database at all" * 100)
    with pytest.raises(RecordDamaged, match=r"s\.db is damaged"):
        SpendingLimits(path)
    assert path.read_bytes().startswith(b"not a database")


def test_a_place_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(WorkspaceError, match="file"):
        SpendingLimits(tmp_path / "file" / "s.db")
