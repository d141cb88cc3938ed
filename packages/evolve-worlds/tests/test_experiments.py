"""Experiments: sequences of actions are played again, and claims come back that interventions stand behind."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.causal_worlds import CausalWorld, Law, draw_world
from benchmarks.experiments import (
    Allowance,
    Beliefs,
    Experimenter,
    MemoryNotebook,
    Outcome,
    OutOfEpisodes,
    Replays,
    Trace,
)
from benchmarks.experiments.courses import withdrawn
from evolve.core.episodes import Scope
from tests.memory.conftest import Store

SCOPE = Scope(environment="kitchen", family="actions")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    made = Store(tmp_path)
    yield made
    made.close()


@dataclass
class Kitchen:
    """Tea needs water that was heated and a cup; a broken cup prevents it. What else is done means nothing.

    Attributes:
        lies: Plays, by number from 1, that report the opposite; ``faults`` say that they failed.
    """

    needs: tuple[frozenset[str], ...] = (frozenset({"fill kettle"}), frozenset({"heat"}), frozenset({"take cup"}))
    lies: frozenset[int] = frozenset()
    faults: frozenset[int] = frozenset()
    played: list[tuple[str, ...]] = field(default_factory=list)

    def play(self, group: str, actions: Sequence[str]) -> Outcome:
        self.played.append(tuple(actions))
        if len(self.played) in self.faults:
            return Outcome(fault="time-out")
        done: list[str] = []
        reached: dict[str, int] = {}
        for action in actions:
            done.append(action)
            if "drop cup" not in done[:-1] and all(need & set(done) for need in self.needs):
                reached.setdefault("tea", len(done))
        if len(self.played) in self.lies:
            return Outcome(reached={} if reached else {"tea": len(actions)})
        return Outcome(reached=reached)


WAYS = (
    ("sing", "fill kettle", "open window", "heat", "take cup"),
    ("fill kettle", "sing", "take cup", "heat", "drop cup"),
    ("take cup", "fill kettle", "heat", "open window"),
    ("heat", "fill kettle", "take cup", "sing"),
)


def experimenter(world: Kitchen | CausalWorld, store: Store, *, episodes: int = 500) -> Experimenter:
    notebook = MemoryNotebook(memory=store.memory(), run="experiments")
    return Experimenter(world=world, scope=SCOPE, notebook=notebook, allowance=Allowance(left=episodes))


def watched(world: Kitchen, ways: Sequence[Sequence[str]] = WAYS) -> list[Trace]:
    return [
        Trace(group=f"g{number}", actions=tuple(way), outcome=world.play(f"g{number}", way))
        for number, way in enumerate(ways)
    ]


def confirmed(found: Experimenter, effect: str = "tea") -> tuple[set[str], set[str]]:
    known = [one for one in found.notebook.insights() if one.status == "confirmed"]
    beliefs = Beliefs.of(known, SCOPE)
    return set(beliefs.promoting(effect)), set(beliefs.preventing(effect))


def test_what_an_effect_needs_is_confirmed_and_what_went_with_it_is_not(store: Store) -> None:
    world = Kitchen()
    found = experimenter(world, store)
    found.investigate(watched(world))
    assert confirmed(found) == ({"fill kettle", "heat", "take cup"}, {"drop cup"})
    assert set(found.plans["tea"]) == {"fill kettle", "heat", "take cup"}


def test_a_claim_names_what_was_changed_and_what_came_of_it(store: Store) -> None:
    world = Kitchen()
    found = experimenter(world, store)
    found.investigate(watched(world))
    heat = next(one for one in found.notebook.insights() if one.cause == "action:heat")
    rows = [row for row in store.opened[0][0].evidence(heat.id) if row.kind == "intervention"]
    assert {row.detail for row in rows} == {"played without it: not reached"}
    assert len({row.group for row in rows}) > 1


def test_one_of_two_things_that_do_is_found_too(store: Store) -> None:
    world = Kitchen(needs=(frozenset({"heat", "microwave"}), frozenset({"take cup"})))
    ways = (
        *(("take cup", "heat", "sing"), ("heat", "take cup"), ("sing", "take cup", "heat")),
        *(("take cup", "microwave", "sing"), ("open window", "microwave", "take cup"), ("take cup", "microwave")),
    )
    found = experimenter(world, store)
    found.investigate(watched(world, ways))
    assert confirmed(found)[0] == {"heat", "microwave", "take cup"}


def test_watching_alone_confirms_nothing(store: Store) -> None:
    world = Kitchen()
    found = experimenter(world, store, episodes=0)
    found.investigate(watched(world))
    assert confirmed(found) == (set(), set())


@pytest.mark.slow
@given(lie=st.integers(min_value=len(WAYS) + 1, max_value=60))
@settings(max_examples=25, deadline=None)
def test_one_play_that_misreports_makes_no_false_claim(tmp_path_factory: pytest.TempPathFactory, lie: int) -> None:
    store = Store(tmp_path_factory.mktemp("lie"))
    world = Kitchen(lies=frozenset({lie}))
    found = experimenter(world, store)
    found.investigate(watched(world))
    promoting, preventing = confirmed(found)
    assert promoting <= {"fill kettle", "heat", "take cup"}
    assert preventing <= {"drop cup"}
    store.close()


def test_a_fault_says_nothing_and_counts_as_an_episode(store: Store) -> None:
    world = Kitchen(faults=frozenset(range(len(WAYS) + 1, 200, 3)))
    found = experimenter(world, store)
    found.investigate(watched(world))
    assert confirmed(found) == ({"fill kettle", "heat", "take cup"}, {"drop cup"})
    assert found.allowance.taken == len(world.played) - len(WAYS)


@given(episodes=st.integers(min_value=0, max_value=40))
@settings(max_examples=20, deadline=None)
def test_no_more_episodes_are_played_than_allowed(tmp_path_factory: pytest.TempPathFactory, episodes: int) -> None:
    store = Store(tmp_path_factory.mktemp("few"))
    world = Kitchen()
    found = experimenter(world, store, episodes=episodes)
    found.investigate(watched(world))
    assert len(world.played) - len(WAYS) <= episodes
    assert confirmed(found)[0] <= {"fill kettle", "heat", "take cup"}
    store.close()


@pytest.mark.slow
@given(seed=st.integers(min_value=0, max_value=10_000))
@settings(max_examples=10, deadline=None)
def test_in_a_world_that_does_not_lie_what_is_confirmed_is_true(
    tmp_path_factory: pytest.TempPathFactory, seed: int
) -> None:
    store = Store(tmp_path_factory.mktemp("world"))
    world = draw_world(seed, faults=0.0)
    found = experimenter(world, store)
    found.investigate([world.episode(number) for number in range(12)])
    for effect in world.laws:
        promoting, preventing = confirmed(found, effect)
        assert {(one, effect) for one in promoting} <= set(world.promoting())
        assert {(one, effect) for one in preventing} <= world.preventing()
    store.close()


@pytest.mark.slow
@given(seed=st.integers(min_value=0, max_value=10_000))
@settings(max_examples=10, deadline=None)
def test_in_a_world_that_does_not_lie_what_effects_need_is_found(
    tmp_path_factory: pytest.TempPathFactory, seed: int
) -> None:
    store = Store(tmp_path_factory.mktemp("world"))
    world = draw_world(seed, faults=0.0)
    found = experimenter(world, store, episodes=10_000)
    draw = random.Random(seed)
    for number in range(30):
        actions = found.suggest(draw.sample(world.actions, len(world.actions)))
        found.investigate([Trace(group=f"g{number}", actions=actions, outcome=world.play("g", actions))])
    for effect in found.plans:
        promoting, _ = confirmed(found, effect)
        assert {one for (one, to), only in world.promoting().items() if to == effect and only} <= promoting
    store.close()


def test_what_one_effect_needs_may_prevent_another(store: Store) -> None:
    world = CausalWorld(
        actions=("dig", "sow", "burn", "sing"),
        laws={
            "harvest": Law(clauses=(frozenset({"dig"}), frozenset({"sow"})), hindered_by=frozenset({"burn"})),
            "ash": Law(clauses=(frozenset({"burn"}),)),
        },
        habits=frozenset({"sing"}),
        faults=0.0,
    )
    ways = [
        ("dig", "sow", "sing", "burn"),
        ("sow", "dig", "burn"),
        ("burn", "sing", "dig", "sow"),
        ("sing", "burn"),
    ] * 2
    found = experimenter(world, store)
    found.investigate(
        [Trace(group=f"g{number}", actions=way, outcome=world.play("g", way)) for number, way in enumerate(ways)]
    )
    assert confirmed(found, "harvest") == ({"dig", "sow"}, {"burn"})
    assert confirmed(found, "ash") == ({"burn"}, set())


def test_a_course_tells_with_what_an_effect_came() -> None:
    course = withdrawn(("a", "b"), "b", ("x", "y"))
    assert course.came_with({}, "e") is None
    assert course.came_with({"e": 1}, "e") == ""
    came = {number: course.came_with({"e": number}, "e") for number in range(1, len(course.actions) + 1)}
    assert [course.actions[min(n for n in came if came[n] == name) - 1] for name in ("x", "y", "b")] == ["x", "y", "b"]
    assert "b" not in course.actions[: min(n for n in came if came[n] == "b") - 1]


def test_when_the_world_changes_its_claims_stop_and_new_ones_come_at_once(store: Store) -> None:
    world = Kitchen()
    found = experimenter(world, store)
    found.investigate(watched(world))
    world.needs = (frozenset({"sing"}), frozenset({"take cup"}))
    before = len(world.played)
    assert not found.still_holds("later", "tea")
    assert len(world.played) - before <= 3
    beliefs = Beliefs.of(found.notebook.insights(), SCOPE)
    assert not beliefs.promoting("tea")
    found.investigate([watched(world, [("open window", "sing", "take cup")] * 6)[5]])
    assert "sing" in Beliefs.of(found.notebook.insights(), SCOPE).promoting("tea")


def test_a_plan_that_still_works_is_kept(store: Store) -> None:
    world = Kitchen()
    found = experimenter(world, store)
    found.investigate(watched(world))
    assert found.still_holds("later", "tea")
    assert confirmed(found)[0] == {"fill kettle", "heat", "take cup"}


def test_an_outcome_is_believed_when_it_leads(store: Store) -> None:
    world = Kitchen(lies=frozenset({1}))
    replays = Replays(world=world, group="g", allowance=Allowance(left=10))
    assert replays.surely(("fill kettle", "heat", "take cup"), "tea")
    assert len(world.played) == 4
    with pytest.raises(OutOfEpisodes):
        Replays(world=world, group="g", allowance=Allowance(left=1)).surely(("heat",), "tea")


def test_the_truth_of_a_world_is_what_its_plays_say() -> None:
    world = CausalWorld(
        actions=("a", "b", "c", "d"),
        laws={
            "first": Law(clauses=(frozenset({"a"}),), hindered_by=frozenset({"d"})),
            "second": Law(clauses=(frozenset({"b", "c"}),), first="first"),
        },
        habits=frozenset(),
        faults=0.0,
    )
    assert world.promoting() == {
        ("a", "first"): True,
        ("a", "second"): True,
        ("b", "second"): False,
        ("c", "second"): False,
    }
    assert world.preventing() == {("d", "first"), ("d", "second")}
    assert world.play("g", ("b", "a")).reached == {"first": 2}
    assert world.play("g", ("a", "c")).reached == {"first": 1, "second": 2}
    assert world.play("g", ("d", "a", "c")).reached == {}


def test_claims_say_nothing_of_the_world_they_were_not_made_in(store: Store) -> None:
    world = Kitchen()
    found = experimenter(world, store)
    found.investigate(watched(world))
    other = Beliefs.of(found.notebook.insights(), Scope(environment="garden", family="actions"))
    assert not other.promoting("tea")
