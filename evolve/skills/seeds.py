"""The skills of a workspace, beside those that ship with evolve: a seed has no row before it helped or was changed.

Learned states are made of rows, so that no seed is part of one: what is compared with the unlearned state was learned.
"""

from __future__ import annotations

import builtins
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path

from evolve.core.errors import UsageError
from evolve.core.files import canonical_json, digest, read_text
from evolve.core.store import Database, ObjectStore
from evolve.skills.folder import read_folder, write_folder
from evolve.skills.repository import SkillRepository
from evolve.skills.skill import Skill, SkillStatus


def seed_digest(folder: Path, name: str) -> str:
    """What the files of a seed are known by; ``SEEDS`` lists both, a file as ``NAME/FILE``, this as ``NAME DIGEST``."""
    files = [line for line in read_text(folder / "SEEDS").splitlines() if line.startswith(f"{name}/")]
    return digest(canonical_json([[file, read_text(folder / file)] for file in files]))


class SeededLibrary(SkillRepository):
    """A library that also knows seeds.

    Args:
        seeds: The folder with the skills that ``SEEDS`` in it lists, each as it is there; None to go without them.
    """

    def __init__(self, db: Database, objects: ObjectStore, folder: Path, seeds: Path | None = None) -> None:
        super().__init__(db, objects, folder)
        self._seed_folder = seeds
        self._broken_seeds: dict[str, str] = {}

    def seeds(self) -> builtins.list[Skill]:
        """Seeds that have no row yet, without those whose name a skill of the workspace has."""
        taken = {value for row in self._db.query("SELECT name, digest FROM skills") for value in row.values()}
        return [seed for seed in self._shipped if not taken & {seed.name, seed.digest}]

    @cached_property
    def _shipped(self) -> tuple[Skill, ...]:
        if self._seed_folder is None:
            return ()
        lines = read_text(self._seed_folder / "SEEDS").splitlines()
        digests = dict(line.split() for line in lines if len(line.split()) == 2 and not line.startswith("#"))
        found = []
        for name, known in digests.items():
            try:
                if seed_digest(self._seed_folder, name) != known:
                    raise UsageError("its files are not those that evolve shipped")
                found.append(replace(read_folder(self._seed_folder / name), owner="seed", status="admitted"))
            except (UsageError, OSError, ValueError) as problem:
                self._broken_seeds[name] = str(problem)
        return tuple(found)

    @property
    def quarantined(self) -> Mapping[str, str]:
        """As of any library, with the seeds that are not as they were shipped."""
        broken = self._broken_seeds if self._shipped is not None else {}  # which looks at them
        return {**super().quarantined, **broken}

    def get(self, name_or_digest: str) -> Skill:
        """As of any library; also a seed, by its whole name or digest."""
        for seed in self._shipped:
            if name_or_digest in (seed.name, seed.digest) and seed in self.seeds():
                return seed
        return super().get(name_or_digest)

    def record_use(self, digest: str, task: str, policy: str = "") -> Skill:
        """As of any library; a seed is a skill of the workspace from then on."""
        self._take_in(digest)
        return super().record_use(digest, task, policy)

    def own(self, name_or_digest: str) -> Skill:
        """As of any library; a seed is a skill of the workspace from then on."""
        self._take_in(name_or_digest)
        return super().own(name_or_digest)

    def _changed(self, key: str, status: SkillStatus, reason: str, *, attended: bool = False) -> Skill:
        self._take_in(key)
        return super()._changed(key, status, reason, attended=attended)

    def _take_in(self, key: str) -> None:
        seed = self.get(key)
        if seed in self.seeds():
            row = {"digest": seed.digest, "name": seed.name, "object": self._objects.put_json(seed.to_json())}
            self._db.insert("skills", {**row, "status": seed.status, "owner": seed.owner}, key="digest")
            if not self._is_foreign(self._folder / seed.name, seed.digest):
                write_folder(seed, self._folder)
