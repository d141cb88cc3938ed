"""What lies in ``skills/`` and no run uses as it is: folders and functions made by hand, copied there, or edited."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from evolve.skills.folder import folder_changes

if TYPE_CHECKING:
    from evolve.skills import Skill, SkillRepository

# Set aside by a repair, which said so.
_ASIDE = re.compile(r"\.damaged(-\d+)?\Z")
_LARGEST = 1 << 20


@dataclass(frozen=True, kw_only=True)
class UnusedFolder:
    """A folder of a skill that evolve does not use, or not as it is.

    Attributes:
        why: What evolve uses instead, in one sentence.
        fix: What a person can do about it, with the command.
    """

    name: str
    why: str
    fix: str


def unused_folders(library: SkillRepository | None, folder: Path) -> Iterator[UnusedFolder]:
    """Everything in ``skills/`` that nobody uses as it is, by name; reads, and runs nothing of it.

    Args:
        library: None where there is no record yet, so that no skill was learned.
    """
    skills = [] if library is None else library.list()
    known = {skill.name: skill for skill in skills}
    damaged = {} if library is None else library.quarantined
    found = list(folder.iterdir()) if folder.is_dir() else []
    names = sorted(path.name for path in found if path.is_dir() or (path.suffix == ".py" and path.is_file()))
    for name in names:
        if name in known:
            yield from _edited(known[name], folder / name)
        elif not (name.startswith(".") or _ASIDE.search(name) or name in damaged):
            yield _stranger(folder / name, skills)


def _edited(skill: Skill, folder: Path) -> Iterator[UnusedFolder]:
    files = ", ".join(folder_changes(skill, folder)[:5])
    if not files or skill.status in ("retired", "draft") or skill.hidden:
        return
    why = f"{files} in {folder} changed, and evolve uses {skill.name} as it was learned"
    if skill.owner == "user":
        learn = "evolve run --examples ROWS.csv, with rows that show the change, learns it as another skill"
        fix = f"evolve skills show {skill.name} shows the code in use; {learn}"
    else:
        fix = f"evolve skills own {skill.name} keeps your files; evolve status --repair writes them anew"
    yield UnusedFolder(name=skill.name, why=why, fix=fix)


def _stranger(folder: Path, skills: list[Skill]) -> UnusedFolder:
    file = folder if folder.suffix == ".py" else folder / "skill.py"
    # Nothing is read where it is no plain file of a plain folder.
    plain = not folder.is_symlink() and not file.is_symlink() and file.is_file() and file.stat().st_size <= _LARGEST
    code = file.read_bytes() if plain else b""
    twin = next((skill for skill in skills if code and skill.code.encode() == code), None)
    if twin is not None:
        why = f"{folder} is a copy of the skill {twin.name}, and evolve uses that one"
        fix = f"evolve skills own {twin.name} makes that one yours; remove the copy"
    else:
        why = f"evolve did not learn the skill in {folder}, so no run uses it"
        learn = "evolve run --examples ROWS.csv, with rows that show what it does, learns a skill and admits it"
        if code:
            fix = (
                f"evolve fill TABLE --function {shlex.quote(str(file))} applies it; {learn}, then remove {folder.name}"
            )
        else:
            fix = f"{learn}; evolve memory note TEXT keeps an instruction"
    return UnusedFolder(name=folder.name, why=why, fix=fix)
