"""What trials of claims say: only pairs that differ are evidence, hidden rows count, right answers are handed in."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from evolve.core.episodes import FACT, HELD_OUT, Claim, Evidence, Limits, Recalled, Row, Scope
from evolve.core.errors import EndpointProblem
from evolve.runtime.models import ExchangeFailure
from evolve.tasks import Task
from evolve.testing import TrustingSandbox
from tests.policies.language.conftest import action, asked

FULL = "def shorten(code):\n    return code\n"
SIX = "def shorten(code):\n    return code[-6:]\n"
LOWER = "def shorten(code):\n    return code[-6:].lower()\n"
SIX_COUNT = "Of a longer code only the last six characters are kept."
LETTERS = "Codes are kept in small letters."
LONG = [f"Ab{number:02d}-{number * 7919:06d}" for number in range(11, 21)]


def coding(result, number=1, shown=("ab12", "cd3"), more=LONG):
    """A task whose examples fit many answers; only rows that nobody shows tell which is right."""
    rows = [Row(input=(text,), output=result(text)) for text in (*shown, *more)]
    return Task(
        id=f"codes-{number}",
        family="codes",
        instruction=f"Give the short form of the code, variant {number}.",
        examples=tuple(rows[: len(shown)]),
        verify=tuple(rows[len(shown) : len(shown) + 5]),
        hidden=tuple(rows[len(shown) + 5 :]),
        meta={"entry": "shorten"},
    )


class Coder:
    """Writes what its prompt tells, once; then it gives up. ``states`` is what it claims after a failure."""

    def __init__(self, *states, programs, then=None):
        self.states, self.programs, self.then, self.acting = states, programs, then, True

    def __call__(self, body):
        kind, prompt = asked(body), "\n".join(message["content"] for message in body["messages"])
        if kind == "plan":
            return json.dumps({"goal": "g", "subgoals": []})
        if kind == "claims":
            return json.dumps({"claims": [{"cause": text, "condition": ""} for text in self.states]})
        if kind == "skill":
            return json.dumps({"name": "n", "description": "Keeps the end of a code."})
        if any(message["role"] == "assistant" for message in body["messages"]):
            return self.then or action(kind="finish", text="nothing else comes to mind")
        return action(self.programs(prompt))


def six(prompt):
    return SIX if SIX_COUNT in prompt else FULL


def directions(record):
    return [(claim.text, one.direction) for claim in record.claims for one in claim.evidence]


class Counting(TrustingSandbox):
    """Counts executions of one answer on a row which nobody shows: what asks the verifier for a bit."""

    bits = 0

    def run_programs(self, programs, inputs, limits=None, **more):
        self.bits += len(programs) == 1 and any(value in LONG for row in inputs for value in row)
        return super().run_programs(programs, inputs, limits, **more)


def test_a_fact_that_decides_hidden_rows_alone_is_borne_out_and_not_refuted(model):
    record = model(Coder(SIX_COUNT, programs=six)).run(coding(lambda text: text[-6:]))
    assert directions(record) == [(SIX_COUNT, 1)]


def test_the_right_answer_that_a_trial_found_is_handed_in(model):
    record = model(Coder(SIX_COUNT, programs=six)).run(coding(lambda text: text[-6:]))
    assert (record.status, record.verified, record.answer) == ("solved", True, SIX)
    assert [step.number for step in record.steps] == [1, 2, 3]
    assert "trial" in record.steps[-1].action.notes[-1].text
    assert record.drafts and record.drafts[0].code == SIX
    assert all(item == "" or len(item) > 8 for item in record.consumed)


def test_an_answer_that_is_wrong_on_a_row_that_a_refusal_showed_is_not_found_right(model):
    """That row verifies nothing any more, since the model knows it; a right answer gives it all the same."""
    wrong_there = f"def shorten(code):\n    return 'no' if code == {LONG[0]!r} else code[-6:]\n"
    said = Coder(SIX_COUNT, programs=lambda prompt: wrong_there if SIX_COUNT in prompt else FULL)
    agent, task = model(said).agent(), coding(lambda text: text[-6:])
    record = agent.run_episode(task, variant="unlearned", split="own")
    assert record.status == "refused" and LONG[0] in record.note
    lessons = agent.learn(task, record, limits=Limits(candidates=None, seconds=None))
    assert (lessons.found, lessons.claims) == (None, ())


def test_an_accepted_answer_is_not_replaced_by_that_of_a_trial(model):
    said = Coder(SIX_COUNT, programs=six, then=action(SIX + "# later\n"))
    record = model(said).run(coding(lambda text: text[-6:]))
    assert (record.verified, record.answer) == (True, SIX + "# later\n")


def test_two_answers_that_are_both_right_are_no_evidence(model):
    idle = "Codes are printed on white paper."
    said = Coder(idle, programs=lambda prompt: FULL, then=action(FULL + "# again\n"))
    broken = iter([action("def shorten(code):\n    return 1\n")])

    def once_wrong(body):
        return next(broken, said(body)) if asked(body) == "action" else said(body)

    record = model(once_wrong).run(coding(lambda text: text))
    assert record.verified and record.claims == ()


def test_two_answers_that_are_both_wrong_are_no_evidence_and_two_facts_together_are(model):
    """Each fact alone leaves a wrong answer; both together make it right, and each is what the other one lacked."""

    def both(prompt):
        return LOWER if SIX_COUNT in prompt and LETTERS in prompt else six(prompt)

    task = coding(lambda text: text[-6:].lower(), more=[f"{text[:-2]}XY" for text in LONG])
    alone = model(Coder(SIX_COUNT, programs=both)).run(task)
    assert alone.claims == () and alone.status == "refused"
    together = model(Coder(SIX_COUNT, LETTERS, programs=both)).run(task)
    assert directions(together) == [(SIX_COUNT, 1), (LETTERS, 1)]
    assert together.answer == LOWER


def test_claims_that_make_no_difference_together_are_not_tried_one_by_one(model):
    said = model(Coder("Codes are short words.", "Codes are printed in blue.", programs=six))
    record = said.run(coding(lambda text: text[-6:]))
    assert record.claims == ()
    trials = [prompt for prompt in said.prompts() if "Codes are" in prompt]
    assert len(trials) == 1 and trials[0].count("Codes are") == 2


def test_every_bit_of_hidden_rows_counts_as_a_submission(model):
    """Answers that differ in each reply would otherwise learn the rows by asking again and again."""
    number = iter(range(1_000))

    def wrong(prompt):
        return f"def shorten(code):\n    return code if len(code) < 6 else '{next(number)}'\n"

    sandbox = Counting()
    said = Coder(SIX_COUNT, LETTERS, programs=wrong)
    model(said).run(coding(lambda text: text[-6:]), sandbox=sandbox)
    assert 1 < sandbox.bits <= 3
    own = Counting()
    model(said).run(coding(lambda text: text[-6:]), sandbox=own, split="own")
    assert own.bits <= 3


def test_an_answer_that_does_what_a_judged_one_did_needs_no_bit_of_its_own(model):
    """A model seldom writes one program twice in the same words, and one submission is left here for two trials."""
    number = iter(range(1_000))

    def worded_anew(prompt):
        return f"{six(prompt)}# wording {next(number)}\n"

    sandbox = Counting()
    said = Coder(SIX_COUNT, programs=worded_anew, then=action(SIX))
    record = model(said).run(coding(lambda text: text[-6:]), sandbox=sandbox)
    assert record.verified and directions(record) == [(SIX_COUNT, 1)]
    assert sandbox.bits == 2


def test_trouble_in_the_middle_of_trials_costs_no_bit_twice(model, tmp_path):
    said, calls, sandbox = Coder(SIX_COUNT, programs=six), [], Counting()

    def failing(body):
        calls.append(body)
        return ExchangeFailure(kind="auth", text="no", status=401) if len(calls) == 5 else said(body)

    agent = model(failing).agent(sandbox=sandbox, checkpoints=tmp_path)
    task = coding(lambda text: text[-6:])
    with pytest.raises(EndpointProblem):
        agent.run_episode(task, variant="unlearned", split="train")
    assert asked(calls[4]) == "action" and sandbox.bits == 1
    record = agent.run_episode(task, variant="unlearned", split="train")
    assert (record.status, record.answer, directions(record)) == ("solved", SIX, [(SIX_COUNT, 1)])
    assert sandbox.bits == 2


@pytest.mark.parametrize("split", sorted(HELD_OUT))
def test_where_tasks_are_held_out_nothing_is_tried_and_nothing_handed_in(model, split):
    sandbox = Counting()
    told = model(Coder(SIX_COUNT, programs=six))
    record = told.run(coding(lambda text: text[-6:]), sandbox=sandbox, split=split)
    assert (record.status, record.claims, sandbox.bits) == ("refused", (), 1)
    assert told.prompts("claims") == []


def claimed(task, text=SIX_COUNT):
    pair = Evidence(task=task.id, group=task.group, kind="intervention", direction=1)
    key = " ".join(text.lower().rstrip(".").split())
    scope = Scope(environment="programs", family=task.family)
    return Claim(
        cause=f"{FACT}{key}", relation="contributes", effect="solved", scope=scope, evidence=(pair,), text=text
    )


def test_what_is_not_tested_does_not_stand_under_facts_that_were(model):
    said = model(Coder(SIX_COUNT, programs=six))
    said.run(coding(lambda text: text[-6:]))
    trials = [prompt for prompt in said.prompts() if SIX_COUNT in prompt]
    assert trials and not any("were tested" in prompt for prompt in trials)
    known = Recalled(id="f" * 32, kind="insight", text=SIX_COUNT, score=1.0, status="supported")
    asked_for = model(Coder(programs=six))
    asked_for.run(coding(lambda text: text[-6:]), split="own", recall=lambda *_: [known])
    assert "Facts that were tested" in asked_for.prompts()[0]


@pytest.mark.slow
def test_one_lucky_pair_leads_no_prompt_not_even_of_the_same_task(model, memory):
    from evolve.trials.learned_state import recall_from

    task = coding(lambda text: text)
    said = model(Coder(programs=six))
    agent = said.agent(recall=recall_from(memory, trials=True))
    first = agent.run_episode(task, variant="unlearned", split="train")
    memory.commit(replace(first, claims=(claimed(task),)), instruction=task.instruction)
    assert [one.status for one in memory.list_insights()] == ["hypothesis"]
    said.bodies.clear()
    again = said.agent(recall=recall_from(memory, trials=True)).run_episode(
        task, variant="unlearned", split="own", seed=1
    )
    assert again.recalled == () and SIX_COUNT not in said.prompts()[0]


def test_a_plain_description_of_a_skill_is_kept_as_the_model_gave_it(model):
    words = "Keeps the last six characters of a code; shorter codes stay as they are."

    def described(body):
        said = Coder(programs=lambda prompt: SIX)(body)
        return json.dumps({"name": "last-six", "description": words}) if asked(body) == "skill" else said

    [draft] = model(described).run(coding(lambda text: text[-6:])).drafts
    assert draft.description == words
