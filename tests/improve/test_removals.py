"""Searches without an operation: which are planned, what they teach, and that nothing is paid twice."""

from __future__ import annotations

import shutil

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import evolve
from benchmarks.suites import draw_suite
from evolve.core.episodes import PROBE, Claim, Cost, EpisodeRecord, Evidence, Scope
from evolve.core.errors import UsageError
from evolve.core.failpoints import VARIABLE
from evolve.improve.removals import SHARE
from evolve.memory import ClaimKey, plan_removals, resolve
from evolve.memory.necessity import CauseOccurrence, need_of
from evolve.tasks import render_jsonl
from evolve.workspace.learners import SearchLearner

BUDGET = "400k-candidates"
DREAMS = 60  # a guide has to be there, and need not be good
SCOPE = Scope(environment="programs", family="(str) -> str")


def known(cause, occurs, tried="", mattered="", solved="abcdefgh"):
    """An insight and the need for its cause; every letter is a group."""
    sets = {"solved": solved, "occurs": occurs, "tried": tried, "mattered": mattered}
    need = need_of([CauseOccurrence(**{name: frozenset(letters) for name, letters in sets.items()})])
    return resolve(ClaimKey(id=cause, cause=cause, effect="solved", scope=SCOPE, texts={}), ()), need


def planned(*needs, costs=None, most=10_000):
    each = costs or dict.fromkeys("abcdefgh", 100)
    return [(one.insight.id, one.group) for one in plan_removals(needs, costs=each, times=4, most=most)]


def test_the_often_used_the_uncertain_and_the_cheap_come_first() -> None:
    often, seldom = known("operation:often", "abcdef"), known("operation:seldom", "ab")
    assert planned(seldom, often)[0] == ("operation:often", "a")
    settled = known("operation:settled", "abcdef", tried="abcd", mattered="abcd")
    assert planned(settled, often)[0][0] == "operation:often"
    cheap = dict.fromkeys("abcdef", 100) | {"c": 10}
    assert planned(often, costs=cheap)[0] == ("operation:often", "c")


def test_only_what_can_be_taken_out_where_it_occurs_and_was_not_tried() -> None:
    assert planned(known("literal:int:2", "ab"), known("fact:so", "ab")) == []
    assert planned(known("operation:sort", "abc", tried="b")) == [("operation:sort", "a"), ("operation:sort", "c")]
    assert planned(known("skill:0a", "ab"), costs={"a": 5}) == [("skill:0a", "a")]


@settings(max_examples=60)
@given(
    st.lists(st.tuples(st.text("abcdefgh", max_size=6), st.text("abcdefgh", max_size=3)), max_size=5),
    st.integers(0, 3_000),
)
def test_a_plan_keeps_to_its_bound_and_depends_on_no_order(drawn, most) -> None:
    needs = [known(f"operation:o{at}", occurs + tried, tried=tried) for at, (occurs, tried) in enumerate(drawn)]
    costs = {letter: 40 + 30 * at for at, letter in enumerate("abcdef")}
    chosen = plan_removals(needs, costs=costs, times=4, most=most)
    assert sum(one.cost for one in chosen) <= most
    assert chosen == plan_removals(needs[::-1], costs=costs, times=4, most=most)
    assert len({(one.insight.id, one.group) for one in chosen}) == len(chosen)


# A thousand candidates solve one of these; a problem that is not solved teaches nothing here, and takes all it may.
EASY = (
    *("casing", "ends", "identifier", "initials", "joined", "one-word", "phrase-parts", "prefixed", "repeated-words"),
    *("shorten", "spaced", "suffixed", "tidy", "word-order", "wrapped"),
)


@pytest.fixture
def strings(tmp_path):
    tasks = [task for task in draw_suite("strings", n=40, seed=3).tasks if task.family in EASY]
    file = tmp_path / "strings.jsonl"
    file.write_text(render_jsonl(tasks))
    return file


@pytest.fixture(scope="module")
def template(tmp_path_factory):
    """Where a workspace is kept that learned, once it is there; tests take copies."""
    return tmp_path_factory.mktemp("learned") / "ws"


@pytest.fixture
def learned(open_ws, strings, template, tmp_path):
    """Opens a workspace that learned from the suite in one round."""

    def open_copy():
        if not template.exists():
            with open_ws("template", learner=SearchLearner(dreams=DREAMS)) as workspace:
                workspace.improve(strings, rounds=1, budget=BUDGET)
            shutil.copytree(tmp_path / "template", template)
        evolve.init(shutil.copytree(template, tmp_path / "learned"), trust=True)
        return open_ws("learned", learner=SearchLearner(dreams=DREAMS))

    return open_copy


def taught(workspace):
    """What searches without an operation left behind: rows of evidence, by cause and task."""
    memory = workspace.stores.memory
    rows = [
        (one, row) for one in memory.list_insights() for row in memory.evidence(one.id) if row.kind == "intervention"
    ]
    return sorted((one.cause, row.task, row.relation, row.direction) for one, row in rows)


@pytest.mark.slow
def test_practice_is_followed_by_searches_without_what_occurs(learned) -> None:
    with learned() as workspace:
        found = taught(workspace)
        assert found and all(cause.startswith(("operation:", "skill:")) for cause, *_ in found)
        records = workspace.stores.runs.episodes()
        practice = sum(one.cost.candidates for one in records if one.split == "train")
        searched = [one for one in records if one.split == PROBE]
        assert 0 < sum(one.cost.candidates for one in searched) <= SHARE * practice + 500
        # It occurs in the answer, so it may be needed; it was searched for without, so what is said has a count.
        told = workspace.stores.memory.sentences()
        assert any("searched again without it" in one.text for one in told.values())
        # These episodes say nothing of other causes, so no task is told by their looks.
        assert not {one.episode for one in searched} & {one.episode for one in workspace.stores.memory.entries()}


