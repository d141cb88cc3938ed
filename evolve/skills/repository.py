"""Changes of the skills of a workspace: bodies as objects, everything that changes as rows, folders for people."""

from __future__ import annotations

import builtins
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from evolve.core.episodes import Json, Rehearsal
from evolve.core.errors import UsageError
from evolve.core.failpoints import hit_failpoint
from evolve.core.files import canonical_json
from evolve.skills.folder import folder_digest, write_folder
from evolve.skills.naming import function_name, rename_function
from evolve.skills.reader import ACTIVE, SkillReader
from evolve.skills.skill import TRUSTED_AFTER, Skill, SkillStatus

if TYPE_CHECKING:
    from evolve.skills.admission import AdmissionVerdict

_WAITS = "it waits for a task of its kind in another folder, where it has to do what is wanted"

_DOUBTFUL_AFTER = 2
"""Tasks in which answers with a skill were refused from which on it may be doubtful."""


def adopted_skill(name: str) -> str:
    """Why a skill is idle that differs from another in constants alone."""
    return f"a case of {name}"


class SkillRepository(SkillReader):
    """The same, to be changed. The record is the truth; folders follow it."""

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
        hit_failpoint("skill.begin")
        with self._db.transaction():
            named = skill if self._find(skill.digest) is not None else self._free_name(skill)
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
        hit_failpoint("skill.row")
        if not known.is_hidden:
            write_folder(known, self._folder)
        hit_failpoint("skill.kept")
        return known

    def record_rehearsal(self, skill: Skill, made: Sequence[Rehearsal]) -> builtins.list[Rehearsal]:
        """Notes what came of a procedure on some folders; gives all that is known of it. A new one is kept as a draft.

        A draft is offered to nobody and has no folder. Of one problem the first run counts.
        """
        with self._db.transaction():
            if self._find(skill.digest) is None:
                draft = skill.with_name(self._free_name(skill).name)
                row = {"digest": draft.digest, "name": draft.name, "object": self._objects.put_json(draft.to_json())}
                row |= {"status": "draft", "owner": draft.owner, "reason": _WAITS}
                self._db.insert("skills", row, key="digest")
            for one in made:
                place = {"digest": skill.digest, "problem": one.group}
                if not self._db.rows("skill_rehearsals", place):
                    row = {**place, "body": canonical_json(vars(one))}
                    self._db.insert("skill_rehearsals", row, key=("digest", "problem"))
            return self.rehearsals(skill.digest)

    def record_use(self, digest: str, task: str, policy: str = "") -> Skill:
        """Notes that a skill helped to solve a task; after three distinct tasks it is trusted.

        That it solves the task it came from again is no help, and is not noted.

        Args:
            policy: Name of the policy that it helped, or "".
        """
        with self._db.transaction():
            skill = self._with_row(digest)
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

    def suspend(self, name_or_digest: str, reason: str) -> Skill:
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
            return self.suspend(
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

    def hand_to_user(self, name_or_digest: str) -> Skill:
        """Hands a skill over to the user: it is never changed unattended from now on. A draft is in use then."""
        skill = self._with_row(name_or_digest)
        self._db.update("skills", {"digest": skill.digest}, {"owner": "user"})
        owned = self.trust_again(skill.digest, attended=True) if skill.status == "draft" else self.get(skill.digest)
        if skill.is_hidden or skill.status == "draft":  # neither a part nor a draft has a folder before
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

    def set_aside(self, skill: Skill, origin: str, evidence: Mapping[str, Json]) -> bool:
        """Keeps an imported function in quarantine; False for one that is known, whatever became of it."""
        body = canonical_json({"skill": skill.to_json(), "evidence": dict(evidence)})
        row = {"digest": skill.digest, "name": skill.name, "origin": origin, "state": "waiting", "reason": ""}
        return self._db.insert("skill_imports", {**row, "body": body}, key="digest")

    def note_import(self, digest: str, state: str, reason: str) -> None:
        """Notes what became of an imported function."""
        self._db.update("skill_imports", {"digest": digest}, {"state": state, "reason": reason})

    def _with_row(self, key: str) -> Skill:
        """The skill; a seed is one of the workspace from then on."""
        seed = self._seed(key)
        if seed is None:
            return self.get(key)
        row = {"digest": seed.digest, "name": seed.name, "object": self._objects.put_json(seed.to_json())}
        self._db.insert("skills", {**row, "status": seed.status, "owner": seed.owner}, key="digest")
        if not self._is_foreign(self._folder / seed.name, seed.digest):
            write_folder(seed, self._folder)
        return seed

    def _changed(self, key: str, status: SkillStatus, reason: str, *, attended: bool = False) -> Skill:
        skill = self._with_row(key)
        if skill.owner == "user" and not attended:
            raise UsageError(f"{skill.name} belongs to the user and is not changed unattended")
        self._set(skill, status=status, reason=reason)
        return self.get(skill.digest)

    def _set(self, skill: Skill, *, status: SkillStatus, reason: str = "") -> None:
        self._db.update("skills", {"digest": skill.digest}, {"status": status, "reason": reason})

    def _earned(self, skill: Skill) -> SkillStatus:
        return "trusted" if len(skill.tasks) >= TRUSTED_AFTER else "admitted"

    def _free_name(self, skill: Skill) -> Skill:
        taken = {str(row["name"]): str(row["digest"]) for row in self._db.rows("skills")}
        number, candidate = 2, skill.with_name(skill.name)
        while taken.get(candidate.name, "") not in ("", candidate.digest) or self._is_foreign(
            self._folder / candidate.name, candidate.digest
        ):
            # Shortened, so that the number fits into the 64 characters of a name.
            name = f"{skill.name[:60].rstrip('-')}-{number}"
            # Where the function had the skill's name before, it has that of the new one too.
            alike = skill.entry == function_name(skill.name)
            candidate = rename_function(skill, name) if alike else skill.with_name(name)
            number += 1
        return candidate

    @staticmethod
    def _is_foreign(folder: Path, digest: str) -> bool:
        """Whether a folder is there that is not this skill, left by a commit that a crash undid."""
        return os.path.lexists(folder) and folder_digest(folder) != digest
