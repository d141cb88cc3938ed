"""What the five stages of the order desk have to know, as rules that a prompt tells or does not tell.

A made-up trade: an order passes through five stages, each a prompt of its own. Every stage has three rules of the house
that no instruction tells. Who knows a rule does its part right; who does not does what looks right and is not.
"""

from __future__ import annotations

import random
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

Fields = Mapping[str, Any]
_Part = tuple[str, str, str, Callable[[Fields], bool], Callable[[Fields], Any], Callable[[Fields], Any]]

STAGES = ("read", "sort", "price", "check", "write")
"""The stages in order; the prompt of a stage is the file of its name."""

INPUTS: Mapping[str, tuple[str, ...]] = {
    "read": (),
    "sort": ("read",),
    "price": ("read", "sort"),
    "check": ("price",),
    "write": ("read", "check"),
}
"""Whose outputs a stage is given; the first is given the order itself."""


@dataclass(frozen=True, kw_only=True)
class LineRule:
    """One fact that a stage needs.

    Attributes:
        field: What it decides.
        says: The fact in three wordings, each understood.
        contrary: The opposite in words.
        vague: Words about the same matter that tell nobody anything.
        cues: Patterns by which the fact is understood.
        contrary_cues: Patterns by which the opposite is.
        applies: Whether an order has to do with it.
        right, naive: The field's value by one who knows, and by one who does not.
    """

    name: str
    stage: str
    field: str
    says: tuple[str, ...]
    contrary: str
    vague: str
    cues: tuple[str, ...]
    contrary_cues: tuple[str, ...]
    applies: Callable[[Fields], bool]
    right: Callable[[Fields], Any]
    naive: Callable[[Fields], Any]

    def told_in(self, text: str) -> bool:
        """Whether a text tells the fact."""
        return any(re.search(cue, text, re.IGNORECASE) for cue in self.cues)

    def denied_in(self, text: str) -> bool:
        """Whether a text tells the opposite."""
        return any(re.search(cue, text, re.IGNORECASE) for cue in self.contrary_cues)


def _day_first(order: Fields) -> str:
    day, month, year = str(order["due"]).split("/")
    return f"{year}-{month}-{day}"


def _month_first(order: Fields) -> str:
    month, day, year = str(order["due"]).split("/")
    return f"{year}-{month}-{day}"


def _comma(order: Fields) -> int:
    return round(100 * float(str(order["price"]).replace(".", "").replace(",", ".")))


def _no_comma(order: Fields) -> int:
    return round(100 * float(str(order["price"]).replace(",", "")))


def _pieces(order: Fields) -> int:
    return int(str(order["count"]).split()[0]) * (12 if "dozen" in str(order["count"]) else 1)


def _month(order: Fields) -> int:
    return int(str(order["due"])[5:7])


def _sum(order: Fields) -> int:
    return int(order["cents"]) * int(order["pieces"])


def _without_title(order: Fields) -> str:
    return re.sub(r"^(?:Dr|Prof|Ms)\. ", "", str(order["customer"]))


def _turned(order: Fields) -> str:
    first, _, last = str(order["name"]).rpartition(" ")
    return f"{last}, {first}" if first else last


