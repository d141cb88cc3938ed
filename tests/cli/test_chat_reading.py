"""What a typed text asks for, and what may be shown of a text from outside."""

from __future__ import annotations

import functools
import json
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evolve.cli.chat.reading import is_open, read
from evolve.cli.chat.screen import show_control_characters
from evolve.cli.chat.spending import SessionBudget
from evolve.core.episodes import Cost
from evolve.core.errors import BudgetExhausted
from evolve.core.ledger import Budget

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"])),
    lambda inner: st.lists(inner, max_size=3),
    max_leaves=5,
).filter(lambda value: not any(arrow in json.dumps(value, ensure_ascii=False) for arrow in ("->", "→", "=>")))


@pytest.mark.slow
@settings(max_examples=40)
@given(st.lists(st.tuples(st.lists(VALUES, min_size=2, max_size=2), VALUES), min_size=2, max_size=4))
def test_rows_of_json_are_read_back(rows):
    written = functools.partial(json.dumps, ensure_ascii=False)
    lines = [f"{', '.join(map(written, arguments))} -> {written(output)}" for arguments, output in rows]
    wanted = read("\n".join(lines))
    assert wanted.kind == "rows"
    assert [(list(arguments), output) for arguments, output in wanted.rows] == rows


def test_rows_of_texts_stay_texts_and_so_do_codes():
    assert read("007 -> seven\n008 -> eight").rows == ((("007",), "seven"), (("008",), "eight"))
    assert read("Ada Lovelace -> A.\nAlan -> B").rows[0] == (("Ada Lovelace",), "A.")
    assert read("1, 2 -> 3\n4, 5 → 9").rows == (((1, 2), 3), ((4, 5), 9))


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("  ", "nothing"),
        ("/help", "command"),
        ("/approve ask", "command"),
        ("/no/such/file.csv", "named"),
        ("everyday#name-initials-1", "named"),
        ("rows.csv", "named"),
        ("rename a -> b in every file", "words"),
        ("mend the file rows.csv", "words"),
        ("what is #1 in the list", "words"),
        ('"""one\ntwo"""', "words"),
        ("one \\\ntwo", "words"),
    ],
)
def test_what_a_text_asks_for(text, kind):
    assert read(text).kind == kind


def test_more_lines_are_wanted_until_the_text_is_whole():
    assert is_open("one \\") and not is_open("one \\\ntwo")
    assert is_open('"""one') and not is_open('"""one\ntwo"""') and not is_open('print("""x""")')
    assert is_open("1 -> 2") and is_open("1 -> 2\n3 -> 4") and not is_open("1 -> 2\n3 -> 4\n")


@given(st.text())
def test_nothing_that_is_shown_steers_the_terminal(text):
    shown = show_control_characters(text + "\x1b[2J\x1b]0;title\x07\x9b31m" + text)
    assert not any(unicodedata.category(sign) == "Cc" and sign != "\n" for sign in shown)
    assert show_control_characters("\x1b[2J") == "\\x1b[2J"


@given(st.lists(st.integers(0, 400), max_size=8), st.integers(1, 1000))
def test_a_turn_may_spend_what_is_left_and_no_more(costs, bound):
    purse = SessionBudget(budget=Budget(tokens=bound))
    for cost in costs:
        if purse.spent["tokens"] >= bound:
            with pytest.raises(BudgetExhausted):
                purse.remaining()
            return
        assert purse.remaining().tokens == bound - purse.spent["tokens"]
        purse.add_cost(Cost(tokens=cost, calls=1), {})
