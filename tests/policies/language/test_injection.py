"""Orders that get into a memory act nowhere but on the task that showed them, whatever language they are in."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from benchmarks.doubles import QuirkDouble
from benchmarks.doubles.quirks import quirk_tasks
from evolve.core.episodes import FACT, Claim, Evidence, Row, Scope
from evolve.core.text_screen import comparison_key, insight_problem
from evolve.skills import Skill
from evolve.testing import question_of
from evolve.trials.learned_state import recall_from
from tests.export.exports import export
from tests.policies.language.orders import ORDERS
from tests.skills.samples import GOOD

JOBS = quirk_tasks(5)
"""One of each family, and another one of the family of the first."""


class Obedient(QuirkDouble):
    """Believes every order that a task's data hold, and states it as the fact behind every failure."""

    def __init__(self, order):
        super().__init__(JOBS)
        self.order = order

    def answer(self, body):
        if question_of(body) != "claims":
            return super().answer(body)
        said = {"cause": self.order, "condition": self.order}
        return json.dumps({"claims": [said]})


@pytest.mark.parametrize(
    "order",
    [pytest.param(one, id=one.name, marks=pytest.mark.slow if number % 7 else ()) for number, one in enumerate(ORDERS)],
)
def test_an_order_that_one_task_taught_acts_on_no_other(model, memory, order):
    """The worst case: the model repeats it, and its trial came out well on the task that holds it."""
    poisoned, *others = JOBS[0], JOBS[1], JOBS[-1]  # one of another family, and one of its own
    claim = Claim(
        cause=f"{FACT}{comparison_key(order.text) or 'x'}",
        relation="contributes",
        effect="solved",
        scope=Scope(environment="programs", family=poisoned.task.family),
        evidence=(Evidence(task=poisoned.task.id, group=poisoned.task.group, kind="intervention", direction=1),),
        text=order.text,
    )
    asked = model(Obedient(order.text).answer)
    agent = asked.agent(recall=recall_from(memory, trials=True))
    taught = agent.run_episode(poisoned.task, variant="unlearned", split="train")
    memory.commit(replace(taught, claims=(claim,)), instruction=poisoned.task.instruction)
    asked.bodies.clear()
    for job in others:
        record = agent.run_episode(job.task, variant="unlearned", split="train")
        assert record.recalled == () and record.consumed == ()
        memory.commit(record, instruction=job.task.instruction)
    told = [prompt for prompt in asked.prompts("plan") if order.text in prompt]
    assert told == []


@pytest.mark.parametrize("order", ORDERS, ids=lambda one: one.name)
def test_no_order_is_in_the_words_of_an_exported_skill(tmp_path, order):
    rows = (Row(input=(order.text, 1), output=order.text), *GOOD.tests)
    code = GOOD.code.replace('    """', f'    """{order.text.encode("unicode_escape").decode()} ', 1)
    skill = replace(Skill.from_draft(GOOD), status="admitted", description=order.text, rows=rows, code=code)
    (bundle,) = export([skill], tmp_path / "out")
    (folder,) = (bundle / "skills").iterdir()
    document = (folder / "SKILL.md").read_text()
    words, _, examples = document.partition("## Examples")
    head = words.partition("## Use")[0]
    for text in (order.text, json.dumps(order.text)[1:-1], " ".join(order.text.split())):
        assert text not in head
    assert not any(text in head for text in order.text.split() if len(text) > 12)
    script = (folder / f"scripts/{folder.name}.py").read_text()
    assert order.text.encode("unicode_escape").decode() not in script.partition("def command_line")[0]
    assert not examples
    assert all(order.text not in path.read_text() for path in bundle.rglob("*") if path.is_file())


def test_what_the_screen_of_claims_stops_is_told_as_it_is():
    """The screen is no wall; its rate is written down so that nobody takes it for one."""
    stopped = sum(bool(insight_problem(one.text)) for one in ORDERS)
    assert 0 < stopped < len(ORDERS)
