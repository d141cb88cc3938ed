"""What an episode has used up is told so that an exchange that costs nothing, as a replayed one, asks the same."""

from __future__ import annotations

from evolve.core.episodes import Action, Cost, Judgement, Limits, Observation, Step, TaskView
from evolve.policies.language.transcript import TurnLimits, conversation_turns

VIEW = TaskView(id="t", family="f", instruction="Do it.", signature="", examples=())


def told(*tokens):
    steps = [
        Step(number=place, action=Action(kind="code", code=f"x = {place}", cost=Cost(tokens=cost)),
             observation=Observation(ok=False, text="fine"))
        for place, cost in enumerate(tokens, 1)
    ]  # fmt: skip
    messages = conversation_turns(VIEW, steps, 100_000, TurnLimits(steps=6, tokens=100_000))
    return [message.text.splitlines()[-1] for message in messages if message.role == "user"]


def test_tokens_are_told_once_less_than_half_of_them_is_left():
    assert told(1_500, 30_000, 20_000) == ["(reply 1 of 6)", "(reply 2 of 6)", "(reply 3 of 6, about 48k tokens left)"]
    assert told(0, 0) == told(1_500, 30_000)


def test_how_often_an_answer_was_refused_is_told_with_how_often_it_may_be():
    judged = [Judgement(accepted=False, verified=False, rows=0)] * 2
    steps = [
        Step(number=place, action=Action(kind="code", code=f"x = {place}"), observation=Observation(ok=True),
             judgement=judgement)
        for place, judgement in enumerate(judged, 1)
    ]  # fmt: skip
    limits = TurnLimits.at_start(Limits(steps=4, submissions=1), steps)
    lines = [
        message.text.splitlines()[-1]
        for message in conversation_turns(VIEW, steps, 100_000, limits)
        if message.role == "user"
    ]
    assert lines == [
        f"(reply {place} of 6, refused {place} of the 3 times that it may be handed in)" for place in (1, 2)
    ]


def test_a_reply_that_a_person_cut_off_is_told_as_what_happened_and_not_as_the_models_own():
    stop = "the person stopped this action"
    steps = [
        Step(number=1, action=Action(kind="code", text=stop, interrupted=True),
             observation=Observation(ok=False, error=stop, interrupted=True)),
        Step(number=2, action=Action(kind="code", code="x = 1"), observation=Observation(ok=False, text="fine")),
    ]  # fmt: skip
    messages = conversation_turns(VIEW, steps, 100_000)
    assert [message.role for message in messages] == ["user", "assistant", "user"]
    assert messages[0].text.count(stop) == 1
