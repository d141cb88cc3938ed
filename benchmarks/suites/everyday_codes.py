"""Everyday families about product codes, account numbers, versions and colours."""

from __future__ import annotations

import re
from random import Random

from benchmarks.suites import everyday_draws as draws
from benchmarks.suites.everyday_build import Family, V
from benchmarks.suites.everyday_words import PRODUCTS

INT = "(text: str) -> int"
BOOL = "(text: str) -> bool"


def _prefix(rng: Random) -> str:
    return "".join(rng.choice("ABCDEFGHKLMNPRSTVX") for _ in range(rng.randint(2, 3)))


def _sku(rng: Random) -> tuple[str]:
    return (f"{_prefix(rng)}-{rng.randint(1, 9999):04d}-{rng.choice(('S', 'M', 'L', 'XL'))}",)


def _short_code(rng: Random) -> tuple[str]:
    return (f"{_prefix(rng)}-{rng.choice((rng.randint(1, 9), rng.randint(10, 99), rng.randint(100, 999)))}",)


def _padded_code(rng: Random) -> tuple[str]:
    return (f"{_prefix(rng)}-{int(_short_code(rng)[0].split('-')[1]):05d}",)


def _tight_code(rng: Random) -> tuple[str]:
    return (f"{_prefix(rng)}{rng.randint(10, 9999)}".lower(),)


def _long_number(rng: Random) -> tuple[str]:
    return (draws.digits(rng, rng.choice((12, 16))),)


def _checked(rng: Random) -> tuple[str]:
    """Six digits; in half of the rows the last is the sum of the others modulo ten."""
    body = draws.digits(rng, 5)
    last = sum(map(int, body)) % 10 if rng.random() < 0.5 else rng.randint(0, 9)
    return (f"{body}{last}",)


def _old_code(rng: Random) -> tuple[str]:
    return (f"{rng.choice(('OLD', 'TMP'))}-{_prefix(rng)}{rng.randint(10, 9999)}",)


def _iban(rng: Random) -> tuple[str]:
    country = rng.choice(("DE", "FR", "NO", "PT", "AT"))
    return (f"{country}{draws.digits(rng, 2)} " + " ".join(draws.digits(rng, 4) for _ in range(4)),)


def _version(rng: Random) -> tuple[str]:
    return (f"v{rng.randint(0, 12)}.{rng.randint(0, 30)}.{rng.randint(0, 40)}",)


def _numbers(text: str) -> list[int]:
    return [int(part) for part in text.lstrip("v").split(".")]


def _colour(rng: Random) -> tuple[str]:
    return (f"#{rng.randint(0, 0xFFFFFF):06x}",)


def _channels(text: str) -> list[int]:
    return [int(text[at : at + 2], 16) for at in (1, 3, 5)]


def _fours(text: str) -> str:
    return " ".join(text[at : at + 4] for at in range(0, len(text), 4))


