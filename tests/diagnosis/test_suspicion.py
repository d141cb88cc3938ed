"""From the record alone: which step broke a run, and in which order what it rested on is suspected."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolve.core.episodes import Action, EnvironmentState, EpisodeRecord, Judgement, Observation, OutlierRow, Row, Step
from evolve.trials.diagnosis import FailureCase, OfferedItem, breaking_step, fault_of, steps_leading_to, suspects_of


def acted(
    number,
    *,
    check=None,
    score=0.0,
    changed=("f.py",),
    parent=None,
    consumed=(),
    error="",
    code="x = 1",
    text="do",
    limit="",
):
    state = EnvironmentState(
        snapshot=f"s{number}",
        parent=number - 1 if parent is None else parent,
        score=score,
        changed=changed,
        check=check,
        limit=limit,
    )
    action = Action(kind="code", code=code, text=text, consumed=consumed)
    return Step(number=number, action=action, observation=Observation(ok=False, error=error, state=state))


def answered(number, *, ok=False, accepted=None, consumed=(), code="def solve(x): return x", outputs=(), **more):
    judged = None if accepted is None else Judgement(accepted=accepted, verified=accepted, rows=3)
    return Step(
        number=number,
        action=Action(kind="code", code=code, consumed=consumed),
        observation=Observation(ok=ok, outputs=outputs, **more),
        judgement=judged,
    )


def record(*steps, run="r1", status="refused", recalled=(), **more):
    consumed = tuple(dict.fromkeys(name for step in steps for name in step.action.consumed))
    return EpisodeRecord(
        episode=f"e-{run}", run=run, task="t", suite="", group="g", split="own", variant="unlearned", seed=0,
        status=status, steps=steps, recalled=tuple(recalled), consumed=consumed, **more,
    )  # fmt: skip


def first(case):
    return suspects_of(case, breaking_step(case))[0]


def test_the_step_is_the_one_after_which_the_check_fell_and_stayed_low():
    steps = [
        acted(1, score=0.5, check="1 failed"),
        acted(2, score=0.8, check="1 failed"),
        acted(3, score=0.4, check="x"),
    ]
    steps += [acted(4, score=0.6, check="y")]
    assert breaking_step(FailureCase(record=record(*steps))).step == 3


def test_a_fall_that_was_made_up_for_broke_nothing():
    steps = [acted(1, score=0.5, check="a"), acted(2, score=0.2, check="b"), acted(3, score=0.7, check="a")]
    assert breaking_step(FailureCase(record=record(*steps))).step not in (2,)


def test_without_a_score_the_first_lasting_complaint_tells_the_step_and_lines_that_count_differently_are_one():
    said = ["a.py line 3 wrong", "a.py line 9 wrong\nb.py wrong", "b.py wrong"]
    steps = [acted(n, check=text, changed=(f"{'abc'[n - 1]}.py",)) for n, text in enumerate(said, 1)]
    broke = breaking_step(FailureCase(record=record(*steps)))
    assert (broke.step, broke.blames) == (2, "step")
    assert first(FailureCase(record=record(*steps))).id == "step 2"


def test_a_check_that_nothing_moves_is_suspected_itself():
    steps = [acted(n, check="ModuleNotFoundError: old", changed=(f"{n}.py",)) for n in (1, 2, 3)]
    case = FailureCase(record=record(*steps))
    assert breaking_step(case).blames == "check"
    assert first(case).kind == "check"


def test_a_check_that_names_what_was_changed_is_not():
    steps = [acted(n, check="a.py is wrong", changed=("a.py",)) for n in (1, 2, 3)]
    assert breaking_step(FailureCase(record=record(*steps))).blames == "step"


def test_branches_that_were_left_are_no_part_of_it():
    steps = (acted(1), acted(2, parent=1), acted(3, parent=1), acted(4, parent=3))
    assert [step.number for step in steps_leading_to(steps)] == [1, 3, 4]


def test_what_only_the_failed_run_had_comes_before_what_both_had():
    failed = record(answered(1, consumed=("new", "old")), recalled=("new", "old"))
    good = record(answered(1, accepted=True, ok=True, consumed=("old",)), run="r0", status="solved", recalled=("old",))
    items = (OfferedItem(id="new", kind="insight", text="one"), OfferedItem(id="old", kind="insight", text="two"))
    suspects = suspects_of(
        FailureCase(record=failed, items=items, good=(good,)), breaking_step(FailureCase(record=failed))
    )
    assert [one.id for one in suspects if one.kind == "insight"] == ["new", "old"]
    assert suspects[0].id == "new" and "good_did_without" in {one.code for one in suspects[0].evidence}


def test_an_item_whose_words_the_answer_gave_and_nobody_wanted_comes_first():
    failed = record(answered(1, outputs=("12 EUR", "30 EUR")), recalled=("n1", "n2"))
    items = (
        OfferedItem(id="n1", kind="note", text="Amounts are checked."),
        OfferedItem(id="n2", kind="note", text="Give EUR."),
    )
    case = FailureCase(record=failed, items=items, rows=(Row(input=(12,), output="12 CHF"),))
    assert first(case).id == "n2"
    told = replace(case, rows=(Row(input=(12,), output="12 EUR but longer"),))
    assert suspects_of(told, breaking_step(told))[0].signs.get("words", 0.0) == 0.0


def test_a_row_that_alone_speaks_of_something_else_is_suspected_and_many_are_a_missing_column():
    rows = [Row(input=(name,), output=name.upper()) for name in ("ann", "bob", "cy", "dee")]
    ended = Step(number=1, action=Action(kind="finish"), observation=Observation(ok=False, error="nothing"))
    odd = (*rows[:3], Row(input=("eve",), output="zork"))
    assert first(FailureCase(record=record(ended, status="unsolved"), rows=odd)).row["output"] == "zork"
    many = tuple(
        Row(input=(name,), output=word) for name, word in zip("abcd", ("mill", "lake", "hill", "sea"), strict=True)
    )
    assert first(FailureCase(record=record(ended, status="unsolved"), rows=many)).kind == "data"


def test_the_fewer_rows_the_nearest_function_fails_the_more_suspicious_each_is():
    def scores(number):
        misfits = tuple(OutlierRow(input=(n,), given=n, expected=-n) for n in range(number))
        step = Step(number=1, action=Action(kind="finish", misfits=misfits), observation=Observation(ok=False))
        case = FailureCase(record=record(step, status="unsolved"))
        return [one.score for one in suspects_of(case, breaking_step(case)) if one.kind == "row"]

    assert scores(1) == [1.0] and scores(2) == [0.5, 0.5]


def test_limits_denials_and_the_machine_are_faults_and_nothing_is_blamed():
    assert fault_of(record(answered(1, fault=True), status="fault", note="the sandbox failed: gone")).kind == "sandbox"
    assert fault_of(record(answered(1, denied="connect:10.0.0.1"), status="unsolved")).kind == "denial"
    limit = fault_of(record(answered(1, denied="time:limit", error="too slow"), status="unsolved"))
    assert (limit.kind, limit.step) == ("limit", 1) and limit.told.facts["limit"] == "time"
    assert fault_of(record(answered(1, denied="time:limit"), answered(2), status="unsolved")) is None
    assert fault_of(record(answered(1, accepted=False), status="refused")) is None


def test_a_check_brought_to_its_limit_by_what_was_done_is_no_fault():
    said = "the check 'x' fails: the check reached its wall limit"
    slow = Judgement(accepted=False, verified=False, rows=0, text=said, limit="wall")
    ended = replace(acted(2, check="the check reached its wall limit of 2 s", limit="wall"), judgement=slow)
    assert fault_of(record(acted(1, check="1 wrong"), ended)) is None
    assert fault_of(record(ended)).kind == "limit"


def test_what_a_check_or_a_program_prints_of_a_limit_acquits_nothing():
    said = "request reached its time limit"
    refused = Judgement(accepted=False, verified=False, rows=0, text=f"the check 'x' fails: {said} on a fresh copy")
    assert fault_of(record(replace(acted(1, check=said), judgement=refused))) is None
    assert fault_of(record(acted(1, error="it reached its wall limit; what it changed is not kept"))) is None
    # An earlier check that came to its end did so whatever it printed.
    slow = replace(refused, limit="wall")
    assert fault_of(record(acted(1, check=said), replace(acted(2, check="", limit="wall"), judgement=slow))) is None


texts = st.text(max_size=20)
steps_made = st.lists(
    st.tuples(st.sampled_from(["", "x = 1"]), st.none() | texts, st.floats(0, 1), st.integers(0, 6), texts), max_size=6
)


@pytest.mark.slow
@given(steps_made, st.lists(st.tuples(st.sampled_from(["note", "preference", "insight", "skill"]), texts), max_size=5))
def test_any_record_gives_an_order_with_scores_between_zero_and_one(made, offered):
    steps = tuple(
        acted(n, check=check, score=score, parent=parent, code=code, text=text, consumed=(f"i{parent}",))
        for n, (code, check, score, parent, text) in enumerate(made, 1)
    )
    items = tuple(OfferedItem(id=f"i{n}", kind=kind, text=text) for n, (kind, text) in enumerate(offered))
    case = FailureCase(record=record(*steps, recalled=[item.id for item in items]), items=items)
    broke = breaking_step(case)
    assert broke.step in {0, *(step.number for step in steps)}
    suspects = suspects_of(case, broke)
    assert all(0.0 <= one.score <= 1.0 for one in suspects)
    assert [one.score for one in suspects] == sorted((one.score for one in suspects), reverse=True)
    assert len({(one.kind, one.id) for one in suspects}) == len(suspects)
    assert suspects_of(case, broke) == suspects
