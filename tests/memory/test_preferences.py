"""Preferences on record: merged where they say the same, superseded where they contradict, found where they fit."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolve.core.errors import RecordDamaged
from evolve.memory.preferences import PersonAct, Preference, PreferenceContext, edit_in_words
from evolve.memory.preferences.matching import ALIKE, cosine_similarities, is_contradiction, same_meaning
from evolve.memory.preferences.quotes import own_words
from evolve.runtime.retrieval import HashingEmbedder

MEETING = PreferenceContext(instruction="List the dates of the meetings in May")


@pytest.fixture
def book(store):
    made = store.memory()
    return made.preferences


def act(text, context=MEETING, author="jo", **more):
    return PersonAct(kind="comment", text=text, context=context, author=author, **more)


def learned(book, text, **more):
    return book.learn(act(text, **more), text)


def test_the_same_wish_in_other_words_of_the_same_kind_is_one_with_all_its_acts(book):
    learned(book, "Please write dates day first.")
    kept = learned(book, "write all the dates day first!", run="r2")
    assert [one.text for one in kept.acts] == ["Please write dates day first.", "write all the dates day first!"]
    assert len(book.list_preferences()) == 1


def test_the_same_act_again_changes_nothing(book):
    assert learned(book, "day first", run="r1").acts == learned(book, "day first", run="r1").acts


def test_the_newer_of_two_that_contradict_wins_and_the_older_stays_readable(book):
    older = learned(book, "write dates day first")
    newer = learned(
        book, "write dates month first", context=PreferenceContext(instruction="the dates of the meetings in June")
    )
    assert [(one.status, one.successor) for one in book.list_preferences()] == [
        ("active", ""),
        ("superseded", newer.id),
    ]
    assert [one.id for one in book.for_context(MEETING)] == [newer.id]
    assert book.forget([newer.id]) == 1
    assert [one.id for one in book.for_context(MEETING)] == [older.id]


def test_a_wish_that_is_stated_again_holds_again(book):
    older = learned(book, "write dates day first")
    learned(book, "write dates month first")
    assert learned(book, "write dates day first", run="r3").id == older.id
    assert [one.description for one in book.list_preferences("active")] == ["write dates day first"]


@pytest.mark.parametrize(
    "more",
    [
        {"author": "kim"},
        {"context": PreferenceContext(instruction="Draft a mail to the landlord")},
        {"context": PreferenceContext()},
    ],
)
def test_another_person_or_another_context_may_want_the_opposite(book, more):
    learned(book, "write dates day first")
    learned(book, "write dates month first", **more)
    assert {one.status for one in book.list_preferences()} == {"active"}


def test_two_answers_to_one_question_contradict(book):
    book.learn(
        PersonAct(kind="answer", text="the net sum", question="Which sum?", context=MEETING, author="jo"), "the net sum"
    )
    book.learn(PersonAct(kind="answer", text="gross", question="Which  sum?", context=MEETING, author="jo"), "gross")
    assert [one.description for one in book.list_preferences("active")] == ["gross"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("use tabs for indentation", "use spaces for indentation"),
        ("add a heading", "do not add a heading"),
        ("names in upper case", "names in lower case"),
        ("write 2 decimals", "write 3 decimals"),
        ("always add a heading", "from now on never add a heading"),
        ("don't ever add a heading", "always add a heading"),
        ("every mail has a heading", "no mail has a heading"),
    ],
)
def test_contradictions_are_found_in_both_directions(one, other):
    assert is_contradiction(one, other)
    assert is_contradiction(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("write dates with dots", "write names with dots"),
        ("write amounts with EUR", "write amounts with two decimals"),
        ("short answers", "a heading first"),
        ("day first", "day first, please"),
    ],
)
def test_different_wishes_do_not_contradict(one, other):
    assert not is_contradiction(one, other)


@pytest.mark.slow
@given(st.text(max_size=60), st.text(max_size=60))
def test_no_two_texts_both_agree_and_contradict(one, other):
    assert not (same_meaning(one, other) and is_contradiction(one, other))
    assert same_meaning(one, other) == same_meaning(other, one)
    assert is_contradiction(one, other) == is_contradiction(other, one)


@pytest.mark.slow
@given(st.text(max_size=200), st.text(max_size=200))
def test_an_edit_is_told_exactly_where_something_changed(before, after):
    told = edit_in_words(before, after, lambda _: "")
    assert bool(told) == (before != after)
    assert "\n" not in told


@pytest.mark.slow
@given(st.text(max_size=300))
def test_own_words_are_one_bounded_line_that_stays_as_it_is(text):
    told = own_words(text, lambda _: "")
    assert len(told) <= 400
    assert "\n" not in told
    assert "</data" not in told.casefold() or "<data" not in told.casefold()


def test_alike_tasks_are_told_and_others_are_not(book):
    learned(book, "day first")
    learned(
        book, "short sentences", context=PreferenceContext(instruction="Draft a mail to the landlord about the heating")
    )
    found = book.for_context(PreferenceContext(instruction="Give me the list of dates of our meetings in July"))
    assert [one.text for one in found] == ["day first"]
    assert found[0].kind == "preference"
    assert "jo wants it" in found[0].why


WORK = "convert the date column of report.csv to text"


@pytest.mark.parametrize(
    ("wish", "task", "told"),
    [
        ("always day first", "rename the function helper to load_rows everywhere", False),
        ("always day first", "convert the date column of orders.csv to numbers", True),
        ("dates are written day first", "rename left.txt to right.txt", False),
        ("dates are written day first", "mend the failing check", False),
        ("dates are written day first", "write the dates of the invoices in the summary", True),
        ("amounts have two decimals", "sum the amounts per customer", True),
        ("amounts have two decimals", "add a test for the loader", False),
    ],
)
def test_what_was_said_of_one_task_in_a_folder_is_told_only_where_it_fits(book, wish, task, told):
    learned(book, wish, context=PreferenceContext(instruction=WORK, family="files", folder="/project"))
    found = book.for_context(PreferenceContext(instruction=task, family="files", folder="/project"))
    assert bool(found) == told
    assert not book.for_context(PreferenceContext(instruction=task, family="files", folder="/elsewhere"))


def test_what_is_said_of_more_takes_the_place_of_the_same_said_of_less(book):
    folder = PreferenceContext(folder="/project")
    narrow = learned(
        book, "dates day first", context=PreferenceContext(instruction="rename left.txt", folder="/project")
    )
    wide = book.learn(act("dates day first", context=folder), "dates day first", confirmed=False)
    assert (wide.status, book.get(narrow.id).contexts) == ("proposed", narrow.contexts)
    book.edit(wide.id)
    assert (book.get(narrow.id).status, book.get(narrow.id).successor) == ("superseded", wide.id)
    again = book.learn(
        act("dates day first", context=PreferenceContext(folder="/project/src")), "dates day first", confirmed=False
    )
    assert again.id == wide.id and len(book.list_preferences()) == 2


def test_what_was_said_of_a_folder_holds_for_all_work_there(book):
    learned(book, "tabs for indentation", context=PreferenceContext(folder="/project"))
    assert book.for_context(PreferenceContext(instruction="rename left.txt", family="files", folder="/project/src"))


def test_what_waits_to_be_confirmed_does_not_act_and_overrules_nothing(book):
    older = learned(book, "write dates month first")
    waits = book.learn(act("write dates day first"), "write dates day first", confirmed=False)
    assert waits.status == "proposed"
    assert [one.id for one in book.for_context(MEETING)] == [older.id]
    assert (
        book.learn(act("write dates month first", run="r2"), "write dates month first", confirmed=False).id == older.id
    )
    assert book.get(older.id).status == "active"
    assert book.edit(waits.id, description="dates day first").status == "active"
    assert [(one.text) for one in book.for_context(MEETING)] == ["dates day first"]
    assert book.get(older.id).status == "superseded"


def test_a_family_holds_whatever_the_words(book):
    learned(book, "no imports", context=PreferenceContext(instruction="Sum the list.", family="totals"))
    assert [one.text for one in book.for_context(PreferenceContext(instruction="Something else", family="totals"))] == [
        "no imports"
    ]
    assert book.for_context(PreferenceContext(instruction="Something else", family="words")) == []


def test_damage_of_a_preference_is_named(book, store):
    learned(book, "day first")
    db = store.opened[-1][1]
    db.query("UPDATE memory_statements SET text = 'month first'")
    with pytest.raises(RecordDamaged, match="memory_statements"):
        book.list_preferences()


def test_a_lost_preference_is_made_anew_from_its_acts(book, store):
    kept = learned(book, "day first")
    book.learn(act("> quoted"), "what was edited by hand")
    db = store.opened[-1][1]
    db.delete("memory_statements", "")
    anew, aside = book.rebuild_lost(lambda one: own_words(one.text, lambda _: ""))
    assert anew == [kept.id]
    assert len(aside) == 1
    assert [one.description for one in book.list_preferences()] == ["day first"]
    assert book.rebuild_lost(lambda one: "") == ([], [])


def test_likeness_does_not_depend_on_the_encoders_size():
    for size in (64, 256, 1024):
        near, far = cosine_similarities(
            HashingEmbedder(size), "Write a report on sales in March", ["the report on sales in April", "my birthday"]
        )
        assert near > ALIKE > far


MAIL = PreferenceContext(instruction="Write a short mail to Kim that the budget meeting moved, with its open points")


def told(book, task, **place):
    earlier = place.pop("earlier", ())
    return [one.text for one in book.for_context(PreferenceContext(instruction=task, **place), earlier=earlier)]


@pytest.mark.parametrize(
    ("task", "holds"),
    [
        ("Draft an e-mail to the plumber about the leaking tap", True),
        ("reply to Bo's mail", True),
        ("Write a status report for the board on the budget meeting, with a list of its open points", False),
        ("Summarise the budget meeting with its open points", False),
        ("Write a short note on the budget meeting that moved, with its open points", True),
        ("compose a limerick on tea", False),
    ],
)
def test_a_wish_goes_by_what_is_to_be_made_and_only_then_by_its_topic(book, task, holds):
    learned(book, "no bullet points, please", context=MAIL)
    assert told(book, task) == ["no bullet points, please"] * holds


def test_a_wish_that_names_what_it_is_for_holds_for_that_wherever_it_was_said(book):
    learned(book, "no bullet points in mails", context=PreferenceContext())
    learned(book, "use headings in reports", context=MAIL)
    assert told(book, "Draft a mail to the plumber") == ["no bullet points in mails"]
    assert told(book, "Write a report on the taps") == ["use headings in reports"]
    assert told(book, "sum the amounts per customer") == ["no bullet points in mails"]
    assert set(told(book, "Write a mail to Bo and a report for the board")) == {
        "no bullet points in mails",
        "use headings in reports",
    }
    assert told(book, "fix the mail parser") == []


def test_work_on_code_is_of_no_other_kind_because_of_what_the_code_makes(book):
    learned(book, "use pathlib", context=PreferenceContext(instruction="Refactor the report generator"))
    assert told(book, "Write a report for the board") == []
    assert told(book, "Refactor the generator of reports by region") == ["use pathlib"]


@pytest.mark.parametrize("wish", ["no bullet points in this mail", "no bullet points this time", "no bullets here"])
def test_what_is_said_of_this_one_stays_with_it_and_its_conversation(book, wish):
    kept = learned(book, wish, context=MAIL)
    assert kept.is_one_time
    assert told(book, MAIL.instruction) == [wish]
    assert told(book, "make it shorter", earlier=("hello", MAIL.instruction)) == [wish]
    assert told(book, "Draft a mail to the plumber") == told(book, f"{MAIL.instruction} and a joke") == []
    book.edit(kept.id, description=kept.generalized_text)
    assert not book.get(kept.id).is_one_time
    assert told(book, "Draft a mail to the plumber") == [kept.generalized_text]


def test_what_is_forbidden_in_this_one_is_forbidden_in_any_of_its_kind(book):
    forbidden = learned(book, "no comments in this code", context=PreferenceContext(instruction="Write a parser"))
    wanted = learned(book, "a greeting in this mail", context=MAIL)
    assert (forbidden.generalized_text, wanted.generalized_text) == (
        "no comments in any code",
        "a greeting in every mail",
    )


@pytest.mark.parametrize(
    ("said", "once", "mixed"),
    [
        ("leave the greeting out of this mail", True, False),
        ("the kiosk is closed this month so leave it out, and orders are in whole crates, rounded up", True, True),
        ("the kiosk is closed this month so leave it out, and orders are allways in whole crates", False, False),
        ("orders are in whole crates", False, False),
    ],
)
def test_a_wish_of_two_parts_of_which_one_is_for_now_is_told_from_one_for_now(said, once, mixed):
    wish = Preference(id="p", description=said, author="ann", contexts=(PreferenceContext(instruction="put a list"),))
    assert (wish.is_one_time, wish.is_mixed) == (once, mixed)
    worded = replace(wish, status="proposed", proposal="Orders are in whole crates.")
    assert not worded.is_one_time


def test_what_holds_once_and_what_holds_longer_do_not_overrule_one_another(book):
    learned(book, "bullet points in mails", context=MAIL)
    learned(book, "no bullet points in this mail", context=MAIL)
    learned(book, "no bullet points in mails", context=PreferenceContext(instruction="Draft a mail to the plumber"))
    assert {one.description: one.status for one in book.list_preferences()} == {
        "bullet points in mails": "superseded",
        "no bullet points in this mail": "active",
        "no bullet points in mails": "active",
    }


@pytest.mark.parametrize(
    ("wish", "task", "holds"),
    [
        ("do not touch the tests in this change", "write tests for the loader", False),
        ("do not touch the tests", "write tests for the loader", False),
        ("do not touch the tests", "fix the loader of the orders", True),
        ("names of test files end in _spec.py", "write tests for the loader", True),
        ("in this project amounts have two decimals", "implement the loader of amounts", True),
    ],
)
def test_work_of_another_kind_in_the_same_folder_is_told_only_what_is_meant_for_it(book, wish, task, holds):
    learned(book, wish, context=PreferenceContext(instruction="fix the loader", family="files-1", folder="/project"))
    assert told(book, task, family="files-1", folder="/project") == [wish] * holds
    assert told(book, task, family="files-1", folder="/elsewhere") == []
