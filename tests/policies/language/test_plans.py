"""Plans: what a block states, what a revision keeps, and how far each subgoal has come."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolve.core.episodes import (
    Action,
    EnvironmentState,
    Observation,
    Plan,
    Step,
    Subgoal,
    SubgoalCheck,
    kept_subgoals,
    subgoal_states,
)
from evolve.core.episodes.codec import from_json, to_json
from evolve.policies.language import LanguageSettings
from evolve.policies.language.plans import adopt_plan, read_plan
from evolve.workspace.runs.tasks import in_words
from tests.policies.language.test_episodes import RIGHT, WRONG, doubling

QUIET = LanguageSettings(reflects=False, distils=False)


@pytest.mark.parametrize(
    ("text", "goal", "check", "needs"),
    [
        ("1. read dates\n   check: python3 -m unittest -q", "read dates", "python3 -m unittest -q", ()),
        ("- read dates (check: (cd x && make 'a  b'))", "read dates", "(cd x && make 'a  b')", ()),
        ("2) [ ] read dates\n- check: `grep -q a docs | wc -l`", "read dates", "grep -q a docs | wc -l", ()),
        ("* read dates, check: ls", "read dates,", "ls", ()),
        ("1. first\n2. read dates\n   after: 1", "read dates", "", ("s1",)),
        ("1. first\n2. read dates (after 1)", "read dates", "", ("s1",)),
        ("3. first\n7. read dates\nafter: 3 and 7 and 9", "read dates", "", ("s1",)),
        ("read dates\ncheck: " + "x" * 1_001, "read dates", "", ()),
        ("1. keep what is read after 3 days", "keep what is read after 3 days", "", ()),
    ],
)  # fmt: skip
def test_a_line_of_a_plan_names_its_check_and_what_it_comes_after(text, goal, check, needs):
    last = read_plan(text).subgoals[-1]
    assert (last.goal, last.check, last.needs) == (goal, check, needs)


def test_a_block_says_what_is_done_with_a_plan_or_without_one():
    assert read_plan("done: 1, 3").finished == ("s1", "s3") and not read_plan("done: 1, 3").subgoals
    ticked = read_plan("4. [x] read\n5. [ ] write\ndone: 5")
    assert [one.goal for one in ticked.subgoals] == ["read", "write"] and ticked.finished == ("s1", "s2")


PLANS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2), st.sets(st.integers(0, 8), max_size=3)), max_size=9)


def dag(items):
    return tuple(
        Subgoal(
            id=f"s{place}",
            goal=f"goal {goal} of {place}",
            postcondition="",
            check=f"check {check}" if check else "",
            needs=tuple(f"s{need + 1}" for need in sorted(needs) if need + 1 < place),
        )
        for place, (goal, check, needs) in enumerate(items, 1)
    )


@pytest.mark.slow
@given(PLANS, st.data())
def test_a_correction_opens_exactly_what_it_changes_and_what_comes_after_that(items, data):
    before = dag(items)
    names = [one.id for one in before]
    changed = {
        one.id: data.draw(st.sampled_from(["goal", "check", "postcondition"]))
        for one in before
        if data.draw(st.integers(0, 3)) == 0
    }
    corrected = [
        replace(one, **{changed[one.id]: f"corrected {one.id}"}) if one.id in changed else one for one in before
    ]
    # New ones come in between, and all are numbered anew; the order of what hangs together stays.
    mixed, numbers = [], {}
    for one in corrected:
        if data.draw(st.integers(0, 3)) == 0:
            mixed.append(Subgoal(id="", goal=f"new beside {one.id}", postcondition=""))
        mixed.append(one)
    after = []
    for place, one in enumerate(mixed, 1):
        numbers[one.id] = f"s{place}"
        after.append(replace(one, id=f"s{place}", needs=tuple(numbers[need] for need in one.needs)))

    reopened = set(changed)
    for one in before:  # in their order, so what a need reaches is known before
        if reopened & set(one.needs):
            reopened.add(one.id)
    kept = {old: new for new, old in kept_subgoals(before, after).items()}
    assert kept == {name: numbers[name] for name in names if name not in reopened}

    first = Step(
        number=1,
        action=Action(kind="code", plan=Plan(goal="g", subgoals=before), finished=tuple(names)),
        observation=Observation(
            ok=False, checks=tuple(SubgoalCheck(id=one.id, held=True) for one in before if one.check)
        ),
    )
    second = Step(number=2, action=Action(kind="code", revised=tuple(after)))
    before_states, states = subgoal_states([first]), subgoal_states([first, second])
    assert all(state.status != "open" for state in before_states)
    standings = {state.subgoal.id: state.status for state in states}
    assert {name for name in standings if standings[name] == "open"} == {
        one.id for one in after if one.id not in kept.values()
    }
    assert all(standings[kept[one.subgoal.id]] == one.status for one in before_states if one.subgoal.id in kept)


def stated(block, *, checks=(), **more):
    plan = read_plan(block)
    action = Action(kind="code", plan=Plan(goal="g", subgoals=plan.subgoals), finished=plan.finished)
    return Step(number=1, action=action, observation=Observation(ok=False, checks=checks, **more))


def test_a_check_decides_where_it_tells_anything_and_the_word_of_the_policy_is_shown_as_such():
    first = stated("1. a\ncheck: x\n2. b\n3. c\ncheck: y\ndone: 1, 2, 3")
    assert [one.status for one in subgoal_states([first])] == ["said", "said", "said"]
    gave = (SubgoalCheck(id="s1", held=False, told="exit 1"), SubgoalCheck(id="s3", held=None, told="limit"))
    second = Step(number=2, action=Action(kind="code"), observation=Observation(ok=False, checks=gave))
    assert [one.status for one in subgoal_states([first, second])] == ["open", "said", "said"]
    mended = replace(gave[0], held=True)
    third = Step(number=3, action=Action(kind="code"), observation=Observation(ok=False, checks=(mended,)))
    assert [one.status for one in subgoal_states([first, second, third])] == ["checked", "said", "said"]
    fourth = replace(second, number=4)
    assert subgoal_states([first, second, third, fourth])[0].status == "open"
    steps = tuple(from_json(Step, to_json(step)) for step in (first, second, third, fourth))
    assert subgoal_states(steps) == subgoal_states([first, second, third, fourth])


def test_what_was_undone_leaves_the_plan_and_nothing_that_was_done():
    state = EnvironmentState(snapshot="1", undone=True)
    gone = stated("1. a\ncheck: x\n2. b\ndone: 2", checks=(SubgoalCheck(id="s1", held=True),), state=state)
    assert [one.status for one in subgoal_states([gone])] == ["open", "open"]
    there = stated("1. other")
    assert [one.subgoal.goal for one in subgoal_states([there, gone])] == ["other"]


def test_a_plan_is_revised_only_on_evidence_and_a_first_one_may_come_at_any_time():
    plan, other = Plan(goal="g"), read_plan("1. other\n2. b")
    quiet = stated("1. a\n2. b")
    assert adopt_plan(other, plan, [quiet]).subgoals == ()
    assert adopt_plan(read_plan("1. other\n2. [x] b"), plan, [quiet]).finished == ("s2",)  # by its words
    assert adopt_plan(other, plan, [stated("1. a\n2. b", error="it broke")]).subgoals == other.subgoals
    assert adopt_plan(other, plan, [stated("1. a\n2. b", text="no, by weeks", person=True)]).subgoals == other.subgoals
    assert adopt_plan(other, plan, [Step(number=1, action=Action(kind="code"))]).subgoals == other.subgoals
    held = stated("1. a\ncheck: x", checks=(SubgoalCheck(id="s1", held=True),))
    gone = (SubgoalCheck(id="s1", held=False),)
    lost = Step(number=2, action=Action(kind="code"), observation=Observation(ok=False, checks=gone))
    assert not adopt_plan(other, plan, [held]).subgoals and adopt_plan(other, plan, [held, lost]).subgoals


def replies(*said):
    left = list(said)
    return lambda body: left.pop(0) if len(left) > 1 else left[0]


def standings(record):
    return [one.status for one in subgoal_states(record.steps)]


def test_checks_in_python_run_on_a_copy_of_the_interpreter_and_an_open_part_is_told_once(model, sandbox):
    planned = """Two numbers.
