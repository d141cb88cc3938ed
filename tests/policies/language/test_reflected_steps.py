"""Which steps of an episode a model is asked about when it has to say what went wrong."""

from __future__ import annotations

from evolve.core.episodes import Action, EnvironmentState, Judgement, Observation, Step, TaskView
from evolve.policies.language.reflection import evidence_messages, failed_answers

FOLDER = TaskView(id="t", family="f", instruction="Mend it.", signature="", examples=(), environment="files", check="c")
REFUSED = Judgement(accepted=False, verified=False, rows=0, told="the check 'c' fails: AssertionError on a fresh copy")


def change(number, *, score, ok=False, kind="code", judgement=None):
    state = EnvironmentState(
        snapshot=str(number), parent=number - 1, score=score, changed=("a.py",), output="[1] python", check="said"
    )
    action = Action(kind=kind, code=f"x = {number}")
    return Step(number=number, action=action, observation=Observation(ok=ok, state=state), judgement=judgement)


def handed_in(number, judgement):
    state = EnvironmentState(snapshot=str(number - 1), parent=number - 1)
    return Step(
        number=number,
        action=Action(kind="finish", text="done"),
        observation=Observation(ok=True, state=state),
        judgement=judgement,
    )


def numbers(*steps):
    return [step.number for step in failed_answers(steps)]


def test_a_change_that_passes_and_goes_on_is_no_failure():
    assert numbers(change(1, score=1.0), change(2, score=0.0), change(3, score=1.0, ok=True)) == [2]


def test_a_refused_hand_in_is_a_failure_of_the_change_that_it_handed_in():
    steps = [change(1, score=1.0), handed_in(2, REFUSED), change(3, score=1.0, ok=True)]
    assert numbers(*steps) == [1]
    text = evidence_messages(FOLDER, steps)[0].text
    assert "Step 1, work in the folder, which was handed in:" in text
    assert "the check 'c' fails: AssertionError on a fresh copy" in text and "finish" not in text
    fault = Judgement(accepted=False, verified=False, rows=0, fault=True)
    assert numbers(change(1, score=1.0), handed_in(2, fault)) == []


def test_a_refused_change_is_shown_once_with_its_refusal():
    steps = [change(1, score=0.0), handed_in(2, REFUSED), handed_in(3, REFUSED)]
    text = evidence_messages(FOLDER, steps)[0].text
    assert text.count("Step 1, ") == 1 and text.count("AssertionError on a fresh copy") == 1


def test_an_answer_that_was_accepted_is_no_failure():
    right = Judgement(accepted=True, verified=True, rows=3)
    answer = Step(number=1, action=Action(kind="code", code="x"), observation=Observation(ok=True), judgement=right)
    wrong = Step(number=2, action=Action(kind="code", code="x"), observation=Observation(ok=True), judgement=REFUSED)
    assert numbers(answer) == [] and numbers(wrong, answer) == [2]
