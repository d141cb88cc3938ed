"""ScienceWorld: what its simulator knows and the trial does not tell, and what happens when its process ends."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from evolve.core.errors import SetupProblem, UsageError
from evolve_worlds import Scene, WorldFault, open_world
from evolve_worlds.scienceworld import ScienceWorld
from evolve_worlds.scienceworld.listing import as_seen
from tests.architecture.source import ROOT


@pytest.fixture(scope="module")
def world() -> Iterator[ScienceWorld]:
    made = ScienceWorld()
    yield made
    made.close()


def processes() -> set[int]:
    """Java processes that this one started."""
    found = set()
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                stat = (entry / "stat").read_text()
            except OSError:
                continue
            name, _, rest = stat.rpartition(")")
            if name.endswith("(java") and int(rest.split()[1]) == os.getpid():
                found.add(int(entry.name))
    return found


def played(world: ScienceWorld) -> list[Scene]:
    """Among paints, which the simulator alone would tell in another order each time."""
    trial = world.start("grow-plant", 1)
    moves = (
        "look around",
        "pick up bowl",
        "teleport to outside",
        "wait1",
        "look around",
        "wait",
        "teleport to kitchen",
    )
    return [trial.scene, *(trial.do(move) for move in moves)]


@pytest.mark.slow
def test_another_process_tells_the_same_and_a_dead_one_is_a_fault_of_the_world(world: ScienceWorld) -> None:
    before = processes()
    first = played(world)
    (java,) = processes() - before or processes()
    trial = world.start("find-plant", 0)
    os.kill(java, signal.SIGKILL)
    with pytest.raises(WorldFault, match="the simulator of ScienceWorld failed"):
        for _ in range(3):
            trial.do("look around")
    with pytest.raises(WorldFault, match="this trial ended"):
        trial.do("look around")
    assert played(world) == first
    assert java not in processes()


def test_things_are_described_as_they_are_seen(world: ScienceWorld) -> None:
    trial = world.start("grow-fruit", 62)
    trial.do("teleport to living room")
    described = [move.text for move in trial.described()]
    assert "pick up ceramic cup" in [move.text for move in trial.moves()]
    assert "pick up seed jar" in described and "move cherry seed to seed jar" in described
    assert not any("organism" in text or "ceramic cup" in text for text in described)
    assert trial.do("pick up seed jar").told == "You move the seed jar to the inventory."


# Of each thing: what moves call it, all its names, and what it is called as the view has it.
@pytest.mark.parametrize(
    ("view", "things"),
    [
        ("A seed jar (containing a seed).", [("ceramic cup", "ceramic cup|cup|seed jar", "seed jar")]),
        ("a substance called air", [("air", "air|substance", "air")]),
        (
            "red paint, blue paint",
            [("paint", "paint|red paint", "red paint"), ("paint", "blue paint|paint", "blue paint")],
        ),
        ("a cup, a cup", [("cup on table", "cup", "cup on table"), ("cup on bed", "cup", "cup on bed")]),
        ("a vessel, a vessel", [("jug", "jug|vessel", "jug"), ("pot", "pot|vessel", "pot")]),
        ("a jug containing milk", [("jug", "jug|jug containing milk", "jug")]),
    ],
)
def test_a_name_is_taken_from_the_view_where_it_tells_things_apart_as_well(
    view: str, things: list[tuple[str, str, str]]
) -> None:
    names = {number: name for number, (name, _, _) in enumerate(things)}
    called = {number: told.split("|") for number, (_, told, _) in enumerate(things)}
    assert as_seen(names, called, view) == {number: seen for number, (_, _, seen) in enumerate(things)}


@pytest.mark.slow
def test_a_trial_ends_where_another_one_begins(world: ScienceWorld) -> None:
    old = world.start("find-plant", 0)
    new = world.start("find-plant", 1)
    with pytest.raises(WorldFault, match="another one began"):
        old.do("look around")
    assert new.do("look around").told.startswith("This ")


def test_lists_are_read_without_ending_the_trial(world: ScienceWorld) -> None:
    trial = world.start("find-plant", 0)
    assert len(world.variations("freeze", "train")) > len(world.variations("freeze", "test")) > 0
    assert trial.do("look around").told.startswith("This ")


@pytest.mark.slow
def test_a_wrong_focus_loses_and_the_next_trial_is_fresh(world: ScienceWorld) -> None:
    trial = world.start("find-plant", 0)
    first = trial.scene
    scene = trial.do("focus on agent")
    assert (scene.score, scene.over, scene.lost) == (0.0, True, True)
    assert world.start("find-plant", 0).scene == first and not (first.over or first.lost)


@pytest.mark.slow
def test_what_counts_at_the_start_is_no_gain_of_the_first_move(world: ScienceWorld) -> None:
    trial = world.start("find-plant", 0)
    assert 0.0 < trial.scene.score == trial.do("wait1").score


@pytest.mark.slow
def test_the_score_is_a_share_of_the_whole(world: ScienceWorld) -> None:
    trial = world.start("use-thermometer", 0)
    trial.do("teleport to kitchen")
    scores = [trial.do(move).score for move in ("pick up thermometer", "focus on thermometer")]
    assert 0.0 < scores[-1] <= 1.0 and scores == sorted(scores)


@pytest.mark.slow
def test_a_question_of_the_simulator_is_answered_by_its_numbers(world: ScienceWorld) -> None:
    trial = world.start("boil", 3)
    trial.do("teleport to kitchen")
    assert trial.do("look at door").told.startswith("Ambiguous request")
    assert [move.text for move in trial.moves()] == ["0", "1", "2"]
    assert "door" in trial.do("0").told.lower()
    assert len(trial.moves()) > 3


def test_only_what_is_within_reach_is_offered(world: ScienceWorld) -> None:
    """The package lists moves with what is in the closed fridge, too."""
    trial = world.start("boil", 3)
    trial.do("teleport to kitchen")
    offered = " ".join(move.text for move in trial.moves())
    assert "orange juice" not in offered
    trial.do("open fridge")
    assert "orange juice" in " ".join(move.text for move in trial.moves())


def test_neither_the_way_to_the_goal_nor_the_progress_is_asked_for(world: ScienceWorld) -> None:
    text = "".join(file.read_text("utf-8") for file in (ROOT / "packages" / "evolve-worlds" / "src").rglob("*.py"))
    for name in ("GoldAction", "gold_action", "goldagent", "GoalProgress", "goal_progress", "ObjectTree", "RunHistory"):
        assert name not in text, name
    for name in ("walkthrough", "policy_commands", "winning_policy", "intermediate_reward", "facts=", "oracle", "Bot"):
        assert name not in text, name
    trial = world.start("boil", 0)
    asked = [trial.do(move).told.lower() for move in ("task", "help", "goals", "inventory", "look around")]
    shown = " ".join([trial.goal, *asked, *(move.text for move in trial.moves())]).lower()
    assert "gold" not in shown and "subgoal" not in shown and "sequential" not in shown


def test_simplifications_are_a_setting_and_part_of_the_version() -> None:
    assert open_world("scienceworld").version.endswith("(easy)")
    assert open_world("scienceworld:").version.endswith("(nothing simplified)")
    assert open_world("scienceworld:openDoors,teleportAction").version.endswith("(openDoors,teleportAction)")
    with pytest.raises(UsageError, match="no simplification 'hard'"):
        open_world("scienceworld:hard")


def test_without_java_the_command_that_installs_it_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    with pytest.raises(SetupProblem, match="Java") as refused:
        ScienceWorld()
    assert refused.value.hint == "apt-get install default-jre-headless"