_TRADE: tuple[_Part, ...] = (
    (
        "day-first",
        "read",
        "due",
        lambda order: True,
        _day_first,
        _month_first,
    ),
    ("comma", "read", "cents", lambda order: True, _comma, _no_comma),
    (
        "dozen",
        "read",
        "pieces",
        lambda order: True,
        _pieces,
        lambda order: int(str(order["count"]).split()[0]),
    ),
    ("gift", "sort", "service", lambda order: order["note"] == "gift", lambda order: "parcel", lambda order: "letter"),
    (
        "fragile",
        "sort",
        "packing",
        lambda order: order["note"] == "fragile",
        lambda order: "crate",
        lambda order: "paper",
    ),
    (
        "quarter",
        "sort",
        "quarter",
        lambda order: order["country"] == "abroad",
        lambda order: (_month(order) - 4) % 12 // 3 + 1,
        lambda order: (_month(order) - 1) // 3 + 1,
    ),
    (
        "discount",
        "price",
        "rebate",
        lambda order: int(order["pieces"]) >= 24,
        lambda order: round(_sum(order) * 0.05),
        lambda order: 0,
    ),
    ("customs", "price", "customs", lambda order: order["country"] == "abroad", lambda order: 700, lambda order: 0),
    (
        "box",
        "price",
        "box",
        lambda order: order["note"] == "fragile",
        lambda order: 300 if order["packing"] == "crate" else 0,
        lambda order: 0,
    ),
    (
        "august",
        "check",
        "due",
        lambda order: _month(order) == 8,
        lambda order: str(order["due"])[:5] + "09-01",
        lambda order: order["due"],
    ),
    ("title", "check", "name", lambda order: True, _without_title, lambda order: order["customer"]),
    (
        "approval",
        "check",
        "approval",
        lambda order: int(order["total"]) > 50_000,
        lambda order: "yes",
        lambda order: "no",
    ),
    (
        "capitals",
        "write",
        "ref",
        lambda order: str(order["ref"]) != str(order["ref"]).upper(),
        lambda order: str(order["ref"]).upper(),
        lambda order: order["ref"],
    ),
    ("turned", "write", "name", lambda order: order["country"] == "home", _turned, lambda order: order["name"]),
    (
        "euro",
        "write",
        "total",
        lambda order: order["country"] == "abroad",
        lambda order: f"{int(order['total']) / 100:.2f} EUR",
        lambda order: order["total"],
    ),
)
"""Name, stage and field of every rule, which orders have to do with it, and both ways to do it; in order of use."""


def line_rules() -> tuple[LineRule, ...]:
    """Every rule, in the order in which its stage applies it."""
    text = files("benchmarks.doubles").joinpath("line_rules.toml").read_text(encoding="utf-8")
    words = tomllib.loads(text)
    return tuple(
        LineRule(
            name=name,
            stage=stage,
            field=field,
            says=tuple(words[name]["says"]),
            contrary=words[name]["contrary"],
            vague=words[name]["vague"],
            cues=tuple(words[name]["cues"]),
            contrary_cues=tuple(words[name]["contrary_cues"]),
            applies=applies,
            right=right,
            naive=naive,
        )
        for name, stage, field, applies, right, naive in _TRADE
    )


def settled(stage: str, order: dict[str, Any]) -> None:
    """What a stage fills in besides its rules: what nobody can get wrong."""
    if stage == "sort":
        order.setdefault("service", "letter")
        order.setdefault("packing", "paper")
    elif stage == "price":
        extra = int(order.get("customs", 0)) + int(order.get("box", 0)) - int(order.get("rebate", 0))
        order["total"] = _sum(order) + extra
    elif stage == "check":
        order.setdefault("approval", "no")


def draw_order(rng: random.Random) -> dict[str, Any]:
    """One order as it comes in."""
    month = 8 if rng.random() < 0.3 else rng.choice((1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12))
    titled = rng.choice(("", "Dr. ", "Prof. ", "Ms. "))
    first = rng.choice(("Ada", "Alan", "Grace", "Edsger", "Barbara", "Donald", "Frances", "Tony"))
    last = rng.choice(("Stone", "Rivers", "Hill", "Woods", "Field", "Lake", "Marsh", "Brook"))
    number = rng.randint(1_000, 9_999)
    return {
        "ref": f"{rng.choice('qxQX')}-{number}",
        "customer": f"{titled}{first} {last}",
        "count": f"{rng.randint(2, 5)} dozen" if rng.random() < 0.4 else str(rng.randint(1, 40)),
        "price": f"{rng.randint(1, 60)},{rng.choice((25, 50, 75))}" if rng.random() < 0.5 else str(rng.randint(1, 60)),
        "due": f"{rng.randint(1, 12):02d}/{month:02d}/{rng.randint(2030, 2039)}",
        "note": rng.choice(("gift", "fragile", "plain")),
        "country": rng.choice(("home", "abroad")),
    }
