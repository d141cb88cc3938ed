"""What the benchmark of names counts: questions of three kinds, and answers that stand behind the first five."""

from __future__ import annotations

from benchmarks import who_and_what
from benchmarks.who_and_what_wordings import SEEN


def test_there_are_forty_two_hop_questions_whose_answers_name_nobody_of_the_question() -> None:
    notes, asked = who_and_what.draw(0, SEEN)
    two = [question for question in asked if question.kind == "two hops"]
    assert len(two) == 40 and len(notes) > 240
    assert all(question.answer in {note.text for note in notes} for question in asked)
    assert not any(question.answer.split()[0] in question.text for question in two)


def test_names_lead_to_answers_and_a_late_one_misses_its_target() -> None:
    rows = who_and_what.measure(0, SEEN)
    assert all(target.met for target in who_and_what.targets_of(rows))
    late = [{**row, "place": 6} for row in rows]
    assert not any(target.met for target in who_and_what.targets_of(late) if target.name.endswith("in 5"))
