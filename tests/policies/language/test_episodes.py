"""What a language policy does in an episode."""

from __future__ import annotations

import dataclasses
import itertools
import json

import pytest

from benchmarks.doubles import QuirkDouble, quirk_tasks
from evolve.agent import recall_nothing
from evolve.core.episodes import Limits, Plan, Recalled, Row
from evolve.core.episodes.codec import from_json, to_json
from evolve.core.errors import EndpointProblem
from evolve.policies.language import LanguageSettings
from evolve.runtime.models import ExchangeFailure
from evolve.tasks import Task
from evolve.testing.endpoint_faults import chat_completion_body
from tests.policies.language.conftest import action, asked

JOBS = quirk_tasks(8)
RIGHT = "def double(n):\n    return 2 * n\n"
WRONG = "def double(n):\n    return n + 2\n"


def doubling():
    rows = tuple(Row(input=(n,), output=2 * n) for n in range(3, 12))
    return Task(
        id="double",
        family="numbers",
        instruction="Double it.",
        examples=rows[:3],
        hidden=rows[3:],
        meta={"entry": "double"},
    )


def fact(text, name="f" * 32):
    return Recalled(id=name, kind="insight", text=text, score=1.0, status="supported")


def scripted(*actions, plans=()):
    """Replies to questions for actions in order, the last again and again; every other question gets an empty one."""
    said, planned = iter(actions), iter(plans)

    def handler(body):
        kind = asked(body)
        if kind == "plan":
            return next(planned, json.dumps({"goal": "g", "subgoals": []}))
        if kind == "action":
            handler.last = next(said, handler.last)
            return handler.last
        return json.dumps({"claims": []} if kind == "claims" else {"name": "n", "description": "Doubles a number."})

    handler.last = None
    return handler


def test_a_failure_teaches_the_fact_behind_it_and_the_claim_is_tried_at_once(model):
    job = JOBS[0]
    record = model().run(job.task)
    assert (record.status, record.verified, len(record.steps)) == ("solved", True, 2)
    [learned] = record.claims
    assert learned.text == job.quirk.sentence
    assert [(one.kind, one.direction) for one in learned.evidence] == [("intervention", 1)]


@pytest.mark.parametrize("job", JOBS, ids=lambda job: job.task.id)
def test_a_remembered_fact_solves_the_task_at_once_and_is_named_as_used(model, job):
    def recall(view, features, k):
        return [fact(job.quirk.sentence)]

    record = model().run(job.task, split="own", recall=recall, steps=1)
    assert record.verified
    assert record.consumed == ("f" * 32,)
    unknowing = model().run(job.task, split="own", recall=recall_nothing, steps=1)
    assert not unknowing.steps[0].observation.ok


def test_a_fact_that_was_used_is_left_out_once_to_see_whether_it_was_needed(model):
    job = JOBS[0]
    record = model().run(job.task, recall=lambda *_: [fact(job.quirk.sentence)])
    assert [one.direction for claim in record.claims for one in claim.evidence] == [1]
    idle = fact("Names of months are written in small letters.")
    knowing = scripted(action(RIGHT, cites=["i-ffffffff"]))
    record = model(knowing).run(doubling(), recall=lambda *_: [idle])
    assert record.claims == ()  # right with it and right without it tells neither for nor against


def test_what_episodes_say_is_plain_data_and_a_stored_plan_leads_to_the_same_prompt(model):
    first, later = model(), model()
    made = first.policy.plan(doubling().view(), [fact("Small numbers are doubled.")])
    stored = from_json(Plan, to_json(made))
    limits = Limits(candidates=None, seconds=None)
    one = first.policy.act(doubling().view(), made, (), limits)
    two = later.policy.act(doubling().view(), stored, (), limits)
    assert one == dataclasses.replace(two, cost=one.cost)
    assert first.prompts() == later.prompts()
    assert json.loads(json.dumps(dataclasses.asdict(one)))


