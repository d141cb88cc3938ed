"""Constants that no list holds are worked out from a few rows, and hold on rows that were not seen."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolve.core.episodes import Row
from evolve.policies.search import SearchPolicy
from evolve.policies.search.meter import meter_for
from evolve.policies.search.problem import problem_from_rows
from evolve.policies.search.programs.evaluation import evaluate
from evolve.policies.search.programs.operations import literals, vocabulary
from evolve.policies.search.searcher import Searcher, Vocabulary
from evolve.policies.search.solvers.categories import Categories
from tests.policies.samples import first_action, view_of
from tests.policies.test_functions_of_two import compiled

WORDS = Vocabulary(vocabulary(), literals())


def check_holds(
    policy: SearchPolicy, function: Callable[..., Any], shown: tuple[Any, ...], unseen: tuple[Any, ...]
) -> None:
    """The search finds the function from its values on the shown inputs, right on the unseen ones."""
    view = view_of(function, *shown)
    learned = compiled(view, first_action(policy, view))
    rows = [row if isinstance(row, tuple) else (row,) for row in unseen]
    assert [learned(*row) for row in rows] == [function(*row) for row in rows]


def grade(points: int) -> str:
    return "A" if points >= 90 else "B" if points >= 80 else "C" if points >= 70 else "F"


BANDS: dict[str, tuple[Callable[..., Any], tuple[Any, ...], tuple[Any, ...]]] = {
    "grades": (grade, (95, 91, 85, 81, 72, 78, 55, 40), (90, 88, 80, 70, 65)),
    "a grade of one row": (grade, (95, 88, 71, 52, 91, 83, 60), (99, 86, 75, 10)),
    "bounds among thousands": (
        lambda n: "small" if n < 1000 else "medium" if n < 10_000 else "large",
        (120, 800, 2500, 7000, 15_000, 64_000),
        (50, 5000, 90_000),
    ),
    "a fee by weight": (
        lambda x: 4.9 if x < 50 else 2.9 if x < 100 else 0.0,
        (12.5, 48.0, 55.0, 90.0, 120.0, 300.0),
        (30.0, 75.0, 200.0),
    ),
    "a number in a text": (
        lambda text: "minor" if int(text.split()[0]) < 20 else "adult",
        ("5 years", "12 years", "19 years", "22 years", "47 years", "80 years"),
        ("3 years", "30 years"),
    ),
    "before and after a year": (
        lambda text: "old" if text < "2020-01-01" else "new",
        ("2018-03-04", "2019-11-30", "2020-02-01", "2022-07-07", "2015-05-05", "2021-01-09"),
        ("2012-01-01", "2019-12-31", "2020-01-01"),
    ),
}


@pytest.mark.parametrize("name", BANDS)
def test_bounds_of_bands_are_worked_out(name: str, unlearned: SearchPolicy) -> None:
    check_holds(unlearned, *BANDS[name])


@pytest.mark.slow
def test_rows_that_each_have_a_label_of_their_own_are_no_bands(unlearned: SearchPolicy) -> None:
    view = view_of(dict(zip((3, 17, 40, 66), ("kiwi", "plum", "fig", "pear"), strict=True)).__getitem__, 3, 17, 40, 66)
    assert first_action(unlearned, view).kind == "finish"


@pytest.mark.slow
def test_a_condition_on_the_parity_of_a_length_does_not_explain_four_rows(unlearned: SearchPolicy) -> None:
    labels = {"oak": "north", "lime": "south", "birch": "north", "maple": "north", "poplar": "south", "yews": "south"}
    action = first_action(unlearned, view_of(labels.__getitem__, *labels))
    assert "% 2" not in (action.code or "")


def euros(text: str, rate: float) -> str:
    return f"{float(text.split()[0].replace(',', '.')) * rate:.2f}".replace(".", ",") + " EUR"


SUMS: dict[str, tuple[Callable[..., Any], tuple[Any, ...], tuple[Any, ...]]] = {
    "net to gross": ({10: 11.9, 25.5: 30.35, 99: 117.81, 7.77: 9.25}.__getitem__, (10, 25.5, 99), (7.77,)),
    "a price after a discount": (lambda x: round(x * 0.85, 2), (20.0, 49.8, 100.0), (80.0, 12.34)),
    "pounds to kilograms": (lambda n: round(n * 0.45359237, 2), (10, 25, 3, 180), (150, 7, 44)),
    "Fahrenheit to Celsius": (lambda n: round((n - 32) * 5 / 9, 1), (32, 212, 100, 50), (70, -10, 0)),
    "Celsius to Fahrenheit": (lambda n: n * 9 / 5 + 32, (0, 100, 35, 20), (-40, 25)),
    "a line in whole numbers": (lambda n: 12 * n + 35, (1, 2, 10, 6), (100, 7)),
    "a share of two columns": (
        lambda a, b: round(100 * a / b, 1),
        ((3, 8), (5, 5), (1, 7), (20, 30)),
        ((2, 3), (1, 9)),
    ),
    "growth": (
        lambda a, b: round(100 * b / a - 100, 1),
        ((100, 120), (80, 60), (50, 75), (30, 31)),
        ((200, 230), (7, 9)),
    ),
    "a discount that differs by row": (
        lambda price, percent: round(price * (1 - percent / 100), 2),
        ((100.0, 10), (49.9, 20), (15.0, 0), (80.0, 25)),
        ((60.0, 15), (9.99, 50)),
    ),
    "quantity, price and rate": (
        lambda n, price, rate: round(n * price * (1 + rate / 100), 2),
        ((2, 3.5, 19), (10, 1.25, 7), (1, 19.99, 19), (7, 0.8, 0), (3, 12.4, 7)),
        ((4, 9.99, 19), (12, 0.45, 7)),
    ),
    "an amount in a text": (
        lambda text: euros(text, 1.19),
        ("12,50 EUR", "100,00 EUR", "8,99 EUR", "45,20 EUR"),
        ("1,00 EUR", "19,99 EUR"),
    ),
    "a distance in a text": (
        lambda text: f"{float(text.split()[0]) / 1.609344:.1f} mi",
        ("10 km", "42 km", "5 km", "100 km"),
        ("21 km", "8 km"),
    ),
}


@pytest.mark.parametrize("name", SUMS)
def test_factors_and_offsets_are_worked_out(name: str, unlearned: SearchPolicy) -> None:
    check_holds(unlearned, *SUMS[name])


@pytest.mark.slow
def test_a_plus_is_written_with_the_number(unlearned: SearchPolicy) -> None:
    def rise(before: int, after: int) -> str:
        return f"{(after - before) / before * 100:+.1f}%"

    check_holds(unlearned, rise, ((679, 518), (505, 432), (885, 1233), (23, 27), (616, 512)), ((270, 392), (545, 488)))


@pytest.mark.slow
def test_numbers_that_no_plain_line_joins_give_no_factor(unlearned: SearchPolicy) -> None:
    noise = {11: 38.21, 23: 95.7, 37: 12.64, 58: 71.03}
    assert first_action(unlearned, view_of(noise.__getitem__, *noise)).kind == "finish"


PARTS: dict[str, tuple[Callable[..., Any], tuple[Any, ...], tuple[Any, ...]]] = {
    "from a marker to the end": (
        lambda text: text.split("Ref:")[1].strip(),
        ("Payment May: Ref: A-103", "Rent: Ref: B-77", "Gas: and water Ref: C-9 x"),
        ("Wire: again Ref: ZZ-1",),
    ),
    "from a marker to a sign": (
        lambda text: text.split("Ref:")[1].split(";")[0].strip(),
        ("Payment May Ref: A-103; paid", "Rent Ref: B-77; open", "Gas and water Ref: C 9; x"),
        ("Wire Ref: ZZ 1; a b",),
    ),
    "between two words": (
        lambda text: text.split("from ")[1].split(" to ")[0],
        ("fly from New York to Rome", "go from Paris to Oslo at 5", "drive from Bad Ems to Kiel"),
        ("walk from Old Town to Linz",),
    ),
    "two marked parts put together": (
        lambda text: text.split("City: ")[1].split(";")[0] + " (" + text.split("Name: ")[1].split(";")[0] + ")",
        (
            "Name: Ann Lee; City: Rome; Age: 4",
            "Name: Bob; City: New York; Age: 40",
            "Name: Cy de Fox; City: Oslo; Age: 33",
        ),
        ("Name: X Y; City: Bad Ems; Age: 1",),
    ),
    "the last digits of a number with signs": (
        lambda text: "".join(filter(str.isdigit, text))[-4:],
        ("+49 (30) 123-45 67", "030/99 88 11", "(0)40 5 55 12-3"),
        ("12 34-5 6",),
    ),
}


@pytest.mark.parametrize("name", PARTS)
def test_markers_and_numbers_of_characters_are_worked_out(name: str, unlearned: SearchPolicy) -> None:
    check_holds(unlearned, *PARTS[name])


def with_middle(first: str, middle: str, last: str) -> str:
    return f"{first} {middle[0]}. {last}" if middle else f"{first} {last}"


BRANCHES: dict[str, tuple[Callable[..., Any], tuple[Any, ...], tuple[Any, ...]]] = {
    "a label or a sentence": (
        lambda n: "paid" if n <= 0 else f"{n} days late",
        (-3, 0, 5, 12, 1, -10, 40),
        (7, -1, 100),
    ),
    "two sentences": (
        lambda n: f"due in {n} days" if n > 0 else f"{-n} days late",
        (3, 12, -4, -1, 7, -20, 9, -6),
        (5, -2),
    ),
    "a title or none": (
        lambda text: "Dr. " + text[3:] if text.startswith("Dr ") else "To " + text,
        ("Dr Who", "Ann Lee", "Bob Ray", "Dr Noll", "Cy Fox", "Dr Strange"),
        ("Dr Ames", "Zed Young"),
    ),
    "a middle name or none": (
        with_middle,
        (
            ("Ada", "", "Byron"),
            ("Alan", "Mathison", "Turing"),
            ("Grace", "Brewster", "Hopper"),
            ("Kurt", "", "Goedel"),
            ("Emmy", "", "Noether"),
            ("John", "von", "Neumann"),
        ),
        (("Eva", "Maria", "Saint"), ("Rosa", "", "Parks")),
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", BRANCHES)
def test_branches_are_put_together_from_pieces(name: str, unlearned: SearchPolicy) -> None:
    check_holds(unlearned, *BRANCHES[name])


def fiscal(text: str, first_month: int) -> str:
    """Named by the year in which it ends."""
    day = date.fromisoformat(text)
    months = (day.month - first_month) % 12
    return f"FY{(day.year + (day.month >= first_month)) % 100} Q{months // 3 + 1}"


DAYS = ("2023-01-15", "2023-04-02", "2023-07-20", "2023-10-05", "2024-12-31")


@pytest.mark.parametrize("first_month", [4, 7, 10])
def test_the_month_in_which_a_year_begins_is_worked_out(first_month: int, unlearned: SearchPolicy) -> None:
    unseen = ("2022-11-11", "2024-03-03", "2022-06-30", "2021-08-31", "2025-02-28")
    check_holds(unlearned, lambda text: fiscal(text, first_month), DAYS, unseen)


def check_digit(digits: str) -> str:
    """As in article numbers: with its digit the sum is a multiple of ten."""
    return str(-sum(int(digit) * (1, 3)[place % 2] for place, digit in enumerate(digits)) % 10)


def book_digit(digits: str) -> str:
    rest = -sum(int(digit) * (10 - place) for place, digit in enumerate(digits)) % 11
    return "X" if rest == 10 else str(rest)


def card_digit(digits: str) -> str:
    doubled = [int(digit) * (2, 1)[place % 2] for place, digit in enumerate(digits)]
    return str(-sum(number // 10 + number % 10 for number in doubled) % 10)


ARTICLES = ("400638133393", "590123412345", "978316148410", "761234567890", "501234567891")
BOOKS = ("030640615", "186197271", "013110362", "020163361", "080442957", "316148410")
UNSEEN = ("123456789012", "978030640615", "999999999994")
DIGITS: dict[str, tuple[Callable[..., Any], tuple[Any, ...], tuple[Any, ...]]] = {
    "articles": (check_digit, ARTICLES, UNSEEN),
    "the whole number of an article": (lambda text: text + check_digit(text), ARTICLES, UNSEEN),
    "books": (book_digit, BOOKS, ("123456789", "999999999", "000000006")),
    "cards": (card_digit, ("453201511283036", "601151444789321", "540012345678901", "371449635398431"), ("4" * 15,)),
    "digits that a file has as a number": (
        lambda number: int(check_digit(str(number))),
        tuple(map(int, ARTICLES)),
        tuple(map(int, UNSEEN[:1])),
    ),
    "grouped digits": (
        lambda text: check_digit(text.replace(" ", "")),
        ("4006 3813 3393", "5901 2341 2345", "9783 1614 8410", "7612 3456 7890", "5012 3456 7891"),
        ("1234 5678 9012",),
    ),
    "is the number right": (
        lambda text: check_digit(text[:-1]) == text[-1],
        ("4006381333931", "4006381333932", "5901234123457", "9783161484100", "9783161484109", "7612345678900"),
        ("5012345678900", "5012345678901"),
    ),
    "a remainder": (lambda n: n % 97, (12345, 998877, 4711, 100), (5555, 96)),
}


@pytest.mark.parametrize("name", DIGITS)
def test_weights_and_modulus_of_digits_are_worked_out(name: str, unlearned: SearchPolicy) -> None:
    check_holds(unlearned, *DIGITS[name])


def version(text: str) -> list[int]:
    return [int(number) for number in text.split(".")]


VERSIONS = (
    ("1.10.0", "1.9.3"),
    ("2.0", "1.99.9"),
    ("1.2.3", "1.2.10"),
    ("0.9.1", "0.10.0"),
    ("1.0.0", "1.0.0"),
    ("3.9.0", "3.11"),
)
LATER = (("3.4.9", "3.4.12"), ("3.10.0", "3.9.12"), ("1.2", "1.2.1"))


@pytest.mark.slow
@pytest.mark.parametrize(
    "function",
    [
        lambda a, b: version(a) < version(b),
        lambda a, b: "update" if version(a) < version(b) else "current",
        lambda a, b: max(a, b, key=version),
    ],
)
def test_versions_are_compared_by_their_numbers(function: Callable[..., Any], unlearned: SearchPolicy) -> None:
    check_holds(unlearned, function, VERSIONS, LATER)


@pytest.mark.slow
def test_texts_are_compared(unlearned: SearchPolicy) -> None:
    shown = (("oak", "elm"), ("ash", "fir"), ("yew", "box"), ("bay", "fig"), ("plum", "lime"), ("ivy", "rose"))
    check_holds(unlearned, lambda a, b: f"{min(a, b)} & {max(a, b)}", shown, (("pear", "kiwi"), ("date", "nut")))


KINDS: dict[str, tuple[Callable[..., Any], tuple[Any, ...], tuple[Any, ...]]] = {
    "words for letters": (
        lambda ident, letter: {"A": "active", "P": "pending", "C": "closed"}[letter],
        (("K1", "P"), ("K2", "A"), ("K3", "C"), ("K4", "C"), ("K5", "A"), ("K6", "P")),
        (("K9", "A"), ("K7", "C"), ("K8", "P")),
    ),
    "answers in any case": (
        lambda text: "yes" if text.lower() in ("si", "da") else "no",
        ("Si", "non", "DA", "Non", "SI", "da", "si", "NON"),
        ("Da", "sI"),
    ),
    "numbers as keys": (
        lambda zone: {1: 3.9, 2: 6.5, 5: 4.2}[zone],
        (1, 2, 5, 5, 2, 1, 1),
        (5, 2, 1),
    ),
    "a kind of row has a text of its own": (
        lambda kind, name: f"Sehr geehrte Frau {name}" if kind == "w" else f"Lieber Herr {name}",
        (("w", "Lovelace"), ("x", "Turing"), ("w", "Hopper"), ("x", "Li"), ("x", "Planck"), ("w", "Parks")),
        (("x", "Bohr"), ("w", "Meitner")),
    ),
}


@pytest.mark.parametrize("name", KINDS)
def test_what_values_of_few_kinds_stand_for_is_worked_out(name: str, unlearned: SearchPolicy) -> None:
    check_holds(unlearned, *KINDS[name])


def test_a_table_says_nothing_of_a_key_that_no_row_has(unlearned: SearchPolicy) -> None:
    function, shown, _ = KINDS["words for letters"]
    view = view_of(function, *shown)
    learned = compiled(view, first_action(unlearned, view))
    with pytest.raises(KeyError):
        learned("K9", "X")


@pytest.mark.slow
@given(st.lists(st.sampled_from("abcdef"), min_size=4, max_size=9), st.data())
def test_a_table_needs_rows_whose_key_another_row_has_as_well(keys: list[str], data: st.DataObject) -> None:
    """Of rows that mostly have keys of their own any outputs would make a table."""
    outputs = data.draw(st.lists(st.sampled_from(("red", "blue", "green")), min_size=len(keys), max_size=len(keys)))
    rows = [Row(input=(key,), output=output) for key, output in zip(keys, outputs, strict=True)]
    enumerator = Searcher(problem_from_rows(rows, "rows"), WORDS, {}, meter_for(1_000, None)).enumerator
    list(enumerator.next_cost_entries())
    for found in Categories(enumerator, WORDS.by_name).solutions():
        assert len(keys) - len(set(keys)) >= 2
        assert [evaluate(found.term, (key,), WORDS.by_name) for key in keys] == outputs
