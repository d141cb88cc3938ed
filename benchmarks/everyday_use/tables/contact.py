"""Addresses, places and phone numbers."""

from __future__ import annotations

import re

from benchmarks.everyday_use.pools import CITIES, COUNTRIES, STREETS, Rng, digits, letters
from benchmarks.everyday_use.table import Table


def _house(rng: Rng) -> str:
    return f"{rng.randint(1, 250)}{rng.choice(('', '', '', 'a', 'b', ' C'))}"


def _street(rng: Rng) -> str:
    return f"{rng.choice(STREETS)} {rng.randint(1, 250)}{rng.choice(('', '', '', 'a', 'b'))}"


def _place(rng: Rng) -> str:
    return f"{digits(rng, 5)} {rng.choice(CITIES)}"


def _american_place(rng: Rng) -> str:
    return f"{rng.randint(1, 9999)} {rng.choice(STREETS[5:9])}, {rng.choice(CITIES[22:28])}, {_zip(rng)}"


def _zip(rng: Rng) -> str:
    return f"{letters(rng, 2)} {rng.choice('01279')}{digits(rng, 4)}"


def _phone(rng: Rng) -> str:
    """Ten digits as people type them."""
    area, first, last = digits(rng, 3), digits(rng, 3), digits(rng, 4)
    return rng.choice(
        (f"{area}-{first}-{last}", f"{area}.{first}.{last}", f"{area} {first} {last}", f"{area}{first}{last}")
    )


def _american_phone(text: str) -> str:
    number = re.sub(r"\D", "", text)
    return f"({number[:3]}) {number[3:6]}-{number[6:]}"


def _german_phone(rng: Rng) -> str:
    return f"0{digits(rng, rng.choice((2, 3, 4)))}/{digits(rng, rng.choice((5, 6, 7)))}"


def _foreign_phone(rng: Rng) -> str:
    return f"+{rng.choice(('49', '43', '1', '44', '33'))} {digits(rng, 3)} {digits(rng, rng.choice((5, 6, 7)))}"


def _lines(rng: Rng) -> str:
    return f"{_street(rng)}, {_place(rng)}, {rng.choice(COUNTRIES)}"


TABLES = (
    Table(
        name="house-number",
        columns="Street | House number=",
        draw=_street,
        rule=lambda text: text.split()[-1],
        rows=32,
        given=6,
        slip="doubled",
    ),
    Table(
        name="street-without-number",
        columns="ID* | Address | Street=",
        draw=_street,
        rule=lambda text: text.rsplit(" ", 1)[0],
        rows=28,
        given=7,
    ),
    Table(
        name="postcode-of-place",
        columns="Ort | PLZ=",
        draw=_place,
        rule=lambda text: text.split()[0],
        rows=24,
        given=4,
        form="excel-de-bom",
    ),
    Table(
        name="town-of-address",
        columns="Address | Town= | Remark*",
        draw=_lines,
        rule=lambda text: text.split(", ")[1].split(" ", 1)[1],
        rows=30,
        given=7,
    ),
    Table(
        name="address-in-one-line",
        columns="Street | No. | Postcode | Town | Address=",
        draw=lambda rng: (rng.choice(STREETS), _house(rng), digits(rng, 5), rng.choice(CITIES)),
        rule=lambda street, house, code, town: f"{street} {house}, {code} {town}",
        rows=26,
        given=5,
    ),
    Table(
        name="state-of-american-address",
        columns="Address | State=",
        draw=_american_place,
        rule=lambda text: text.split(", ")[-1][:2],
        rows=24,
        given=5,
        scattered=True,
    ),
    Table(
        name="american-phone-number",
        columns="Owner* | Phone | Clean phone=",
        draw=_phone,
        rule=_american_phone,
        rows=34,
        given=8,
        cases=lambda text: re.sub(r"\d", "", text)[:1],
        slip="missing",
    ),
    Table(
        name="german-phone-number-abroad",
        columns="Telefon | International=",
        draw=_german_phone,
        rule=lambda text: f"+49 {text[1:].replace('/', ' ')}",
        rows=25,
        given=6,
        form="excel-utf16",
    ),
    Table(
        name="dialling-with-zeros",
        columns="Phone | To dial=",
        draw=_foreign_phone,
        rule=lambda text: text.replace("+", "00").replace(" ", ""),
        rows=22,
        given=6,
    ),
)
"""Nine tables."""
