"""Article numbers, check digits, versions and other codes."""

from __future__ import annotations

from benchmarks.everyday_use.pools import PRODUCTS, Rng, digits, letters
from benchmarks.everyday_use.table import Table


def _article(rng: Rng) -> str:
    return f"{letters(rng, rng.choice((2, 3)))}-{digits(rng, rng.choice((3, 4, 4, 5)))}-{rng.choice(('S', 'M', 'XL'))}"


def _ean(text: str) -> str:
    return str(-sum(int(digit) * (1, 3)[place % 2] for place, digit in enumerate(text)) % 10)


def _isbn(text: str) -> str:
    left = sum(int(digit) * (10 - place) for place, digit in enumerate(text)) * -1 % 11
    return "X" if left == 10 else str(left)


def _luhn(text: str) -> str:
    doubled = (int(digit) * (2, 1)[place % 2] for place, digit in enumerate(reversed(text)))
    return str(-sum(value // 10 + value % 10 for value in doubled) % 10)


def _iban(rng: Rng) -> str:
    return f"{rng.choice(('DE', 'AT', 'CH', 'NL'))}{digits(rng, 2)}{digits(rng, rng.choice((14, 16, 18)))}"


def _plate(rng: Rng) -> str:
    return f"{letters(rng, rng.choice((1, 2, 3)))} {letters(rng, rng.choice((1, 2)))} {digits(rng, rng.randint(1, 4))}"


def _clean_plate(text: str) -> str:
    city, *rest = text.upper().split()
    return f"{city}-{' '.join(rest)}"


def _version(rng: Rng) -> str:
    return f"{rng.randint(0, 3)}.{rng.choice((0, 1, 2, 9, 10, 11, 12))}.{rng.randint(0, 20)}"


def _parts(version: str) -> list[int]:
    return [int(part) for part in version.split(".")]


def _two_versions(rng: Rng) -> tuple[str, str]:
    one, other = _version(rng), _version(rng)
    return (one, other) if rng.random() < 0.3 else (one, f"{one.split('.')[0]}.{other.split('.', 1)[1]}")


def _release(rng: Rng) -> str:
    return f"v{_version(rng)}{rng.choice(('', '', '-rc1', '-beta', '+build7'))}"


def _next(text: str) -> str:
    head, number = text.rsplit("-", 1)
    return f"{head}-{int(number) + 1:0{len(number)}}"


TABLES = (
    Table(
        name="middle-of-article-number",
        columns="Note* | Article | Number=",
        draw=_article,
        rule=lambda text: text.split("-")[1],
        rows=34,
        given=5,
    ),
    Table(
        name="ean-check-digit",
        columns="EAN without check digit | Check digit=",
        draw=lambda rng: f"{rng.choice(('400', '401', '500', '978'))}{digits(rng, 9)}",
        rule=_ean,
        rows=30,
        given=10,
    ),
    Table(
        name="isbn-check-digit",
        columns="No* | First nine digits | Check=",
        draw=lambda rng: f"{rng.choice('013')}{digits(rng, 8)}",
        rule=_isbn,
        rows=28,
        given=12,
        cases=lambda text: _isbn(text) == "X",
    ),
    Table(
        name="card-check-digit",
        columns="Card without last digit | Digit=",
        draw=lambda rng: f"4{digits(rng, 14)}",
        rule=_luhn,
        rows=24,
        given=12,
    ),
    Table(
        name="bank-account-in-groups",
        columns="IBAN | Readable=",
        draw=_iban,
        rule=lambda text: " ".join(text[start : start + 4] for start in range(0, len(text), 4)),
        rows=22,
        given=7,
    ),
    Table(
        name="masked-card",
        columns="Card | Shown=",
        draw=lambda rng: digits(rng, 16),
        rule=lambda text: f"**** {text[-4:]}",
        rows=26,
        given=5,
        form="excel-quoted",
    ),
    Table(
        name="stock-keeping-unit",
        columns="Product | Number | SKU=",
        draw=lambda rng: (rng.choice(PRODUCTS), str(rng.choice((rng.randint(1, 99), rng.randint(100, 9999))))),
        rule=lambda product, number: f"{product[:3].upper()}-{int(number):05}",
        rows=32,
        given=7,
    ),
    Table(
        name="number-plate",
        columns="Kennzeichen | Sauber= | Owner*",
        draw=lambda rng: _plate(rng) if rng.random() < 0.5 else _plate(rng).lower(),
        rule=_clean_plate,
        rows=24,
        given=8,
    ),
    Table(
        name="newer-version",
        columns="Installed | Available | Newest=",
        draw=_two_versions,
        rule=lambda one, other: max(one, other, key=_parts),
        rows=30,
        given=10,
        cases=lambda one, other: _parts(one) >= _parts(other),
    ),
    Table(
        name="major-and-minor-version",
        columns="Release | Line=",
        draw=_release,
        rule=lambda text: ".".join(text[1:].split(".")[:2]) + ".x",
        rows=25,
        given=6,
        slip="doubled",
    ),
    Table(
        name="next-invoice-number",
        columns="Last number | Next=",
        draw=lambda rng: f"INV-{rng.choice((rng.randint(1, 99), 9, 99, rng.randint(100, 9998))):04}",
        rule=_next,
        rows=22,
        given=6,
        scattered=True,
    ),
    Table(
        name="without-leading-zeros",
        columns="ID* | Material | Number=",
        draw=lambda rng: str(rng.randint(1, 10 ** rng.randint(2, 7))).zfill(10),
        rule=lambda text: text.lstrip("0"),
        rows=28,
        given=6,
    ),
)
"""Twelve tables."""
