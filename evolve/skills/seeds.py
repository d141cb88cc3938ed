"""Reads the skills that ship with evolve, each as it is there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from evolve.core.errors import UsageError
from evolve.core.files import canonical_json, digest, read_text
from evolve.skills.folder import read_folder
from evolve.skills.skill import Skill


def seed_digest(folder: Path, name: str) -> str:
    """What the files of a seed are known by; ``SEEDS`` lists both, a file as ``NAME/FILE``, this as ``NAME DIGEST``."""
    files = [line for line in read_text(folder / "SEEDS").splitlines() if line.startswith(f"{name}/")]
    return digest(canonical_json([[file, read_text(folder / file)] for file in files]))


def shipped_seeds(folder: Path) -> tuple[Sequence[Skill], Mapping[str, str]]:
    """The skills that ``SEEDS`` lists, and by name what is wrong with those that are not as they were shipped."""
    lines = read_text(folder / "SEEDS").splitlines()
    digests = dict(line.split() for line in lines if len(line.split()) == 2 and not line.startswith("#"))
    found: list[Skill] = []
    broken: dict[str, str] = {}
    for name, known in digests.items():
        try:
            if seed_digest(folder, name) != known:
                raise UsageError("its files are not those that evolve shipped")
            found.append(replace(read_folder(folder / name), owner="seed", status="admitted"))
        except (UsageError, OSError, ValueError) as problem:
            broken[name] = str(problem)
    return found, broken
