"""What moves need is learned, chained and given up where the world changes, in a house with a locked chest."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.doubles.drifting import Drift, Drifting
from evolve_worlds import Move, Scene, Split, Trial
from evolve_worlds.experience import Experience, Learner, Limits, TransitionMemory, VariationNotes
from evolve_worlds.experience.change import ALARM, Watch
from evolve_worlds.experience.effects import GAIN, LOST, Effects, Example, Literal, holds, literals_of
from evolve_worlds.experience.planning import Planner
from evolve_worlds.experience.scenery import facts_of
from evolve_worlds.experience.transitions import Transition
from evolve_worlds.experience.wording import Goal

WOODS = ("oak", "ash", "elm", "fir")
TOOLS = ("rod", "cup", "bell")


@dataclass
class Chests:
    """One chest of a wood is to be opened, which takes the rod of that wood in hand; one thing can be held."""

    name: str = "chests"
    version: str = "chests 1"

    def tasks(self) -> Sequence[str]:
        return ("open",)

    def variations(self, task: str, split: Split) -> Sequence[int]:
        return range(40)

    def start(self, task: str, variation: int) -> Trial:
        draw = Random(variation)
        return Visit(wood=draw.choice(WOODS))

    def close(self) -> None:
        return


@dataclass
class Visit:
    wood: str
    held: str = ""
    scene: Scene = field(init=False)

    def __post_init__(self) -> None:
        self.scene = self._told(0.0)

    @property
    def goal(self) -> str:
        return f"open the {self.wood} chest"

    def moves(self) -> Sequence[Move]:
        if self.scene.over:
            return ()
        found = [Move(schema="open the {}", objects=(f"{wood} chest",)) for wood in WOODS]
        if self.held:
            return [*found, Move(schema="put down")]
        return [*found, *(Move(schema="take the {}", objects=(f"{w} {t}",)) for w in WOODS for t in TOOLS)]

    def do(self, move: str) -> Scene:
        if move == "put down":
            self.held = ""
        elif move.startswith("take the ") and not self.held:
            self.held = move.removeprefix("take the ")
        done = move == f"open the {self.wood} chest" and self.held == f"{self.wood} rod"
        self.scene = self._told(1.0 if done else 0.0)
        return self.scene

    def _told(self, score: float) -> Scene:
        held = f"the {self.held}" if self.held else "nothing"
        return Scene(told="So it is.", view=f"The hall.\nYou hold {held}.", score=score, over=score == 1.0)


def taught(world: Chests | Drifting, variations: range, **more: bool) -> Learner:
    experience = Experience(memory=TransitionMemory(**more))
    learner = Learner(world=world, experience=experience, limits=Limits(moves=60, replays=0))
    for variation in variations:
        learner.play("open", variation, VariationNotes())
    return learner


@pytest.mark.slow
def test_what_a_move_needs_is_brought_about_in_a_new_variation() -> None:
    learner = taught(Chests(), range(12))
    memory = TransitionMemory.from_data(json.loads(json.dumps(learner.experience.memory.as_data())))
    other = Learner(world=Chests(), experience=Experience(memory=memory), limits=Limits(replays=0))
    found = [other.play("open", variation, VariationNotes()) for variation in range(20, 30)]
    assert all(one.score == 1.0 for one in found)
    assert sum(len(one.played) for one in found) <= 25
    unread = [
        Learner(world=Chests(), limits=Limits(replays=0)).play("open", one, VariationNotes()) for one in range(20, 30)
    ]
    assert sum(one.steps for one in unread) > 2 * sum(one.steps for one in found)


def test_a_way_is_found_to_a_goal_that_was_never_reached() -> None:
    memory, trial = taught(Chests(), range(12)).experience.memory, Visit(wood="fir", held="oak cup")
    things = [one.objects[0] for one in Visit(wood="fir").moves() if one.objects]
    planner = Planner(effects=memory.effects, goal=Goal(trial.goal), things=things)
    way = planner.way(Move(schema="open the {}", objects=("fir chest",)), facts_of(trial.scene.view, things))
    assert way == [Move(schema="put down"), Move(schema="take the {}", objects=("fir rod",))]


@pytest.mark.slow
def test_what_no_longer_holds_is_set_aside_and_told() -> None:
    uses = {}
    for forgets in (True, False):
        world = Drifting(inner=Chests())
        learner = taught(world, range(20), forgets=forgets)
        assert learner.experience.memory.changes == []
        world.drift = Drift(losing=frozenset(["open the {}"]))
        uses[forgets] = 0
        for variation in range(20, 28):
            world.done.clear()
            learner.play("open", variation, VariationNotes())
            wanted = Goal(world.start("open", variation).goal)
            uses[forgets] += sum(
                wanted.names(one) for move, *_ in world.done for one in move.objects if "open" in move.text
            )
        told = [one.text for one in learner.experience.memory.changes]
        assert bool(told) == forgets
        assert all("open the {}" in one for one in told)
    assert uses[True] <= 4
    assert uses[True] < uses[False]


@given(st.floats(0.01, 0.99), st.booleans())
def test_two_surprises_are_never_a_change_and_what_was_expected_adds_nothing(expected: float, came: bool) -> None:
    watch = Watch()
    assert not watch.changed("a", expected, came)
    assert not watch.changed("a", expected, came)
    if (expected >= 0.5) == came:
        assert watch.sums["a"] == (0.0, 0)
    assert watch.sums["a"][0] < ALARM


def opened(memory: TransitionMemory, *came: bool) -> float:
    """Tells a memory what came of opening one box after the other; how surely that is thought to help from then on."""
    goal, nothing = Goal("open a box"), frozenset[Literal]()
    for one in came:
        move = Move(schema="open {}", objects=(f"box {memory.guessed}",))
        told = Transition(changed=one, gain=float(one))
        memory.add(goal, move, told, Example(before=nothing, came=frozenset([GAIN] if one else ())))
    return memory.effects.rate("open {}", GAIN, nothing.__contains__)[0]


def test_what_was_set_aside_by_mistake_is_back_at_its_first_success() -> None:
    memory = TransitionMemory()
    assert opened(memory, *[True] * 20) > 0.9
    assert opened(memory, False, False, False) < 0.3
    assert opened(memory, True) > 0.7
    assert [one.back for one in memory.changes] == [False, True]
    assert "are back" in memory.changes[-1].text


def test_what_lost_a_trial_since_does_not_come_back() -> None:
    memory = TransitionMemory()
    opened(memory, *[True] * 20, False, False, False)
    lost = Example(before=frozenset(), came=frozenset([LOST]))
    memory.add(Goal("open a box"), Move(schema="open {}", objects=("box",)), Transition(lost=True), lost)
    assert opened(memory, True) < 0.5
    assert [one.back for one in memory.changes] == [False]


def test_what_fails_twice_more_is_given_up_for_good() -> None:
    memory = TransitionMemory()
    opened(memory, *[True] * 20)
    assert opened(memory, *[False] * 5) < 0.25
    assert opened(memory, True) < 0.5
    assert [one.back for one in memory.changes] == [False]


def test_three_failures_of_what_never_failed_are_a_change() -> None:
    watch = Watch()
    assert [watch.changed("a", 0.98, False) for _ in range(3)] == [0, 0, 3]


def test_a_scene_is_read_as_relations_of_things() -> None:
    view = "You see the red door (locked, 3 ahead), the blue key.\nYou carry nothing.\nOn the table:\n\ta cup"
    facts = facts_of(view, ["red door", "blue key", "cup"])
    assert facts["locked"] == {"red door"}
    assert facts["you see"] == {"red door", "blue key"}
    assert facts["you carry nothing"] == {""}
    assert facts["on table"] == {"cup"}
    assert not any("3" in relation for relation in facts)


names = st.sampled_from(["oak rod", "oak chest", "fir rod", "fir chest", "bell"])


@pytest.mark.slow
@given(st.dictionaries(st.sampled_from(["near", "held", "shut"]), st.frozensets(names, max_size=5)), names)
def test_a_literal_holds_where_it_is_among_all_that_hold(facts: dict[str, frozenset[str]], thing: str) -> None:
    move, goal = Move(schema="open the {}", objects=(thing,)), Goal("open the oak chest")
    told = literals_of(facts, move, goal)
    assert all(holds(one, facts, move, goal) for one in told)
    other = {one for one in literals_of(facts, Move(schema="open the {}", objects=("bell",)), goal) if one[1] == "0"}
    assert all(holds(one, facts, move, goal) == (one in told) for one in other)


def test_under_other_names_effects_are_as_many() -> None:
    memory = taught(Chests(), range(6)).experience.memory
    other = memory.shuffled(Random(1))
    assert sum(map(len, other.effects.examples.values())) == sum(map(len, memory.effects.examples.values()))
    assert any(GAIN in one.came for told in other.effects.examples.values() for one in told)


def test_what_comes_after_old_counts_were_set_aside_is_learned_at_once() -> None:
    known, nothing = Effects(), frozenset[Literal]().__contains__
    for _ in range(80):
        known.add("go", Example(before=frozenset(), came=frozenset([GAIN])))
    assert known.rate("go", GAIN, nothing)[0] > 0.9
    known.set_aside("go")
    assert known.rate("go", GAIN, nothing) == (0.5, 0)
    for _ in range(3):
        known.add("go", Example(before=frozenset(), came=frozenset()))
    assert known.rate("go", GAIN, nothing) == (0.2, 3)
