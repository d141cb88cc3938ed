"""The skills that leave: twenty that are learned by filling tables, and ten of other shapes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.everyday_use import forms
from benchmarks.everyday_use.tables import TABLES
from evolve.core.episodes import Json, Row
from evolve.core.errors import EvolveError
from evolve.skills import AdmissionVerdict, Skill, render_tests

FILLED = (
    *("login-from-two-columns", "initials", "without-academic-title", "weekday-of-date", "month-and-year"),
    *("calendar-quarter", "fiscal-quarter-from-april", "payable-in-thirty-days", "end-of-month", "twelve-hour-clock"),
    *("net-to-gross", "gross-to-net-reduced-rate", "fifteen-percent-off", "dollar-amount", "cents-to-euros"),
    *("margin-in-percent", "growth-with-sign", "ean-check-digit", "card-check-digit", "dialling-with-zeros"),
    *("bank-account-in-groups", "yes-or-no", "iso-week", "days-between"),
)
"""Tables from which evolve learns a skill in a few seconds; as many are filled as are needed."""

_OTHERS: tuple[tuple[str, str, str, str, tuple[tuple[list[Json], Json], ...]], ...] = (
    (
        "words-by-length",
        "Sorts words by their length.",
        "(words: list[str]) -> list[str]",
        "def words_by_length(words):\n    return sorted(words, key=lambda word: (len(word), word))\n",
        (([["pear", "fig"]], ["fig", "pear"]), ([["kiwi", "plum", "nut"]], ["nut", "kiwi", "plum"])),
    ),
    (
        "stock-label",
        "Tells whether an article is sold out, low or in stock.",
        "(article: row) -> str",
        "def stock_label(article):\n    if article['stock'] == 0:\n        return 'sold out'\n"
        "    return 'low' if article['stock'] < article['minimum level'] else 'in stock'\n",
        (
            ([{"name": "mug", "stock": 0, "minimum level": 5}], "sold out"),
            ([{"name": "cup", "stock": 3, "minimum level": 5}], "low"),
        ),
    ),
    (
        "total-by-client",
        "Adds up the amounts of each client.",
        "(orders: list[row]) -> dict[str, float]",
        "def total_by_client(orders):\n    sums = {}\n    for order in orders:\n"
        "        sums[order['client']] = sums.get(order['client'], 0) + order['amount']\n    return sums\n",
        (
            ([[{"client": "Brandt", "amount": 12.5}, {"client": "Brandt", "amount": 1.5}]], {"Brandt": 14.0}),
            ([[{"client": "Okafor", "amount": 7.0}]], {"Okafor": 7.0}),
        ),
    ),
    (
        "count-halvings",
        "Counts how often a number can be halved before it is one.",
        "(number: int) -> int",
        "def count_halvings(number):\n    count = 0\n    while number != 1:\n        number //= 2\n        count += 1\n"
        "    return count\n",
        (([8], 3), ([32], 5)),
    ),
    (
        "is-even-sum",
        "Tells whether two whole numbers add up to an even one.",
        "(first: int, second: int) -> bool",
        "def is_even_sum(first, second):\n    return (first + second) % 2 == 0\n",
        (([3, 5], True), ([4, 7], False)),
    ),
    (
        "discounted",
        "Takes a discount in percent off a price.",
        "(price: float, percent: float) -> float",
        "def discounted(price, percent):\n    return round(price * (100 - percent) / 100, 2)\n",
        (([80.5, 10.0], 72.45), ([12.25, 20.0], 9.8)),
    ),
    (
        "first-number",
        "Gives the first number in a text, or nothing.",
        "(text: str) -> int | None",
        "import re\n\n\ndef first_number(text):\n    found = re.search(r'\\d+', text)\n"
        "    return int(found[0]) if found else None\n",
        ((["room 118, floor 2"], 118), (["lobby"], None)),
    ),
    (
        "depth-of-lists",
        "Tells how deeply lists are nested.",
        "(value: any) -> int",
        "def depth_of_lists(value):\n    if not isinstance(value, list):\n        return 0\n"
        "    return 1 + max([depth_of_lists(part) for part in value], default=0)\n",
        (([[1, [2]]], 2), ([7], 0)),
    ),
    (
        "transposed-table",
        "Turns the rows of a table into columns.",
        "(table: list[list[int]]) -> list[list[int]]",
        "def transposed_table(table):\n    return [list(column) for column in zip(*table)]\n",
        (([[[1, 2], [3, 4]]], [[1, 3], [2, 4]]), ([[[5, 6]]], [[5], [6]])),
    ),
    (
        "values-over-limit",
        "Keeps the entries of a record that are above a limit.",
        "(values: dict[str, int], limit: int) -> dict[str, int]",
        "def values_over_limit(values, limit):\n    return {name: v for name, v in values.items() if v > limit}\n",
        (([{"a": 3, "b": 9}, 4], {"b": 9}), ([{"c": 1}, 4], {})),
    ),
)


def learn(workspace: Any, folder: Path, count: int) -> dict[str, str]:
    """Fills tables until so many skills are learned; gives the table of each skill, by its name."""
    found: dict[str, str] = {}
    for name in FILLED:
        if len(found) == count:
            break
        place = folder / name
        place.mkdir(parents=True)
        table = next(one for one in TABLES if one.name == name)
        try:
            filled = workspace.fill(forms.write(table, place), out=place / "filled.csv", budget="30s")
        except EvolveError:
            continue
        found |= dict.fromkeys(filled.result.skills, name) if filled.result is not None else {}
    return found


def add_others(workspace: Any, secrets: Iterator[str]) -> list[str]:
    """Admits the ten others. A row of each that takes a text holds one of the secrets."""
    names = []
    for name, description, signature, code, pairs in _OTHERS:
        rows = tuple(Row(input=tuple(given), output=output) for given, output in pairs)
        if signature.startswith("(text: str)"):
            found = [(secret, re.search(r"\d+", secret)) for secret in secrets]
            rows += tuple(Row(input=(secret,), output=int(each[0]) if each else None) for secret, each in found)
        entry = name.replace("-", "_")
        skill = Skill(
            name=name,
            description=description,
            entry=entry,
            signature=signature,
            code=code,
            rows=rows,
            test_code=render_tests(entry, rows),
            source="benchmark",
        )
        workspace.stores.skills.add(skill, AdmissionVerdict(digest=skill.digest, admitted=True, fingerprint="sandbox"))
        names.append(name)
    return names
