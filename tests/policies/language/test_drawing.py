"""Where rows decide: draws of the first question, before a conversation and after an answer that was there before."""

from __future__ import annotations

import json
import re
from dataclasses import asdict

from evolve.core.prompts import PromptLayers, load_prompt
from evolve.policies.language import LanguageSettings
from evolve.policies.language.questions import CLAIMS_SCHEMA
from evolve.policies.language.reflection import evidence_messages
from evolve.runtime.models import parse_model
from evolve.runtime.models.abilities import unknown_abilities
from evolve.testing.endpoint_faults import chat_completion_body
from tests.policies.language.conftest import ADDRESS, Asked, action, asked
from tests.policies.language.test_episodes import RIGHT, WRONG, doubling, scripted

ENDPOINT = parse_model(ADDRESS, {})
FITS = "def double(n):\n    return 2 * n if n < 6 else 0\n"


def wrong(number):
    return action(f"def double(n):\n    return {number}\n")


def turns(body):
    return [message["role"] for message in body["messages"]].count("assistant")


def test_a_repeated_answer_leads_to_fresh_draws_and_only_then_to_the_end(model):
    asked_for = model(scripted(action(WRONG)))
    record = asked_for.run(doubling(), split="own", steps=12)
    assert [turns(body) for body in asked_for.bodies] == [0, 1, 0, 0, 0]
    assert [step.action.kind for step in record.steps] == ["code"] * 5 + ["finish"]
    assert [body.get("temperature") for body in asked_for.bodies] == [None, None, 0.8, 0.8, 0.8]
    assert len({body["seed"] for body in asked_for.bodies}) == 5
    first = asked_for.bodies[0]["messages"]
    assert all(body["messages"][: len(first)] == first for body in asked_for.bodies[2:])


def test_a_fresh_draw_has_the_refused_row_among_its_examples(model):
    asked_for = model(scripted(action(FITS), action(FITS), action(RIGHT)))
    record = asked_for.run(doubling(), split="own")
    row = record.steps[0].judgement.row
    assert record.steps[1].observation.error.endswith(f"double({row.input[0]}): wanted {row.output}, got 0")
    shown = f"double({row.input[0]}) == {row.output}"
    assert [shown in prompt for prompt in asked_for.prompts()] == [False, False, True]
    assert record.steps[-1].judgement.accepted


def test_draws_stop_at_the_first_that_fits_and_else_the_best_of_them_is_talked_about(model):
    three = LanguageSettings(samples=3)
    half = action("def double(n):\n    return 8\n")
    asked_for = model(scripted(wrong(0), half, wrong(1), wrong(2), action(RIGHT)), settings=three)
    record = asked_for.run(doubling(), split="own")
    assert record.answer == RIGHT
    assert [turns(body) for body in asked_for.bodies] == [0, 0, 0, 1, 2]
    assert "return 8" in asked_for.bodies[3]["messages"][-2]["content"]


def test_what_was_looked_up_stays_beside_a_draw_until_the_next_answer(model):
    look = action("print('seen')", answer=False)
    asked_for = model(scripted(action(WRONG), action(WRONG), look, wrong(1), action(RIGHT)))
    assert asked_for.run(doubling(), split="own").answer == RIGHT
    assert [turns(body) for body in asked_for.bodies] == [0, 1, 0, 1, 0]


def test_reflection_reads_the_refused_row_however_often_the_answer_was_repeated(model):
    asked_for = model(scripted(action(FITS)))
    record = asked_for.run(doubling(), split="own")
    row = record.steps[0].judgement.row
    (message,) = evidence_messages(doubling().view(), record.steps)
    prompt = message.text
    assert prompt.count("return 2 * n if n < 6") == 1
    assert f"double({row.input[0]}): wanted {row.output}, got 0" in prompt


def test_a_reply_that_recites_the_rules_is_no_answer_and_is_not_gone_on_with(model):
    def recites(body):
        rules = body["messages"][0]["content"]
        return chat_completion_body(rules[:900], choice={"finish_reason": "length"})

    asked_for = model(recites)
    record = asked_for.run(doubling(), split="own", steps=2)
    assert [step.action.code for step in record.steps] == ["", ""]
    assert len(asked_for.bodies) == 2


def test_what_stands_in_the_rules_as_an_example_is_no_claim(model):
    rules = load_prompt("reflect.md", PromptLayers())
    example = json.loads(re.search(r"\{.*\}", rules, re.DOTALL)[0].replace("\n", " "))
    said = scripted(action(WRONG), action(RIGHT))
    own = "Even numbers are halves of others here."
    parroted = {"claims": [*example["claims"], {"cause": own, "condition": ""}]}
    asked_for = model(lambda body: said(body) if asked(body) == "action" else json.dumps(parroted))
    policy = asked_for.policy
    assert [one["cause"] for one in policy.ask_own("reflect", [], CLAIMS_SCHEMA)["claims"]] == ["", own]


class Repeating(Asked):
    """A model that was found to repeat itself."""

    def __init__(self, handler, draws, path):
        path.write_text(json.dumps({ADDRESS: {**asdict(unknown_abilities(ENDPOINT)), "draws": draws}}))
        super().__init__(handler, abilities=path)


def test_a_model_that_is_known_to_repeat_itself_is_asked_the_bare_question_until_an_answer_fits(tmp_path):
    said = [wrong(number) for number in range(7)]
    asked_for = Repeating(scripted(*said, action(RIGHT)), 9, tmp_path / "abilities.json")
    record = asked_for.run(doubling(), split="own", steps=2)  # further draws are not counted as steps
    assert record.answer == RIGHT and len(asked_for.bodies) == 8
    first = asked_for.bodies[0]["messages"]
    more = [body["messages"][len(first) :] for body in asked_for.bodies]
    assert all(body["messages"][: len(first)] == first for body in asked_for.bodies)
    assert [len(each) for each in more] == [0, 1, 1, 0, 1, 1, 0, 1]
    told = [each[0]["content"] for each in more if each]
    assert all(re.search(r"double\(\d\) == \d+, and not \d\n", text) for text in told)
    assert ["def double" in text for text in told] == [True, False, True, False, True]
    assert len({body["seed"] for body in asked_for.bodies}) == 8


def test_such_a_model_is_not_told_of_what_only_a_conversation_can_use_and_ends_after_its_draws(tmp_path, model):
    asked_for = Repeating(scripted(action(WRONG)), 5, tmp_path / "abilities.json")
    record = asked_for.run(doubling(), split="own")
    assert [step.action.kind for step in record.steps] == ["code"] * 5 + ["finish"]
    other = model(scripted(action(RIGHT)))
    other.run(doubling(), split="own")
    rules = [each.bodies[0]["messages"][0]["content"] for each in (asked_for, other)]
    assert ["`recall`" in text for text in rules] == [False, True]
