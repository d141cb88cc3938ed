"""The engine that draws anew what a task hangs on: it gets around what deceives, and stops where nothing separates."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

import pytest

from benchmarks.landscapes import Landscape
from benchmarks.optimize_search import LandscapeTrials
from evolve.agent.workflow import Workflow
from evolve.core.episodes import Cost, Limits, TaskView
from evolve.core.errors import UsageError
from evolve.improve.optimizer.engine import (
    Candidate,
    CandidateJudgement,
    CandidateTrial,
    EngineSettings,
    RemainingBudget,
    SearchEnded,
    engine_kind,
)
from evolve.improve.optimizer.linked import LinkedEngine
from evolve.improve.optimizer.workflow_drafts import SearchScope
from tests.agent.deliberating import with_stages

SCOPE = SearchScope(policy="search", limits=Limits(candidates=2_000, seconds=None))


class Capped:
    """Twenty-four tasks, each solved by whoever may try enough candidates; nothing else matters.

    Args:
        needed: Candidates that the first task needs; the n-th needs n times as many.
        budget: Trials that the search may have; None for no bound.
    """

    def __init__(self, needed: int, *, accepts=True, budget: int | None = None) -> None:
        self._needed, self._accepts, self._budget = needed, accepts, budget
        self.incumbent = Candidate(workflow=Workflow().with_knobs(candidates=100))
        self.tried: list[tuple[str, str]] = []
        self.judged: list[Candidate] = []

    @property
    def tasks(self):
        return [TaskView(id=f"{n}", family="", instruction="", signature="", examples=()) for n in range(24)]

    def screen(self, candidate, tasks):
        if self._budget is not None and len(self.tried) >= self._budget:
            raise SearchEnded("the budget is used up")
        self.tried += [(candidate.digest, task) for task in tasks]
        cap = candidate.workflow.knobs.candidates
        needed = {name: self._needed * (int(name) + 1) for name in tasks}
        return [
            CandidateTrial(
                task=n, group=n, score=float(need <= cap), solved=need <= cap, cost=Cost(candidates=min(cap, need))
            )
            for n, need in needed.items()
        ]

    def judge(self, candidate, parent):
        assert parent.digest == self.incumbent.digest
        self.judged.append(candidate)
        if self._accepts:
            self.incumbent = candidate
        return CandidateJudgement(accepted=self._accepts)

    def remaining(self):
        return RemainingBudget(share=1.0 if self._budget is None else max(0.0, 1 - len(self.tried) / self._budget))


def search(trials, **settings):
    return LinkedEngine(settings=EngineSettings(**{"seed": 1, "only": "knobs"} | settings), scope=SCOPE).search(
        trials, trials.incumbent
    )


def test_the_knob_that_counts_is_found_and_nothing_else_is_proposed() -> None:
    trials = Capped(40)
    reason = search(trials)
    assert "nothing separates" in reason
    found = trials.incumbent.workflow
    assert found.knobs.candidates >= 960
    # Neutral changes drifted along on the way; what was not seen to help is not proposed.
    assert found == Workflow().with_knobs(candidates=found.knobs.candidates)
    assert len(trials.judged) <= 3


def test_a_search_where_nothing_makes_a_difference_ends_early_and_says_by_what_evidence() -> None:
    trials = Capped(10**6)
    reason = search(trials)
    assert reason.startswith("nothing separates: ") and "95 % confidence" in reason
    assert trials.judged == []
    assert len({name for name, _ in trials.tried}) < 80


def test_within_a_budget_what_was_found_is_judged_while_there_is_something_left() -> None:
    trials = Capped(40, accepts=False, budget=600)
    with suppress(SearchEnded):
        search(trials)
    assert trials.judged, "a gain on most tasks is not kept to oneself until the budget is gone"
    assert len(trials.judged) <= 4, "and a refusal is no reason to ask about the same gain again"


def test_what_did_better_is_judged_also_where_the_trials_end_before_its_turn() -> None:
    trials = Capped(40, budget=60)
    with pytest.raises(SearchEnded, match="used up"):
        search(trials)
    assert len(trials.judged) == 1
    assert trials.incumbent.workflow.knobs.candidates > 100


def test_a_refusal_is_followed_by_a_judgement_only_of_something_better() -> None:
    trials = Capped(40, accepts=False)
    search(trials)
    scores = [sum(40 * n <= one.workflow.knobs.candidates for n in range(1, 25)) for one in trials.judged]
    assert scores == sorted(set(scores))


def test_nothing_is_tried_twice() -> None:
    trials = Capped(40)
    search(trials)
    assert len(trials.tried) == len(set(trials.tried))


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["smooth", "deceptive", "sparse"])
def test_it_gets_nearly_to_the_optimum_of_landscapes_on_which_single_steps_fail(kind) -> None:
    best = []
    for seed in (941, 942, 943):
        trials = LandscapeTrials(Landscape(kind=kind, seed=seed))
        with suppress(SearchEnded):
            LinkedEngine(settings=EngineSettings(seed=seed)).search(trials, trials.incumbent)
        best.append(trials.best)
    assert sum(best) / len(best) > 0.95


def test_an_engine_of_an_earlier_version_is_said_to_be_gone_and_what_to_write_instead() -> None:
    with pytest.raises(UsageError, match="the engine bandit is gone; linked has taken its place") as refused:
        engine_kind("bandit", "knobs")
    assert refused.value.hint == "--engine linked"
    assert engine_kind("", "knobs").name == engine_kind("", "").name == "linked"


def test_parts_that_no_trial_could_show_are_left_alone() -> None:
    learning, inert = ["knob:withhold", "stage:reflect"], ["knob:samples", "knob:recall_k", "stage:recall"]
    assert [part for part in (*learning, *inert, "knob:steps") if SCOPE.hides_part(part)] == [*learning, *inert]
    asked = replace(SCOPE, policy="language:some")
    parts = ("knob:recall_k", "stage:recall", "knob:candidates", "knob:seconds")
    assert [part for part in parts if asked.hides_part(part)] == ["knob:candidates", "knob:seconds"]
    start = Workflow().with_knobs(candidates=1000, seconds=1.0)
    scope = SearchScope(policy="search", limits=Limits(candidates=1000, seconds=1.0))
    assert not scope.can_distinguish(start, start.with_knobs(samples=4, withhold=0.3, tokens=5000))
    assert not scope.can_distinguish(start, scope.clamp_knobs(start.with_knobs(candidates=90_000)))
    assert scope.can_distinguish(start, start.with_knobs(candidates=500))
    told = SearchScope(policy="language:some")
    assert not told.can_distinguish(start, start.with_knobs(candidates=500, seconds=2.0))
    lends = with_stages("search", candidates=1000)
    assert told.can_distinguish(lends, lends.with_knobs(candidates=500))