@pytest.mark.slow
def test_killed_among_the_searches_the_same_command_teaches_the_same(open_ws, learned, strings, monkeypatch) -> None:
    def came_to(workspace):
        return taught(workspace), sum(one.cost.candidates for one in workspace.stores.runs.episodes())

    def improve(name):
        with open_ws(name, learner=SearchLearner(dreams=DREAMS)) as workspace:
            workspace.improve(strings, rounds=1, budget=BUDGET)
            return came_to(workspace)

    with learned() as workspace:
        whole = came_to(workspace)
    assert whole[0]
    for point in ("removals.ran:1", "attempt.kept:1"):
        monkeypatch.setenv(VARIABLE, f"{point}:int")
        with pytest.raises(KeyboardInterrupt):
            improve("cut")
    monkeypatch.delenv(VARIABLE)
    assert improve("cut") == whole


@pytest.mark.slow
def test_a_person_tests_claims_on_problems_that_were_solved(open_ws, learned, strings) -> None:
    with open_ws(learner=SearchLearner()) as workspace, pytest.raises(UsageError, match="was solved here"):
        workspace.memory.test(strings, budget="50k-candidates")
    with learned() as workspace:
        before = taught(workspace)
        tests = workspace.memory.test(strings, budget="60k-candidates")
        assert tests and sum(one.tried for one in tests) == len(taught(workspace)) - len(before)
        assert all(one.tried >= one.needed and one.sentence.tried >= one.tried for one in tests)
        run = next(one for one in workspace.stores.runs.list_runs() if one.kind == "test-claims")
        searched = workspace.stores.runs.episodes(run=run.id)
        assert {one.split for one in searched} == {PROBE}
        assert sum(one.cost.candidates for one in searched) <= 60_000


@pytest.mark.slow
def test_what_a_person_forgets_while_it_is_tested_stays_forgotten(learned, strings, monkeypatch) -> None:
    with learned() as workspace:
        monkeypatch.setenv(VARIABLE, "removals.ran:1:int")
        with pytest.raises(KeyboardInterrupt):
            workspace.memory.test(strings, budget="60k-candidates")
        monkeypatch.delenv(VARIABLE)
        ((_, plan),) = workspace.stores.runs.finished_steps(
            "needs:1:plan", run=workspace.stores.runs.list_runs()[-1].id
        )
        forgotten = plan["pairs"][0][0]
        workspace.memory.forget(forgotten)
        tests = workspace.memory.test(strings, budget="60k-candidates")
        known = {one.id for one in workspace.memory.list()}
        assert forgotten not in known and {one.insight.id for one in tests} <= known


@pytest.mark.slow
def test_a_person_may_name_the_claim(learned, strings) -> None:
    with learned() as workspace:
        untried = [
            one.id
            for one, need in workspace.stores.memory.needs()
            if one.cause.startswith("operation:") and need.known.occurs - need.known.tried
        ]
        # Of some the answers were not verified, so nothing can be searched again.
        tests = next(filter(None, (workspace.memory.test(strings, name[:12]) for name in untried)))
        assert [one.insight.id in untried for one in tests] == [True]
        with pytest.raises(UsageError, match="no insight"):
            workspace.memory.test(strings, "zzzz")


@pytest.mark.slow
def test_what_was_not_needed_is_tried_anew_once_there_are_other_means(learned, strings) -> None:
    """Sixty problems that did without a step, found with a skill that is not there any more, or other operations."""
    with learned() as workspace:
        memory, journal = workspace.stores.memory, workspace.stores.runs.journal("earlier")
        steps = [one for one, need in memory.needs() if one.cause.startswith("operation:") and need.known.occurs]
        gone, kept, older = steps[:3]
        for step in (gone, kept, older):
            for number in range(60):
                memory.commit(did_without(step, number))
            assert memory.get(step.id).relation == "no_effect"
        skills = [skill.digest for skill in workspace.stores.skills.active()]
        journal.finish("needs:1:plan", {"pairs": [[gone.id, "t"]], "skills": [*skills, "gone"]})
        journal.finish("needs:2:plan", {"pairs": [[kept.id, "t"]], "skills": skills})
        other = {"pairs": [[older.id, "t"]], "skills": skills, "operations": "of another version"}
        journal.finish("needs:3:plan", other)
        workspace.memory.test(strings, budget="60k-candidates")
        tried = {one.id: len(need.known.tried) for one, need in memory.needs()}
        assert max(tried[gone.id], tried[older.id]) < 60 <= tried[kept.id]
        assert "no_effect" not in (memory.get(gone.id).relation, memory.get(older.id).relation)
        assert memory.get(kept.id).relation == "no_effect"


def did_without(step, number):
    """A search without a step that found an answer for as much."""
    task = f"elsewhere-{number}"
    seen = Evidence(task=task, group=task, kind="intervention", direction=-1)
    claim = Claim(
        cause=step.cause, relation="necessary", effect=step.effect, scope=step.scope, evidence=(seen,), text="it is"
    )
    return EpisodeRecord(
        episode=f"{step.id}-{number}",
        run="earlier",
        task=task,
        suite="",
        group=task,
        split=PROBE,
        variant="",
        seed=0,
        status="solved",
        verified=True,
        answer="",
        steps=(),
        cost=Cost(),
        claims=(claim,),
    )
