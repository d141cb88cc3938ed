"""The skills of a workspace: bodies as objects, everything that changes as rows, folders for people."""

from __future__ import annotations

import builtins
import json
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

from evolve.core.episodes import Rehearsal
from evolve.core.errors import RecordDamaged, UsageError
from evolve.core.failpoints import hit
from evolve.core.files import canonical_json
from evolve.core.store import Database, ObjectStore, Value, value_of
from evolve.skills.folder import folder_digest, read_folder, write_folder
from evolve.skills.naming import function_name, rename_function
from evolve.skills.skill import TRUSTED_AFTER, Owner, Skill, SkillStatus

if TYPE_CHECKING:
    from evolve.skills.admission import AdmissionVerdict

ACTIVE: tuple[SkillStatus, ...] = ("admitted", "trusted")
"""Statuses under which a skill is offered to whoever solves a task."""

PAIRING = "pairing"
"""The check that a verdict names which refuses a skill for one policy and sandbox alone."""

_WAITS = "it waits for a task of its kind in another folder, where it has to do what is wanted"

_DOUBTFUL_AFTER = 2
"""Tasks in which answers with a skill were refused from which on it may be doubtful."""

# Not being needed by a sample of tasks is no evidence against a skill; being offered makes each search longer.
KEPT: tuple[SkillStatus, ...] = (*ACTIVE, "idle")
"""Statuses of skills whose admission holds: these are found, exported, and act in a variant judged with them."""


@dataclass(frozen=True)
class _Help:
    """Whom a skill helped; see :class:`Skill`."""

    tasks: tuple[str, ...]
    offered: int
    users: tuple[tuple[str, int], ...]


def taken_up(name: str) -> str:
    """Why a skill is idle that differs from another in constants alone."""
    return f"a case of {name}"


