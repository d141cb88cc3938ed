"""The corpus of forged verdicts is what it says, and its targets miss what was believed."""

from __future__ import annotations

import pytest

from benchmarks.forged import LEAST, OWN, WAYS, planned, targets_of
from benchmarks.forged_answers import CODES, FILES, FOLDER, RIGHT, VALUES
from benchmarks.forged_families import TRICKS


def test_no_forgery_is_right_and_every_one_has_its_name():
    assert len({one.name for one in (*CODES, *FILES)}) == len((*CODES, *FILES)) >= LEAST
    assert sum(one.aside for one in (*CODES, *FILES)) >= 10
    for one in (*CODES, *FILES):
        compile(one.code, one.name, "exec")
    assert not any(one.files for one in CODES) and all(one.files for one in FILES)
    names = {}
    exec(RIGHT, names)
    exec(VALUES.replace("from solution import solve", ""), names)
    names["test_numbers"]()
    with pytest.raises(AssertionError):
        exec(FOLDER["double.py"], names)
        names["test_numbers"]()


def test_a_quick_run_puts_every_code_to_every_fast_way():
    quick, whole = list(planned(True, 1)), list(planned(False, 1))
    assert {way for way, _ in quick} == set(WAYS)
    assert [one for way, one in quick if way == "values"] == [one for way, one in whole if way == "values"]
    assert len(whole) == 3 * (1 + len(CODES)) + 1 + len(CODES) + len(FILES)


def test_every_trick_has_its_name_and_its_tests():
    assert len({one.name for one in TRICKS}) == len(TRICKS) >= 11
    for one in TRICKS:
        for text in (one.code, one.right, one.tests):
            compile(text, one.name, "exec")
        assert one.code != one.right


def test_a_trick_may_be_accepted_and_nothing_more():
    mended = "tricks verified or checked"
    for said, met in (("accepted", True), ("checked", False), ("verified", False)):
        told = {"way": OWN, "checked": False, **row("trick", accepted=True), said: True}
        assert next(one.met for one in targets_of([told]) if one.name == mended) is met
    refused = {"way": OWN, "checked": False, **row("the right answer to: trick")}
    assert "right answers to their tests refused" in {one.name for one in targets_of([refused]) if not one.met}


def row(answer, **more):
    said = {"accepted": False, "verified": False, "knows": False, "fault": False}
    return {"answer": answer, **said, **more}


def test_what_was_believed_misses_a_target():
    right = [row("the right answer", accepted=True, verified=way < 2) for way in range(4)]
    lies = [row(f"lie {number}") for number in range(LEAST)]
    missed = {one.name for one in targets_of([*right, *lies]) if not one.met}
    assert missed == set()
    believed = row("lie 0", accepted=True, verified=True)
    missed = {one.name for one in targets_of([*right, *lies, believed]) if not one.met}
    assert missed == {"forgeries verified", "forgeries accepted that can be noticed"}
    assert {one.name for one in targets_of([*right, *lies, {**believed, "knows": True}]) if not one.met} == {
        "forgeries verified"
    }
    refused = [{**one, "accepted": False} for one in right]
    assert "right answers refused" in {one.name for one in targets_of([*refused, *lies]) if not one.met}
