"""What every world promises, whichever package it comes from."""

from __future__ import annotations

import random

import pytest

from evolve.core.errors import UsageError
from evolve_worlds import Described, Scene, Stateful, World, WorldFault, check_world, choices

HOSTILE = (
    "",
    " \n\t ",
    "xyzzy",
    "look\nlook\r\nquit",
    "\x00\x1b[2J\x7f",
    "x" * 100_000,
    "東京 \U0001f600 \u202e é",
    "\ud800",
    "{} {0} {objects} %s $HOME `id`",
    "restart",
    "quit",
    "undo",
    "-1",
)

REFUSED = ("Ambiguous request", "No known action", "Unknown action", "not a verb", "no such thing", "cannot do that")


@pytest.mark.slow
def test_the_same_moves_lead_to_the_same_scenes(world: World, task: str) -> None:
    checked = check_world(world, task, moves=25)
    assert checked.wrong == []
    assert checked.moves > 0 and checked.steps >= 0


@pytest.mark.slow
def test_what_is_offered_is_taken(world: World, task: str) -> None:
    trial = world.start(task, world.variations(task, "train")[0])
    draw = random.Random(3)
    for _ in range(20):
        # A thing may be called as the scene calls it, which several may be: then the world asks, and takes the answer.
        listed = (
            trial.described() if isinstance(trial, Described) and not choices(trial.scene.told, trial.moves) else ()
        )
        moves = [move for move in (*trial.moves(), *listed) if not move.text.startswith("focus")]  # which may end it
        if not moves:
            break
        move = draw.choice(moves)
        assert move.text == move.schema.format(*move.objects)
        told = trial.do(move.text).told
        assert told and not any(words in told for words in REFUSED[move in listed :]), (move.text, told)


@pytest.mark.slow
def test_moves_stand_in_a_fixed_order_and_once(world: World, task: str) -> None:
    trial = world.start(task, world.variations(task, "dev")[0])
    moves = trial.moves()
    assert moves == trial.moves()
    assert len({move.text for move in moves}) == len(moves)
    if isinstance(trial, Described):
        described = trial.described()
        assert described == trial.described() and len(set(described)) == len(described)
        assert {move.schema for move in described} == {move.schema for move in moves}


@pytest.mark.slow
def test_what_is_impossible_changes_nothing(world: World, task: str) -> None:
    trial = world.start(task, world.variations(task, "train")[1])
    before, moves = trial.scene, trial.moves()
    for text in HOSTILE:
        scene = trial.do(text)
        assert isinstance(scene, Scene) and scene.told.strip()
        assert (scene.view, scene.score, scene.over) == (before.view, before.score, False)
    assert trial.moves() == moves


@pytest.mark.slow
def test_nothing_is_done_once_it_is_over(world: World, task: str) -> None:
    draw = random.Random(1)
    for variation in world.variations(task, "train")[:3]:
        trial = world.start(task, variation)
        for _ in range(120):
            moves = trial.moves()
            risky = [move for move in moves if move.text.startswith("focus")]
            trial.do(draw.choice(risky or moves).text)
            if trial.scene.over:
                assert trial.moves() == ()
                assert trial.do(moves[0].text) == trial.scene
                return
    assert world.name == "minigrid"  # where chance may not do in time


def test_a_trial_goes_back_to_what_was_kept_and_on_from_there(world: World, task: str) -> None:
    trial = world.start(task, world.variations(task, "train")[0])
    if not isinstance(trial, Stateful):
        assert world.name in ("counter", "scienceworld")
        return
    start, first = trial.snapshot(), trial.scene
    moves = trial.moves()
    after = [trial.do(moves[0].text), trial.do(moves[-1].text)]
    for _ in range(2):
        trial.restore(start)
        assert (trial.scene, trial.moves()) == (first, moves)
        assert [trial.do(moves[0].text), trial.do(moves[-1].text)] == after


@pytest.mark.parametrize("split", ["train", "dev", "test"])
def test_no_variation_is_in_two_splits(world: World, task: str, split: str) -> None:
    others = [other for other in ("train", "dev", "test") if other != split]
    mine = set(world.variations(task, split))
    assert mine and not mine & {one for other in others for one in world.variations(task, other)}


def test_what_there_is_not_is_refused_by_name(world: World, task: str) -> None:
    with pytest.raises(UsageError, match="no task"):
        world.start("conquer-the-moon", 0)
    with pytest.raises(UsageError, match="no task"):
        world.variations("conquer-the-moon", "train")
    for variation in (-1, 10**9):
        with pytest.raises(UsageError, match="no variation"):
            world.start(task, variation)


@pytest.mark.slow
def test_a_closed_world_begins_anew(world: World, task: str) -> None:
    variation = world.variations(task, "train")[0]
    scene = world.start(task, variation).scene
    world.close()
    world.close()
    assert world.start(task, variation).scene == scene


def test_a_trial_offers_what_the_protocol_says_and_no_more(world: World, task: str) -> None:
    """Neither a way to the goal nor what the package knows of the progress towards it."""
    trial = world.start(task, world.variations(task, "train")[0])
    offered = {name for name in dir(trial) if not name.startswith("_")}
    assert offered <= {"goal", "scene", "moves", "described", "do", "snapshot", "restore"} | (
        {"number"} & set(vars(trial))
    )
    assert set(vars(trial.scene)) == {"told", "view", "score", "over", "lost", "steps"}


def test_the_version_names_the_package_and_a_fault_is_told(world: World) -> None:
    assert world.name and world.version.strip()
    assert issubclass(WorldFault, Exception) and WorldFault("gone").exit_code == 3