class SkillRepository:
    """Admitted skills and what is known about them. The record is the truth; folders follow it.

    Args:
        db: The record.
        objects: Bodies of skills.
        folder: The workspace's ``skills`` folder.
    """

    def __init__(self, db: Database, objects: ObjectStore, folder: Path) -> None:
        self._db = db
        self._objects = objects
        self._folder = folder
        self._bodies: dict[str, Skill] = {}  # objects never change, so a body is read and verified once
        self._quarantined: dict[str, str] = {}

    def add(self, skill: Skill, verdict: AdmissionVerdict) -> Skill:
        """Keeps an admitted skill and writes its folder; gives it back with its final name and status. A part has none.

        A name that is taken, by another skill or by a folder somebody made, gets a number. Adding a skill that is
        already known changes nothing but the status of one that is not in use.

        Raises:
            ValueError: When the verdict is not an admission of this very skill.
            WorkspaceError: When it cannot be written.
        """
        if not verdict.admitted or verdict.digest != skill.digest:
            raise ValueError("a skill is kept only with an admission of its own content")
        hit("skill.begin")
        with self._db.transaction():
            named = self._named(skill)
            known = self._find(named.digest)
            # Another name of its function makes another digest and the same skill, so what was found holds for both.
            verdict = replace(verdict, digest=named.digest)
            if known is None:
                known = replace(named, status="admitted", tasks=(), offered=0)
                body = self._objects.put_json(known.to_json())
                row = {"digest": known.digest, "name": known.name, "object": body, "status": "admitted"}
                self.record_verdict(verdict)
                self._db.insert("skills", {**row, "owner": known.owner}, key="digest")
            elif known.status in ("draft", "idle", "retired", "doubtful"):
                self.record_verdict(verdict)
                self._set(known, status=self._earned(known))
                known = self.get(known.digest)
        # Only now the folder: the record is the truth, and a folder that a crash left out is written by the next call.
        hit("skill.row")
        if not known.hidden:
            write_folder(known, self._folder)
        hit("skill.kept")
        return known

    def rehearsed(self, skill: Skill, made: Sequence[Rehearsal]) -> builtins.list[Rehearsal]:
        """Notes what came of a procedure on some folders; gives all that is known of it. A new one is kept as a draft.

        A draft is offered to nobody and has no folder. Of one problem the first run counts.
        """
        with self._db.transaction():
            if self._find(skill.digest) is None:
                draft = skill.renamed(self._free_name(skill).name)
                row = {"digest": draft.digest, "name": draft.name, "object": self._objects.put_json(draft.to_json())}
                row |= {"status": "draft", "owner": draft.owner, "reason": _WAITS}
                self._db.insert("skills", row, key="digest")
            for one in made:
                place = {"digest": skill.digest, "problem": one.group}
                if not self._db.rows("skill_rehearsals", place):
                    row = {**place, "body": canonical_json(vars(one))}
                    self._db.insert("skill_rehearsals", row, key=("digest", "problem"))
            return self.rehearsals(skill.digest)

    def rehearsals(self, digest: str) -> builtins.list[Rehearsal]:
        """What came of a procedure on the folders where it was tried, oldest first."""
        bodies = [json.loads(str(row["body"])) for row in self._db.rows("skill_rehearsals", {"digest": digest})]
        return [Rehearsal(**{**body, "arguments": tuple(body["arguments"])}) for body in bodies]

    def get(self, name_or_digest: str) -> Skill:
        """The skill of a name or digest, or the only one whose name begins with these words.

        Raises:
            UsageError: When there is none, or several names begin like that.
            RecordDamaged: When its row or body is damaged.
        """
        skill = self._find(name_or_digest)
        if skill is None:
            alike = [one for one in self.list() if one.name.startswith(f"{name_or_digest}-")]
            alike = [one for one in alike if one.status != "retired"] or alike
            if len(alike) == 1:
                return alike[0]
            if alike:
                names = ", ".join(one.name for one in alike[:5])
                raise UsageError(f"{name_or_digest!r} may be one of {len(alike)} skills", hint=f"give more of {names}")
            names = ", ".join(skill.name for skill in self.list()[:5]) or "none yet"
            raise UsageError(f"no skill {name_or_digest!r}", hint=f"known skills: {names}")
        return skill

    def reason(self, name_or_digest: str) -> str:
        """Why a skill is not in use, in one sentence; "" for one that is."""
        rows = self._db.rows("skills", {"digest": self.get(name_or_digest).digest})
        return str(rows[0]["reason"]) if rows else ""

    def list(self, statuses: Sequence[SkillStatus] = ()) -> list[Skill]:
        """Skills in order of admission, all or those of the given statuses.

        One whose body is damaged is left out and named by :attr:`quarantined`; the others go on working.
        """
        rows = [row for row in self._db.rows("skills") if not statuses or row["status"] in statuses]
        # Within this class ``list`` means the method; annotations name the builtin by its module.
        tasks: dict[str, builtins.list[str]] = {}
        for use in self._db.rows("skill_uses"):
            tasks.setdefault(str(use["digest"]), []).append(str(use["task"]))
        offers = Counter(str(shown["digest"]) for shown in self._db.rows("skill_offers"))
        users = self._users(self._db.rows("skill_users"))
        skills = [
            self._readable(row, _Help(tuple(tasks.get(name, ())), offers[name], users.get(name, ())))
            for row in rows
            for name in (str(row["digest"]),)
        ]
        return [skill for skill in skills if skill is not None]

    def digests_by_status(self, statuses: Sequence[SkillStatus]) -> frozenset[tuple[str, str]]:
        """Digest and owner of every skill with one of the statuses, without reading any."""
        rows = self._db.query("SELECT digest, owner, status FROM skills")
        return frozenset((str(row["digest"]), str(row["owner"])) for row in rows if row["status"] in statuses)

    @property
    def quarantined(self) -> Mapping[str, str]:
        """Names of skills that cannot be used because their body is damaged, with what is wrong."""
        self.list()
        return dict(self._quarantined)

    def procedures(self) -> builtins.list[Skill]:
        """Procedures in use, and drafts that wait for a folder to be tried on."""
        return [skill for skill in self.list((*ACTIVE, "draft")) if skill.environment]

    def active(self) -> builtins.list[Skill]:
        """Skills that may act."""
        return self.list(ACTIVE)

    def record_use(self, digest: str, task: str, policy: str = "") -> Skill:
        """Notes that a skill helped to solve a task; after three distinct tasks it is trusted.

        That it solves the task it came from again is no help, and is not noted.

        Args:
            policy: Name of the policy that it helped, or "".
        """
        with self._db.transaction():
            skill = self.get(digest)
            # Counted as help, it would keep every skill that practice met twice, and each one makes every search
            # longer.
            if skill.came_from(task):
                return skill
            self._db.insert("skill_uses", {"digest": digest, "task": task}, key=("digest", "task"))
            if policy:
                row = {"digest": digest, "task": task, "policy": policy}
                self._db.insert("skill_users", row, key=("digest", "task", "policy"))
            skill = self.get(digest)
            if skill.status in ("admitted", "idle"):
                self._set(skill, status=self._earned(skill))
        return self.get(digest)

    def record_offer(self, digest: str, task: str) -> None:
        """Notes that a skill was shown in a task that was solved, other than one that it came from."""
        if not self.get(digest).came_from(task):
            self._db.insert("skill_offers", {"digest": digest, "task": task}, key=("digest", "task"))

    def doubt(self, name_or_digest: str, reason: str) -> Skill:
        """Takes a skill out of use until it is verified or admitted again; what a person owns stays as it is."""
        skill = self.get(name_or_digest)
        return skill if skill.owner == "user" else self._changed(skill.digest, "doubtful", reason)

    def demote(self, name_or_digest: str, failures: int) -> Skill:
        """Takes the trust from a skill that an answer used which was refused; one that fails oftener is doubtful.

        It is trusted again once it helps again. What a person owns stays as it is.

        Args:
            failures: In how many tasks an answer that used it was refused and none was accepted.
        """
        skill = self.get(name_or_digest)
        if skill.owner == "user" or skill.status not in ACTIVE:
            return skill
        if failures >= _DOUBTFUL_AFTER and failures > len(skill.tasks):
            return self.doubt(
                skill.digest, f"answers with it were refused in {failures} tasks, and held in {len(skill.tasks)}"
            )
        if skill.status == "trusted":
            self._set(skill, status="admitted")
        return self.get(skill.digest)

    def trust_again(self, name_or_digest: str, *, attended: bool = False) -> Skill:
        """Puts a skill back into use, because it was verified again.

        Args:
            attended: A person asked for it, which is needed for skills a person owns.
        """
        skill = self.get(name_or_digest)
        return self._changed(skill.digest, self._earned(skill), "", attended=attended)

    def set_idle(self, name_or_digest: str, reason: str) -> Skill:
        """Stops offering a skill; another use, or another admission of the same content, offers it again."""
        return self._changed(name_or_digest, "idle", reason)

    def retire(self, name_or_digest: str, reason: str, *, attended: bool = False) -> Skill:
        """Takes a skill out of use; its body and history stay.

        Args:
            name_or_digest: Which.
            reason: One sentence, shown to people.
            attended: Whether a person asked for it, which is needed for skills a person owns.

        Raises:
            UsageError: When there is no such skill, or it is user-owned and nobody asked.
        """
        return self._changed(name_or_digest, "retired", reason, attended=attended)

    def own(self, name_or_digest: str) -> Skill:
        """Hands a skill over to the user: from now on it is never changed unattended."""
        skill = self.get(name_or_digest)
        self._db.update("skills", {"digest": skill.digest}, {"owner": "user"})
        owned = self.get(skill.digest)
        if skill.hidden:  # a part has no folder before
            write_folder(owned, self._folder)
        return owned

    def record_verdict(self, verdict: AdmissionVerdict) -> bool:
        """Keeps a verdict, also a refusal; False when the same question was answered before.

        A faulty judgement says nothing and is not kept. An admission takes the place of an earlier refusal.
        """
        if verdict.fault:
            return False
        row = {name: value for name, value in vars(verdict).items() if name != "fault"}
        row |= {"admitted": int(verdict.admitted), "checks": canonical_json(dict(verdict.checks))}
        place = ("digest", "policy", "fingerprint")
        fresh = self._db.insert("skill_verdicts", row, key=place)
        if not fresh and verdict.admitted:
            self._db.update("skill_verdicts", {name: row[name] for name in place}, row)
        return fresh

    def paired(self, policy: str, fingerprint: str) -> dict[str, bool]:
        """Whether each skill is verified for a policy in a sandbox, by digest; without those that nobody tried there.

        Another refusal than for this pairing says nothing of a skill that was admitted since.
        """
        rows = self._db.rows("skill_verdicts", {"policy": policy, "fingerprint": fingerprint})
        tried = [row for row in rows if row["admitted"] or row["failed"] == PAIRING]
        return {str(row["digest"]): bool(row["admitted"]) for row in tried}

    def verdicts(self, digest: str) -> builtins.list[AdmissionVerdict]:
        """Every verdict on one content, oldest first."""
        from evolve.skills.admission import AdmissionVerdict

        return [
            value_of(AdmissionVerdict, row, admitted=bool(row["admitted"]), checks=json.loads(str(row["checks"])))
            for row in self._db.rows("skill_verdicts", {"digest": digest})
        ]

    def _changed(self, key: str, status: SkillStatus, reason: str, *, attended: bool = False) -> Skill:
        skill = self.get(key)
        if skill.owner == "user" and not attended:
            raise UsageError(f"{skill.name} belongs to the user and is not changed unattended")
        self._set(skill, status=status, reason=reason)
        return self.get(skill.digest)

    def _set(self, skill: Skill, *, status: SkillStatus, reason: str = "") -> None:
        self._db.update("skills", {"digest": skill.digest}, {"status": status, "reason": reason})

    def _earned(self, skill: Skill) -> SkillStatus:
        return "trusted" if len(skill.tasks) >= TRUSTED_AFTER else "admitted"

    def _find(self, name_or_digest: str) -> Skill | None:
        if not name_or_digest.isprintable():  # half of a character, say, which no record can hold
            return None
        rows = self._db.rows("skills", "digest = ? OR name = ?", parameters=(name_or_digest, name_or_digest))
        if not rows:
            return None
        uses = self._db.rows("skill_uses", {"digest": rows[0]["digest"]})
        offers = self._db.rows("skill_offers", {"digest": rows[0]["digest"]})
        users = self._users(self._db.rows("skill_users", {"digest": rows[0]["digest"]}))
        tasks = tuple(str(use["task"]) for use in uses)
        return self._skill(rows[0], _Help(tasks, len(offers), users.get(str(rows[0]["digest"]), ())))

    def _users(self, rows: Iterable[Mapping[str, Value]]) -> dict[str, tuple[tuple[str, int], ...]]:
        """In how many tasks a skill helped each policy, by digest."""
        counts = Counter((str(row["digest"]), str(row["policy"])) for row in rows)
        found: dict[str, tuple[tuple[str, int], ...]] = {}
        for (digest, policy), count in sorted(counts.items()):
            found[digest] = (*found.get(digest, ()), (policy, count))
        return found

    def _skill(self, row: Mapping[str, Value], helped: _Help) -> Skill:
        body = str(row["object"])
        if body not in self._bodies:
            self._bodies[body] = self._body(row)
        return replace(
            self._bodies[body],
            status=cast(SkillStatus, row["status"]),
            owner=cast(Owner, row["owner"]),
            tasks=helped.tasks,
            offered=helped.offered,
            users=helped.users,
        )

    def _readable(self, row: Mapping[str, Value], helped: _Help) -> Skill | None:
        try:
            return self._skill(row, helped)
        except RecordDamaged as damage:
            self._quarantined[str(row["name"])] = str(damage)
            return None

    def _body(self, row: Mapping[str, Value]) -> Skill:
        """The skill as it was kept; where the object is damaged, its folder if that is the very same."""
        try:
            return Skill.from_json(self._objects.get_json(str(row["object"])))
        except RecordDamaged:
            folder = self._folder / str(row["name"])
            if folder_digest(folder) != row["digest"]:
                raise
            return read_folder(folder)

    def _named(self, skill: Skill) -> Skill:
        """The skill under a name of its own, and its function too; one that is known as it is known."""
        if self._find(skill.digest) is not None:
            return skill
        return self._free_name(skill)

    def _free_name(self, skill: Skill) -> Skill:
        taken = {str(row["name"]): str(row["digest"]) for row in self._db.rows("skills")}
        number, candidate = 2, skill.renamed(skill.name)
        while taken.get(candidate.name, "") not in ("", candidate.digest) or self._is_foreign(
            self._folder / candidate.name, candidate.digest
        ):
            # Shortened, so that the number fits into the 64 characters of a name.
            name = f"{skill.name[:60].rstrip('-')}-{number}"
            # Where the function had the skill's name before, it has that of the new one too.
            alike = skill.entry == function_name(skill.name)
            candidate = rename_function(skill, name) if alike else skill.renamed(name)
            number += 1
        return candidate

    @staticmethod
    def _is_foreign(folder: Path, digest: str) -> bool:
        """Whether a folder is there that is not this skill, left by a commit that a crash undid."""
        return os.path.lexists(folder) and folder_digest(folder) != digest
