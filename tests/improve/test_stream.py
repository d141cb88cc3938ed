"""A suite too small to be split: every task is judged before it is practised on, and counts once."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import pytest

from benchmarks.doubles import slow_learner, small_suite
from evolve.core.episodes import Row, SkillDraft
from evolve.core.errors import BudgetExhausted
from evolve.core.failpoints import VARIABLE
from evolve.core.ledger import Budget
from evolve.improve.prequential import BLOCKS, block_sizes, distinct_tasks, improve_in_stream
from evolve.improve.session import LoopPlan
from evolve.skills import AdmissionVerdict, Skill
from evolve.tasks import Suite
from evolve.testing import FixedLearner
from evolve.workspace.loops.forecast import SuiteForecast
from evolve.workspace.loops.improving import LoopWork, _reopen, loop_limits, opened_session


def suite_of(count, *, instruction="give the {0.family} of {0.id}"):
    tasks = [replace(task, instruction=instruction.format(task)) for task in small_suite(count).tasks]
    return Suite(name="small", tasks=tuple(tasks))


def streamed(workspace, suite, *, budget=None, seed=0):
    budget = budget or Budget()
    services = workspace._services
    plan = LoopPlan(rounds=BLOCKS, seed=seed, limits=loop_limits(services, budget, suite))
    work = LoopWork(suite=suite, plan=plan, budget=budget)
    key = f"key {suite.digest} {seed}"
    _reopen(services, key, BLOCKS)
    with opened_session(services, "improve", key, {"suite": suite.name}, work) as session:
        return improve_in_stream(session)


@dataclass(frozen=True)
class Useless(FixedLearner):
    """Learns an order that is the unlearned one, so that nothing it keeps makes any difference."""

    def fit(self, experience, views, skills, seed):
        return {"preferred": [*self.programs, str(len(experience))]}


@pytest.mark.slow
def test_thirty_tasks_are_enough_to_promote_what_helps(open_ws):
    with open_ws() as workspace:
        report = streamed(workspace, suite_of(30))
        assert report.promoted and [row.promoted for row in report.rounds] == [False, False, True]
        assert report.arms[0].tasks == report.arms[1].tasks == 30 - block_sizes(30)[0]
        assert report.arms[1].candidates < report.arms[0].candidates and report.looks == 0
        assert report.helped and not replace(report, promoted="").helped  # the gate decides, and no second look at it
        (decision,) = workspace.gate.list().decisions
        assert (decision.verdict, decision.parent, decision.planned) == ("accept", "unlearned", 23)
        assert decision.alpha == pytest.approx(0.025)
        assert len(workspace.stores.decisions.regression_tasks("small")) == 23


@pytest.mark.slow
def test_a_skill_that_few_tasks_did_not_need_stays_on_offer(open_ws):
    draft = SkillDraft(
        name="second-word",
        description="The second word of a text.",
        entry="second_word",
        signature="(text: str) -> str",
        code="def second_word(text: str) -> str:\n    return text.split()[1]\n",
        tests=(Row(input=("a b c",), output="b"),),
        source="task words-1",
    )
    skill = Skill.from_draft(draft)
    with open_ws() as workspace:
        workspace.stores.skills.add(skill, AdmissionVerdict(digest=skill.digest, admitted=True))
        streamed(workspace, suite_of(20))
        assert workspace.skills.show("second-word").status == "admitted"


@pytest.mark.slow
def test_each_task_is_judged_before_it_is_practised_on_and_by_what_others_taught(open_ws):
    with open_ws() as workspace:
        streamed(workspace, suite_of(16))
        episodes = workspace.stores.runs.episodes()
        for number, record in enumerate(episodes):
            if record.split == "gate":
                earlier = {one.group for one in episodes[:number] if one.split == "train"}
                assert record.group not in earlier
        assert len({record.variant for record in episodes if record.split == "gate"}) == BLOCKS


@pytest.mark.slow
def test_what_makes_no_difference_is_not_promoted(open_ws):
    with open_ws(learner=Useless(programs=slow_learner().programs)) as workspace:
        report = streamed(workspace, suite_of(30))
        assert not report.promoted and workspace.stores.variants.active_digest == "unlearned"
        (decision,) = workspace.gate.list().decisions
        assert decision.tally.ties == 23 and decision.verdict != "accept"


def test_tasks_of_one_template_count_once(open_ws):
    suite = suite_of(30, instruction="give the {0.family}")
    assert len(distinct_tasks(suite.tasks)) == 4
    with open_ws() as workspace:
        assert not streamed(workspace, suite).promoted
        assert not [record for record in workspace.stores.runs.episodes() if record.split == "gate"]


@pytest.mark.slow
def test_sixty_tasks_of_fifteen_problems_count_fifteen_times_at_most(open_ws):
    copies = [replace(task, id=f"{task.id}-{copy}") for task in suite_of(15).tasks for copy in range(4)]
    groups = {task.group for task in copies}
    assert len(groups) == 15
    with open_ws() as workspace:
        streamed(workspace, Suite(name="small", tasks=tuple(copies)))
        judged = [record for record in workspace.stores.runs.episodes() if record.split == "gate"]
        assert len(judged) == 2 * (15 - block_sizes(15)[0])
        assert {record.group for record in judged} < groups


@pytest.mark.slow
def test_a_problem_that_was_learned_from_before_is_practised_on_and_not_counted(open_ws):
    suite = suite_of(12)
    with open_ws() as workspace:
        for task in suite.tasks:
            workspace.run(task)
        report = streamed(workspace, suite)
        assert not report.promoted and report.rounds[-1].episodes
        assert not [record for record in workspace.stores.runs.episodes() if record.split == "gate"]


@pytest.mark.slow
@pytest.mark.parametrize("known", [0, 3, 5])
def test_as_many_are_judged_as_were_foretold(open_ws, known):
    suite = suite_of(20)
    with open_ws() as workspace:
        for task in suite.tasks[:known]:
            workspace.run(task)
        ahead = SuiteForecast.for_suite(workspace.stores, suite, streams=True, seed=3)
        streamed(workspace, suite, seed=3)
        judged = {record.group for record in workspace.stores.runs.episodes() if record.split == "gate"}
        assert (ahead.problems, ahead.judged) == (20, len(judged))
        assert judged and (known or len(judged) == 15)


def figures(report):
    return [(row.arm, row.tasks, row.verified, row.candidates) for row in report.arms], report.promoted


@dataclass(frozen=True)
class OutOfTime(FixedLearner):
    """Has no time for the guide at one of the fits, as where a budget in seconds ends in it."""

    ends_at: int = 0
    fits: list[int] = field(default_factory=list)

    def fit(self, experience, views, skills, seed):
        self.fits.append(len(experience))
        if len(self.fits) == self.ends_at:
            raise BudgetExhausted("the time budget ended before a guide was fitted")
        return super().fit(experience, views, skills, seed)


@pytest.fixture(scope="module")
def made():
    """What was worked out once for all tests here."""
    return {}


@pytest.fixture
def whole(made, open_ws):
    """The report of 16 tasks where nothing comes in between, and how many candidates one episode may try."""
    if not made:
        with open_ws("whole") as workspace:
            made["report"] = streamed(workspace, suite_of(16))
            made["one"] = loop_limits(workspace._services, Budget(), suite_of(16)).candidates
    return made["report"], made["one"]


@pytest.mark.slow
@pytest.mark.parametrize("ends_at", [1, 2, 3])
def test_time_that_ends_while_a_guide_is_fitted_is_told_and_gone_on_from(open_ws, whole, ends_at):
    learner = OutOfTime(programs=slow_learner().programs, ends_at=ends_at)
    with open_ws("cut", learner=learner) as workspace:
        report = streamed(workspace, suite_of(16), budget=Budget(seconds=3600.0))
        assert report.finish_reason == "the time budget ended before a guide was fitted" and not report.promoted
        assert workspace.stores.runs.list_runs()[-1].state == "budget" and not workspace.gate.list().decisions
        assert figures(streamed(workspace, suite_of(16), budget=Budget(seconds=3600.0))) == figures(whole[0])


@pytest.mark.slow
@pytest.mark.parametrize(
    "point", ["practice.kept:2", "gate.before:1", "gate.inside:1", "attempt.kept:20", "variant.kept:2"]
)
def test_killed_anywhere_the_same_command_comes_to_the_same_end(open_ws, whole, monkeypatch, point):
    monkeypatch.setenv(VARIABLE, f"{point}:int")
    with open_ws("cut") as workspace, pytest.raises(KeyboardInterrupt):
        streamed(workspace, suite_of(16))
    monkeypatch.delenv(VARIABLE)
    with open_ws("cut") as workspace:
        assert figures(streamed(workspace, suite_of(16))) == figures(whole[0])
        assert len(workspace.gate.list().decisions) == 1


@pytest.mark.slow
def test_a_budget_that_ends_it_decides_nothing(open_ws):
    with open_ws() as workspace:
        report = streamed(workspace, suite_of(24), budget=Budget(candidates=52_500))
        assert not report.promoted and not workspace.gate.list().decisions
        assert "52,500" in report.finish_reason


def renamed(suite):
    """The same problems under other names and in other words."""
    tasks = [
        replace(task, id=f"{task.id}-again", group=f"again {task.group}", instruction=f"Again: {task.instruction}")
        for task in suite.tasks
    ]
    return Suite(name="small", tasks=tuple(tasks))


@pytest.mark.slow
def test_problems_that_were_practised_on_before_are_known_under_other_names(open_ws):
    suite = suite_of(12)
    with open_ws(learner=Useless(programs=slow_learner().programs)) as workspace:
        streamed(workspace, suite)
        assert not workspace.stores.learned_groups() & {task.group for task in renamed(suite).tasks}
        streamed(workspace, renamed(suite))
        ids = {task.id for task in renamed(suite).tasks}
        again = [record for record in workspace.stores.runs.episodes() if record.task in ids]
        assert again and not [record for record in again if record.split == "gate"]


@pytest.mark.slow
def test_broken_off_before_the_verdict_it_has_used_its_level(open_ws, monkeypatch):
    suite = suite_of(30)
    monkeypatch.setenv(VARIABLE, "practice.planned:2:int")
    with open_ws() as workspace, pytest.raises(KeyboardInterrupt):
        streamed(workspace, suite)
    monkeypatch.delenv(VARIABLE)
    with open_ws() as workspace:
        assert [record for record in workspace.stores.runs.episodes() if record.split == "gate"]
        streamed(workspace, suite, seed=1)
        (decision,) = workspace.gate.list().decisions
        assert decision.proposal == 2 and decision.alpha == pytest.approx(0.05 / 6)


@pytest.mark.slow
def test_a_budget_that_ends_with_the_last_task_leaves_the_verdict(open_ws, whole):
    untouched, one = whole
    with open_ws("cut") as workspace:
        report = streamed(workspace, suite_of(16), budget=Budget(candidates=untouched.spent.candidates + one - 1))
        assert figures(report) == figures(untouched) and report.promoted
        assert len(workspace.gate.list().decisions) == 1
        assert report.finish_reason == untouched.finish_reason == "all 3 rounds done"


@pytest.mark.slow
def test_the_order_is_fixed_by_groups_and_seed_alone(open_ws):
    suite = suite_of(16)
    turned = Suite(name="small", tasks=suite.tasks[::-1])
    orders = []
    for name, one in (("a", suite), ("b", turned)):
        with open_ws(name) as workspace:
            streamed(workspace, one)
            orders.append([record.task for record in workspace.stores.runs.episodes() if record.split == "gate"])
    assert orders[0] == orders[1]
