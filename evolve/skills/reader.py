"""What there is to know of the skills of a workspace: learned ones, seeds, and those of others that wait.

A seed, which ships with evolve, has no row before it helped or was changed: learned states are made of rows, so that no
seed is part of one. What was imported stands in rows of its own until a task of the person's admits it.
"""

from __future__ import annotations

import builtins
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, cast

from evolve.core.episodes import Json, Rehearsal
from evolve.core.errors import RecordDamaged, UsageError
from evolve.core.store import Database, ObjectStore, Value, value_of
from evolve.skills.folder import folder_digest, read_folder
from evolve.skills.seeds import shipped_seeds
from evolve.skills.skill import Owner, Skill, SkillStatus

if TYPE_CHECKING:
    from evolve.skills.admission import AdmissionVerdict

ACTIVE: tuple[SkillStatus, ...] = ("admitted", "trusted")
"""Statuses under which a skill is offered to whoever solves a task."""

PAIRING = "pairing"
"""The check that a verdict names which refuses a skill for one policy and sandbox alone."""

# Not being needed by a sample of tasks is no evidence against a skill; being offered makes each search longer.
KEPT: tuple[SkillStatus, ...] = (*ACTIVE, "idle")
"""Statuses of skills whose admission holds: these are found, exported, and act in a variant judged with them."""


@dataclass(frozen=True, kw_only=True)
class ImportedSkill:
    """An imported function: ``waiting``, ``admitted`` as the skill ``reason``, or ``refused`` for a reason."""

    digest: str
    name: str
    origin: str
    state: str
    reason: str
    evidence: Mapping[str, Json]
    skill: Skill


_Row = Mapping[str, Value]


def _by_digest(rows: Iterable[_Row]) -> dict[str, list[_Row]]:
    found: dict[str, list[_Row]] = {}
    for row in rows:
        found.setdefault(str(row["digest"]), []).append(row)
    return found