CODES = (
    Family(
        name="sku-part",
        draw=_sku,
        variants=(
            V(1, "Give the letters in front of the product code.", lambda s: s.split("-")[0]),
            V(1, "Give the size at the end of the product code.", lambda s: s.split("-")[-1]),
            V(1, "Give the four digits of the product code.", lambda s: s.split("-")[1]),
            V(2, "Give the product number as a number.", lambda s: int(s.split("-")[1]), None, INT),
            V(3, "Give the product number without leading zeros.", lambda s: str(int(s.split("-")[1]))),
            V(2, "Drop the size.", lambda s: s.rsplit("-", 1)[0]),
            V(3, "Move the size to the front.", lambda s: "{2}-{0}-{1}".format(*s.split("-"))),
            V(2, "Write the product code in lower case with slashes.", lambda s: s.replace("-", "/").lower()),
        ),
    ),
    Family(
        name="sku-build",
        draw=lambda rng: (rng.choice(PRODUCTS), rng.randint(1, 999)),
        signature="(product: str, number: int) -> str",
        variants=(
            V(4, "Make the code: three letters in capitals and four digits.", lambda p, n: f"{p[:3].upper()}-{n:04d}"),
            V(4, "Make the code: two letters in capitals and five digits.", lambda p, n: f"{p[:2].upper()}{n:05d}"),
            V(3, "Make the key product_number.", lambda p, n: f"{p}_{n}"),
            V(3, "Make the label Product #number.", lambda p, n: f"{p.title()} #{n}"),
            V(3, "Make the file name product-007.png.", lambda p, n: f"{p}-{n:03d}.png"),
        ),
    ),
    Family(
        name="code-pad",
        draw=_short_code,
        branch=lambda s: len(s.split("-")[-1]),
        variants=(
            *(
                V(
                    4,
                    f"Fill up the number in the code to {width} digits.",
                    lambda s, width=width: f"{s.split('-')[0]}-{s.split('-')[1].zfill(width)}",
                )
                for width in (3, 4, 6)
            ),
            V(
                4,
                "Remove the leading zeros in the code.",
                lambda s: f"{s.split('-')[0]}-{int(s.split('-')[1])}",
                _padded_code,
            ),
            V(3, "Give the code's number filled up to four digits.", lambda s: s.split("-")[1].zfill(4)),
            V(4, "Swap letters and number.", lambda s: "{1}-{0}".format(*s.split("-"))),
        ),
    ),
    Family(
        name="code-check",
        draw=_checked,
        signature=BOOL,
        variants=(
            V(
                5,
                "Check that the last digit is the last digit of the sum of the others.",
                lambda s: sum(map(int, s[:-1])) % 10 == int(s[-1]),
            ),
            V(3, "Give the sum of the digits.", lambda s: sum(map(int, s)), None, INT),
            V(
                5,
                "Append the last digit of the sum of the digits.",
                lambda s: s + str(sum(map(int, s)) % 10),
                None,
                "(text: str) -> str",
            ),
            V(2, "Give the check digit at the end.", lambda s: int(s[-1]), None, INT),
            V(1, "Drop the check digit.", lambda s: s[:-1], None, "(text: str) -> str"),
        ),
    ),
    Family(
        name="code-format",
        draw=_tight_code,
        branch=lambda s: sum(c.isalpha() for c in s),
        variants=(
            V(
                5,
                "Write the code in capitals with a hyphen between letters and digits.",
                lambda s: re.sub(r"(\d+)", r"-\1", s).upper(),
            ),
            V(3, "Give the letters of the code in capitals.", lambda s: s.rstrip("0123456789").upper()),
            V(3, "Give the digits of the code.", lambda s: s.lstrip("abcdefghijklmnopqrstuvwxyz")),
            V(
                5,
                "Write the code in capitals with the digits filled up to five.",
                lambda s: s.rstrip("0123456789").upper() + s.lstrip("abcdefghijklmnopqrstuvwxyz").zfill(5),
            ),
        ),
    ),
    Family(
        name="code-prefix",
        draw=_old_code,
        branch=lambda s: s[:3],
        variants=(
            V(1, "Drop the first four characters of the code.", lambda s: s[4:]),
            V(3, "Write NEW- instead of the old prefix.", lambda s: "NEW-" + s[4:]),
            V(4, "Write NEW- where the code starts with OLD-, else leave it.", lambda s: s.replace("OLD-", "NEW-")),
            V(1, "Answer whether the code is temporary (TMP).", lambda s: s.startswith("TMP"), None, BOOL),
            V(3, "Move the prefix to the end in brackets.", lambda s: f"{s[4:]} ({s[:3]})"),
        ),
    ),
    Family(
        name="number-mask",
        draw=_long_number,
        branch=len,
        variants=(
            V(2, "Show the last four digits after four stars.", lambda s: "****" + s[-4:]),
            V(4, "Replace all but the last four digits by x.", lambda s: "x" * (len(s) - 4) + s[-4:]),
            V(
                4,
                "Replace all but the first two and last two digits by stars.",
                lambda s: s[:2] + "*" * (len(s) - 4) + s[-2:],
            ),
            V(1, "Give the last four digits of the card.", lambda s: s[-4:]),
            V(4, "Write the number in groups of four.", _fours),
            V(2, "Write ending in and the last two digits.", lambda s: f"ending in {s[-2:]}"),
        ),
    ),
    Family(
        name="iban",
        draw=_iban,
        variants=(
            V(1, "Give the country of the account number.", lambda s: s[:2]),
            V(3, "Show country and last block only: DE ... 1234", lambda s: f"{s[:2]} ... {s[-4:]}"),
            V(1, "Give the two check digits.", lambda s: s[2:4]),
        ),
    ),
    Family(
        name="version",
        draw=_version,
        variants=(
            V(2, "Give the major version as a number.", lambda s: _numbers(s)[0], None, INT),
            V(1, "Drop the v.", lambda s: s[1:]),
            V(4, "Give the next patch version.", lambda s: "v{}.{}.{}".format(*_numbers(s)[:2], _numbers(s)[2] + 1)),
            V(5, "Give the next minor version.", lambda s: f"v{_numbers(s)[0]}.{_numbers(s)[1] + 1}.0"),
            V(3, "List the three numbers.", _numbers, None, "(text: str) -> list[int]"),
            V(3, "Answer whether it is a version before 1.0.", lambda s: s.startswith("v0."), None, BOOL),
        ),
    ),
    Family(
        name="colour",
        draw=_colour,
        variants=(
            V(2, "Write the colour in capitals without the hash.", lambda s: s[1:].upper()),
            V(5, "List red, green and blue.", _channels, None, "(text: str) -> list[int]"),
            V(5, "Write rgb(r, g, b).", lambda s: "rgb({}, {}, {})".format(*_channels(s))),
            V(1, "Give the two digits of green.", lambda s: s[3:5]),
            V(1, "Write 0x instead of the hash.", lambda s: s.replace("#", "0x")),
        ),
    ),
)
