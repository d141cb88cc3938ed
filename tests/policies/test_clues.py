"""Clues point to the literal that an answer needs, whichever of its kind it is."""

from __future__ import annotations

import pytest

from evolve.episodes import Row
from evolve.policies.search.clues import READERS, WIDTH, clues_of, kind_of
from evolve.policies.search.problem import problem_from_rows

ROWS = {
    "literal:delimiter:/": (0, [("a/b", "x"), ("c/d", "y"), ("ee/f", "z")]),
    "literal:pattern:\\d+": (0, [("ab 12", "12"), ("c 7", "7"), ("dd 345", "345")]),
    "literal:date_format:%d.%m.%Y": (0, [("2024-01-05", "05.01.2024"), ("2023-11-30", "30.11.2023")]),
    "literal:float_format:.2f": (0, [("1.5", "1.50"), ("2", "2.00")]),
    "literal:int:3": (0, [("abcdef", "abc"), ("uvwxyz", "uvw")]),
}


def clues(pairs):
    return clues_of(problem_from_rows([Row(input=[given], output=wanted) for given, wanted in pairs], "t"))


@pytest.mark.parametrize("name", ROWS)
def test_a_literal_the_examples_show_has_its_clue(name):
    place, pairs = ROWS[name]
    assert clues(pairs)[name][place]


def test_a_literal_they_do_not_show_lacks_it():
    found = clues([("2024-01-05", "05.01.2024"), ("2023-11-30", "30.11.2023")])
    assert not any(found.get("literal:date_format:%Y/%m/%d", (False,))[:2])


def test_clues_have_one_width_and_a_known_kind():
    for _, pairs in ROWS.values():
        assert all(len(shown) == WIDTH and kind_of(name) in READERS for name, shown in clues(pairs).items())
