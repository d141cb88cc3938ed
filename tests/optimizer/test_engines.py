"""What every engine promises: it asks only what it may ask, and asks the same when it is run again."""

from __future__ import annotations

from contextlib import suppress

import pytest

from benchmarks.doubles.designing import DesigningDouble
from benchmarks.landscapes import Landscape
from benchmarks.optimize_search import LandscapeTrials, engine_of
from evolve.agent.workflow import parse_workflow
from evolve.improve.optimizer.adas import AdasEngine
from evolve.improve.optimizer.engine import EngineSettings, SearchEnded
from evolve.improve.optimizer.workflow_drafts import Drafter
from evolve.policies.language import LanguageDesigner
from evolve.runtime.models import ModelSetup, open_models
from evolve.testing import LocalWire

OF_KNOBS = ("linked", "random search")
ENGINES = (*OF_KNOBS, "adas")
MOST = {"adas": 40}
"""Questions that show what an engine asks, of 120 elsewhere: what a model writes is checked and mended."""


def made(name: str, settings: EngineSettings):
    """An engine; what a model would write for it follows from the prompt alone."""
    if name != "adas":
        return engine_of(name, settings)
    setup = ModelSetup(model="http://localhost:1/v1#m", environ={}, wire=lambda _: LocalWire(DesigningDouble().answer))
    return AdasEngine(drafter=Drafter(designer=LanguageDesigner(models=open_models(setup))), settings=settings)


class Watched(LandscapeTrials):
    """Trials that note every question and end after so many of them."""

    def __init__(self, most: int) -> None:
        super().__init__(Landscape(kind="smooth", seed=955))
        self._most = most
        self.asked: list[tuple[str, ...]] = []
        self.workflows = [self.incumbent.workflow]

    def screen(self, candidate, tasks):
        assert set(tasks) <= {view.id for view in self.tasks} and len(set(tasks)) == len(tasks) > 0
        self._ask("screen", candidate.digest, *tasks)
        self.workflows.append(candidate.workflow)
        return super().screen(candidate, tasks)

    def judge(self, candidate, parent):
        assert parent.digest == self.incumbent.digest != candidate.digest
        assert any(question[:2] == ("screen", candidate.digest) for question in self.asked)
        self._ask("judge", candidate.digest, parent.digest)
        return super().judge(candidate, parent)

    def _ask(self, *question: str) -> None:
        if len(self.asked) == self._most:
            raise SearchEnded("enough")
        self.asked.append(question)


def searched(name: str, most: int, **settings) -> Watched:
    trials = Watched(most)
    with suppress(SearchEnded):
        made(name, EngineSettings(**{"seed": 3} | settings)).search(trials, trials.incumbent)
    return trials


@pytest.mark.slow
@pytest.mark.parametrize("name", ENGINES)
def test_given_the_same_answers_it_asks_the_same_questions(name) -> None:
    most = MOST.get(name, 120)
    whole = searched(name, most)
    assert searched(name, most).asked == whole.asked
    assert searched(name, most // 3).asked == whole.asked[: most // 3], "cut off, it asks from its start again"
    assert searched(name, most, seed=4).asked != whole.asked


@pytest.mark.parametrize("name", ENGINES)
def test_the_end_of_the_budget_is_passed_on(name) -> None:
    trials = Watched(5)
    with pytest.raises(SearchEnded, match="enough"):
        made(name, EngineSettings(seed=1)).search(trials, trials.incumbent)


@pytest.mark.parametrize("name", ENGINES)
def test_whatever_it_tries_is_a_workflow_that_passes_the_check(name) -> None:
    for workflow in searched(name, MOST.get(name, 120)).workflows:
        assert parse_workflow(workflow.render()) == workflow


@pytest.mark.parametrize("name", OF_KNOBS)
def test_knobs_alone_leave_stages_and_routes_as_they_are(name) -> None:
    trials = searched(name, 120, only="knobs")
    start = trials.landscape.start
    assert {(one.stages, str(one.routes)) for one in trials.workflows} == {(start.stages, str(start.routes))}
    assert len({one.digest for one in trials.workflows}) > 10


def test_no_more_candidates_are_tried_than_were_asked_for() -> None:
    trials = Watched(10_000)
    reason = engine_of("linked", EngineSettings(seed=1, proposals=12)).search(trials, trials.incumbent)
    assert reason == "all 12 proposals made"
    judged = {question[1] for question in trials.asked if question[0] == "judge"}
    leaner = len(trials.workflows[1:])
    assert judged and leaner < 12 * 4