def test_code_that_explores_shares_variables_and_is_no_submission(model, sandbox):
    explore = [action("seen = 2 * 21\nprint('so far', seen)", answer=False), action("seen + 1", answer=False)]
    asked_for = model(scripted(*explore, action(RIGHT)))
    record = asked_for.run(doubling(), sandbox=sandbox, split="own")
    first, second, last = record.steps
    assert "so far 42" in first.observation.text
    assert "value: 43" in second.observation.text
    assert last.judgement.verified
    assert "so far 42" in asked_for.prompts()[2]


def test_an_error_comes_back_as_a_short_observation(model):
    asked_for = model(scripted(action("def double(n):\n    return n.twice()\n"), action(RIGHT)))
    record = asked_for.run(doubling(), split="own")
    assert record.verified
    assert "AttributeError" in asked_for.prompts()[1]


def test_a_refused_answer_asks_the_next_dearer_model(model):
    """The cheap one fits the examples alone; what it explored and got wrong on them asks nobody dearer."""
    fits = "def double(n):\n    return 2 * n if n < 6 else 0\n"
    said = scripted(action("1 + 1", answer=False), action(WRONG), action(fits), action(RIGHT))
    asked_for = model(said, model="http://localhost:1/v1#cheap,http://localhost:1/v1#dear")
    record = asked_for.run(doubling(), split="train")
    assert record.verified
    acting = [body["model"] for body in asked_for.bodies if asked(body) == "action"]
    assert acting == ["cheap", "cheap", "cheap", "dear"]


def test_the_same_tests_after_an_edit_are_no_repetition_and_a_word_without_blocks_is_one(model):
    looks = action("1 + 1", answer=False)
    asked_for = model(scripted(looks, action(WRONG), looks, action(RIGHT)))
    assert asked_for.run(doubling(), split="own").verified
    assert not any("Do something else" in prompt for prompt in asked_for.prompts())
    idle = model(scripted("I shall think about it.")).run(doubling(), split="own")
    assert (idle.status, idle.steps[-1].action.kind, len(idle.steps)) == ("unsolved", "finish", 6)


def test_a_plan_comes_with_the_first_action_and_only_evidence_lets_another_take_its_place(model):
    planned = "First the easy part.\n```plan\n1. double (holds when: double(2) is 4)\n2. format\n```\n"
    wrong = f"```python\n{WRONG}```"
    again = f"```plan\n- start anew\n```\n```python\n{RIGHT}```"
    asked_for = model(scripted(planned + wrong, again), settings=LanguageSettings(reflects=False, distils=False))
    record = asked_for.run(doubling(), split="own")
    assert record.verified and record.cost.calls == 2
    first = record.steps[0].action.plan.subgoals
    assert [(one.goal, one.postcondition) for one in first] == [("double", "double(2) is 4"), ("format", "")]
    assert [one.goal for one in record.steps[1].action.revised] == ["start anew"]


def test_replies_stay_in_the_prompt_as_own_turns_and_nothing_that_was_sent_changes(model, sandbox):
    looks = [f"Look {n}.\n```python\nprint('seen', {n})\n```" for n in range(3)]
    asked_for = model(scripted(*looks, f"```python\n{RIGHT}```"))
    record = asked_for.run(doubling(), sandbox=sandbox, split="own")
    assert record.verified
    sent = [body["messages"] for body in asked_for.bodies if asked(body) == "action"]
    assert [one["content"] for one in sent[-1] if one["role"] == "assistant"] == looks
    for earlier, later in itertools.pairwise(sent):
        assert later[: len(earlier)] == earlier
    assert "reply 3 of 6" in sent[-1][-1]["content"]


