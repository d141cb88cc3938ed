"""A planted claim that a model believes and that moves nothing: what chance withholds shows it, and it goes."""

from __future__ import annotations

import json

import pytest

from evolve.agent.workflow import Workflow
from evolve.core.episodes import Claim, EpisodeRecord, Evidence, Scope
from evolve.trials.learned_state import recall_from
from tests.policies.language.conftest import action, asked
from tests.policies.language.test_planted import RIGHT, WRONG, doubling

PLANT = "Totals of this family are sums of their parts."
MOST = 100
"""Tasks within which it is gone where half of the recalls are withheld."""


def cites_it(body):
    """Believes all it is told, cites it, and is right on every other task, told or not."""
    kind, prompt = asked(body), "\n".join(message["content"] for message in body["messages"])
    if kind == "claims":
        return json.dumps({"claims": []})
    if kind == "skill":
        return json.dumps({"name": "doubling", "description": "Doubles a number."})
    if kind == "plan":
        return json.dumps({"goal": "g", "subgoals": []})
    number = int(prompt.partition("variant ")[2].partition(".")[0])
    return action(RIGHT if number % 2 else WRONG)


@pytest.mark.slow
def test_it_is_told_no_longer_after_so_many_tasks(model, memory):
    told = model(cites_it)
    evidence = [
        Evidence(task=f"lucky {number}", group=f"lucky {number}", kind="intervention", direction=1)
        for number in range(2)
    ]
    scope = Scope(environment="programs", family="numbers")
    planted = Claim(
        cause=f"fact:{PLANT.lower().rstrip('.')}",
        relation="contributes",
        effect="solved",
        scope=scope,
        evidence=tuple(evidence),
        text=PLANT,
    )
    lucky = EpisodeRecord(
        episode="lucky",
        run="r",
        task="lucky",
        suite="",
        group="lucky",
        split="train",
        variant="unlearned",
        seed=0,
        status="solved",
        claims=(planted,),
        policy=told.policy.name,
    )
    memory.commit(lucky, instruction="Double it.")
    agent = told.agent(
        recall=recall_from(memory, trials=True, policy=told.policy.name),
        workflow=Workflow().with_knobs(steps=1, withhold=0.5),
    )
    seen = []
    for number in range(MOST + 5):
        told.bodies.clear()
        task = doubling(number, "numbers")
        record = agent.run_episode(task, variant="unlearned", split="train")
        memory.commit(record, instruction=task.instruction)
        seen.append(any(PLANT in prompt for prompt in told.prompts()))
    assert any(seen[:10]) and not any(seen[MOST:])
    [claim] = memory.list_insights(policy=told.policy.name)
    assert claim.status == "expired" and [row.direction for row in memory.evidence(claim.id)] == [1, 1]
