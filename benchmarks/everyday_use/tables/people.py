"""Names, salutations, logins and mail addresses."""

from __future__ import annotations

import unicodedata

from benchmarks.everyday_use.pools import (
    DEPARTMENTS,
    FIRST,
    LAST,
    MIDDLE,
    PLAIN_FIRST,
    PLAIN_LAST,
    WESTERN_LAST,
    Rng,
    full_name,
    plain_name,
)
from benchmarks.everyday_use.table import Table


def _first_last(rng: Rng) -> tuple[str, str]:
    return rng.choice(FIRST), rng.choice(LAST)


def _with_middle(rng: Rng) -> tuple[str, str, str]:
    return rng.choice(FIRST), rng.choice(MIDDLE) if rng.random() < 0.4 else "", rng.choice(LAST)


def _titled(rng: Rng) -> str:
    title = rng.choice(("", "", "Dr. ", "Prof. ", "Prof. Dr. "))
    return f"{title}{rng.choice(FIRST)} {rng.choice(LAST)}"


def _without_title(name: str) -> str:
    return " ".join(word for word in name.split() if word not in ("Dr.", "Prof."))


def _unaccented(text: str) -> str:
    folded = text.replace("ß", "ss").replace("ø", "o").replace("Ł", "L").replace("Ø", "O")
    return "".join(c for c in unicodedata.normalize("NFD", folded) if not unicodedata.combining(c))


def _addressed(gender: str, last: str) -> str:
    return f"Sehr geehrte Frau {last}" if gender == "f" else f"Sehr geehrter Herr {last}"


TABLES = (
    Table(
        name="initial-and-surname",
        columns="ID* | Name | Short=",
        draw=lambda rng: full_name(rng, middle=0.25),
        rule=lambda name: f"{name[0]}. {name.split()[-1]}",
        rows=32,
        given=7,
    ),
    Table(
        name="surname-first",
        columns="Name | Sorted= | Remark*",
        draw=lambda rng: full_name(rng, middle=0.15),
        rule=lambda name: f"{name.rsplit(' ', 1)[1]}, {name.rsplit(' ', 1)[0]}",
        rows=28,
        given=8,
    ),
    Table(
        name="login-from-two-columns",
        columns="First name | Last name | Login=",
        draw=lambda rng: (rng.choice(PLAIN_FIRST), rng.choice(PLAIN_LAST)),
        rule=lambda first, last: (first[0] + last).lower(),
        rows=40,
        given=6,
    ),
    Table(
        name="full-name-with-optional-middle",
        columns="First | Middle | Last | Full name=",
        draw=_with_middle,
        rule=lambda first, middle, last: " ".join(filter(None, (first, middle, last))),
        rows=30,
        given=9,
        cases=lambda first, middle, last: bool(middle),
    ),
    Table(
        name="initials",
        columns="Name | Initials= | Owner*",
        draw=lambda rng: full_name(rng, middle=0.3),
        rule=lambda name: "".join(word[0].upper() for word in name.split()),
        rows=26,
        given=8,
        scattered=True,
    ),
    Table(
        name="capitals-to-proper-name",
        columns="No* | Name | Clean name=",
        draw=lambda rng: "{1}, {0}".format(*plain_name(rng).upper().split()),
        rule=lambda name: " ".join(part.capitalize() for part in reversed(name.split(", "))),
        rows=22,
        given=6,
        slip="doubled",
    ),
    Table(
        name="mail-address-of-staff",
        columns="First name | Last name | Note* | Mail=",
        draw=lambda rng: (rng.choice(PLAIN_FIRST), rng.choice(PLAIN_LAST)),
        rule=lambda first, last: f"{first.lower()}.{last.lower()}@example.org",
        rows=36,
        given=8,
        slip="transposed",
    ),
    Table(
        name="mail-address-without-accents",
        columns="First name | Last name | Mail=",
        draw=_first_last,
        rule=lambda first, last: _unaccented(f"{first}.{last}@firma.example".lower().replace("'", "")),
        rows=24,
        given=10,
    ),
    Table(
        name="salutation-by-gender",
        columns="Gender | Name | Salutation=",
        draw=lambda rng: (rng.choice("mf"), rng.choice(WESTERN_LAST)),
        rule=_addressed,
        rows=30,
        given=8,
        cases=lambda gender, last: gender,
        form="excel-de",
    ),
    Table(
        name="without-academic-title",
        columns="Name | Plain name=",
        draw=_titled,
        rule=_without_title,
        rows=28,
        given=10,
        cases=lambda name: name[: name.rfind(".") + 1],
    ),
    Table(
        name="name-from-mail",
        columns="Mail | Name=",
        draw=lambda rng: f"{'.'.join(plain_name(rng).lower().split())}@{rng.choice(('gmx.example', 'web.example'))}",
        rule=lambda mail: " ".join(part.capitalize() for part in mail.split("@")[0].split(".")),
        rows=25,
        given=5,
    ),
    Table(
        name="name-badge",
        columns="Name | Dept | Badge= | Country*",
        draw=lambda rng: (full_name(rng), rng.choice(DEPARTMENTS)),
        rule=lambda name, dept: f"{name} ({dept})",
        rows=34,
        given=4,
    ),
    Table(
        name="capital-surname",
        columns="Name | Surname=",
        draw=lambda rng: f"{rng.choice(FIRST)} {rng.choice(PLAIN_LAST).upper()}",
        rule=lambda name: name.split()[-1].capitalize(),
        rows=20,
        given=5,
        scattered=True,
    ),
    Table(
        name="user-from-name-and-year",
        columns="Last | First | Year | User=",
        draw=lambda rng: (rng.choice(PLAIN_LAST), rng.choice(PLAIN_FIRST), str(rng.randint(1955, 2006))),
        rule=lambda last, first, year: f"{last[:4].lower()}{first[:2].lower()}{year[2:]}",
        rows=30,
        given=7,
        slip="doubled",
    ),
)
"""Fourteen tables."""
