"""Bands by thresholds, comparisons of columns, and words for codes."""

from __future__ import annotations

from datetime import date, timedelta

from benchmarks.everyday_use.pools import Rng, amount, day
from benchmarks.everyday_use.table import Table

STATES = {"A": "active", "P": "pending", "C": "closed", "X": "deleted"}
YES = ("Y", "y", "yes", "Yes", "YES", "ja")
NO = ("N", "n", "no", "No", "NO", "nein")


def banded(text: str, *bands: tuple[float, str], last: str) -> str:
    """The word of the first band whose lower bound the number reaches."""
    return next((word for bound, word in bands if float(text) >= bound), last)


def _grade(text: str) -> str:
    return banded(text, (90, "A"), (80, "B"), (70, "C"), (60, "D"), last="F")


def _tier(text: str) -> str:
    return banded(text, (10_000, "Gold"), (5_000, "Silver"), last="Bronze")


def _age_group(text: str) -> str:
    return banded(text, (65, "senior"), (18, "adult"), last="child")


def _overdue(text: str) -> str:
    return banded(text, (91, "over 90"), (61, "61-90"), (31, "31-60"), last="0-30")


def _parcel(text: str) -> str:
    return banded(text, (10.001, "L"), (2.001, "M"), last="S")


def _near(rng: Rng, most: int, *bounds: int) -> str:
    """A number up to ``most``, often near one of the bounds."""
    if rng.random() < 0.4:
        return str(min(most, max(0, rng.choice(bounds) + rng.choice((-3, -2, -1, 0, 0, 1, 2)))))
    return str(rng.randint(0, most))


def _due_and_paid(rng: Rng) -> tuple[str, str]:
    due = day(rng, 2024, 2024)
    return due.isoformat(), (due + timedelta(days=rng.choice((-20, -6, -1, 0, 0, 1, 3, 14)))).isoformat()


def _stock(rng: Rng) -> tuple[str, str]:
    least = rng.choice((5, 10, 20, 50))
    return str(max(0, least + rng.choice((-least, -4, -1, 0, 1, 7, 30)))), str(least)


TABLES = (
    Table(
        name="letter-grade",
        columns="No* | Points | Grade=",
        draw=lambda rng: _near(rng, 100, 90, 80, 70, 60),
        rule=_grade,
        rows=38,
        given=12,
        cases=_grade,
    ),
    Table(
        name="passed-or-failed",
        columns="Score | Result=",
        draw=lambda rng: _near(rng, 100, 50),
        rule=lambda text: "passed" if int(text) >= 50 else "failed",
        rows=30,
        given=10,
        cases=lambda text: int(text) >= 50,
        slip="missing",
    ),
    Table(
        name="age-group",
        columns="Age | Group=",
        draw=lambda rng: _near(rng, 95, 18, 65),
        rule=_age_group,
        rows=32,
        given=12,
        cases=_age_group,
        scattered=True,
    ),
    Table(
        name="customer-tier",
        columns="Company* | Turnover | Tier=",
        draw=lambda rng: str(rng.choice((rng.randint(1, 49), rng.randint(50, 99), rng.randint(100, 400))) * 100),
        rule=_tier,
        rows=34,
        given=12,
        cases=_tier,
    ),
    Table(
        name="overdue-band",
        columns="Remark* | Days overdue | Band=",
        draw=lambda rng: _near(rng, 140, 31, 61, 91),
        rule=_overdue,
        rows=36,
        given=12,
        cases=_overdue,
    ),
    Table(
        name="parcel-size",
        columns="Weight kg | Size=",
        draw=lambda rng: amount(rng, 20),
        rule=_parcel,
        rows=28,
        given=10,
        cases=_parcel,
    ),
    Table(
        name="paid-in-time",
        columns="Due | Paid | Status=",
        draw=_due_and_paid,
        rule=lambda due, paid: "late" if date.fromisoformat(paid) > date.fromisoformat(due) else "on time",
        rows=30,
        given=9,
        cases=lambda due, paid: paid > due,
        slip="doubled",
    ),
    Table(
        name="reorder-by-stock",
        columns="Stock | Minimum | Action=",
        draw=_stock,
        rule=lambda stock, least: "reorder" if int(stock) < int(least) else "ok",
        rows=26,
        given=10,
        cases=lambda stock, least: int(stock) < int(least),
    ),
    Table(
        name="words-for-status",
        columns="ID* | Code | Status=",
        draw=lambda rng: rng.choice(tuple(STATES)),
        rule=STATES.__getitem__,
        rows=24,
        given=10,
        cases=lambda code: code,
    ),
    Table(
        name="yes-or-no",
        columns="Answer | Clean=",
        draw=lambda rng: rng.choice((*YES, *NO)),
        rule=lambda text: "yes" if text in YES else "no",
        rows=40,
        given=12,
        cases=lambda text: text,
    ),
)
"""Ten tables."""
