"""What episodes that measure something may leave behind in memory and skills: nothing, or one planned outcome."""

from __future__ import annotations

from dataclasses import replace

import pytest

from evolve.core.episodes import (
    HELD_OUT,
    PROBE,
    Action,
    Claim,
    Cost,
    EpisodeRecord,
    Evidence,
    Row,
    Scope,
    SkillDraft,
    Step,
)
from evolve.skills import AdmissionVerdict, Skill

SKILL = Skill.from_draft(
    SkillDraft(
        name="last-word",
        description="The last word.",
        entry="last_word",
        signature="(text: str) -> str",
        code="def last_word(text: str) -> str:\n    return text.split()[-1]\n",
        tests=(Row(input=("a b",), output="b"),),
        source="task words-1",
    )
)


def episode(split: str) -> EpisodeRecord:
    """A verified episode that used the skill and claims that an operation helped."""
    claim = Claim(
        cause="operation:split",
        relation="contributes",
        effect="solved",
        scope=Scope(environment="programs", family="str -> str"),
        evidence=(Evidence(task="words-2", group="two", kind="intervention", direction=1, features=(1.0,)),),
        text="split contributes to solved",
    )
    return EpisodeRecord(
        episode=f"episode-{split}",
        run="r1",
        task="words-2",
        suite="words",
        group="two",
        split=split,
        variant="unlearned",
        seed=0,
        status="solved",
        verified=True,
        answer="",
        steps=(),
        cost=Cost(candidates=1),
        consumed=(f"skill:{SKILL.digest}",),
        claims=(claim,),
    )


@pytest.fixture
def stores(open_ws):
    with open_ws() as ws:
        ws.stores.skills.add(SKILL, AdmissionVerdict(digest=SKILL.digest, admitted=True))
        yield ws.stores


@pytest.mark.parametrize("split", sorted(HELD_OUT))
def test_an_episode_that_measures_teaches_neither_memory_nor_skills(stores, split: str) -> None:
    assert stores.commit(episode(split), instruction="the last word")
    assert stores.memory.list_insights() == [] and stores.skills.get(SKILL.digest).tasks == ()
    assert stores.memory.repair_rows(stores.runs.episodes()) == (0, ())
    assert stores.memory.list_insights() == []


def test_practice_and_a_pair_that_tests_an_insight_are_evidence(stores) -> None:
    assert PROBE not in HELD_OUT
    stores.commit(episode(PROBE), instruction="the last word")
    (claim,) = stores.memory.list_insights()
    assert claim.posterior.agree == 1
    stores.commit(replace(episode("train"), task="words-3"), instruction="the last word")
    assert stores.skills.get(SKILL.digest).tasks == ("words-2", "words-3")


def test_what_was_shown_in_a_solved_task_is_counted_once_a_task_and_not_in_its_own(stores) -> None:
    shown = Step(
        number=1,
        action=Action(kind="code", code="x = 1\n", offered=(f"skill:{SKILL.digest}",)),
        observation=None,
        judgement=None,
    )
    for number, task in enumerate(("words-2", "words-2", SKILL.source, "words-3")):
        record = replace(episode("train"), episode=f"e{number}", task=task, steps=(shown, shown), consumed=())
        stores.commit(record, instruction="the last word")
    stores.commit(replace(episode("gate"), task="words-4", steps=(shown,), consumed=()), instruction="the last word")
    found = stores.skills.get(SKILL.digest)
    assert (found.tasks, found.offered) == ((), 2)
    assert stores.skills.list()[0].offered == 2
