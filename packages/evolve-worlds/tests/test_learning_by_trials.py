"""Trials in a small house: what one trial teaches helps the next, other variations, and nothing else does."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolve_worlds import Move, Scene, Split, Trial
from evolve_worlds.experience import (
    Experience,
    Learner,
    Limits,
    Meaning,
    Observer,
    Plan,
    Schedule,
    Setting,
    Step,
    TransitionMemory,
    TrialResult,
    VariationNotes,
    practice_steps,
    practised,
    run,
    tried,
)
from evolve_worlds.experience.transitions import Transition
from evolve_worlds.experience.wording import Goal, carried_over, lifted
from evolve_worlds.experiments import Found, Play, Told, move_claims
from world_doubles.house import INSTRUMENTS, House, Kinds, Visit


def scores(house: House, setting: Setting = "adapt", practice: Sequence[tuple[str, int]] = ()) -> list[TrialResult]:
    schedule = Schedule(setting=setting, task="bring", variations=[2], trials=6, practice=practice)
    experience = Experience()
    for known, _ in practised(house, schedule):
        experience = known
    return list(tried(house, schedule, experience))


def test_the_goal_is_reached_and_the_plan_made_short() -> None:
    found = scores(House())
    assert found[-1].score == 1.0
    assert found[-1].played == ("go to cellar", "choose violin", "pick up violin", "go to attic", "move violin to box")


def test_what_other_variations_taught_helps_in_the_first_trial() -> None:
    (found,) = scores(House(), "gen-env", [("bring", 0), ("bring", 1)])
    assert found.score == 1.0
    assert "choose violin" in found.played


class Orchestra(House):
    """Each variation has another instrument."""

    def start(self, task: str, variation: int) -> Trial:
        wanted = INSTRUMENTS[variation]
        return Visit(house=self, wanted=wanted, things=("lamp", "kettle", wanted, "ladder"))


def test_what_is_like_the_goal_in_meaning_is_tested_first() -> None:
    def lost(meaning: Meaning | None) -> int:
        schedule = Schedule(setting="adapt", task="bring", variations=[2], trials=6)
        return sum(one.lost for one in tried(House(kind="instrument"), schedule, Experience(), meaning))

    assert lost(Meaning(encoder=Kinds())) == 0 < lost(None)


def test_what_is_like_the_thing_of_a_plan_takes_its_place_in_the_first_trial() -> None:
    known = House(kind="instrument").start("bring", 2)
    way = (("go to {}", "cellar"), ("choose {}", "violin"), ("pick up {}", "violin"), ("go to {}", "attic"))
    moves = [Move(schema=schema, objects=(thing,)) for schema, thing in way]
    moves.append(Move(schema="move {} to {}", objects=("violin", "box")))
    steps = tuple(Step(move=move, gain=0.5 if move.text[0] in "cm" else 0.0) for move in moves)
    plan = Plan(task="bring", variation=9, goal=known.goal, steps=steps, score=1.0)

    def first(meaning: Meaning | None) -> list[float]:
        world, experience = Orchestra(kind="instrument"), Experience(plans=[plan])
        experience.memory.add(Goal(known.goal), moves[1], Transition(gain=0.5))
        experience.memory.add(Goal(known.goal), Move(schema="choose {}", objects=("ladder",)), Transition(lost=True))
        schedule = Schedule(setting="gen-env", task="bring", variations=[1, 2, 3])
        return [one.score for one in tried(world, schedule, experience, meaning)]

    assert first(Meaning(encoder=Kinds())) == [1.0, 1.0, 1.0] != first(None)


def test_moves_that_lost_again_and_again_with_what_the_goal_names_are_told_from_those_that_helped_once() -> None:
    goal, memory = Goal("Find the lamp in the hall."), TransitionMemory()
    chosen = Move(schema="choose {}", objects=("hall",))
    for lost, told in ((1, False), (2, True)):
        memory.add(goal, chosen, Transition(lost=True))
        assert memory.only_lost(goal, chosen) is told, lost
    memory.add(goal, Move(schema="choose {}", objects=("lamp",)), Transition(gain=1.0))
    assert not memory.only_lost(goal, chosen)


@pytest.mark.parametrize("things", [(), ("violin",), ("lamp", "kettle", "ladder")])
def test_where_nothing_stands_out_meaning_tells_nothing(things: Sequence[str]) -> None:
    near = Meaning(encoder=Kinds()).near(Goal("Find the instrument."), "choose {}", TransitionMemory(), things)
    assert not any(near.values())


def test_what_lost_speaks_against_what_is_like_it_and_what_helped_for_it() -> None:
    goal, things = Goal("Find the instrument."), ("violin", "old violin", "lamp", "kettle")
    near = {}
    for said in ("nothing", "lost", "gained"):
        memory = TransitionMemory()
        told = Transition(lost=said == "lost", gain=1.0 if said == "gained" else 0.0)
        memory.add(goal, Move(schema="choose {}", objects=("violin",)), told)
        near[said] = Meaning(encoder=Kinds()).near(goal, "choose {}", memory, things)["old violin"]
    assert near["lost"] < near["nothing"] < near["gained"]


def test_each_move_counts_those_of_replays_too() -> None:
    house = House()
    assert sum(one.steps for one in scores(house)) == house.done


def test_the_same_seed_plays_the_same() -> None:
    assert scores(House()) == scores(House())


@pytest.mark.parametrize("setting", ["adapt", "gen-env", "gen-adapt"])
def test_a_run_that_was_stopped_goes_on_and_ends_the_same(setting: Setting, tmp_path: Path) -> None:
    schedule = Schedule(setting=setting, task="bring", variations=[2, 3], trials=4, practice=[("bring", 0)])
    whole = list(run(House(), schedule, tmp_path / "whole"))
    first = next(run(House(), schedule, tmp_path / "stopped"))
    assert [first, *whole[1:]] == list(run(House(), schedule, tmp_path / "stopped")) == whole
    house = House()
    assert list(run(house, schedule, tmp_path / "whole")) == whole
    assert house.done == 0
    list(run(house, schedule, tmp_path / "whole", meaning=Meaning(encoder=Kinds())))
    assert house.done > 0
    house.done = 0
    list(run(house, replace(schedule, seed=1), tmp_path / "whole"))
    assert house.done > 0


def test_a_trial_that_was_kept_stays_whatever_is_cut_off_later(tmp_path: Path) -> None:
    house, schedule = House(), Schedule(setting="adapt", task="bring", variations=[2], trials=3)
    whole = list(run(House(), replace(schedule, trials=6), tmp_path / "whole"))
    for number in range(6):  # each call is cut off after its first new trial
        going = run(house, replace(schedule, trials=6), tmp_path / "cut")
        assert next(one for one in going if not one.kept) == whole[number]
        going.close()
    house.done = 0
    assert list(run(house, replace(schedule, trials=6), tmp_path / "cut")) == whole
    assert list(run(house, schedule, tmp_path / "cut")) == whole[:3]
    assert house.done == 0


def test_practice_that_was_cut_off_goes_on_to_the_same(tmp_path: Path) -> None:
    schedule = Schedule(setting="gen-env", task="bring", variations=[2], practice=[("bring", 0), ("bring", 1)])
    whole = list(run(House(), schedule, tmp_path / "whole"))
    assert list(run(House(), schedule, tmp_path / "cut", observer=Observer(is_late=lambda: True))) == []
    assert 0 < practice_steps(tmp_path / "cut") < practice_steps(tmp_path / "whole")
    assert list(run(House(), schedule, tmp_path / "cut")) == whole
    assert practice_steps(tmp_path / "cut") == practice_steps(tmp_path / "whole")
    (tmp_path / "cut" / "practice.json").write_text("{")
    assert practice_steps(tmp_path / "cut") == 0


def test_the_trials_of_one_variation_are_not_those_of_another(tmp_path: Path) -> None:
    schedule = Schedule(setting="adapt", task="bring", variations=[2], trials=2)
    list(run(House(), schedule, tmp_path))
    (tmp_path / "bring.2.json").rename(tmp_path / "bring.3.json")
    found = list(run(House(), replace(schedule, variations=[3]), tmp_path))
    assert [(one.variation, one.kept) for one in found] == [(3, False), (3, False)]


def test_what_a_replay_showed_is_a_claim_with_an_intervention() -> None:
    claims = [claim for one in scores(House()) for claim in one.claims]
    needed = {one.cause for one in claims if one.relation == "necessary" and one.evidence[0].direction == 1}
    assert {"move:pick up <goal: choose …>", "move:go to <goal: box in …>", "move:go to cellar"} <= needed
    assert all(one.evidence[0].kind == "intervention" for one in claims)


def test_a_move_that_lost_a_trial_is_not_done_there_again() -> None:
    notes, learner = VariationNotes(), Learner(world=House())
    for _ in range(6):
        learner.play("bring", 2, notes)
    assert all(count == 1 for count in notes.lost.values())


def test_experience_is_the_same_after_it_was_written_and_read() -> None:
    learner = Learner(world=House())
    learner.play("bring", 1, VariationNotes())
    data = json.loads(json.dumps(learner.experience.as_data()))
    assert Experience.from_data(data).as_data() == learner.experience.as_data()


@pytest.mark.parametrize(
    ("goal", "other", "thing", "expected"),
    [
        ("Boil water in the kitchen.", "Boil lead in the cellar.", "water", "lead"),
        ("Boil water in the kitchen.", "Boil lead in the cellar.", "cup containing water", "cup containing lead"),
        ("Boil water in the kitchen.", "Boil lead in the cellar.", "stove", "stove"),
    ],
)
def test_a_thing_of_one_goal_is_another_in_another_goal(goal: str, other: str, thing: str, expected: str) -> None:
    assert carried_over(thing, lifted(goal, other)) == expected


def test_the_goal_asks_for_what_it_says_and_for_what_it_refers_to() -> None:
    goal = Goal("Find a plant. First, focus on the thing. Then, move it to the red box.")
    asked = Move(schema="move {} to {}", objects=("fern", "red box"))
    assert goal.wants(asked, topic="fern") == (1.0, 2)
    assert goal.wants(asked)[0] < 1.0


names = st.text("abc ", min_size=1, max_size=8)


@pytest.mark.slow
@given(names, names, st.lists(names, max_size=3), names)
def test_what_a_goal_asks_for_is_a_share(goal: str, schema: str, things: list[str], topic: str) -> None:
    move = Move(schema=schema + "{}" * len(things), objects=tuple(things))
    assert 0.0 <= Goal(goal).wants(move, topic)[0] <= 1.0


def test_memory_under_other_names_is_as_much_memory() -> None:
    from random import Random

    learner = Learner(world=House())
    learner.play("bring", 1, VariationNotes())
    own, other = learner.experience.memory, learner.experience.memory.shuffled(Random(3))
    assert sorted(one.tried for one in own.schemas.values()) == sorted(one.tried for one in other.schemas.values())
    both = TransitionMemory()
    both.add_all(own)
    both.add_all(own)
    assert all(both.schemas[name].tried == 2 * one.tried for name, one in own.schemas.items())


@dataclass
class Slope:
    """A world and its trial: the score begins above nothing, and falls too. Every move takes three steps."""

    name: str = "slope"
    version: str = "1"
    goal: str = "Get up."
    at: int = 2
    taken: int = 0
    scene: Scene = field(default_factory=lambda: Scene(told="", score=0.2, steps=0))

    def tasks(self) -> Sequence[str]:
        return ("up",)

    def variations(self, task: str, split: Split) -> Sequence[int]:
        return (0,)

    def start(self, task: str, variation: int) -> Trial:
        self.at, self.scene = 2, Scene(told="", view="At 2.", score=0.2, steps=0)
        return self

    def moves(self) -> Sequence[Move]:
        return [Move(schema=one) for one in ("wait", "slip", "climb")]

    def do(self, move: str) -> Scene:
        self.at = max(0, min(5, self.at + {"slip": -1, "climb": 1}.get(move, 0)))
        self.taken += 3
        self.scene = Scene(told="", view=f"At {self.at}.", score=self.at / 10, over=self.at == 5, steps=3)
        return self.scene

    def close(self) -> None:
        pass


def test_scores_at_the_beginning_and_scores_that_fell_are_told_as_they_were() -> None:
    schedule = Schedule(setting="adapt", task="up", variations=[0], trials=3)
    found = list(tried(Slope(), schedule, Experience()))
    told = {claim.text for one in found for claim in one.claims}
    assert "'climb; then climb; then climb' gives 50 points" in told
    assert "without 'climb' its plan does not reach 50 points" in told
    assert not [text for text in told if "-" in text or " 0 points" in text or " 20 points" in text]


def test_steps_are_those_of_the_world_in_replays_too() -> None:
    world = Slope()
    schedule = Schedule(setting="adapt", task="up", variations=[0], trials=2)
    assert sum(one.steps for one in tried(world, schedule, Experience())) == world.taken


@pytest.mark.parametrize("damage", ["", "{}", "[]", '{"of": 3', "changed"])
def test_a_kept_file_that_is_damaged_is_played_again(damage: str, tmp_path: Path) -> None:
    schedule = Schedule(setting="gen-adapt", task="bring", variations=[2], trials=2, practice=[("bring", 0)])
    whole = list(run(House(), schedule, tmp_path))
    for file in tmp_path.iterdir():
        file.write_text(damage if damage != "changed" else file.read_text().replace("0", "1"))
        assert list(run(House(), schedule, tmp_path)) == whole


@dataclass
class Ladder:
    """Ten rungs are to be climbed, one or two at once; one too many loses the trial. Each rung counts."""

    name: str = "ladder"
    version: str = "ladder 1"

    def tasks(self) -> Sequence[str]:
        return ("climb",)

    def variations(self, task: str, split: Split) -> Sequence[int]:
        return range(4)

    def start(self, task: str, variation: int) -> Trial:
        return Climb(rung=variation)

    def close(self) -> None:
        return


@dataclass
class Climb:
    rung: int
    goal: str = "Get to the tenth rung."
    scene: Scene = field(init=False)

    def __post_init__(self) -> None:
        self.scene = self._told()

    def moves(self) -> Sequence[Move]:
        return () if self.scene.over else [Move(schema="climb {}", objects=(many,)) for many in ("one", "two")]

    def do(self, move: str) -> Scene:
        self.rung += 1 if move == "climb one" else 2
        self.scene = self._told()
        return self.scene

    def _told(self) -> Scene:
        lost = self.rung > 10
        return Scene(
            told=f"Rung {self.rung}.", score=0.0 if lost else self.rung / 10, over=self.rung >= 10, lost=lost, steps=1
        )


@pytest.mark.parametrize("variation", range(4))
def test_a_kind_of_move_that_lost_once_is_not_given_up_while_nothing_else_is_left(variation: int) -> None:
    trials = list(
        tried(Ladder(), Schedule(setting="adapt", task="climb", variations=[variation], trials=6), Experience())
    )
    assert trials[-1].score == 1.0, [one.played for one in trials]


def test_a_move_that_did_no_harm_before_in_a_trial_is_not_said_to_lose_it() -> None:
    schedule = Schedule(setting="adapt", task="climb", variations=range(4), trials=4)
    trials = list(tried(Ladder(), schedule, Experience()))
    lost = [one for one in trials if one.lost and one.played.count(one.played[-1]) > 1]
    told = [claim for one in lost for claim in one.claims if claim.effect == "reaches:going on"]
    assert lost
    assert told
    assert all(claim.evidence[0].direction == -1 for claim in told)


@dataclass
class Toss:
    """A world whose first trial alone is won by its only move."""

    name: str = "toss"
    version: str = "toss 1"
    begun: int = 0

    def tasks(self) -> Sequence[str]:
        return ("toss",)

    def variations(self, task: str, split: Split) -> Sequence[int]:
        return (0,)

    def start(self, task: str, variation: int) -> Trial:
        self.begun += 1
        return Thrown(wins=self.begun == 1)

    def close(self) -> None:
        return


@dataclass
class Thrown:
    wins: bool
    goal: str = "Get heads."
    scene: Scene = field(default_factory=lambda: Scene(told="", view="A coin."))

    def moves(self) -> Sequence[Move]:
        return () if self.scene.over else [Move(schema="toss")]

    def do(self, move: str) -> Scene:
        self.scene = Scene(told="So it is.", view="A coin.", score=float(self.wins), over=True, steps=1)
        return self.scene


def test_a_plan_that_does_not_hold_when_it_is_played_again_is_not_claimed_and_a_trial_speaks_against_it() -> None:
    first, second = tried(Toss(), Schedule(setting="adapt", task="toss", variations=[0], trials=2), Experience())
    assert (first.score, second.score) == (1.0, 0.0)
    assert first.claims == ()
    (against,) = second.claims
    assert (against.relation, against.evidence[0].direction) == ("sufficient", -1)


def test_without_replays_nothing_is_played_again_and_nothing_is_claimed_of_a_plan() -> None:
    world = Toss()
    (trial,) = tried(
        world, Schedule(setting="gen-env", task="toss", variations=[0], limits=Limits(replays=0)), Experience()
    )
    assert (trial.score, trial.claims, world.begun) == (1.0, (), 1)


def test_a_move_that_is_left_out_once_and_kept_once_is_not_said_to_be_spare() -> None:
    takes, goes = Move(schema="take {}", objects=("key",)), Move(schema="go to {}", objects=("box",))
    told = Told(
        place="house/bring/0",
        goal="Bring the key to the box.",
        moves=(takes, takes, goes),
        made=("take key", "take key", "go to box"),
        play=Play(scores=(0.0, 0.0, 1.0)),
        named=("key", "box"),
    )
    claims = move_claims(told, Found(least=(1, 2), play=Play(scores=(0.0, 1.0)), spare=frozenset([0])))
    assert [one.relation for one in claims] == ["sufficient"]
