"""Everyday families about money: reading, writing, rounding, tax, labels."""

from __future__ import annotations

from random import Random

from benchmarks.suites.everyday_build import Family, V

FLOAT = "(text: str) -> float"
INT = "(text: str) -> int"
BOOL = "(text: str) -> bool"
NUMBER = "(amount: float) -> {}"
_SYMBOLS = {"$": "USD", "€": "EUR", "£": "GBP"}
_MAGNITUDES = {"k": 1000, "M": 1_000_000}


def amount(rng: Random) -> float:
    """A price with cents, small, medium or large alike."""
    return round(rng.choice((rng.uniform(1, 20), rng.uniform(100, 990), rng.uniform(1000, 90_000))), 2)


def _plain(rng: Random) -> tuple[float]:
    return (amount(rng),)


def _european(value: float) -> str:
    return f"{value:,.2f}".translate(str.maketrans(",.", ".,"))


def _dollars(rng: Random) -> tuple[str]:
    return (f"${amount(rng):,.2f}",)


def _euros(rng: Random) -> tuple[str]:
    return (f"{_european(amount(rng))} €",)


def _crowns(rng: Random) -> tuple[str]:
    return (f"{amount(rng):,.2f}".translate(str.maketrans(",.", " ,")) + " kr",)


def _coded(rng: Random) -> tuple[str]:
    return (f"{rng.choice(('USD', 'EUR', 'GBP', 'CHF'))} {amount(rng):.2f}",)


def _symbol_first(rng: Random) -> tuple[str]:
    return (f"{rng.choice('$€£')}{amount(rng):.2f}",)


def _bookkept(rng: Random) -> tuple[str]:
    """Negative amounts in brackets."""
    text = f"{amount(rng):,.2f}"
    return (f"({text})" if rng.random() < 0.5 else text,)


def _magnitude(rng: Random) -> tuple[str]:
    return (f"{rng.randint(1, 99)}.{rng.randint(1, 9)}{rng.choice('kM')}",)


def _us(text: str) -> float:
    return float(text.replace(",", "").lstrip("$"))


def _eu(text: str) -> float:
    return float(text.split()[0].replace(".", "").replace(",", "."))


def _booked(text: str) -> float:
    return -_us(text.strip("()")) if "(" in text else _us(text)


def _cents(rng: Random) -> tuple[int]:
    return (rng.choice((rng.randint(101, 999), rng.randint(1000, 99_999), rng.randint(100_000, 900_000))),)


def _priced(rng: Random) -> tuple[float, int]:
    return (amount(rng), rng.choice((5, 10, 15, 20, 25, 30, 50)))


def _level(value: float, bounds: tuple[float, ...], labels: tuple[str, ...]) -> str:
    return next((label for bound, label in zip(bounds, labels, strict=False) if value < bound), labels[-1])


def _spread_price(rng: Random) -> tuple[float]:
    """Prices in three bands, often next to the bounds between them."""
    edge = rng.choice((49.99, 50.01, 199.99, 200.01, 49.5, 199.0, 50.5, 201.0))
    return (round(rng.choice((edge, rng.uniform(1, 50), rng.uniform(50, 200), rng.uniform(200, 900))), 2),)


