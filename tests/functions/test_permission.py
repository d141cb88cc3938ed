"""Leave for calls: what was said beforehand, what is asked, and what was read before something is sent."""

from __future__ import annotations

import pytest

from evolve.runtime.functions import Function, Permission


def function(name: str, *effects: str, source: str = "") -> Function:
    return Function(
        name=name, description="", parameters={"type": "object"}, effects=frozenset(effects), source=source or name
    )


NOTES, MAIL = function("notes", "reads"), function("mail", "sends")


class Person:
    """Answers as told, and keeps what was asked."""

    def __init__(self, *answers: str) -> None:
        self.answers, self.asked = list(answers), []

    def __call__(self, question):
        self.asked.append((question.function.name, question.allowed, question.read))
        return self.answers.pop(0)


def test_what_was_allowed_beforehand_asks_nobody():
    assert Permission(lambda one: "allow").refusal_reason(NOTES, {}, 9) == ""


def test_what_was_refused_beforehand_asks_nobody_either():
    person = Person()
    assert "does not allow" in Permission(lambda one: "deny", person).refusal_reason(NOTES, {}, 9)
    assert not person.asked


def test_where_nobody_is_there_what_was_not_allowed_is_refused():
    assert "nobody is here" in Permission(lambda one: "ask").refusal_reason(NOTES, {}, 9)


def test_after_something_was_read_what_sends_is_asked_about_again():
    person = Person("run", "no", "run")
    leave = Permission(lambda one: "allow", person)
    assert leave.refusal_reason(MAIL, {}, 9) == ""  # nothing was read yet
    leave.note_data_from("notes")
    assert leave.refusal_reason(MAIL, {}, 9) == ""
    assert leave.refusal_reason(MAIL, {}, 9) == ""
    leave.note_data_from("files")
    assert "did not allow" in leave.refusal_reason(MAIL, {}, 9)
    assert leave.refusal_reason(MAIL, {}, 9) == ""
    assert [read for _, _, read in person.asked] == [("notes",), ("files",), ("files",)]


def test_what_was_allowed_for_always_does_not_carry_off_what_was_read_where_nobody_is_there():
    leave = Permission(lambda one: "allow")
    leave.note_data_from("notes")
    assert "has read from notes" in leave.refusal_reason(MAIL, {}, 9)
    assert leave.refusal_reason(NOTES, {}, 9) == ""


def test_what_a_function_gave_itself_is_known_where_it_sends_and_what_another_of_its_server_gave_is_not():
    leave = Permission(lambda one: "allow")
    leave.note_data_from("mail", MAIL.digest)
    assert leave.refusal_reason(MAIL, {}, 9) == ""
    leave.note_data_from("mail", function("inbox", "reads", source="mail").digest)
    assert "has read from mail" in leave.refusal_reason(MAIL, {}, 9)


def test_what_is_trusted_with_whatever_is_read_asks_nobody():
    leave = Permission(lambda one: "trust")
    leave.note_data_from("notes")
    assert leave.refusal_reason(MAIL, {}, 9) == ""


def test_what_has_no_effect_needs_no_leave():
    assert Permission(lambda one: "ask").refusal_reason(function("add"), {}, 9) == ""


@pytest.mark.parametrize(("said", "later"), [("once", 3), ("run", 1), ("no", 3), ("never", 1)])
def test_what_is_said_holds_as_long_as_was_said(said, later):
    person = Person(*[said] * 3)
    leave = Permission(lambda one: "ask", person)
    refused = [bool(leave.refusal_reason(NOTES, {}, 9)) for _ in range(3)]
    assert refused == [said in ("no", "never")] * 3
    assert len(person.asked) == later


def test_a_question_tells_of_calls_with_the_very_same_arguments():
    asked = []

    def ask(question):
        asked.append((question.allowed, question.alike))
        return "once"

    leave = Permission(lambda one: "ask", ask)
    for arguments in ({"item": "a"}, {"item": "b"}, {"item": "a"}):
        assert leave.refusal_reason(function("buy", "spends"), arguments, 9) == ""
    assert asked == [(0, 0), (1, 0), (2, 1)]