```plan
1. the sum
   check: seen.append(1) or total == 42
2. the words
```
```python
seen = []
total = 41
```"""
    asked = model(
        replies(planned, "```python\ntotal += 1\nlen(seen)\n```", "```answer\n42\n```", "```answer\n42, at last\n```"),
        settings=QUIET,
    )
    record = asked.run(in_words("what is the sum, in words too?"), sandbox=sandbox, split="own")
    assert record.status == "unverified" and record.answer == "42, at last" and record.cost.calls == 4
    first, second, third, _ = record.steps
    assert [gave.held for gave in first.observation.checks] == [False]
    assert [gave.held for gave in second.observation.checks] == [True]
    assert "value: 0" in second.observation.text  # what the check appended was in a copy
    assert third.observation.error.startswith("not handed in") and "2. the words" in third.observation.error
    assert sum(step.judgement is not None for step in record.steps) == 1
    last = asked.prompts()[-1]
    assert "done, checked: 1" in last and "2. open: the words" in last and "say `done: 2`" in last


def test_the_answer_of_a_function_is_there_for_a_check(model, sandbox):
    planned = f"```plan\n1. small ones\n   check: assert double(2) == 4\n```\n```python\n{WRONG}```"
    asked = model(replies(planned.replace("n + 2", "n * n"), f"```python\n{RIGHT}```"), settings=QUIET)
    record = asked.run(doubling(), sandbox=sandbox, split="own")
    assert record.verified and standings(record) == ["checked"]


@pytest.mark.slow
def test_a_check_that_does_not_end_spoils_nothing_and_is_not_run_again(model, sandbox):
    planned = "```plan\n1. the sum\n   check: exec('while True: pass')\n```\n```python\ntotal = 42\n```"
    asked = model(
        replies(planned, "```python\ntotal\n```", "```plan\ndone: 1\n```\n```answer\n42\n```"), settings=QUIET
    )
    record = asked.run(in_words("the sum?"), sandbox=sandbox, split="own")
    assert record.status == "unverified" and len(record.steps) == 3
    assert [gave.held for gave in record.steps[0].observation.checks] == [None]
    assert "value: 42" in record.steps[1].observation.text and record.steps[1].observation.checks == ()
    assert standings(record) == ["said"]


def test_without_a_plan_a_turn_says_no_word_of_one(model, sandbox):
    asked = model(replies("```python\n1 + 1\n```", "```answer\n2\n```"), settings=QUIET)
    asked.run(in_words("1 + 1?"), sandbox=sandbox, split="own")
    *_, turn = asked.bodies[1]["messages"]
    assert "plan" not in turn["content"]
