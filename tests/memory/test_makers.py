"""Who made evidence, and where: what one model's trials showed is worth a trial to the next, and proves nothing."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolve.agent import RunRepository
from evolve.core.episodes import RunOrigin, Scope
from evolve.core.schema import AGENT, MEMORY
from evolve.core.store import Database
from evolve.memory import ClaimKey, EvidenceRow, resolve

FACT, QUOTED = "fact:dates are written day first", "fact:quoted:dates are written day first"
ONE, OTHER = "language:one", "language:other"
HERE, THERE = "bubblewrap, Python 3.12", "bubblewrap, Python 3.13"


@pytest.fixture
def learned(memory, lesson):
    """Commits one trial of the fact per number."""

    def learn(numbers, policy, direction=1, **more):
        for number in numbers:
            taught = lesson(number, cause=FACT, family="dates", direction=direction, policy=policy, **more)
            memory.commit(replace(taught, episode=f"{policy} {number} {more}"), instruction="read it", source="a")
        return memory

    return learn


def standing(memory, policy):
    [read] = memory.list_insights(policy=policy)
    return read.status


def asks(memory, policy, fingerprint=HERE):
    """Kinds of what a task of the same family is offered."""
    at = RunOrigin(environment="programs", family="dates", policy=policy, fingerprint=fingerprint)
    found = memory.recall("read it", 5, features=(1.0, 0.0), kinds=("insight", "trial"), scope=at)
    assert found == memory.snapshot().recall("read it", 5, features=(1.0, 0.0), kinds=("insight", "trial"), scope=at)
    return [item.kind for item in found]


def test_what_one_model_confirmed_is_a_hypothesis_to_the_next(learned):
    memory = learned(range(6), ONE)
    assert standing(memory, ONE) == "confirmed" and asks(memory, ONE) == ["insight"]
    assert standing(memory, OTHER) == "hypothesis" and asks(memory, OTHER) == ["trial"]


def test_own_trials_settle_it_sooner_than_without_the_first_model(learned):
    memory = learned(range(6), ONE)
    learned([7, 8], OTHER)
    assert standing(memory, OTHER) == "confirmed" and asks(memory, OTHER) == ["insight"]
    assert standing(learned([7, 8], "language:third"), "language:third") == "confirmed"


def test_two_trials_without_another_model_confirm_nothing(learned):
    assert standing(learned([7, 8], OTHER), OTHER) == "supported"


def test_own_trials_have_the_last_word(learned):
    memory = learned(range(6), ONE)
    learned(range(10, 15), OTHER, direction=-1)
    assert standing(memory, OTHER) == "refuted" and asks(memory, OTHER) == []
    assert standing(memory, ONE) == "confirmed" and asks(memory, ONE) == ["insight"]


def test_what_another_model_refuted_is_not_tried(learned):
    memory = learned(range(6), ONE, direction=-1)
    assert standing(memory, OTHER) == "hypothesis" and asks(memory, OTHER) == []


def test_two_families_of_another_model_let_it_act_nowhere(learned, memory, lesson):
    learned(range(3), ONE)
    for number in range(20, 23):
        memory.commit(lesson(number, cause=FACT, family="names", policy=ONE), source="b")
    at = RunOrigin(environment="programs", family="amounts", policy=ONE)
    assert [one.kind for one in memory.recall("read it", 5, features=(1.0, 0.0), scope=at)] == ["insight"] * 2
    assert set(asks(memory, OTHER)) == {"trial"}


def test_evidence_of_a_model_that_nobody_noted_proves_nothing_to_one_that_is_named(learned):
    memory = learned(range(6), "")
    assert standing(memory, ONE) == "hypothesis" and asks(memory, ONE) == ["trial"]
    assert standing(memory, None) == "confirmed"


def test_a_person_reads_with_whom_it_was_tested(learned):
    memory = learned(range(6), ONE)
    [told] = memory.insight_sentences(OTHER).values()
    assert told.text.endswith("(tested with one, not yet with this model).")
    [told] = memory.insight_sentences(ONE).values()
    assert "tested with" not in told.text
    learned([9], OTHER)
    [told] = memory.insight_sentences(OTHER).values()
    assert "tested with" not in told.text


def test_what_the_search_found_of_its_operations_is_not_told_to_a_model(memory, lesson):
    for number in range(6):
        memory.commit(lesson(number, family="dates", policy="search"))
    assert asks(memory, "search") == ["insight"] and asks(memory, ONE) == []
    assert [one.status for one in memory.list_insights(policy=ONE)] == [one.status for one in memory.list_insights()]


def test_a_refuted_claim_is_tried_once_more_where_code_runs_in_something_else(learned):
    memory = learned(range(5), ONE, direction=-1, fingerprint=HERE)
    assert standing(memory, ONE) == "refuted" and asks(memory, ONE, HERE) == []
    assert asks(memory, ONE, THERE) == ["trial"]
    learned([9], ONE, direction=-1, fingerprint=THERE)
    assert asks(memory, ONE, THERE) == []


def test_one_that_holds_there_is_not_held_down_by_what_was_seen_before(learned):
    memory = learned(range(5), ONE, direction=-1, fingerprint=HERE)
    learned([9], ONE, fingerprint=THERE)
    assert standing(memory, ONE) == "hypothesis" and asks(memory, ONE, THERE) == ["trial"]
    learned([10], ONE, fingerprint=THERE)
    assert standing(memory, ONE) == "supported" and asks(memory, ONE, THERE) == ["insight"]
    assert len(memory.evidence(memory.list_insights()[0].id)) == 7


def test_nothing_is_tried_anew_where_nobody_noted_what_code_ran_in(learned):
    memory = learned(range(5), ONE, direction=-1)
    assert asks(memory, ONE, THERE) == []


def test_what_a_person_set_aside_is_not_tried_anew(learned):
    memory = learned(range(5), ONE, direction=-1, fingerprint=HERE)
    memory.expire(memory.list_insights()[0].id, "a person")
    assert asks(memory, ONE, THERE) == []


def test_makers_outlive_the_process_and_go_with_the_evidence(store, lesson):
    first = store.memory()
    for number in range(6):
        first.commit(lesson(number, cause=FACT, family="dates", policy=ONE, fingerprint=HERE))
    store.close()
    again = store.memory()
    assert standing(again, ONE) == "confirmed" and standing(again, OTHER) == "hypothesis"
    again.forget(again.list_insights()[0].id)
    assert store.opened[0][1].rows("memory_makers") == []


def test_lost_makers_are_made_anew_from_episodes(store, lesson):
    memory = store.memory()
    episodes = [lesson(number, cause=FACT, family="dates", policy=ONE) for number in range(6)]
    for episode in episodes:
        memory.commit(episode)
    store.opened[0][1].delete("memory_makers", "")
    memory.repair_rows(episodes)
    store.close()
    assert standing(store.memory(), ONE) == "confirmed"


@pytest.mark.parametrize(
    ("body", "policy"),
    [
        ({"begun": {"policy": ONE}}, ONE),
        ({"policy": ONE}, ONE),
        ({}, ""),
        ({"begun": None, "policy": None}, ""),
    ],
)
def test_earlier_evidence_has_the_policy_of_its_run_where_that_is_on_record(tmp_path, store, lesson, body, policy):
    earlier = [item for item in MEMORY if item.number < 6]  # the sixth notes who made evidence
    store.folder = tmp_path
    with Database(tmp_path / "memory.db", (*AGENT, *earlier)) as db:
        runs, memory = RunRepository(db), store.memory(db)
        run = runs.begin("run", "key", body, started="")
        worded, composed = lesson(1, cause=FACT), lesson(2, cause="operation:sort")
        for episode in (worded, composed):
            runs.add(replace(episode, run=run.id))
            memory.commit(replace(episode, run=run.id))
    with Database(tmp_path / "memory.db", (*AGENT, *MEMORY)) as db:
        memory = store.memory(db)
        rows = {one.cause: memory.evidence(one.id)[0].policy for one in memory.list_insights()}
        assert rows == {FACT: policy, "operation:sort": "search"}
        assert db.check() == []


def evidence(number, policy, direction, kind):
    return EvidenceRow(
        id=f"{policy} {number}",
        insight="i",
        relation="contributes",
        episode=f"e{number}",
        task=f"t{number}",
        group=f"g{number % 7}",
        kind=kind,
        direction=direction,
        policy=policy,
    )


ROWS = st.lists(st.tuples(st.sampled_from((1, -1)), st.sampled_from(("intervention", "observation"))), max_size=12)


@pytest.mark.slow
@given(ROWS, ROWS)
def test_others_admit_confirm_and_refute_nothing_by_themselves(theirs, own) -> None:
    key = ClaimKey(id="i", cause=FACT, effect="solved", scope=Scope(environment="programs", family="f"), texts={})
    others = [evidence(number, OTHER, *each) for number, each in enumerate(theirs)]
    assert resolve(key, (), others=others).status == "hypothesis"
    mine = [evidence(number, ONE, *each) for number, each in enumerate(own)]
    alone, told = resolve(key, mine), resolve(key, mine, others=others)
    assert resolve(key, mine[::-1], others=others[::-1]) == told
    # They move how sure own trials make one, never whether own trials speak for it at all.
    assert (told.status in ("supported", "confirmed")) <= (alone.status in ("supported", "confirmed"))
    assert (told.posterior.agree, told.posterior.disagree) == (alone.posterior.agree, alone.posterior.disagree)
