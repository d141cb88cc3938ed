"""Clues point to the literal or operation that an answer needs, whichever of its kind it is."""

from __future__ import annotations

import pytest

from evolve.core.episodes import Row
from evolve.policies.search.features import TaskFeatures
from evolve.policies.search.problem import problem_from_rows
from evolve.policies.search.programs.operations import literals, vocabulary
from evolve.policies.search.searcher import Vocabulary

MULTIPLES = [([4, 7, 12, 9], [4, 12]), ([5, 8, 3], [8]), ([16, 2, 1, 20], [16, 20])]
SHOWN = [
    ("literal:delimiter:/", "delimiter: once in the input", [("a/b", "x"), ("c/d", "y"), ("ee/f", "z")]),
    ("literal:pattern:\\d+", "pattern: the whole output", [("ab 12", "12"), ("c 7", "7"), ("dd 345", "345")]),
    (
        "literal:date_format:%d.%m.%Y",
        "date_format: the whole output",
        [("2024-01-05", "05.01.2024"), ("2023-11-30", "30.11.2023")],
    ),
    ("literal:float_format:.2f", "float_format: the whole output", [("1.5", "1.50"), ("2", "2.00")]),
    ("literal:int:3", "int: the output's length", [("abcdef", "abc"), ("uvwxyz", "uvw")]),
    ("literal:int:4", "number in lists: divides kept or dropped", MULTIPLES),
    ("literal:int:5", "number in lists: separates kept from dropped", [([1, 9, 6], [9, 6]), ([5, 2, 7], [7])]),
    ("literal:int:2", "number in lists: outputs begin at this place", [([4, 7, 1], [1]), ([3, 3, 8, 9], [8, 9])]),
    ("literal:int:3", "number beside lists: its count", [([3, 1, 3], 2), ([4, 3], 1), ([5], 0)]),
    ("literal:int:7", "number beside numbers: leaves the rest", [(9, 2), (15, 1), (6, 6)]),
    ("mined:int", "mined number: they determine an uncommon one", [([1, 2], [18, 19]), ([5], [22])]),
    ("sort", "operation towards a list: leaves the outputs as they are", [([3, 1, 2], [2, 3]), ([9, 4], [9])]),
    ("maximum", "operation towards a list: an item", [([3, 9], [9, 9, 1]), ([7, 2], [7])]),
    ("upper", "operation towards a text: changes the inputs but not the outputs", [("ab c", "AB"), ("de f", "DE")]),
    ("filter", "function: the examples can be read so", MULTIPLES),
    ("modulo", "inside a function: one value for yes or for no", MULTIPLES),
    ("map", "function: the examples can be read so", [([1, 2], [1, 4]), ([3], [9])]),
    ("multiply", "inside a function: every image", [([1, 2], [1, 4]), ([3], [9])]),
    ("map_with_index", "function: the examples can be read so", [([5, 5, 5], [0, 5, 10]), ([2, 1], [0, 1])]),
    ("scan", "function: the examples can be read so", [([3, 5, 3], [3, 5, 5]), ([4, 2], [4, 4])]),
    ("larger", "inside a function: every image", [([3, 5, 3], [3, 5, 5]), ([4, 2], [4, 4])]),
    ("filter_by_index", "function: the examples can be read so", [([5, 6, 7, 5], [5, 7]), ([6, 5, 2], [6, 2])]),
]


@pytest.fixture(scope="module")
def words():
    return Vocabulary(vocabulary(), literals())


def reader(words, pairs):
    rows = [Row(input=[given], output=wanted) for given, wanted in pairs]
    return TaskFeatures(words).clue_reader(problem_from_rows(rows, "t"))


@pytest.mark.parametrize(("name", "clue", "pairs"), SHOWN)
def test_a_name_the_examples_show_has_its_clue(words, name, clue, pairs):
    assert clue in reader(words, pairs).clues().get(name, ())


@pytest.mark.parametrize(
    ("name", "clue", "pairs"),
    [
        ("literal:date_format:%Y/%m/%d", "date_format: the whole output", [("2024-01-05", "05.01.2024")]),
        ("literal:int:3", "number in lists: divides kept or dropped", MULTIPLES),
        ("sort", "operation towards a list: leaves the outputs as they are", [([1, 2], [2, 1]), ([3], [3])]),
        ("map", "function: the examples can be read so", [([5, 5], [1, 2]), ([4], [4])]),
        ("multiply", "inside a function: every image", [([1, 2], [1, 5]), ([3], [9])]),
    ],
)
def test_a_name_they_do_not_show_lacks_it(words, name, clue, pairs):
    assert clue not in reader(words, pairs).clues().get(name, ())


def test_a_dream_is_read_by_its_own_outputs(words):
    asleep = reader(words, [([3, 1, 2], []), ([9, 4], [])])
    assert asleep.clues([(1, 2, 3), (4, 9)]) == reader(words, [([3, 1, 2], [1, 2, 3]), ([9, 4], [4, 9])]).clues()


def test_examples_without_any_clue_give_none_that_speaks_for_an_operation(words):
    found = reader(words, [(True, False), (False, True)]).clues()
    assert all(name in words.by_name or name.startswith(("literal:", "mined:")) for name in found)


def test_two_lists_are_read_pair_by_pair(words):
    rows = [Row(input=[[1, 2], [5, 5]], output=[5, 10]), Row(input=[[3], [2, 9]], output=[6])]
    found = TaskFeatures(words).clue_reader(problem_from_rows(rows, "t")).clues()
    assert "function: the examples can be read so" in found["zip_with"]
    assert "inside a function: every image" in found["multiply"]
