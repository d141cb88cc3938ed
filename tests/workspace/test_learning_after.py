"""A person's own runs: the outcome is on record and shown first; what it teaches is worked out after that."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace

import pytest

import evolve
from benchmarks.doubles import QuirkDouble, quirk_suite, quirk_tasks, small_suite
from evolve.agent import Agent, AgentServices
from evolve.core.episodes import Cost, Limits
from evolve.core.errors import EndpointProblem, UsageError
from evolve.core.failpoints import VARIABLE
from evolve.testing import FixedLearner, FixedPolicy, ScriptedEndpoint, TrustingSandbox
from evolve.workspace import Person
from evolve.workspace.health.housekeeping import clean_up
from tests.agent.conftest import make_task
from tests.policies.language.conftest import asked as wanted_by

TASK = small_suite(4).tasks[0]


@dataclass(frozen=True)
class Telling(FixedPolicy):
    """Says what it is asked, in a list that its copies share."""

    asked: list = None

    def act(self, view, plan, steps, limits):
        self.asked.append("act")
        return super().act(view, plan, steps, limits)

    def reflect(self, view, group, steps, probe):
        self.asked.append("reflect")
        return super().reflect(view, group, steps, probe)

    def distill(self, view, steps):
        self.asked.append("distill")
        return super().distill(view, steps)


@dataclass(frozen=True)
class TellingLearner(FixedLearner):
    asked: list = None
    kind: type = Telling

    def policy(self, guide, skills, *, attended=False):
        made = super().policy(guide, skills, attended=attended)
        return self.kind(**{**made.__dict__, "asked": self.asked})


@pytest.fixture
def opened(tmp_path):
    def open_one(asked, **more):
        workspace = evolve.open(tmp_path / "ws", policy=TellingLearner(distils=True, asked=asked, **more))
        workspace._sandbox = TrustingSandbox()
        return workspace

    return open_one


def checkpoints(workspace):
    return list(workspace.paths.runs.glob("*/*/checkpoint.db"))


def evidence(workspace):
    return [row.id for claim in workspace.memory.list() for row in workspace.memory.evidence(claim.id)]


def test_the_graph_of_an_own_task_learns_nothing_and_one_of_practice_does():
    asked = []
    around = AgentServices(policy=Telling(asked=asked, distils=True), sandbox=TrustingSandbox(), run="r1")
    own = Agent(around).run_episode(make_task(), variant="v", split="own")
    assert own.solved and asked == ["act"] and not own.claims and not own.drafts
    practised = Agent(around).run_episode(make_task(), variant="v", split="train")
    assert asked == ["act", "act", "reflect", "distill"] and practised.claims and practised.drafts


def test_what_is_learned_later_is_what_was_learned_in_the_graph():
    around = AgentServices(policy=FixedPolicy(distils=True), sandbox=TrustingSandbox(), run="r1")
    agent = Agent(around)
    own = agent.run_episode(make_task(), variant="v", split="own")
    lessons = agent.learn(make_task(), own, limits=Limits())
    practised = agent.run_episode(make_task(), variant="v", split="train")
    assert (lessons.claims, lessons.drafts) == (practised.claims, practised.drafts)


def test_the_result_is_on_record_and_shown_before_anything_is_learned(opened):
    asked = []
    with opened(asked) as workspace:
        with workspace.delivering():
            result = workspace.run(TASK)
            assert result.solved and asked == ["act"] and not result.learned and not result.skills
            assert workspace.stores.runs.episode(result.episode_id).verified
            assert not workspace.memory.list()
        assert [run.state for run in workspace.stores.runs.list_runs()] == ["done"]
        assert checkpoints(workspace)  # learning goes on from there
        (taught,) = workspace.learn()
        assert asked == ["act", "reflect", "distill"]
        assert taught.learned and taught.skills and taught.episode == result.episode_id
        record = workspace.stores.runs.episode(result.episode_id)
        assert record.claims and record.drafts and not checkpoints(workspace)
        assert len(evidence(workspace)) == 1
        assert workspace.learn() == ()
    assert asked == ["act", "reflect", "distill"]


def test_without_anybody_to_show_it_to_a_result_says_what_was_learned(opened):
    with opened([]) as workspace:
        result = workspace.run(TASK)
        assert result.learned and result.skills and workspace.learn() == ()
        assert not checkpoints(workspace)


def test_nothing_is_learned_where_that_is_switched_off(opened, tmp_path):
    asked = []
    with opened(asked) as workspace:
        result = workspace.run(TASK, person=Person(learn="off"))
        assert result.solved and not result.learned and workspace.learn() == () and not checkpoints(workspace)
    with (tmp_path / "ws" / "evolve.toml").open("a") as settings:
        settings.write('learn = "off"\n')
    with opened(asked) as workspace:
        assert not workspace.run(TASK).learned
        assert workspace.run(TASK, person=Person(learn="after")).learned
    assert asked == ["act", "act", "act", "reflect", "distill"]
    with pytest.raises(UsageError, match="none of off, after, full"):
        Person(learn="never")


POINTS = [
    "episode.end:1",
    "run.end.after:1",
    "output.after:4",
    "output.after:6",
    "output.after:7",
    "lessons.before:1",
    "lessons.inside:1",
    "lessons.after:1",
]


@pytest.mark.parametrize("point", POINTS)
def test_cut_off_anywhere_what_was_paid_for_is_paid_once_and_learned_once(opened, monkeypatch, point):
    asked = []
    monkeypatch.setenv(VARIABLE, f"{point}:int")
    with opened(asked) as workspace, pytest.raises(KeyboardInterrupt):
        with workspace.delivering():
            workspace.run(TASK)
        workspace.learn()
    monkeypatch.delenv(VARIABLE)
    with opened(asked) as workspace:
        if any(run.state == "open" for run in workspace.stores.runs.list_runs()):
            workspace.run(TASK)
        workspace.learn()
        assert asked == ["act", "reflect", "distill"]
        assert len(evidence(workspace)) == 1 and len(workspace.skills.list()) == 1
        (record,) = workspace.stores.runs.episodes()
        assert record.claims and record.drafts
        assert [run.state for run in workspace.stores.runs.list_runs()] == ["done"]
        assert workspace.learn() == ()
        clean_up(workspace.paths, workspace.stores.db)
        assert not checkpoints(workspace)


def test_the_next_run_learns_what_an_earlier_one_was_cut_off_from(opened):
    with opened([]) as workspace, workspace.delivering():
        first = workspace.run(TASK)
    with opened([]) as workspace:
        workspace.run(small_suite(4).tasks[1])
        assert workspace.stores.runs.episode(first.episode_id).claims


def test_a_file_of_an_episode_that_is_still_owed_a_lesson_is_not_tidied_away(opened):
    with opened([]) as workspace:
        with workspace.delivering():
            workspace.run(TASK)
        clean_up(workspace.paths, workspace.stores.db)
        assert checkpoints(workspace)


class Failing(Telling):
    def reflect(self, view, group, steps, probe):
        super().reflect(view, group, steps, probe)
        raise EndpointProblem("the endpoint does not answer")


def test_an_endpoint_that_fails_takes_nothing_from_a_result_and_learning_goes_on_later(opened):
    asked = []
    with opened(asked, kind=Failing) as workspace:
        assert workspace.run(TASK).solved
        with pytest.raises(EndpointProblem):
            workspace.learn()
    with opened(asked) as workspace:
        (taught,) = workspace.learn()
        assert taught.learned and asked == ["act", "reflect", "reflect", "reflect", "distill"]


def test_only_who_solved_it_learns_from_it(opened, tmp_path):
    with opened([]) as workspace, workspace.delivering():
        result = workspace.run(TASK)
    with evolve.open(tmp_path / "ws") as workspace:
        (taught,) = workspace.learn()
        assert taught.note.code == "solved_by_another" and taught.note.facts["policy"] == "fixed" and not taught.learned
        assert not workspace.stores.runs.episode(result.episode_id).claims
    with opened([]) as workspace:
        (taught,) = workspace.learn(result.run_id)
        assert taught.learned and not taught.note


@dataclass(frozen=True)
class Metered(Telling):
    """Pays a call for every question, and notes what it may spend."""

    spends = True

    @property
    def total_cost(self):
        return Cost(calls=sum(word in ("act", "reflect", "distill") for word in self.asked))

    def start_budget(self, limits):
        self.asked.append(limits)


def test_learning_has_a_share_of_what_solving_might_spend_and_keeps_to_a_budget_that_was_given(opened):
    asked = []
    with opened(asked, kind=Metered) as workspace:
        workspace.run(TASK, budget="1k-candidates")
        (whole, *_, share) = [one for one in asked if not isinstance(one, str)]
        (taught,) = [row for row in [workspace.stores.runs.episodes()[0]] if row.cost.calls]
    assert share.candidates == min(500, 1000 - taught.cost.candidates)
    assert taught.cost.calls == 3
    assert whole != share and replace(share, candidates=None) != share


@dataclass(frozen=True)
class Asking(Telling):
    """Says how many claims it may try."""

    def with_claim_trials(self, pairs):
        self.asked.append(pairs)
        return self


def test_how_many_claims_may_be_tried_by_asking_again_is_said_to_who_asks(opened):
    asked = []
    with opened(asked, kind=Asking) as workspace:
        workspace.run(TASK)
        workspace.run(TASK, person=Person(learn="full"))
    assert [one for one in asked if one not in ("act", "reflect", "distill")] == [1]


@pytest.mark.slow
def test_what_learning_cost_is_told_with_the_result_and_kept_with_the_episode(opened):
    with opened([], kind=Metered) as workspace:
        with workspace.delivering():
            result = workspace.run(TASK)
        (taught,) = workspace.learn()
        record = workspace.stores.runs.episode(result.episode_id)
    assert (result.cost.calls, taught.cost.calls, record.cost.calls) == (1, 2, 3)
    with opened([], kind=Metered) as workspace:
        assert workspace.run(TASK).cost.calls == 3


def test_an_answer_with_a_skill_that_was_retired_meanwhile_ends_learning_with_a_note(opened):
    with opened([]) as workspace:
        (name,) = workspace.run(TASK).skills
        with workspace.delivering():
            assert workspace.run(TASK).solved
        workspace.skills.retire(name)
        (taught,) = workspace.learn()
        assert "in use no more" in str(taught.note) and not taught.waits and workspace.learn() == ()


class Supposing(QuirkDouble):
    """States two causes of which one makes the difference."""

    def answer(self, body):
        if wanted_by(body) != "claims":
            return super().answer(body)
        causes = (quirk_tasks(1)[0].quirk.sentence, "Days of the week are written in small letters.")
        return json.dumps({"claims": [{"cause": cause, "condition": ""} for cause in causes]})


@pytest.mark.slow
@pytest.mark.parametrize(("mode", "questions"), [("after", 2), ("full", 4)])
def test_one_claim_is_tried_by_asking_a_model_again_unless_all_are_to_be(tmp_path, mode, questions):
    task = quirk_suite().tasks[0]
    with (
        ScriptedEndpoint(double=Supposing()) as serving,
        evolve.open(tmp_path / "ws", model=serving.model) as workspace,
    ):
        workspace.run(task, person=Person(learn=mode))
        names = [wanted_by(body) for body in serving.requests]
    place = names.index("claims")
    assert names[place + 1 :].count("action") == questions


class Unbelieving(Telling):
    """Drafts a skill and claims nothing, as after a first answer that was right."""

    def reflect(self, view, group, steps, probe):
        return ()


def test_a_task_that_gave_a_skill_and_no_claim_measures_nothing_any_more(opened):
    with opened([], kind=Unbelieving) as workspace:
        assert TASK.group not in workspace.stores.learned_groups()
        result = workspace.run(TASK)
        assert result.skills and not evidence(workspace)
        assert TASK.group in workspace.stores.learned_groups()
