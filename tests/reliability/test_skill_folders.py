"""Folders in ``skills/`` that nobody uses as they are: named by the health check and by the list, with what to do."""

import shlex
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

import evolve
from evolve.workspace import doctor
from tests.cli.conftest import Done
from tests.reliability.workspaces import opened


def hand_made(skills: Path, learned: str) -> tuple[str, str]:
    (skills / "mine").mkdir(parents=True)
    (skills / "mine" / "SKILL.md").write_text("---\nname: mine\ndescription: Mine.\n---\n")
    return "mine", "evolve run --examples"


def hand_made_function(skills: Path, learned: str) -> tuple[str, str]:
    (skills / "shout").mkdir(parents=True)
    (skills / "shout" / "skill.py").write_text("def shout(name):\n    return name.upper()\n")
    return "shout", f"evolve fill TABLE --function {skills / 'shout' / 'skill.py'}"


def loose_function(skills: Path, learned: str) -> tuple[str, str]:
    skills.mkdir(exist_ok=True)
    (skills / "shout.py").write_text("def shout(name):\n    return name.upper()\n")
    return "shout.py", f"evolve fill TABLE --function {skills / 'shout.py'}"


def copied(skills: Path, learned: str) -> tuple[str, str]:
    shutil.copytree(skills / learned, skills / "copy")
    return "copy", f"evolve skills own {learned}"


def linked(skills: Path, learned: str) -> tuple[str, str]:
    (skills / "way").symlink_to(skills / learned)
    return "way", "evolve run --examples"


def owned_edit(skills: Path, learned: str) -> tuple[str, str]:
    with opened(skills.parent) as workspace:
        workspace.skills.own(learned)
    with (skills / learned / "skill.py").open("a") as file:
        file.write("# faster\n")
    return learned, f"evolve skills show {learned}"


@pytest.mark.parametrize("make", [hand_made, hand_made_function, loose_function, copied, linked, owned_edit])
def test_a_folder_that_is_not_used_as_it_is_is_named_with_a_command(
    folder: Path, make: Callable[[Path, str], tuple[str, str]], cli: Callable[..., Done]
) -> None:
    with opened(folder) as workspace:
        learned = workspace.skills.list()[0].name
        assert workspace.skills.unused_folders() == []
    assert not [finding for finding in doctor(folder) if finding.part == "skills"]
    name, command = make(folder / "skills", learned)
    with opened(folder, read_only=True) as workspace:
        (unused,) = workspace.skills.unused_folders()
    assert unused.name == name and command in unused.fix
    (finding,) = [finding for finding in doctor(folder) if finding.part == "skills"]
    assert (finding.state, finding.text, finding.fix) == ("warning", unused.why, unused.fix)
    listed = cli("-w", folder, "skills", "list", "--json")
    assert listed.code == 0 and name in listed.err
    assert command.removeprefix("evolve ") in listed.err  # with the workspace in it, as it was typed


def test_an_edit_of_a_learned_skill_is_named_with_the_command_that_keeps_it(folder: Path) -> None:
    with opened(folder) as workspace:
        learned = workspace.skills.list()[0].name
    with (folder / "skills" / learned / "skill.py").open("a") as file:
        file.write("# faster\n")
    with opened(folder, read_only=True) as workspace:
        (unused,) = workspace.skills.unused_folders()
    assert unused.name == learned and f"evolve skills own {learned}" in unused.fix
    with opened(folder) as workspace:
        workspace.skills.own(learned)
    assert next(one for one in doctor(folder) if one.part == "bodies").state == "ok"


@pytest.mark.parametrize("make", [hand_made_function, loose_function])
def test_a_function_made_by_hand_is_applied_by_the_command_that_is_named(
    tmp_path: Path, make: Callable[[Path, str], tuple[str, str]], cli: Callable[..., Done]
) -> None:
    evolve.init(tmp_path)
    _, command = make(tmp_path / "skills", "")
    (finding,) = [finding for finding in doctor(tmp_path) if finding.part == "skills"]
    assert command in finding.fix
    (tmp_path / "t.csv").write_text("name,loud\nada,ADA\nbo,\n")
    words = [*shlex.split(command.replace("TABLE", str(tmp_path / "t.csv")))[1:], "-w", str(tmp_path)]
    done = cli(*words)
    assert done.code == 0, done.err
    assert (tmp_path / "t.filled.csv").read_text() == "name,loud\nada,ADA\nbo,BO\n"


def test_a_folder_made_by_hand_is_named_before_anything_was_learned(tmp_path: Path) -> None:
    evolve.init(tmp_path)
    name, command = hand_made(tmp_path / "skills", "")
    (finding,) = [finding for finding in doctor(tmp_path) if finding.part == "skills"]
    assert name in finding.text and command in finding.fix
