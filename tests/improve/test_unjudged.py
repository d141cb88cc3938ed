"""Where no gain can be proved nothing is spent on proving one, and practice ends when it brings nothing new."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace

import pytest

from benchmarks.doubles import slow_learner, small_suite
from evolve.core.episodes import Cost, EpisodeRecord
from evolve.core.failpoints import VARIABLE
from evolve.tasks import Suite, render_jsonl
from evolve.testing import FixedLearner, FixedPolicy, question_of
from evolve.testing.endpoint_faults import chat_completion_body
from evolve.trials.gate import has_headroom
from evolve.trials.gate.power import PowerForecast
from evolve.workspace.learners import SearchLearner
from evolve.workspace.loops.forecast import SuiteForecast
from tests.improve.model_runs import USAGE, learner_of
from tests.improve.test_stream import Useless, streamed, suite_of


class Heard:
    def __init__(self):
        self.events = []

    def emit(self, event):
        self.events.append(event)


@pytest.fixture
def few(tmp_path):
    file = tmp_path / "few.jsonl"
    file.write_text(render_jsonl(small_suite(12).tasks))
    return file


def splits(workspace):
    return [record.split for record in workspace.stores.runs.episodes()]


def test_nothing_is_fitted_or_judged_and_the_rest_of_the_budget_comes_back(open_ws, few):
    heard = Heard()
    with open_ws(events=heard) as workspace:
        report = workspace.improve(few, budget="10M-candidates")
        assert not report.has_promoted and not workspace.gate.list().decisions
        assert set(splits(workspace)) <= {"train", "probe"}
        assert workspace.stores.runs.list_runs()[-1].state == "done"
        assert report.spent.candidates < 1_000_000
        assert all(not row.verdict and not row.pairs for row in report.rounds)
        assert "left to judge on" in report.rounds[0].reason
    kinds = [event.kind for event in heard.events]
    assert kinds.index("begun") < kinds.index("practice") and not {"gate", "judged", "proposed"} & set(kinds)


def test_passes_go_on_as_long_as_they_bring_anything(open_ws, few):
    with open_ws() as workspace:
        report = workspace.improve(few)
        records = [one for one in workspace.stores.runs.episodes() if one.split == "train"]
        solved = [{one.task for one in records if one.seed == row.number and one.verified} for row in report.rounds]
        news = [
            bool(row.skills or solved[place] - set().union(*solved[:place])) for place, row in enumerate(report.rounds)
        ]
    assert len(news) > 1 and all(news[:-1]) and not news[-1]
    assert "nothing new" in report.finish_reason


def test_a_person_may_ask_for_fewer_passes(open_ws, few):
    with open_ws() as workspace:
        assert len(workspace.improve(few, rounds=1).rounds) == 1


def test_the_second_time_it_ends_at_once_and_the_report_stays(open_ws, few):
    with open_ws() as workspace:
        first = workspace.improve(few)
        before = splits(workspace)
        again = workspace.improve(few, budget="10M-candidates")
        assert splits(workspace) == before and not again.has_promoted
        assert again.rounds == () and again.spent.candidates == 0
        assert workspace.report().run == first.run != again.run
        assert workspace.stores.runs.list_runs()[-1].state == "done"


def test_what_could_not_be_solved_is_practised_on_again_with_more_or_where_a_person_says_so(open_ws, few, monkeypatch):
    monkeypatch.setenv("EVOLVE_CANDIDATES", "3")
    with open_ws() as workspace:
        few_solved = workspace.improve(few).rounds[-1].solved
        assert workspace.improve(few).rounds == ()
        assert workspace.improve(few, fresh=True).rounds[0].episodes
    monkeypatch.setenv("EVOLVE_CANDIDATES", "3000")
    with open_ws() as workspace:
        again = workspace.improve(few)
        assert again.rounds[0].solved > few_solved
        assert workspace.improve(few).rounds == ()


def test_new_tasks_in_the_file_are_practised_on(open_ws, few):
    with open_ws() as workspace:
        workspace.improve(few, rounds=1)
        few.write_text(render_jsonl(small_suite(16).tasks))
        assert workspace.improve(few, rounds=1).rounds[0].episodes


def test_cut_off_and_taken_up_again_it_comes_to_the_same_end(open_ws, few, monkeypatch):
    with open_ws("whole") as workspace:
        whole = workspace.improve(few)
    monkeypatch.setenv(VARIABLE, "practice.kept:1:int")
    with open_ws("cut") as workspace, pytest.raises(KeyboardInterrupt):
        workspace.improve(few)
    monkeypatch.delenv(VARIABLE)
    with open_ws("cut") as workspace:
        again = workspace.improve(few)
    assert (again.rounds, again.run_changes) == (whole.rounds, whole.run_changes)


def test_a_budget_that_ends_within_a_pass_is_gone_on_from(open_ws, few):
    with open_ws() as workspace:
        each = workspace.improve(few, budget="1k-candidates")
        assert workspace.stores.runs.list_runs()[-1].state == "budget"
        more = workspace.improve(few, budget="10M-candidates")
        assert more.run == each.run and more.rounds[0].episodes > each.rounds[0].episodes
        assert workspace.stores.runs.list_runs()[-1].state == "done"


@pytest.mark.slow
def test_a_small_suite_is_practised_on_as_a_whole(open_ws, tmp_path):
    file = tmp_path / "six.jsonl"
    file.write_text(render_jsonl(small_suite(6).tasks))
    with open_ws(learner=SearchLearner(dreams=60)) as workspace:
        report = workspace.improve(file, budget="200k-candidates")
        assert report.rounds[0].episodes == 6 and report.run_changes.practised == 6


@pytest.mark.slow
def test_before_its_last_block_a_stream_looks_whether_winning_all_of_it_would_do(open_ws):
    with open_ws(learner=Useless(programs=slow_learner().programs)) as workspace:
        report = streamed(workspace, suite_of(10))
        judged = [record.variant for record in workspace.stores.runs.episodes() if record.split == "gate"]
        assert len(judged) - judged.count("unlearned") == 2  # of the second block alone
        assert (report.rounds[-1].equal, report.rounds[-1].verdict) == (2, "")
        assert report.rounds[-1].episodes and not workspace.gate.list().decisions


@pytest.mark.parametrize("count", [6, 10, 14, 24, 60])
def test_the_forecast_is_that_of_the_test_itself(open_ws, count):
    suite = suite_of(count)
    with open_ws() as workspace:
        ahead = SuiteForecast.for_suite(workspace.stores, suite, streams=True)
        _, level = workspace.stores.decisions.next_level(suite.digest, {task.group for task in suite.tasks})
    known = PowerForecast.for_problems(ahead.judged, level)
    assert (ahead.needed, ahead.share) == (known.needed, known.share)
    assert bool(ahead.why) == (ahead.judged < ahead.needed)


def test_what_is_unsolved_is_counted_by_its_tries(open_ws, few):
    with open_ws(learner=FixedLearner(programs={})) as workspace:
        changes = workspace.improve(few, rounds=2).run_changes
    assert changes.unsolved == changes.practised > 0 and not changes.skills
    assert len(changes.hardest) == min(5, changes.unsolved)
    tries = [one.tries for one in changes.hardest]
    assert tries == sorted(tries, reverse=True)


def test_a_model_is_not_asked_again_where_every_task_is_solved(open_ws, tmp_path):
    """A pass over solved tasks would cost as many calls as the first, and none of them can show anything new."""
    words = {
        "upper": "abc",
        "title": "one two",
        "swapcase": "aBc",
        "capitalize": "x y",
        "lower": "AbC",
        "strip": " k ",
        "casefold": "De",
    }

    def row(method, text):
        return {"input": [text], "output": getattr(text, method)()}

    rows = [
        {
            "id": method,
            "instruction": f"apply {method}",
            "examples": [row(method, word), row(method, "Q" + word), row(method, word + " Z")],
            "hidden": [row(method, text) for text in ("hello There", "tEA and Milk", "A b c D")],
        }
        for method, word in words.items()
    ]
    file = tmp_path / "words.jsonl"
    file.write_text("\n".join(json.dumps(one) for one in rows))

    def answer(body):
        if question_of(body) == "skill":
            text = json.dumps({"name": "letters", "description": "Changes the letters of a text."})
        else:
            asked = "\n".join(str(message["content"]) for message in body["messages"][1:])
            method = next(one for one in words if f"apply {one}\n" in asked)
            text = f"It is a method.\n```python\ndef solve(text: str) -> str:\n    return text.{method}()\n```\n"
        return chat_completion_body(text, usage=USAGE)

    with open_ws(learner=learner_of(tmp_path / "ws", answer)) as workspace:
        report = workspace.improve(file)
        practised = [one for one in workspace.stores.runs.episodes() if one.split == "train"]
        assert all(one.verified for one in practised)
        assert len(practised) == len({one.task for one in practised}) > 1
    assert len(report.rounds) == 1 and "solved" in report.finish_reason


@dataclass(frozen=True)
class WorkingPolicy(FixedPolicy):
    """Counts work as a search does; the programs of the suite take one, two, three or four times this much."""

    each: int = 0

    def act(self, view, plan, steps, limits):
        action = super().act(view, plan, steps, limits)
        work = self.each * action.cost.candidates // 10
        return replace(action, cost=replace(action.cost, work=work))


@dataclass(frozen=True)
class Working(FixedLearner):
    each: int = 0

    def policy(self, guide, skills, *, attended=False):
        return WorkingPolicy(**vars(super().policy(guide, skills)), each=self.each)


def with_unsolvable(tasks, number):
    def spoilt(row):
        return replace(row, output=str(sorted(row.input[0])[0]))

    changed = [
        replace(task, examples=tuple(map(spoilt, task.examples)), hidden=tuple(map(spoilt, task.hidden)))
        for task in tasks[:number]
    ]
    return [*changed, *tasks[number:]]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("each", "unsolvable", "is_judged"),
    [(10_000, 0, False), (10_000, 2, False), (30_000, 0, True), (10_000, 18, True)],
    ids=["all at once", "all but two at once", "half of them slowly", "half of them never"],
)
def test_where_too_few_tasks_could_get_better_nothing_is_fitted(open_ws, each, unsolvable, is_judged):
    suite = Suite(name="small", tasks=tuple(with_unsolvable(suite_of(36).tasks, unsolvable)))
    heard = Heard()
    with open_ws(learner=Working(each=each), events=heard) as workspace:
        report = streamed(workspace, suite)
        compared = {record.variant for record in workspace.stores.runs.episodes() if record.split == "gate"}
        assert (len(compared) > 1) == is_judged
        assert report.run_changes.practised == 36
        assert ("nothing new" in report.finish_reason) != is_judged


@pytest.mark.slow
def test_a_suite_that_is_split_is_looked_at_as_well(open_ws, tmp_path):
    file = tmp_path / "easy.jsonl"
    file.write_text(render_jsonl(suite_of(60).tasks))
    heard = Heard()
    with open_ws(learner=Working(each=10_000), events=heard) as workspace:
        report = workspace.improve(file)
        assert "nothing new" in report.finish_reason and not any(row.pairs for row in report.rounds)
        assert workspace.stores.runs.list_runs()[-1].body["unjudged"]
        assert len(workspace.improve(file).rounds) == 1
    assert not {"gate", "judged", "proposed"} & {event.kind for event in heard.events}


@pytest.mark.slow
def test_stopped_after_the_look_a_run_still_only_practises(open_ws, monkeypatch):
    learner, suite = Working(each=10_000), suite_of(20)
    with open_ws("whole", learner=learner) as workspace:
        whole = streamed(workspace, suite)
    monkeypatch.setenv(VARIABLE, "practice.kept:2:int")
    with open_ws("cut", learner=learner) as workspace, pytest.raises(KeyboardInterrupt):
        streamed(workspace, suite)
    monkeypatch.delenv(VARIABLE)
    with open_ws("cut", learner=learner) as workspace:
        again = streamed(workspace, suite)
    assert (again.rounds, again.run_changes) == (whole.rounds, whole.run_changes)


@pytest.mark.parametrize(
    ("cost", "is_solved", "can"),
    [
        (Cost(work=30_000), True, False),
        (Cost(work=30_000), False, True),
        (Cost(work=500_000), True, True),
        (Cost(candidates=10), True, True),
        (Cost(tokens=900, calls=1), True, True),
    ],
)
def test_a_pair_can_be_won_where_the_parent_fails_or_takes_long(cost, is_solved, can):
    record = EpisodeRecord(
        episode="e", run="r", task="t", suite="s", group="g", split="gate", variant="v", seed=0, policy="fixed",
        status="solved" if is_solved else "failed", verified=is_solved, cost=cost,
    )  # fmt: skip
    assert has_headroom(record) == can
