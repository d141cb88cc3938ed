"""Trials in a world, kept in a workspace: what was played is not played again, and what it proved is kept once."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from statistics import fmean

import pytest

import evolve
from evolve.core.errors import UsageError
from evolve_worlds import WorldFault
from evolve_worlds.trials import TrialsRequest
from tests.offering import offer, offering
from world_doubles.house import House

ASKED = TrialsRequest(world="house", variations=3, trials=4)


@pytest.fixture(autouse=True)
def house(monkeypatch, tmp_path):
    made = House()
    offer(monkeypatch, tmp_path / "site", "worlds", "house", lambda: made)
    return made


@contextmanager
def opened(tmp_path, **more):
    with evolve.open(tmp_path / "mine", **more) as ws:
        yield ws


class Heard:
    """Keeps what a person is warned of."""

    def __init__(self):
        self.warnings = []

    def emit(self, event):
        self.warnings += [event.data["text"]] if event.kind == "warning" else []


def proved(ws):
    return {(one.cause, one.effect, one.evidence, one.posterior.agree) for one in ws.memory.list()}


@pytest.mark.slow
def test_a_curve_is_the_mean_of_the_trials_and_what_they_proved_is_kept(tmp_path):
    with opened(tmp_path) as ws:
        report = ws.trials(ASKED)
        assert [len(own) for own in report.variations.values()] == [4, 4, 4]
        assert report.curve[0].value == pytest.approx(fmean(one.score for one in report.trials if one.number == 0))
        assert report.moves[0].value == pytest.approx(
            fmean(len(one.played) for one in report.trials if one.number == 0)
        )
        assert report.lost == [sum(one.lost for one in report.trials if one.number == at) for at in range(4)]
        assert report.curve_by_steps[-1][1].value == max(one.score for one in report.trials) == 1.0
        spent = [sum(one.steps for one in own) for own in report.variations.values()]
        assert (report.steps, report.curve_by_steps[-1][0]) == (sum(spent), max(spent))
        assert set(report.insights) <= {one.id for one in ws.memory.list()} and report.insights
        assert 0.5 < report.predicted <= 1.0


@pytest.mark.slow
def test_the_same_call_plays_nothing_twice_and_proves_nothing_twice(tmp_path, house):
    with opened(tmp_path) as ws:
        first = ws.trials(ASKED)
        known, done = proved(ws), house.done
        assert ws.trials(ASKED) == first
        assert (proved(ws), house.done) == (known, done)
        more = ws.trials(replace(ASKED, variations=4, trials=5))
        assert set(more.variations) > set(first.variations) and house.done > done


@pytest.mark.slow
def test_what_was_cut_off_goes_on_and_comes_to_the_same(tmp_path, house):
    with opened(tmp_path / "whole") as ws:
        whole = ws.trials(ASKED)
        known = proved(ws)
    start, trials = house.start, []

    def breaks(task, variation):
        trials.append(variation)
        if len(trials) == 7:
            raise WorldFault("gone")
        return start(task, variation)

    house.start = breaks
    with opened(tmp_path / "cut") as ws:
        with pytest.raises(WorldFault):
            ws.trials(ASKED)
        assert ws.trials(ASKED).trials == whole.trials
        assert proved(ws) == known


def test_a_budget_ends_it_and_the_same_call_goes_on(tmp_path):
    with opened(tmp_path) as ws:
        assert ws.trials(ASKED, budget="0.000001s").finish_reason == "budget"
        assert ws.trials(ASKED).finish_reason == "done"


def test_each_call_within_a_budget_comes_further_until_all_is_played(tmp_path, house):
    asked = replace(ASKED, setting="gen-adapt", variations=[3], trials=2)
    with opened(tmp_path) as ws:
        calls = [ws.trials(asked, budget="0.000001s") for _ in range(5)]
    ended = [one.finish_reason for one in calls]
    assert ended == ["budget", "budget", "budget", "done", "done"]
    assert [len(one.trials) for one in calls] == [0, 0, 1, 2, 2]
    assert calls[2].practice_steps > calls[1].practice_steps > calls[0].practice_steps > 0


def test_what_was_forgotten_does_not_come_back_with_trials_that_are_kept(tmp_path):
    with opened(tmp_path) as ws:
        trials = ws.trials(ASKED).trials
        ws.memory.forget(everything=True)
        assert ws.trials(ASKED).trials == trials
        assert ws.memory.list() == []


def test_what_another_version_of_a_world_showed_is_set_aside(tmp_path, house):
    heard = Heard()
    with opened(tmp_path) as ws:
        known = set(ws.trials(ASKED).insights)
    house.version = "house 2"
    house.start = lambda task, variation: (_ for _ in ()).throw(WorldFault("closed"))
    with opened(tmp_path, events=heard) as ws:
        with pytest.raises(WorldFault):
            ws.trials(ASKED)
        assert known
        assert {one.status for one in ws.memory.list() if one.id in known} == {"expired"}
    assert any("house 1 is now house 2" in one for one in heard.warnings)
    del house.start
    with opened(tmp_path) as ws:
        assert set(ws.trials(ASKED).insights) == known


def test_more_variations_of_train_leave_what_was_played_where_it_is(tmp_path, house, monkeypatch):
    monkeypatch.setattr(house, "variations", lambda task, split: (0, 1, 2, 3), raising=False)
    asked = replace(ASKED, split="train", setting="gen-env", variations=1, practice=1)
    with opened(tmp_path) as ws:
        first = ws.trials(asked)
        ws.trials(replace(asked, variations=2))
        house.done = 0
        assert ws.trials(asked).trials == first.trials
        assert house.done == 0


def test_test_variations_leave_no_evidence(tmp_path):
    with opened(tmp_path) as ws:
        assert ws.trials(replace(ASKED, split="test")).trials
        assert ws.memory.list() == []


def test_practice_on_other_variations_helps_in_the_first_trial(tmp_path):
    with opened(tmp_path) as ws:
        alone = ws.trials(replace(ASKED, variations=[3], trials=1))
        taught = ws.trials(replace(ASKED, variations=[3], setting="gen-env"))
        assert taught.practice_steps > 0
        assert {row.group for one in taught.insights for row in ws.memory.evidence(one)} > {"house/bring/3"}
        assert taught.trials[0].score == 1.0 and len(taught.trials[0].played) < len(alone.trials[0].played)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"setting": "all"}, "no setting"),
        ({"split": "rest"}, "no split"),
        ({"tasks": ["sing"]}, "sing"),
        ({"variations": [9]}, "variation 9"),
        ({"trials": 0}, "trials"),
        ({"practice_tasks": ["bring"]}, "gen-task"),
        ({"practice_tasks": ["bring"], "setting": "gen-task"}, "no other task"),
        ({"world": "nowhere"}, "nowhere"),
    ],
)
def test_what_cannot_be_played_is_refused(tmp_path, change, told):
    with opened(tmp_path) as ws, pytest.raises(UsageError, match=told):
        ws.trials(replace(ASKED, **change))


def test_a_budget_of_tokens_is_refused(tmp_path):
    with opened(tmp_path) as ws, pytest.raises(UsageError, match="tokens"):
        ws.trials(ASKED, budget="2M-tokens")


def test_nothing_that_is_tried_is_practised_on(tmp_path, house, monkeypatch):
    start, begun = house.start, []

    def begins(task, variation):
        begun.append(variation)
        return start(task, variation)

    monkeypatch.setattr(house, "start", begins)
    monkeypatch.setattr(house, "variations", lambda task, split: (0, 1, 2, 3), raising=False)
    asked = replace(ASKED, split="train", setting="gen-env", variations=(0, 0, 1), practice=1, practice_trials=1)
    with opened(tmp_path) as ws:
        tried = [one.variation for one in ws.trials(asked).trials]
    assert tried == [0, 1]
    assert list(dict.fromkeys(begun)) == [2, 0, 1]


def test_what_is_there_to_report_is_not_practised_on_where_splits_overlap(tmp_path, house):
    asked = replace(ASKED, split="test", setting="gen-env", variations=[3])
    with opened(tmp_path) as ws, pytest.raises(UsageError, match="nothing is left to practise on"):
        ws.trials(asked)


def test_without_a_variation_to_try_or_to_practise_on_nothing_is_played(tmp_path, house, monkeypatch):
    with opened(tmp_path) as ws:
        monkeypatch.setattr(house, "variations", lambda task, split: (0, 1) if split == "train" else (), raising=False)
        with pytest.raises(UsageError, match="no variations in dev"):
            ws.trials(ASKED)
        with pytest.raises(UsageError, match="nothing is left to practise on"):
            ws.trials(replace(ASKED, split="train", setting="gen-env"))
        assert house.done == 0


def test_the_encoder_tells_what_is_like_the_goal_and_has_trials_of_its_own(tmp_path, house):
    house.kind = "instrument"
    asked = TrialsRequest(world="house", split="train", variations=[2], trials=3)
    lost = {}
    evolve.init(tmp_path / "mine")
    with offering(tmp_path / "more", "encoders", "kinds", "world_doubles.house:Kinds"):
        for encoder in ("hashing", "kinds"):
            (tmp_path / "mine" / "evolve.toml").write_text(f"encoder = '{encoder}'\n")
            with opened(tmp_path) as ws:
                report = ws.trials(asked)
            assert not any(one.kept for one in report.trials)
            assert report.to_json()["encoder"] == {"hashing": ""}.get(encoder, encoder)
            lost[encoder] = sum(one.lost for one in report.trials)
    assert lost["kinds"] == 0 < lost["hashing"]


def test_nothing_is_played_in_a_workspace_that_is_only_read_or_closed_nor_for_something_else(tmp_path):
    with opened(tmp_path) as ws:
        kept = ws.trials
        with pytest.raises(UsageError, match="request: expected a TrialsRequest, got str"):
            ws.trials("house")
    with pytest.raises(UsageError, match="closed"):
        kept(ASKED)
    with opened(tmp_path, read_only=True) as ws, pytest.raises(UsageError, match="reading only"):
        ws.trials(ASKED)


def test_a_fault_in_a_command_of_this_package_is_one_of_evolve_itself(tmp_path, monkeypatch, cli):
    def broken(name):
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr("evolve_worlds.worlds.tasks", broken)
    done = cli("lab", "worlds", "list", "house")
    assert done.code == 3 and "a fault of evolve itself" in done.err