def test_an_observation_is_shown_whole_up_to_twenty_thousand_characters(model, sandbox):
    printing = action("print('\\n'.join(f'line {n:04}' for n in range(1700)))", answer=False)
    asked_for = model(scripted(printing, action(RIGHT)))
    asked_for.run(doubling(), sandbox=sandbox, split="own")
    assert all(f"line {n:04}" in asked_for.prompts()[1] for n in range(1700))


def test_a_longer_output_is_shortened_and_can_be_read_unabridged_page_by_page(model, sandbox):
    printing = action("print('\\n'.join(f'line {n:05}' for n in range(5000)))", answer=False)
    look = action(kind="recall", text="step 1 page 2")
    asked_for = model(scripted(printing, look, action(RIGHT)))
    asked_for.run(doubling(), sandbox=sandbox, split="own")
    second, third = asked_for.prompts()[1:3]
    assert "line 02000" not in second
    assert "line 04999" in second
    assert "page 2 of" in third
    assert "line 02000" in third


def test_endpoint_trouble_stops_the_episode_without_a_record_and_the_same_call_goes_on(model, tmp_path):
    job = JOBS[0]
    double, calls = QuirkDouble(), []

    def failing(body):
        calls.append(body)
        if len(calls) == 2:
            return ExchangeFailure(kind="auth", text="no", status=401)
        return double.answer(body)

    asked_for = model(failing)
    agent = asked_for.agent(checkpoints=tmp_path)
    with pytest.raises(EndpointProblem):
        agent.run_episode(job.task, variant="unlearned", split="train")
    paid = len(calls)
    record = agent.run_episode(job.task, variant="unlearned", split="train")
    assert record.verified
    # What was paid for before the trouble, a step, is not asked for again.
    assert asked(calls[paid]) == "action"
    assert record.cost.calls == len(calls)  # the one that was turned away too


@pytest.mark.slow
def test_refusals_and_faults_teach_nothing(model):
    def refusing(body):
        if asked(body) == "claims":
            return chat_completion_body(None, message={"refusal": "I will not."})
        return QuirkDouble().answer(body)

    assert model(refusing).run(JOBS[0].task).claims == ()

    from evolve.testing import TrustingSandbox

    broken = model().run(JOBS[0].task, sandbox=TrustingSandbox(fault="no room"))
    assert (broken.status, broken.claims) == ("fault", ())


def test_the_budget_of_an_episode_is_never_passed(model):
    asked_for = model()
    limits = Limits(candidates=None, seconds=None, tokens=20_000)
    record = asked_for.run(JOBS[0].task, limits=limits)
    assert record.cost.tokens <= 20_000
    tight = model().run(JOBS[0].task, limits=Limits(candidates=None, seconds=None, tokens=500))
    assert (tight.status, tight.cost.tokens) == ("budget", 0)
    some = model().run(JOBS[0].task, limits=Limits(candidates=None, seconds=None, calls=1))
    assert (some.status, some.cost.calls) == ("budget", 1)


@pytest.mark.slow
def test_the_prompt_is_as_long_after_two_hundred_steps_as_after_a_hundred(model):
    tries = [action(WRONG + f"# {number} {'x' * 1_000}\n") for number in range(200)]
    asked_for = model(scripted(*tries), settings=LanguageSettings(reflects=False))
    asked_for.run(doubling(), steps=200, split="own", limits=Limits(candidates=None, seconds=None, tokens=10**8))
    lengths = [len(prompt) for prompt in asked_for.prompts()]
    assert len(lengths) == 200
    assert max(lengths[100:]) <= 1.05 * max(lengths[:100])
    assert max(lengths) < 80_000


def test_what_a_model_thought_takes_its_part_of_the_room(model):
    """It goes back with every later turn, so without a bound a long episode would outgrow the window."""
    answers = scripted(*(action(WRONG + f"# {number}\n") for number in range(12)))

    def thinking(body):
        return chat_completion_body(answers(body), message={"reasoning_content": "hm, " * 3_000})

    asked_for = model(thinking, settings=LanguageSettings(reflects=False))
    asked_for.run(doubling(), steps=12, split="own", limits=Limits(candidates=None, seconds=None, tokens=10**8))
    sizes = [len(json.dumps(body["messages"])) for body in asked_for.bodies]
    assert len(sizes) == 12
    assert max(sizes) < 90_000