MONEY = (
    Family(
        name="money-read",
        draw=_dollars,
        signature=FLOAT,
        variants=(
            V(3, "Turn dollar amounts into numbers.", _us),
            V(4, "Turn European euro amounts into numbers.", _eu, _euros),
            V(
                5,
                "Turn amounts in kroner into numbers.",
                lambda s: float(s.removesuffix(" kr").replace(" ", "").replace(",", ".")),
                _crowns,
            ),
            V(2, "Give the number behind the currency code.", lambda s: float(s.split()[1]), _coded),
            V(4, "Turn dollar amounts into whole cents.", lambda s: round(_us(s) * 100), None, INT),
            V(4, "Turn dollar amounts into whole dollars, rounded down.", lambda s: int(_us(s)), None, INT),
            V(3, "Give the cents behind the point.", lambda s: int(s.split(".")[1]), None, INT),
        ),
    ),
    Family(
        name="money-write",
        draw=_plain,
        signature=NUMBER.format("str"),
        variants=(
            V(2, "Write the amount in dollars with thousands separators.", lambda x: f"${x:,.2f}"),
            V(2, "Write the amount followed by USD.", lambda x: f"{x:,.2f} USD"),
            V(4, "Write the amount the European way with the euro sign.", lambda x: _european(x) + " €"),
            V(3, "Write the amount in whole dollars.", lambda x: f"${x:,.0f}"),
            V(3, "Write the amount with a decimal comma, no separators.", lambda x: f"{x:.2f}".replace(".", ",")),
            V(3, "Write EUR and the amount with one decimal.", lambda x: f"EUR {x:.1f}"),
            V(4, "Write the amount in thousands with a k.", lambda x: f"{x / 1000:.1f}k"),
        ),
    ),
    Family(
        name="money-restyle",
        draw=_dollars,
        variants=(
            V(1, "Remove the thousands separators.", lambda s: s.replace(",", "")),
            V(3, "Put USD behind the number instead of the sign.", lambda s: s[1:] + " USD"),
            V(4, "Write dollar amounts the European way with a euro sign.", lambda s: _european(_us(s)) + " €"),
            V(4, "Write euro amounts the American way with a dollar sign.", lambda s: f"${_eu(s):,.2f}", _euros),
            V(1, "Remove the euro sign.", lambda s: s.removesuffix(" €"), _euros),
        ),
    ),
    Family(
        name="money-cents",
        draw=_cents,
        signature="(cents: int) -> str",
        variants=(
            V(2, "Turn cents into an amount.", lambda n: n / 100, None, "(cents: int) -> float"),
            V(3, "Write the cents as dollars.", lambda n: f"${n / 100:.2f}"),
            V(4, "Write the cents as dollars with thousands separators.", lambda n: f"${n / 100:,.2f}"),
            V(4, "Write the cents as euros with a decimal comma.", lambda n: f"{n / 100:.2f} €".replace(".", ",")),
            V(2, "Give the whole dollars.", lambda n: n // 100, None, "(cents: int) -> int"),
        ),
    ),
    Family(
        name="money-currency",
        draw=_symbol_first,
        branch=lambda s: s[0],
        variants=(
            V(4, "Give the currency code for the sign.", lambda s: _SYMBOLS[s[0]]),
            V(5, "Write the currency code and the number.", lambda s: f"{_SYMBOLS[s[0]]} {s[1:]}"),
            V(5, "Write the number and the currency code.", lambda s: f"{s[1:]} {_SYMBOLS[s[0]]}"),
            V(2, "Give the number without its sign.", lambda s: float(s[1:]), None, FLOAT),
        ),
    ),
    Family(
        name="money-code",
        draw=_coded,
        branch=lambda s: s[:3],
        variants=(
            V(2, "Put the currency code behind the number.", lambda s: "{1} {0}".format(*s.split())),
            V(2, "Write the currency code in lower case.", lambda s: s.split()[0].lower()),
            V(1, "Answer whether the amount is in euros.", lambda s: s.startswith("EUR"), None, BOOL),
            V(4, "Round the amount to whole units and keep the code.", lambda s: f"{s[:3]} {round(float(s[4:]))}"),
        ),
    ),
    Family(
        name="money-bookkeeping",
        draw=_bookkept,
        signature=FLOAT,
        branch=lambda s: "(" in s,
        variants=(
            V(5, "Turn amounts into numbers; brackets mean negative.", _booked),
            V(
                4,
                "Write a minus sign instead of the brackets.",
                lambda s: "-" + s.strip("()") if "(" in s else s,
                None,
                "(text: str) -> str",
            ),
            V(3, "Give the amount without sign as a number.", lambda s: abs(_booked(s))),
            V(
                4,
                "Label the amount debit when it is in brackets, else credit.",
                lambda s: "debit" if "(" in s else "credit",
                None,
                "(text: str) -> str",
            ),
        ),
    ),
    Family(
        name="money-magnitude",
        draw=_magnitude,
        signature=INT,
        branch=lambda s: s[-1],
        variants=(
            V(
                5,
                "Turn numbers such as 1.5k and 2.3M into full numbers.",
                lambda s: round(float(s[:-1]) * _MAGNITUDES[s[-1]]),
            ),
            V(2, "Give the number before the letter.", lambda s: float(s[:-1]), None, FLOAT),
            V(
                4,
                "Write thousand or million behind the number.",
                lambda s: f"{s[:-1]} {'thousand' if s[-1] == 'k' else 'million'}",
                None,
                "(text: str) -> str",
            ),
        ),
    ),
    Family(
        name="price-tax",
        draw=_plain,
        signature=NUMBER.format("float"),
        variants=(
            *(
                V(2, f"Add {rate} % tax, rounded to cents.", lambda x, rate=rate: round(x * (100 + rate) / 100, 2))
                for rate in (7, 19, 20, 25)
            ),
            V(2, "Give the 19 % tax alone, rounded to cents.", lambda x: round(x * 0.19, 2)),
            V(3, "Take the 20 % tax out of the gross price, rounded to cents.", lambda x: round(x / 1.2, 2)),
            V(2, "Take off 15 %, rounded to cents.", lambda x: round(x * 0.85, 2)),
            V(1, "Double the amount, rounded to cents.", lambda x: round(x * 2, 2)),
        ),
    ),
    Family(
        name="price-discount",
        draw=_priced,
        signature="(price: float, percent: int) -> float",
        variants=(
            V(3, "Take the percentage off the price, rounded to cents.", lambda x, p: round(x * (100 - p) / 100, 2)),
            V(2, "Give the discount in money, rounded to cents.", lambda x, p: round(x * p / 100, 2)),
            V(3, "Add the percentage to the price, rounded to cents.", lambda x, p: round(x * (100 + p) / 100, 2)),
            V(
                3,
                "Write the offer as price (-percent%).",
                lambda x, p: f"{x:.2f} (-{p}%)",
                None,
                "(price: float, percent: int) -> str",
            ),
        ),
    ),
    Family(
        name="price-label",
        draw=_spread_price,
        signature="(price: float) -> str",
        branch=lambda x: _level(x, (50, 200), ("a", "b", "c")),
        variants=(
            V(
                4,
                "Label prices below 50 low, below 200 medium, else high.",
                lambda x: _level(x, (50, 200), ("low", "medium", "high")),
            ),
            V(4, "Label prices from 200 premium, others standard.", lambda x: "premium" if x >= 200 else "standard"),
            V(
                5,
                "Give the shipping cost: 4.90 below 50, else 0.",
                lambda x: 4.9 if x < 50 else 0.0,
                None,
                "(price: float) -> float",
            ),
            V(
                5,
                "Take 10 % off prices from 200 on, rounded to cents.",
                lambda x: round(x * 0.9, 2) if x >= 200 else x,
                None,
                "(price: float) -> float",
            ),
            V(2, "Answer whether shipping is free: 50 and more.", lambda x: x >= 50, None, "(price: float) -> bool"),
        ),
    ),
)