class SkillReader:
    """Skills and what is known about them.

    Args:
        db: The record.
        objects: Bodies of skills.
        folder: The workspace's ``skills`` folder.
        seeds: The folder of the skills that ship with evolve; None to go without them.
    """

    def __init__(self, db: Database, objects: ObjectStore, folder: Path, seeds: Path | None = None) -> None:
        self._db = db
        self._objects = objects
        self._folder = folder
        self._seed_folder = seeds
        self._bodies: dict[str, Skill] = {}  # objects never change, so a body is read and verified once
        self._quarantined: dict[str, str] = {}

    def get(self, name_or_digest: str) -> Skill:
        """The skill of a name or digest, or the only one whose name begins with these words; a seed has no such words.

        Raises:
            UsageError: When there is none, or several names begin like that.
            RecordDamaged: When its row or body is damaged.
        """
        skill = self._seed(name_or_digest) or self._find(name_or_digest)
        if skill is not None:
            return skill
        known = self.list()
        alike = [one for one in known if one.name.startswith(f"{name_or_digest}-")]
        alike = [one for one in alike if one.status != "retired"] or alike
        if len(alike) == 1:
            return alike[0]
        names = ", ".join(one.name for one in (alike or known)[:5])
        if alike:
            raise UsageError(f"{name_or_digest!r} may be one of {len(alike)} skills", hint=f"give more of {names}")
        raise UsageError(f"no skill {name_or_digest!r}", hint=f"known skills: {names or 'none yet'}")

    def list(self, statuses: Sequence[SkillStatus] = ()) -> list[Skill]:
        """Skills in order of admission, all or those of the given statuses.

        One whose body is damaged is left out and named by :attr:`quarantined`; the others go on working.
        """
        rows = [row for row in self._db.rows("skills") if not statuses or row["status"] in statuses]
        tables = ("skill_uses", "skill_offers", "skill_users")
        uses, offers, users = (_by_digest(self._db.rows(table)) for table in tables)
        found = []
        for row in rows:
            name = str(row["digest"])
            try:
                found.append(self._skill(row, uses.get(name, ()), offers.get(name, ()), users.get(name, ())))
            except RecordDamaged as damage:
                self._quarantined[str(row["name"])] = str(damage)
        return found

    def seeds(self) -> builtins.list[Skill]:
        """Seeds that have no row yet, without those whose name a skill of the workspace has."""
        taken = {value for row in self._db.query("SELECT name, digest FROM skills") for value in row.values()}
        return [seed for seed in self._shipped[0] if not taken & {seed.name, seed.digest}]

    def procedures(self) -> builtins.list[Skill]:
        """Procedures in use, and drafts that wait for a folder to be tried on."""
        return [skill for skill in self.list((*ACTIVE, "draft")) if skill.environment]

    def active(self) -> builtins.list[Skill]:
        """Skills that may act."""
        return self.list(ACTIVE)

    def digests_by_status(self, statuses: Sequence[SkillStatus]) -> frozenset[tuple[str, str]]:
        """Digest and owner of every skill with one of the statuses, without reading any."""
        rows = self._db.query("SELECT digest, owner, status FROM skills")
        return frozenset((str(row["digest"]), str(row["owner"])) for row in rows if row["status"] in statuses)

    @property
    def quarantined(self) -> Mapping[str, str]:
        """Names of skills that cannot be used because they are damaged, seeds among them, with what is wrong."""
        self.list()
        return {**self._quarantined, **self._shipped[1]}

    def reason(self, name_or_digest: str) -> str:
        """Why a skill is not in use, in one sentence; "" for one that is."""
        rows = self._db.rows("skills", {"digest": self.get(name_or_digest).digest})
        return str(rows[0]["reason"]) if rows else ""

    def rehearsals(self, digest: str) -> builtins.list[Rehearsal]:
        """What came of a procedure on the folders where it was tried, oldest first."""
        bodies = [json.loads(str(row["body"])) for row in self._db.rows("skill_rehearsals", {"digest": digest})]
        return [Rehearsal(**{**body, "arguments": tuple(body["arguments"])}) for body in bodies]

    def verdicts(self, digest: str) -> builtins.list[AdmissionVerdict]:
        """Every verdict on one content, oldest first."""
        from evolve.skills.admission import AdmissionVerdict

        return [
            value_of(AdmissionVerdict, row, admitted=bool(row["admitted"]), checks=json.loads(str(row["checks"])))
            for row in self._db.rows("skill_verdicts", {"digest": digest})
        ]

    def paired(self, policy: str, fingerprint: str) -> dict[str, bool]:
        """Whether each skill is verified for a policy in a sandbox, by digest; without those that nobody tried there.

        Another refusal than for this pairing says nothing of a skill that was admitted since.
        """
        rows = self._db.rows("skill_verdicts", {"policy": policy, "fingerprint": fingerprint})
        tried = [row for row in rows if row["admitted"] or row["failed"] == PAIRING]
        return {str(row["digest"]): bool(row["admitted"]) for row in tried}

    def imported(self, state: str = "") -> builtins.list[ImportedSkill]:
        """Every imported function, or those in one state, oldest first."""
        found = []
        for row in self._db.rows("skill_imports", {"state": state} if state else {}):
            body = json.loads(str(row["body"]))
            skill = replace(Skill.from_json(body["skill"]), owner="imported")
            found.append(value_of(ImportedSkill, row, skill=skill, evidence=body["evidence"]))
        return found

    def _find(self, name_or_digest: str) -> Skill | None:
        if not name_or_digest.isprintable():  # half of a character, say, which no record can hold
            return None
        rows = self._db.rows("skills", "digest = ? OR name = ?", parameters=(name_or_digest, name_or_digest))
        if not rows:
            return None
        own = {"digest": rows[0]["digest"]}
        uses, offers, users = (self._db.rows(table, own) for table in ("skill_uses", "skill_offers", "skill_users"))
        return self._skill(rows[0], uses, offers, users)

    def _skill(
        self, row: Mapping[str, Value], uses: Sequence[_Row], offers: Sequence[_Row], users: Sequence[_Row]
    ) -> Skill:
        body = str(row["object"])
        if body not in self._bodies:
            self._bodies[body] = self._body(row)
        return replace(
            self._bodies[body],
            status=cast(SkillStatus, row["status"]),
            owner=cast(Owner, row["owner"]),
            tasks=tuple(str(use["task"]) for use in uses),
            offered=len(offers),
            users=tuple(sorted(Counter(str(user["policy"]) for user in users).items())),
        )

    @cached_property
    def _shipped(self) -> tuple[Sequence[Skill], Mapping[str, str]]:
        return ((), {}) if self._seed_folder is None else shipped_seeds(self._seed_folder)

    def _seed(self, name_or_digest: str) -> Skill | None:
        named = [seed for seed in self._shipped[0] if name_or_digest in (seed.name, seed.digest)]
        return named[0] if named and named[0] in self.seeds() else None

    def _body(self, row: Mapping[str, Value]) -> Skill:
        """The skill as it was kept; where the object is damaged, its folder if that is the very same."""
        try:
            return Skill.from_json(self._objects.get_json(str(row["object"])))
        except RecordDamaged:
            folder = self._folder / str(row["name"])
            if folder_digest(folder) != row["digest"]:
                raise
            return read_folder(folder)
