"""What a search learns of which parts a task hangs on."""

from __future__ import annotations

from evolve.agent.workflow import Workflow
from evolve.improve.optimizer.linked import PartLinkage

START = Workflow()


def test_a_task_hangs_on_what_often_changed_its_end_and_on_nothing_else() -> None:
    linkage = PartLinkage()
    for steps in (1, 2, 9):
        linkage.record_outcome_change(START, START.with_knobs(steps=steps), ["a"])
    linkage.record_outcome_change(START, START.with_knobs(seconds=5.0), ["b"])
    for number in range(9):
        linkage.record_outcome_change(START, START.with_knobs(seconds=6.0 + number), [])
    assert linkage.influential_parts("a") == ("knob:steps",)
    assert linkage.influential_parts("b") == ()  # one change in ten is no dependence
    assert linkage.influential_parts("c") == ()


def test_parts_that_changed_at_once_share_the_blame() -> None:
    linkage = PartLinkage()
    linkage.record_outcome_change(START, START.with_knobs(steps=2, seconds=5.0), ["a"])
    assert set(linkage.influential_parts("a")) == {"knob:steps", "knob:seconds"}
    for number in range(8):
        linkage.record_outcome_change(START, START.with_knobs(seconds=6.0 + number), [])
    assert linkage.influential_parts("a") == ("knob:steps",)
