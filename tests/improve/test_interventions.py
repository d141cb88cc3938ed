"""Tests of insights between episodes: which is tested, and what counts as evidence."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.doubles import QuirkDouble, slow_learner
from benchmarks.doubles.quirks import quirk_family
from evolve.core.episodes import Claim, Cost, EpisodeRecord, Evidence, Scope
from evolve.core.ledger import Budget
from evolve.core.paths import WorkspacePaths
from evolve.core.prompts import PromptLayers, load_prompt
from evolve.core.settings import load_settings
from evolve.improve.interventions import PAIRS, run_insight_tests
from evolve.improve.session import LoopPlan
from evolve.memory import ClaimKey, EvidenceRow, insight_id, plan_test, resolve
from evolve.tasks import load_suite, render_jsonl
from evolve.testing import LocalWire
from evolve.testing.endpoint_faults import chat_completion_body
from evolve.workspace.language import LanguageLearner
from evolve.workspace.loops.improving import LoopWork, loop_limits, tasks_worked_on

MODEL = "http://localhost:1/v1#double"
SCOPE = Scope(environment="programs", family="dates")
HELPS = "Dates in this workspace put the day first."
IDLE = "Names of functions are short."
HURTS = "Dates are best left as they are read, whatever else is said."


def known(name, agree, disagree=0, kind="intervention"):
    """An insight about a fact with this evidence, each row of a problem of its own."""
    key = ClaimKey(id=name, cause=f"fact:{name}", effect="solved", scope=SCOPE, texts={})
    signs = [1] * agree + [-1] * disagree
    rows = [
        EvidenceRow(
            id=f"{name}{at}",
            insight=name,
            relation="contributes",
            episode=f"e{at}",
            task=f"t{at}",
            group=f"g{at}",
            kind=kind,
            direction=sign,
        )
        for at, sign in enumerate(signs)
    ]
    return resolve(key, rows), rows


def chosen(*insights, uses, groups=("x", "y", "z")):
    rows = [row for _, own in insights for row in own]
    where = {one.id: groups for one, _ in insights}
    return plan_test([one for one, _ in insights], rows, uses=uses, groups=where)


def test_the_most_used_of_equally_doubtful_insights_is_tested_and_the_most_doubtful_of_equally_used() -> None:
    one, two, three = known("one", 2), known("two", 2), known("three", 3)
    assert chosen(one, two, uses={"one": 3, "two": 5}).insight.id == "two"
    assert chosen(one, three, uses={"one": 4, "three": 4}).insight.id == "one"
    assert chosen(one, three, uses={"one": 1, "three": 9}).insight.id == "three"


def test_what_is_settled_unused_or_was_tried_everywhere_is_not_tested() -> None:
    assert chosen(known("firm", 4), uses={"firm": 100}) is None
    assert chosen(known("idle", 1), uses={}) is None
    assert chosen(known("tried", 1), uses={"tried": 9}, groups=("g0", "x")) is None
    assert chosen(known("refuted", 0, 5), uses={"refuted": 9}) is None
    assert chosen(known("seen", 2, kind="observation"), uses={"seen": 1}).groups == ("x", "y", "z")


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5), st.integers(0, 9)), max_size=5))
def test_the_plan_does_not_depend_on_the_order_of_insights(drawn) -> None:
    made = [known(f"i{at}", agree, disagree) for at, (agree, disagree, _) in enumerate(drawn)]
    uses = {f"i{at}": number for at, (_, _, number) in enumerate(drawn)}
    one, two = chosen(*made, uses=uses), chosen(*made[::-1], uses=uses)
    assert one == two


class Gullible(QuirkDouble):
    """Believes one fact more than any other."""

    def answer(self, body):
        text = json.dumps(body)
        return super().answer(json.loads(text.replace(HELPS, "")) if HURTS in text else body)


def told(text, task, number):
    """An episode that claims a fact after it was tried on two problems; committed, the fact is admitted."""
    seen = tuple(
        Evidence(task=f"other-{number}{one}", group=f"other {number}{one}", kind="intervention", direction=1)
        for one in "ab"
    )
    claim = Claim(
        cause=f"fact:{text.lower()}", relation="contributes", effect="solved", scope=SCOPE, evidence=seen, text=text
    )
    return EpisodeRecord(
        episode=f"before-{number}",
        run="before",
        task=f"other-{number}",
        suite="",
        group=f"other {number}",
        split="train",
        variant="unlearned",
        seed=0,
        status="solved",
        verified=True,
        answer="",
        steps=(),
        cost=Cost(),
        claims=(claim,),
        policy=f"language:{MODEL}",
        consumed=(insight_id(claim.cause, "solved", SCOPE),) * (text == HELPS),
    )


@pytest.fixture
def services(tmp_path, open_ws):
    """A workspace whose model reads prompts and whose memory holds the facts that are given."""
    jobs = quirk_family("dates", 20)
    suite = tmp_path / "dates.jsonl"
    suite.write_text(render_jsonl([job.task for job in jobs]))
    double = Gullible(jobs)
    usage = {"prompt_tokens": 400, "completion_tokens": 60, "total_tokens": 460}

    def open_one(*facts, learner=None):
        paths = WorkspacePaths(tmp_path / "ws")
        reader = learner or LanguageLearner(
            paths=paths,
            settings=load_settings(paths.root),
            model=MODEL,
            wire=lambda _: LocalWire(lambda body: chat_completion_body(double.answer(body), usage=usage)),
        )
        ws = open_ws(learner=reader)
        for number, fact in enumerate(facts):
            ws.stores.commit(told(fact, jobs[0].task.id, number), instruction=jobs[number].task.instruction)
        return ws

    return open_one, load_suite(suite)


def interventions(ws, suite, number=1, budget=None):
    """Runs the tests of one round in the open run."""
    bound = budget or Budget()
    work = LoopWork(suite=suite, plan=LoopPlan(rounds=1, limits=loop_limits(ws._services, bound, suite)), budget=bound)
    with tasks_worked_on(
        ws._services, ws.stores.runs.begin("improve", "key", {"suite": "dates"}, started="now"), work
    ) as session:
        return run_insight_tests(session, number), session.ledger.spent


def status(ws, fact):
    (found,) = [one for one in ws.memory.list() if one.text == fact]
    return found.status, found.posterior.agree, found.posterior.disagree


@pytest.mark.slow
def test_a_fact_that_makes_the_difference_is_confirmed_and_one_that_makes_none_stays_as_it_was(services) -> None:
    open_one, suite = services
    with open_one(HELPS, IDLE) as ws:
        assert interventions(ws, suite)[0] == 2
        assert status(ws, HELPS) == ("confirmed", 2 + PAIRS, 0)
        assert status(ws, IDLE) == ("supported", 2, 0)
        records = ws.stores.runs.episodes(run="r1")
        assert {one.split for one in records} == {"probe"} and len(records) == 4 * PAIRS
        train = {task.group for task in suite.split("train")}
        rows = [row for one in ws.memory.list() for row in ws.memory.evidence(one.id) if row.episode[:6] != "before"]
        assert interventions(ws, suite, number=2)[0] == 0
        assert len(rows) == PAIRS and {row.kind for row in rows} == {"intervention"}
        assert {row.group for row in rows} <= train and len({row.group for row in rows}) == PAIRS


@pytest.mark.slow
def test_a_person_has_one_fact_tested_with_the_model_and_nothing_is_paid_twice(services, tmp_path) -> None:
    open_one, _ = services
    with open_one(HELPS, IDLE) as ws:
        [helps] = [one for one in ws.memory.list() if one.text == HELPS]
        [tested] = ws.memory.test(tmp_path / "dates.jsonl", helps.id[:12], budget="500k-tokens")
        assert (tested.insight.text, tested.tried, tested.needed) == (HELPS, PAIRS, PAIRS)
        assert status(ws, HELPS) == ("confirmed", 2 + PAIRS, 0)
        assert status(ws, IDLE) == ("supported", 2, 0)
        assert ws.memory.test(tmp_path / "dates.jsonl", helps.id[:12], budget="500k-tokens") == []


@pytest.mark.slow
def test_a_fact_that_misleads_loses_its_support_and_acts_no_more(services) -> None:
    open_one, suite = services
    with open_one(HURTS) as ws:
        folder = ws.paths.prompts
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "act.md").write_text(f"{load_prompt('act.md', PromptLayers())}\n{HELPS}\n")
        interventions(ws, suite)
        found, agree, disagree = status(ws, HURTS)
        assert (found, agree, disagree) == ("hypothesis", 2, PAIRS)
        assert not ws.stores.memory.experience_rows()


@pytest.mark.slow
def test_tests_that_were_cut_off_go_on_and_a_spent_budget_runs_none(services, monkeypatch) -> None:
    open_one, suite = services
    with open_one(HELPS) as ws:
        assert interventions(ws, suite, number=2, budget=Budget(seconds=0.001))[0] == 0
        before = len(ws.stores.runs.episodes(run="r1"))
        with monkeypatch.context() as cut:
            cut.setattr("evolve.improve.interventions.hit_failpoint", _stop)
            with pytest.raises(KeyboardInterrupt):
                interventions(ws, suite, number=2)
        assert len(ws.stores.runs.episodes(run="r1")) == before == 0
        done, spent = interventions(ws, suite, number=2)
        assert done >= 1 and status(ws, HELPS)[0] == "confirmed"
        records = ws.stores.runs.episodes(run="r1")
        assert len(records) == 2 * PAIRS
        assert spent.tokens == sum(one.cost.tokens for one in records)


def _stop(name):
    if name == "insights.ran":
        raise KeyboardInterrupt


def test_a_policy_that_reads_no_prompts_is_not_tested_in_this_way(services) -> None:
    open_one, suite = services
    with open_one(HELPS, learner=slow_learner()) as ws:
        assert interventions(ws, suite)[0] == 0
        assert not ws.stores.runs.episodes(run="r1")
