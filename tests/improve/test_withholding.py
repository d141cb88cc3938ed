"""Controls of trials: who gets one, what is withheld in it, and what is counted."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.doubles import small_suite
from evolve.agent import sampling_fraction
from evolve.improve.withholding import item_controls
from evolve.policies.language.prompt_items import parse_prompt
from evolve.testing import FixedLearner, FixedPolicy
from evolve.trials.learned_state import LearnedState

TASKS = small_suite(40).tasks
LINES = tuple(f"Heed the rule number {number}." for number in range(8))


@dataclass(frozen=True)
class Reader(FixedLearner):
    """A learner whose policies would read the arm's prompts."""

    def policy_for(self, arm):
        return FixedPolicy()


def arm_with(lines, variant):
    return LearnedState(
        variant=variant, prompts={"act.md": "Do it.\n\nAdvice:\n" + "".join(f"- {one}\n" for one in lines)}
    )


def listed(arm, **more):
    return item_controls(arm, Reader(), TASKS, **{"seed": 0, "share": 0.5, **more})


@pytest.mark.slow
@settings(max_examples=60)
@given(
    st.sets(st.sampled_from(LINES), min_size=1),
    st.sets(st.sampled_from(LINES), min_size=1),
    st.integers(0, 5),
    st.floats(0.0, 0.5),
)
def test_parent_and_child_have_the_same_controls_and_lack_the_same_of_what_they_share(
    parent: set[str], child: set[str], seed: int, share: float
) -> None:
    one = listed(arm_with(sorted(parent), "parent"), seed=seed, share=share)
    two = listed(arm_with(sorted(child, reverse=True), "child"), seed=seed, share=share)
    assert [control.task for control in one] == [control.task for control in two]
    for old, new in zip(one, two, strict=True):
        common = (old.kept | old.withheld) & (new.kept | new.withheld)
        assert len(common) == len(parent & child)
        assert old.withheld & common == new.withheld & common
        left = {
            item.id
            for item in parse_prompt(
                new.change.arm(arm_with(sorted(child, reverse=True), "child")).prompts["act.md"]
            ).items
        }
        assert left == new.kept and new.key != old.key


def test_a_share_of_the_tasks_has_a_control_and_half_of_the_items_are_withheld_there() -> None:
    found = [control for seed in range(40) for control in listed(arm_with(LINES, "v"), seed=seed, share=0.1)]
    assert 0.07 < len(found) / (40 * len(TASKS)) < 0.13
    withheld = [len(control.withheld_ids) / len(LINES) for control in found]
    assert 0.45 < sum(withheld) / len(withheld) < 0.55


def test_the_draw_is_uniform_and_depends_on_seed_task_and_item_alone() -> None:
    values = [sampling_fraction(seed, task.id, line) for seed in range(5) for task in TASKS for line in LINES]
    assert all(0.0 <= value < 1.0 for value in values) and len(set(values)) == len(values)
    for edge in (0.1, 0.5, 0.9):
        assert abs(sum(value < edge for value in values) / len(values) - edge) < 0.03


@pytest.mark.parametrize(
    "arm", [LearnedState(variant="v"), replace(arm_with(LINES, "v"), prompts={"act.md": "Do it.\n"})]
)
def test_nothing_is_run_again_where_nothing_can_be_withheld(arm) -> None:
    assert listed(arm) == []
    assert item_controls(arm_with(LINES, "v"), FixedLearner(), TASKS, seed=0, share=0.5) == []
    assert listed(arm_with(LINES, "v"), share=0.0) == []
