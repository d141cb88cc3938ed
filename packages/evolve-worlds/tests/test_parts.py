"""Goals of several parts: which order a connective means, learned from what worked and from what lost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import permutations
from random import Random

import pytest

from evolve_worlds import Move, Scene, Split, Trial
from evolve_worlds.experience import Experience, Learner, Limits, VariationNotes
from evolve_worlds.experience.learner import copied
from evolve_worlds.experience.parts import TOLD, TURNED, Orders, Parts, parts_of
from evolve_worlds.experience.wording import Goal

COLOURS = ("red", "blue", "green", "grey")
PAIRS = tuple(permutations(COLOURS, 2))
ORDERS = ("{}, then {}", "{} after you {}", "{} and {}")


def ring(thing: str) -> Move:
    return Move(schema="ring the {}", objects=(thing,))


def parts(text: str, orders: Orders) -> Parts:
    return parts_of(Goal(text), ["ring the {}"], {"bell", *COLOURS}, orders)


def first(read: Parts) -> tuple[str, ...]:
    assert read.next is not None
    return read.next.thing


def test_what_did_not_work_as_told_is_done_turned_round_and_remembered() -> None:
    orders, text = Orders(), "ring the red bell after you ring the blue bell"
    read = parts(text, orders)
    assert (read.connectives, first(read)) == (["after you"], ("red", "bell"))
    read.did(ring("red bell"))
    read.did(ring("blue bell"))
    assert first(read) == ("blue", "bell")
    read.reached([ring("red bell"), ring("blue bell"), ring("red bell")])
    assert orders.rate("after you", TURNED) > orders.rate("after you", TOLD)
    assert first(parts(text, orders)) == ("blue", "bell")


def test_one_lost_trial_speaks_against_the_order_in_which_it_was_the_moves_turn() -> None:
    orders, text = Orders(), "ring the red bell after you ring the blue bell"
    read = parts(text, orders)
    read.lost(ring("red bell"))
    assert orders.counts == {"after you": {TOLD: (0, 1)}}
    assert (first(read), read.later(["red bell", "blue bell"])) == (("blue", "bell"), {"red bell": "after you"})


def test_a_lost_trial_is_blamed_on_the_connective_that_is_least_sure() -> None:
    orders = Orders()
    orders.add("and", TOLD, worked=True)
    parts("ring the red bell and ring the blue bell after you ring the grey bell", orders).lost(ring("red bell"))
    assert orders.counts == {"and": {TOLD: (1, 0)}, "after you": {TOLD: (0, 1)}}


@pytest.mark.parametrize(("played", "worked"), [(["red", "blue"], TOLD), (["blue", "red"], TURNED), (["red"], None)])
def test_what_worked_by_chance_tells_the_order_too(played: list[str], worked: str | None) -> None:
    orders = Orders()
    parts("ring the red bell and ring the blue bell", orders).reached([ring(f"{one} bell") for one in played])
    assert orders.counts == ({"and": {worked: (1, 0)}} if worked else {})


@dataclass
class Belfry:
    """Two bells are to be rung; one before its turn loses the trial."""

    name: str = "belfry"
    version: str = "belfry 1"

    def tasks(self) -> Sequence[str]:
        return ("ring",)

    def variations(self, task: str, split: Split) -> Sequence[int]:
        return range(len(PAIRS) * len(ORDERS))

    def start(self, task: str, variation: int) -> Trial:
        told, pair = ORDERS[variation % len(ORDERS)], PAIRS[variation // len(ORDERS)]
        goal = told.format(*(f"ring the {one} bell" for one in pair))
        return Ringing(goal=goal, turns=pair[::-1] if "after" in goal else pair, strict=" and " not in goal)

    def close(self) -> None:
        return


@dataclass
class Ringing:
    goal: str
    turns: Sequence[str]
    strict: bool
    rung: list[str] = field(default_factory=list)
    scene: Scene = field(default_factory=lambda: Scene(told="The belfry.", view="The belfry."))

    def moves(self) -> Sequence[Move]:
        return () if self.scene.over else [ring(f"{one} bell") for one in COLOURS]

    def do(self, move: str) -> Scene:
        colour = move.split()[2]
        lost = self.strict and colour == self.turns[1] and self.turns[0] not in self.rung
        self.rung.append(colour)
        won = not lost and set(self.turns) <= set(self.rung)
        view = f"The belfry.\nYou hear {len(self.rung)} strokes."
        self.scene = Scene(told=view, view=view, score=float(won), over=won or lost, lost=lost)
        return self.scene


@pytest.mark.slow
def test_where_the_wrong_order_loses_it_is_learned_and_nothing_else_is_avoided() -> None:
    world, order = Belfry(), Random(0).sample(range(36), 36)
    learner = Learner(world=world, limits=Limits(moves=20, replays=0))
    for variation in order[:18]:
        learner.play("ring", variation, VariationNotes())

    def won(known: Experience) -> int:
        fresh = (Learner(world=world, experience=copied(known), limits=learner.limits) for _ in order[18:])
        trials = [one.play("ring", at, VariationNotes()) for one, at in zip(fresh, order[18:], strict=True)]
        return sum(trial.score == 1.0 for trial in trials)

    assert (won(Experience()) < 18, won(learner.experience)) == (True, 18)
