"""A storehouse behind functions, and questions about it that take many calls each. Answers are worked out here."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

KINDS = ("worth", "short", "order", "dearest", "supplier")


@dataclass
class Storehouse:
    """Shelves with items; what was ordered is kept."""

    shelves: dict[str, list[str]]
    prices: dict[str, int]
    stocks: dict[str, int]
    suppliers: dict[str, str]
    orders: list[tuple[str, int]] = field(default_factory=list)

    def functions(self) -> dict[str, Callable[..., Any]]:
        """What code can call, by name."""

        def items(shelf: str) -> list[str]:
            """Names of the items on a shelf."""
            return self.shelves[shelf]

        def price(item: str) -> int:
            """What one piece of an item costs, in cents."""
            return self.prices[item]

        def stock(item: str) -> int:
            """How many pieces of an item are there."""
            return self.stocks[item]

        def supplier(item: str) -> str:
            """Who delivers an item."""
            return self.suppliers[item]

        def order(item: str, count: int) -> bool:
            """Orders so many pieces of an item."""
            self.orders.append((item, count))
            return True

        return {one.__name__: one for one in (items, price, stock, supplier, order)}


@dataclass(frozen=True)
class Question:
    """A task in words with its right answer and the orders that it should leave behind."""

    kind: str
    shelf: str
    text: str
    answer: str
    orders: tuple[tuple[str, int], ...] = ()


def storehouse(seed: int) -> Storehouse:
    """Ten shelves of three to five items, so that a run's twelve actions are enough for single calls too."""
    rng = random.Random(seed)
    shelves = {f"s{n}": [f"item{n}{letter}" for letter in "abcde"[: rng.randint(3, 5)]] for n in range(10)}
    items = [item for shelf in shelves.values() for item in shelf]
    return Storehouse(
        shelves=shelves,
        prices={item: rng.randint(50, 9_000) for item in items},
        stocks={item: rng.randint(0, 12) for item in items},
        suppliers={item: rng.choice(("Ahrens", "Brandt", "Cordes")) for item in items},
    )


def questions(house: Storehouse, count: int) -> list[Question]:
    """Of each kind as many, on shelves in turn."""
    shelves = list(house.shelves)
    return [_question(house, KINDS[n % len(KINDS)], shelves[n * 7 // len(KINDS) % len(shelves)]) for n in range(count)]


def _question(house: Storehouse, kind: str, shelf: str) -> Question:
    items = house.shelves[shelf]
    low = [item for item in items if house.stocks[item] < 4]
    if kind == "worth":
        worth = sum(house.prices[item] * house.stocks[item] for item in items)
        return Question(kind, shelf, f"What is all stock on shelf {shelf} worth together, in cents?", str(worth))
    if kind == "short":
        text = f"How many items on shelf {shelf} have fewer than 4 pieces in stock?"
        return Question(kind, shelf, text, str(len(low)))
    if kind == "order":
        text = f"Order 10 pieces of each item on shelf {shelf} with fewer than 4 in stock; how many did you order?"
        return Question(kind, shelf, text, str(len(low)), tuple((item, 10) for item in low))
    if kind == "dearest":
        text = f"What does the dearest item on shelf {shelf} cost, in cents?"
        return Question(kind, shelf, text, str(max(house.prices[item] for item in items)))
    text = f"How many items on shelf {shelf} come from Brandt?"
    return Question(kind, shelf, text, str(sum(house.suppliers[item] == "Brandt" for item in items)))
