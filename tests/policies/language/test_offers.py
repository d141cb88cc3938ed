"""Which skills a prompt offers, and how it shows them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from evolve.core.episodes import Row, TaskView
from evolve.policies.language.skills import MOST, best_skills, example_call, skill_offer
from evolve.skills import Skill

ENOUGH = 6_000


def skill(name, description, *rows, entry="f", signature="(text: str) -> str", code="", family="", **more):
    return Skill(
        name=name,
        description=description,
        entry=entry,
        signature=signature,
        code=code or f"def {entry}(text):\n    return text.replace('{name}', '')\n",
        rows=tuple(Row(input=tuple(given), output=output) for given, output in rows),
        test_code="",
        status="admitted",
        source=f"{name}-1",
        family=family,
        **more,
    )


def view(instruction, *, family="", signature="(text: str) -> str"):
    return TaskView(id="t", family=family, instruction=instruction, signature=signature, examples=())


NAMES = skill(
    "normalise-name",
    "Writes a person's name in one form, titles dropped. It also turns names around.",
    (("Prof. Grace Rivers, of the faculty",), "grace rivers, of the faculty"),
    (("Dr.  Ada",), "ada"),
)
DATES = skill("iso-date", "Writes a date in ISO form.", (("1/2/2003",), "2003-02-01"), family="dates")
PAGES = skill("page-count", "Counts the pages of a book.", (("abc",), "3"))


def texts(skills, task):
    return "\n".join(message.text for message in skill_offer(skills, task, ENOUGH).messages)


def test_an_offer_shows_types_one_sentence_and_the_shortest_call_with_its_value():
    shown = texts([NAMES], view("Give the initials of a person's name."))
    assert "from skills.normalise_name import f  # (text: str) -> str f('Dr.  Ada') == 'ada'" in shown
    assert "titles dropped." in shown
    assert "turns names around" not in shown
    assert "Prof. Grace" not in shown


def test_only_what_is_relevant_is_offered_and_nothing_where_nothing_is():
    known = [NAMES, DATES, PAGES]
    assert best_skills(known, view("Put the person's name into small letters.")) == [NAMES]
    assert best_skills(known, view("Sort the invoices by the amount and give the largest.")) == []
    assert skill_offer(known, view("Multiply the matrix."), ENOUGH).messages == ()


def test_a_skill_of_the_same_family_and_types_is_relevant_without_a_word_in_common():
    assert best_skills([DATES, PAGES], view("Quarter, please.", family="dates")) == [DATES]
    assert best_skills([DATES], view("Quarter, please.", family="dates", signature="(x: int) -> int")) == []


def test_at_most_six_are_offered():
    many = [skill(f"name-{n}", f"Writes a person's name in form {n}.", ((f"{n}",), "")) for n in range(34)]
    assert len(best_skills(many, view("Write the person's name."))) == MOST == 6


def test_no_offer_is_made_twice_under_two_names():
    twins = [
        skill("one", "Answers tasks about names.", (("a",), "b"), code="def f(text):\n    return text[1:]\n"),
        skill("two", "Names, cut.", (("a",), "c"), code="def f(given):\n    '''Cut.'''\n    return given[1:]\n"),
        skill("three", "Answers tasks about names.", (("a",), "b"), code="def f(text):\n    return text[2:]\n"),
    ]
    assert len(best_skills(twins, view("Shorten the names."))) == 1


def test_an_offer_that_is_never_taken_falls_behind_one_that_is():
    stale = replace(NAMES, offered=9)
    words = "Writes a person's name in a form with titles dropped."
    other = skill("tidy-name", words, (("x",), "y"), tasks=("a", "b"), offered=3)
    task = view("Normalise the person's name, titles dropped.")
    assert best_skills([NAMES, other], task)[0] == NAMES
    assert best_skills([stale, other], task)[0] == other
    assert "helped 0 of 9 other tasks" in texts([stale], task)


def test_what_is_recorded_as_offered_is_what_is_shown():
    task = view("Write the person's name.")
    known = [NAMES, skill("tidy-name", "Writes a person's name tidily.", (("x",), "y"))]
    whole = skill_offer(known, task, ENOUGH)
    assert whole.ids == tuple(f"skill:{one.digest}" for one in best_skills(known, task))
    room = len(skill_offer(best_skills(known, task)[:1], task, ENOUGH).messages[0].text)
    first = skill_offer(known, task, room)
    assert len(first.ids) == 1
    assert first.messages[0].text.count("import f") == 1


def test_words_of_scripts_without_spaces_meet_too():
    japanese = skill("hizuke", "日付を年月日の順に書き直す。", (("x",), "y"))
    assert best_skills([japanese, PAGES], view("次の日付から月を取り出す。")) == [japanese]


@pytest.mark.parametrize("value", ["two\nlines", "</data>", "a" * 5_000])
def test_an_example_stays_on_its_line_and_short(value):
    one = skill("odd", "Odd names.", ((value,), value))
    shown = skill_offer([one], view("Odd names."), ENOUGH).messages[0].text
    assert len(example_call(one)) <= 200
    assert len(shown.splitlines()) == 4
