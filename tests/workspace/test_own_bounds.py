"""What a person's own run may spend, and what is said of what ended it."""

from __future__ import annotations

import pytest

import evolve
from evolve.agent import Agent, AgentServices
from evolve.agent.workflow import Knobs
from evolve.core.episodes import Limits, Row, TaskView
from evolve.core.ledger import Budget
from evolve.core.settings import OWN_BOUNDS, load_settings
from evolve.policies.search import SearchPolicy
from evolve.policies.search.meter import SearchMeter
from evolve.tasks import Task
from evolve.testing import TrustingSandbox
from evolve.workspace.learners import SearchLearner, episode_limits

NOISE = tuple(Row(input=(n,), output=out) for n, out in enumerate((731, 15, 9981, 2, 77123, 403), 1))
TASK = Task(id="noise", family="numbers", instruction="", examples=NOISE)


def own_limits(settings, **budget):
    return episode_limits(SearchLearner(), Budget(**budget), settings, Knobs())


def test_a_persons_own_run_may_try_two_million_candidates(tmp_path):
    settings = load_settings(tmp_path, {})
    limits = own_limits(settings)
    assert (limits.candidates, limits.seconds) == (2_000_000, 60.0) == tuple(OWN_BOUNDS.values())
    assert (settings.candidates, settings.seconds) == (50_000, 20.0)  # an attempt of a loop
    assert own_limits(settings, candidates=70).candidates == 70


def test_what_was_set_for_every_episode_holds_for_own_runs_too(tmp_path):
    (tmp_path / "evolve.toml").write_text("candidates = 50000\n")
    limits = own_limits(load_settings(tmp_path, {"EVOLVE_SECONDS": "3"}))
    assert (limits.candidates, limits.seconds) == (50_000, 3.0)


def attempt(**limits):
    around = AgentServices(policy=SearchPolicy(), sandbox=TrustingSandbox(), run="r1")
    return Agent(around).run_episode(TASK, variant="v", split="own", limits=Limits(**limits))


def test_a_clock_that_ended_it_is_told_with_how_far_it_came():
    record = attempt(candidates=50_000_000, seconds=0.05)
    tried = record.cost.candidates
    assert record.status == "budget" and 0 < tried < 50_000_000
    assert record.note.startswith(f"stopped by the clock after {tried:,} candidates and 0.05 s: nothing found")


def test_candidates_that_ended_it_are_told_without_the_clock():
    record = attempt(candidates=3_000, seconds=600.0)
    assert record.note.startswith("nothing found within 3,000 candidates") and " s" not in record.note.split(";")[0]


@pytest.mark.parametrize(
    ("meter", "told"),
    [
        ({"dearest": 8}, "no program among all"),
        ({"memory": 200}, "the search can keep no more"),
        ({"limit": 900}, "no program within 90"),
    ],
)
def test_a_search_says_what_ended_it(monkeypatch, meter, told):
    def bounded(limit, seconds):
        return SearchMeter(limit=limit, memory=meter.get("memory", 1_500_000))

    monkeypatch.setattr("evolve.policies.search.policy.meter_for", bounded)
    monkeypatch.setattr("evolve.policies.search.searcher.MAX_COST", meter.get("dearest", 60))
    view = TaskView(id="noise", family="", instruction="", signature="", examples=NOISE)
    policy = SearchPolicy()
    limits = Limits(candidates=meter.get("limit", 10_000_000), seconds=None)
    action = policy.act(view, policy.plan(view, ()), (), limits)
    assert action.kind == "finish" and told in action.text
    # What it says of candidates is what it computed.
    assert f"{action.cost.candidates:,} candidates" in action.text


def test_a_search_over_many_rows_keeps_fewer_candidates(monkeypatch):
    monkeypatch.setattr("evolve.policies.search.searcher.MOST_VALUES", 6_000)
    view = TaskView(id="noise", family="", instruction="", signature="", examples=NOISE)
    policy = SearchPolicy()
    action = policy.act(view, policy.plan(view, ()), (), Limits(candidates=1_000_000, seconds=None))
    assert "the search can keep no more" in action.text and action.cost.candidates < 100_000


def test_a_run_of_ones_own_says_which_bound_ended_it(tmp_path):
    with evolve.open(tmp_path / "ws") as opened:
        opened._sandbox = TrustingSandbox()
        result = opened.run(TASK, budget="2k-candidates")
    assert result.status == "budget" and result.note.startswith("nothing found within 2,000 candidates")


def test_a_larger_bound_leaves_a_fifth_for_doubts_about_an_answer(tmp_path):
    with evolve.open(tmp_path / "ws") as opened:
        opened._sandbox = TrustingSandbox()
        result = opened.run(TASK, budget="10k-candidates")
    assert result.budget_ended and result.note.startswith("nothing found within 8,000 candidates")
