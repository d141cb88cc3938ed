"""BabyAI in words: the map that is drawn from views is the grid as it is, and nothing unseen gets into it."""

from __future__ import annotations

import random
from typing import Any

import pytest
from minigrid.core.world_object import Ball

from evolve.core.errors import UsageError
from evolve_worlds import open_world
from evolve_worlds.minigrid import MiniGrid
from evolve_worlds.minigrid.sight import AHEAD, Cell, Sight
from evolve_worlds.minigrid.walker import Walker


def inside(trial: Any) -> Walker:
    """What a trial keeps to itself, to be compared with what it tells."""
    return trial._walker


class True_:
    """The grid as it is, in the cells of the agent's own map."""

    def __init__(self, grid: Any) -> None:
        self._grid = grid
        self._at, self._turned = tuple(map(int, grid.agent_pos)), int(grid.agent_dir)

    def place(self, cell: Cell) -> Cell:
        """Where a cell of the agent's map is: it takes its first look to be one to the right."""
        right, down = AHEAD[self._turned], AHEAD[(self._turned + 1) % 4]
        return (
            self._at[0] + cell[0] * right[0] + cell[1] * down[0],
            self._at[1] + cell[0] * right[1] + cell[1] * down[1],
        )

    def kind(self, cell: Cell) -> str:
        held = self._grid.grid.get(*self.place(cell))
        return "empty" if held is None else str(held.type)


@pytest.mark.parametrize("task", ["GoTo", "PutNext", "Unlock", "PickupLoc"])
@pytest.mark.parametrize("seed", [0, 7, 1501])
def test_what_was_seen_is_what_is_there(task: str, seed: int) -> None:
    trial = MiniGrid().start(task, seed)
    walker = inside(trial)
    true, draw = True_(walker.grid), random.Random(seed)
    for _ in range(25):
        if trial.scene.over:
            break
        trial.do(draw.choice(trial.moves()).text)
        sight: Sight = walker.sight
        assert true.place(sight.cell) == tuple(walker.grid.agent_pos)
        for cell, content in sight.seen.items():
            if cell != sight.cell:
                assert true.kind(cell) == content.kind, (cell, content)
        assert (walker.grid.carrying is None) == (sight.carried is None)
    assert walker.steps == walker.grid.step_count


def test_what_is_not_in_view_makes_no_difference() -> None:
    told = []
    for hidden in (False, True):
        trial = MiniGrid().start("GoTo", 3)
        walker = inside(trial)
        true = True_(walker.grid)
        seen = {true.place(cell) for cell in walker.sight.seen}
        if hidden:
            free = [
                (column, row)
                for column in range(walker.grid.width)
                for row in range(walker.grid.height)
                if walker.grid.grid.get(column, row) is None and (column, row) not in seen
            ]
            for place in free[: len(free) // 2]:
                walker.grid.grid.set(*place, Ball("red"))
        told.append((trial.scene, trial.moves(), trial.do("go to the grey ball") if not hidden else None))
    assert told[0][:2] == told[1][:2]


def test_steps_of_a_long_move_are_counted_one_by_one() -> None:
    trial = MiniGrid().start("GoToLocal", 0)
    walker = inside(trial)
    name = trial.moves()[-1].objects[0]
    scene = trial.do(f"go to the {name}")
    assert scene.steps == walker.grid.step_count > 0
    assert trial.do(f"go to the {name}").steps == 0 or trial.scene.over


def test_a_level_is_solved_by_what_its_mission_says() -> None:
    solved = 0
    for seed in range(20):
        trial = MiniGrid().start("GoToLocal", seed)
        wanted = trial.goal.removeprefix("go to ").removeprefix("the ").removeprefix("a ")
        for _ in range(10):
            ways = [move.text for move in trial.moves()]
            found = [text for text in ways if text.startswith(f"go to the {wanted}")]
            if trial.scene.over:
                break
            trial.do(found[0] if found else "explore")
        solved += trial.scene.score == 1.0
        assert not trial.scene.lost
    assert solved >= 18


@pytest.mark.slow
def test_things_that_look_alike_have_names_of_their_own() -> None:
    for seed in range(30):
        trial = MiniGrid().start("GoTo", seed)
        for _ in range(6):
            trial.do("explore")
        names = [move.objects for move in trial.moves() if move.schema == "go to the {}"]
        assert len(names) == len(set(names))


@pytest.mark.slow
def test_without_time_the_trial_is_over_and_not_lost() -> None:
    trial = MiniGrid().start("PutNextLocal", 0)
    draw = random.Random(0)
    while not trial.scene.over:
        moves = [move.text for move in trial.moves() if move.schema == "go to the {}"]
        trial.do(draw.choice(moves))
    assert (trial.scene.score, trial.scene.lost) == (0.0, False)
    assert inside(trial).grid.step_count == inside(trial).grid.max_steps


@pytest.mark.slow
def test_a_part_before_its_turn_loses_the_trial_where_that_is_asked_for() -> None:
    lost = {"minigrid": 0, "minigrid:strict": 0}
    for name in lost:
        world = open_world(name)
        for seed in range(150):
            trial = world.start("GoToSeqLocal", seed)
            first, then, second = trial.goal.partition(", then go to the ")
            offered = [one.text for one in trial.moves()]
            if then and f"go to the {second}" in offered and " and " not in trial.goal and second not in first:
                lost[name] += trial.do(f"go to the {second}").lost
    assert lost["minigrid"] == 0 and lost["minigrid:strict"] >= 1


def test_another_setting_is_refused() -> None:
    with pytest.raises(UsageError, match="no setting 'lax'"):
        open_world("minigrid:lax")


def test_a_setting_is_part_of_the_name_under_which_claims_are_kept() -> None:
    assert (MiniGrid().name, MiniGrid("strict").name) == ("minigrid", "minigrid:strict")
