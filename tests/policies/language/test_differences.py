"""What a step gave is told as its difference to an earlier one, where a workflow wants it and it is the shorter."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolve.core.episodes import Action, EnvironmentState, Judgement, Observation, Step, TaskView
from evolve.policies.language.transcript import conversation_turns

VIEW = TaskView(id="t", family="f", instruction="Mend it.", signature="", examples=(), environment="files", check="c")
LINES = [f"{number}: what the check says of test {number}" for number in range(60)]


def step(number, lines, changed=("a.py",), **more):
    state = EnvironmentState(parent=number - 1, changed=changed, output="[1] edit a.py", check="\n".join(lines))
    action = Action(kind="code", code=f"```edit a.py\n{number}\n```")
    return Step(number=number, action=action, observation=Observation(ok=False, state=state), **more)


def told(*steps, room=100_000, differing=True):
    return [one.text for one in conversation_turns(VIEW, steps, room, differing=differing) if one.role == "user"]


def test_a_long_text_that_is_mostly_the_same_is_told_by_its_lines_that_differ():
    first, second, third = told(step(1, LINES), step(2, LINES[:30] + LINES[31:]), step(3, [*LINES[1:], "new"]))
    assert all(line in first for line in LINES)
    assert second.startswith("As step 1 gave, but for these lines; `recall` with `step 2` shows all of it:")
    assert f"-{LINES[30]}" in second and LINES[31] not in second and len(second) < len(first) / 4
    # From the whole one, and not from another difference.
    assert "As step 1 gave" in third and "+new" in third and f"-{LINES[0]}" in third and LINES[30] not in third
    assert told(step(1, LINES), step(2, LINES), differing=False)[1].count(LINES[0]) == 1


def test_what_is_short_or_other_or_judged_or_of_another_kind_is_whole():
    others = [line.replace("says", "said") for line in LINES]
    refused = Judgement(accepted=False, verified=False, rows=0)
    for second in (
        step(2, others),
        step(2, LINES, judgement=refused),
        step(2, LINES, changed=()),
    ):
        assert "As step" not in told(step(1, LINES), second)[1]
    assert "As step" not in told(step(1, LINES[:5]), step(2, LINES[:5]))[1]


@pytest.mark.slow
@given(st.lists(st.lists(st.sampled_from(LINES), min_size=20, max_size=60), min_size=1, max_size=9), st.integers(1, 9))
def test_every_difference_is_from_a_step_that_stands_whole_in_the_same_prompt_and_gives_the_text_back(texts, share):
    steps = [step(number, lines) for number, lines in enumerate(texts, 1)]
    room = sum(len("\n".join(lines)) for lines in texts) * share // 9
    shown, whole = told(*steps, room=room), told(*steps, room=10**9, differing=False)
    for number, text in enumerate(reversed(shown)):
        here = len(steps) - number
        if text.startswith("As step "):
            base = int(text.split()[2])
            assert whole[base - 1] in shown
            gone = [line[1:] for line in text.splitlines() if line.startswith("-")]
            assert all(line in whole[base - 1] for line in gone)
            assert len(text) < len(whole[here - 1])