def test_of_several_answers_the_one_that_fits_is_taken_and_without_examples_the_commonest(model):
    from evolve.workspace.runs.tasks import in_words

    three = LanguageSettings(samples=3)
    asked_for = model(scripted(action(WRONG), action(RIGHT), action(WRONG + "# again\n")), settings=three)
    record = asked_for.run(doubling(), split="own")
    assert record.verified and record.answer == RIGHT and len(asked_for.prompts()) == 2
    values = [action(f"def solve():\n    return {value}  # {n}\n") for n, value in enumerate((41, 42, 42))]
    record = model(scripted(*values), settings=three).run(in_words("What is it then?"), split="own")
    assert record.steps[0].observation.outputs == (42,)


def test_a_task_in_words_is_run_and_called_unverified(model):
    from evolve.workspace.runs.tasks import in_words

    asked_for = model(scripted(action("def solve():\n    return 17 + 25\n")))
    record = asked_for.run(in_words("What is 17 plus 25?"), split="own")
    assert (record.status, record.verified, record.steps[-1].observation.outputs) == ("unverified", False, (42,))
    broken = model(scripted(action("def solve():\n    return 1 / 0\n")))
    assert broken.run(in_words("What is 17 plus 25?"), split="own").status == "unsolved"


@pytest.mark.parametrize("split", ["own", "train"])
def test_why_there_was_no_reply_is_no_turn_of_the_model_and_the_last_word_where_nothing_follows(model, split):
    empty = chat_completion_body("")
    replies = iter([action(WRONG), empty, empty, empty, action(RIGHT)])
    told = model(lambda body: next(replies) if asked(body) == "action" else json.dumps({"claims": []}))
    assert told.run(doubling(), split=split).solved
    turns = [message for body in told.bodies for message in body["messages"] if message["role"] == "assistant"]
    assert turns and not any("no usable reply" in message["content"] for message in turns)
    replies = iter([action(WRONG), *[empty] * 20])
    record = model(lambda body: next(replies) if asked(body) == "action" else json.dumps({"claims": []})).run(
        doubling(), split="own"
    )
    assert record.status == "unsolved" and "it is empty" in record.note


def test_an_endpoint_that_never_answers_stops_the_run_and_is_no_step(model):
    with pytest.raises(EndpointProblem) as raised:
        model(lambda body: chat_completion_body("")).run(doubling(), split="own")
    assert raised.value.exit_code == 4


def test_what_an_endpoint_broke_off_is_counted_where_the_episode_goes_on(model, tmp_path):
    """Also where it breaks off twice, and within a stage that had paid for a part already."""
    late = ExchangeFailure(kind="broken", text="the stream ended before the reply did", billed=True)
    told, gone = [], []

    class Sink:
        def emit(self, event):
            if event.kind == "spent":
                told.append(event.data["cost"]["calls"])

    def attempt(*said):
        left = [*said]
        one = model(lambda body: left.pop(0) if asked(body) == "action" else json.dumps({"claims": []}))
        room = Limits(candidates=None, seconds=None, tokens=1_000_000)
        try:
            return one.run(doubling(), split="own", checkpoints=tmp_path, events=Sink(), limits=room)
        finally:
            gone.append(len(one.bodies))

    for replies in ([action(WRONG), *[late] * 5], [late] * 5):
        with pytest.raises(EndpointProblem):
            attempt(*replies)
    record = attempt(action(RIGHT))
    assert record.solved and record.cost.calls == sum(gone) == 12
    assert told == [6, 11]
    assert record.cost.tokens > sum(step.action.cost.tokens for step in record.steps)
