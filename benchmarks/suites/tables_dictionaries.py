"""Table families about dictionaries: parts, changes, inversion, merging."""

from __future__ import annotations

from benchmarks.suites import tables_values as values
from benchmarks.suites.everyday_build import Family, V

MAP = "(mapping: dict[str, int]) -> {}"
MAPS = "(mapping: dict[str, int], other: dict[str, int]) -> {}"


def _added(first: dict[str, int], second: dict[str, int]) -> dict[str, int]:
    return {key: first.get(key, 0) + second.get(key, 0) for key in first | second}


MAPPINGS = (
    Family(
        name="dictionary-parts",
        draw=values.tally,
        signature=MAP.format("list[str]"),
        variants=(
            V(1, "List the keys of the dictionary.", lambda m: list(m)),
            V(1, "List the values of the dictionary.", lambda m: list(m.values()), None, MAP.format("list[int]")),
            V(2, "List the keys in alphabetical order.", lambda m: sorted(m)),
            V(2, "List the values from small to large.", lambda m: sorted(m.values()), None, MAP.format("list[int]")),
            V(3, "Write the pairs as key=value.", lambda m: [f"{k}={v}" for k, v in m.items()]),
            V(3, "List the keys in the order of their values.", lambda m: sorted(m, key=m.__getitem__)),
            V(4, "List the keys with values over 20.", lambda m: [k for k, v in m.items() if v > 20]),
        ),
    ),
    Family(
        name="dictionary-numbers",
        draw=values.tally,
        signature=MAP.format("int"),
        variants=(
            V(1, "Count the keys.", lambda m: len(m)),
            V(2, "Add up the values.", lambda m: sum(m.values())),
            V(2, "Give the largest value.", lambda m: max(m.values())),
            V(3, "Give the key with the largest value.", lambda m: max(m, key=m.__getitem__), None, MAP.format("str")),
            V(3, "Give the key with the smallest value.", lambda m: min(m, key=m.__getitem__), None, MAP.format("str")),
            V(3, "Give the largest minus the smallest value.", lambda m: max(m.values()) - min(m.values())),
        ),
    ),
    Family(
        name="dictionary-changed",
        draw=values.tally,
        signature=MAP.format("dict[str, int]"),
        variants=(
            V(3, "Double every value.", lambda m: {k: 2 * v for k, v in m.items()}),
            V(3, "Write the keys in capitals.", lambda m: {k.upper(): v for k, v in m.items()}),
            V(4, "Keep the pairs with values over 30.", lambda m: {k: v for k, v in m.items() if v > 30}),
            V(
                4,
                "Keep the pairs whose key has more than four letters.",
                lambda m: {k: v for k, v in m.items() if len(k) > 4},
            ),
            V(3, "Replace every value by the length of its key.", lambda m: {k: len(k) for k in m}),
            V(
                5,
                "Give each value's share of the total in percent, one place.",
                lambda m: {k: round(100 * v / sum(m.values()), 1) for k, v in m.items()},
                None,
                MAP.format("dict[str, float]"),
            ),
        ),
    ),
    Family(
        name="dictionary-inverted",
        draw=values.code_book,
        signature="(mapping: dict[str, str]) -> dict[str, str]",
        variants=(
            V(3, "Swap keys and values.", lambda m: {v: k for k, v in m.items()}),
            V(
                4,
                "Swap keys and values and write the new values in lower case.",
                lambda m: {v: k.lower() for k, v in m.items()},
            ),
            V(4, "Replace every value by its first character.", lambda m: {k: v[0] for k, v in m.items()}),
            V(
                3,
                "List value-key for every pair.",
                lambda m: [f"{v}-{k}" for k, v in m.items()],
                None,
                "(mapping: dict[str, str]) -> list[str]",
            ),
        ),
    ),
    Family(
        name="dictionaries-merged",
        draw=values.two_tallies,
        signature=MAPS.format("dict[str, int]"),
        variants=(
            V(2, "Merge the dictionaries; the second one wins.", lambda m, o: m | o),
            V(3, "Merge the dictionaries; the first one wins.", lambda m, o: o | m),
            V(5, "Merge the dictionaries and add values with the same key.", _added),
            V(
                4,
                "List the keys both dictionaries have, in the order of the first.",
                lambda m, o: [k for k in m if k in o],
                None,
                MAPS.format("list[str]"),
            ),
            V(
                4,
                "Keep the pairs of the first whose key is not in the second.",
                lambda m, o: {k: v for k, v in m.items() if k not in o},
            ),
        ),
    ),
)
