"""What a search learns of which parts a task hangs on, and what it does with that."""

from __future__ import annotations

from random import Random

from evolve.optimizer.linkage import Linkage, parts_between
from evolve.workflow import Workflow

START = Workflow()


def test_parts_are_named_and_a_stage_takes_its_own_routes_and_numbers_along() -> None:
    assert parts_between(START, START) == ()
    assert parts_between(START, START.with_knobs(steps=9, seconds=1.0)) == ("knob:steps", "knob:seconds")
    voted = Workflow(
        stages=("recall", "plan", "act", "vote", "observe", "judge", "reflect", "distill", "commit"),
        routes={**START.routes, "vote": {"doubtful": "act", "agree": "observe"}},
    )
    assert parts_between(START, voted) == parts_between(voted, START) == ("stage:vote",)
    back = Workflow(routes={"judge": {"again": "plan", "stop": "reflect"}})
    assert parts_between(START, back) == ("route:judge",)


def test_a_task_hangs_on_what_often_changed_its_end_and_on_nothing_else() -> None:
    linkage = Linkage()
    for steps in (1, 2, 9):
        linkage.note(START, START.with_knobs(steps=steps), ["a"])
    linkage.note(START, START.with_knobs(seconds=5.0), ["b"])
    for number in range(9):
        linkage.note(START, START.with_knobs(seconds=6.0 + number), [])
    assert linkage.parts("a") == ("knob:steps",)
    assert linkage.parts("b") == ()  # one change in ten is no dependence
    assert linkage.parts("c") == ()


def test_parts_that_changed_at_once_share_the_blame() -> None:
    linkage = Linkage()
    linkage.note(START, START.with_knobs(steps=2, seconds=5.0), ["a"])
    assert set(linkage.parts("a")) == {"knob:steps", "knob:seconds"}
    for number in range(8):
        linkage.note(START, START.with_knobs(seconds=6.0 + number), [])
    assert linkage.parts("a") == ("knob:steps",)


def test_what_a_task_hangs_on_is_changed_together_and_taken_over_whole() -> None:
    linkage = Linkage()
    linkage.note(START, START.with_knobs(steps=2), ["a"])
    assert linkage.changed(START, "a", Random(1)) is None  # one part needs no joint change
    linkage.note(START, START.with_knobs(recall_k=2), ["a"])
    for seed in range(20):
        made = linkage.changed(START, "a", Random(seed))
        assert made is not None
        assert set(parts_between(START, made)) <= {"knob:steps", "knob:recall_k"}
    donor = START.with_knobs(steps=50, recall_k=90, candidates=7)
    assert linkage.taken(START, donor, "a") == START.with_knobs(steps=50, recall_k=90)
    assert linkage.taken(START, donor, "unknown") is None
