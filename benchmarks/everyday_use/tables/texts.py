"""Text between marks, subjects, lists in cells and headings."""

from __future__ import annotations

import re

from benchmarks.everyday_use.pools import CITIES, COMPANIES, PRODUCTS, TOPICS, Rng, amount, day, digits
from benchmarks.everyday_use.table import Table

SMALL = ("of", "and", "the", "for", "in")


def _transfer(rng: Rng) -> str:
    purpose = rng.choice(("Rent", "Invoice", "Membership", "Refund order", "Deposit, flat 3"))
    return f"{purpose} {day(rng):%m/%Y} Ref: {rng.choice(('A', 'RF', 'X-'))}{digits(rng, rng.choice((4, 6, 8)))}"


def _status_mail(rng: Rng) -> str:
    state = rng.choice(("has been shipped", "is delayed", "was returned", "is ready for pick-up"))
    return f"Your order {rng.choice(('', 'no. '))}{digits(rng, rng.choice((5, 6, 7)))}, {state}"


def _with_brackets(rng: Rng) -> str:
    return f"{rng.choice(COMPANIES)} ({rng.choice(CITIES)}){rng.choice(('', '', ' new', ', since 2019'))}"


def _subject(rng: Rng) -> str:
    marks = rng.choice(("", "Re: ", "RE: ", "Fwd: ", "Re: Fwd: ", "AW: "))
    return f"{marks}{rng.choice(TOPICS)}{rng.choice(('', '', '?', ' - urgent', ': next steps'))}"


def _bare_subject(text: str) -> str:
    return re.sub(r"^((re|fwd|aw): )+", "", text, flags=re.IGNORECASE)


def _tags(rng: Rng) -> str:
    return ", ".join(rng.sample(("office", "travel", "2024", "tax", "open", "home work", "IT"), rng.randint(1, 4)))


def _label(rng: Rng) -> str:
    return f"{rng.choice(PRODUCTS)} [{rng.choice(('new', 'sale', 'B-Ware', 'last 3'))}] {amount(rng, 90)} EUR"


def _spaced(rng: Rng) -> str:
    words = f"{rng.choice(COMPANIES)} {rng.choice(CITIES)}".split()
    return " " * rng.randint(0, 2) + (" " * rng.randint(1, 3)).join(words) + " " * rng.randint(0, 2)


def _shortened(text: str) -> str:
    return text if len(text) <= 12 else f"{text[:12]}..."


def _titled(text: str) -> str:
    words = text.split()
    return " ".join(word if place and word in SMALL else word.capitalize() for place, word in enumerate(words))


def _heading(rng: Rng) -> str:
    first = rng.choice(("terms", "list", "costs", "rules", "minutes", "summary", "plan"))
    middle = rng.choice(("of", "for", "and", "in", "of the"))
    return (
        f"{first} {middle} {rng.choice(TOPICS).split()[0].lower()} {rng.choice(('draft', 'overview', 'room', 'team'))}"
    )


TABLES = (
    Table(
        name="text-in-brackets",
        columns="Customer | Town=",
        draw=_with_brackets,
        rule=lambda text: text[text.index("(") + 1 : text.index(")")],
        rows=28,
        given=6,
    ),
    Table(
        name="reference-of-transfer",
        columns="ID* | Purpose | Reference=",
        draw=_transfer,
        rule=lambda text: text.split("Ref: ")[1],
        rows=32,
        given=6,
        slip="missing",
    ),
    Table(
        name="order-number-in-sentence",
        columns="Subject | Order=",
        draw=_status_mail,
        rule=lambda text: text.split(",")[0].split()[-1],
        rows=30,
        given=7,
    ),
    Table(
        name="subject-without-marks",
        columns="Subject | Topic=",
        draw=_subject,
        rule=_bare_subject,
        rows=34,
        given=11,
        cases=lambda text: text.count(": "),
    ),
    Table(
        name="tags-with-hash",
        columns="Tags | Hashtags=",
        draw=_tags,
        rule=lambda text: " ".join(f"#{tag.replace(' ', '')}" for tag in text.split(", ")),
        rows=24,
        given=8,
    ),
    Table(
        name="price-on-label",
        columns="Label | Price=",
        draw=_label,
        rule=lambda text: text.split()[-2],
        rows=30,
        given=8,
        slip="doubled",
    ),
    Table(
        name="needless-blanks-removed",
        columns="Typed | Clean=",
        draw=_spaced,
        rule=lambda text: " ".join(text.split()),
        rows=25,
        given=6,
        scattered=True,
    ),
    Table(
        name="shortened-title",
        columns="No* | Title | Short title=",
        draw=lambda rng: rng.choice(TOPICS),
        rule=_shortened,
        rows=20,
        given=7,
        cases=lambda text: len(text) <= 12,
    ),
    Table(
        name="heading-in-title-case",
        columns="Heading | Title=",
        draw=_heading,
        rule=_titled,
        rows=28,
        given=9,
    ),
)
"""Nine tables."""
