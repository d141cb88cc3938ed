"""``ws.skills``: what a person can do with skills, learned ones and those of others."""

from __future__ import annotations

import builtins
import os
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from difflib import unified_diff
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

from evolve.core.errors import SandboxUnavailable, UsageError
from evolve.runtime.sandbox import Sandbox, TestModule
from evolve.skills import ACTIVE, KEPT, Skill, SkillStatus, suspend_all, with_called
from evolve.skills.folder import skill_document
from evolve.skills.reader import ImportedSkill
from evolve.skills.repository import adopted_skill
from evolve.skills.signatures import names_of
from evolve.tasks.reading.labels import wanted_label
from evolve.trials.learned_state import failure_of
from evolve.workspace.resources.base import Resource
from evolve.workspace.resources.exporting import (
    ExportOptions,
    ExportResult,
    evidence_of,
    nothing_trusted_error,
    skill_folders,
    skills_given_to_runs,
    why_not_exported,
)
from evolve.workspace.resources.practice import only_practised, shipped_tasks
from evolve.workspace.resources.skill_folders import UnusedFolder, unused_folders
from evolve.workspace.runs.importing import ImportReport, import_skills
from evolve.workspace.runs.run_answers import forget_answers
from evolve.workspace.secrets import scanner_of
from evolve.workspace.services import WorkspaceServices

if TYPE_CHECKING:
    from evolve.core.episodes import Json, Rehearsal
    from evolve.improve.history import ItemHistory
    from evolve.runtime.sandbox import Outcome
    from evolve.skills.export import SkillIndex


class Skills(Resource):
    """The skills of a workspace, with those of others that wait for a task of the person's own.

    Args:
        read_only: Nothing is imported, and nothing is kept of checks.
        on_empty: Called after the last skill in use was retired.
    """

    def __init__(self, services: WorkspaceServices, *, on_empty: Callable[[], None], read_only: bool = False) -> None:
        self._services, self._stores, self._paths = services, services.stores, services.paths
        self._on_empty, self._read_only = on_empty, read_only
        self._index: tuple[frozenset[tuple[str, str]], SkillIndex, frozenset[str]] | None = None

    def import_(self, path: str | os.PathLike[str], *, mine: bool = False) -> ImportReport:
        """Takes in the skills of a folder, which may be a git folder, or of a zip or tar archive.

        A function acts once a task of the person's own admitted it.

        Args:
            mine: You vouch for instructions, which are then notes of yours; else no run is told of them.

        Raises:
            UsageError: It cannot be read, or is unsafe; then nothing of it is kept.
        """
        if self._read_only:
            raise UsageError("the workspace was opened for reading only")
        return import_skills(self._services, Path(path), mine=mine)

    def imported(self) -> builtins.list[ImportedSkill]:
        """The functions that were imported, oldest first, with what became of them."""
        return self._stores.skills.imported()

    def list(self, statuses: Sequence[SkillStatus] = ()) -> builtins.list[Skill]:
        """Skills in order of admission, without parts of answers that serve the search alone."""
        return [skill for skill in self._stores.skills.list(statuses) if not skill.is_hidden]

    def parts(self, statuses: Sequence[SkillStatus] = ACTIVE) -> builtins.list[Skill]:
        """Parts of answers, in use or of the given statuses: operations of the search that nobody would ask for."""
        return [skill for skill in self._stores.skills.list(statuses) if skill.is_hidden]

    def seeds(self) -> builtins.list[Skill]:
        """Skills that come with evolve, without those that helped here or were changed: these are in :meth:`list`."""
        return self._stores.skills.seeds()

    @property
    def quarantined(self) -> Mapping[str, str]:
        """Skills that are not used because their body is damaged, with what is wrong."""
        return self._stores.skills.quarantined

    def unused_folders(self) -> builtins.list[UnusedFolder]:
        """Folders in ``skills/`` that no run uses as they are: made by hand, copied there, or edited since."""
        return list(unused_folders(self._stores.skills, self._paths.skills))

    def show(self, name: str) -> Skill:
        """One skill, by name or digest; also an imported function that is not in use, as a draft.

        Raises:
            UsageError: There is none.
        """
        other = self._not_in_use(name)
        return self._stores.skills.get(name) if other is None else other.skill

    def _not_in_use(self, name: str) -> ImportedSkill | None:
        """The imported function of this name or digest, unless a skill of the workspace is called so."""
        imports = [one for one in self.imported() if name in (one.name, one.digest) and one.state != "admitted"]
        known = imports and any(name in (one.name, one.digest) for one in self._stores.skills.list())
        return None if known or not imports else imports[-1]

    def rehearsals(self, name: str) -> builtins.list[Rehearsal]:
        """What came of a procedure on the folders where it was tried, oldest first; nothing of any other skill."""
        return self._stores.skills.rehearsals(self.show(name).digest)

    def reason(self, name: str) -> str:
        """Why a skill is not in use, in one sentence; "" for one that is."""
        other = self._not_in_use(name)
        if other is None:
            return self._stores.skills.reason(name)
        return other.reason or "it is imported, and waits for a task of yours that it is right on"

    def histories(self, skills: Sequence[Skill]) -> Mapping[str, ItemHistory]:
        """How often each of these skills was used and what trials without it showed, by digest."""
        from evolve.improve.history import skill_histories

        return skill_histories(self._stores, skills)

    def from_practice(self, skills: Sequence[Skill]) -> frozenset[str]:
        """Digests of those that came from practice on tasks that ship with evolve, and helped no task of the person."""
        shipped = shipped_tasks(self._stores)
        return frozenset(skill.digest for skill in skills if only_practised(skill, shipped))

    def find(self, query: str, k: int = 8, *, practice: bool = False, seeds: bool = False) -> builtins.list[Skill]:
        """Admitted skills, idle ones too, that fit the words best, by the text that leaves with them.

        Args:
            practice: Also, behind them, as many that came from practice; see :meth:`from_practice`.
            seeds: Also, behind these, as many seeds.
        """
        from evolve.skills.export import SkillIndex, search_text

        # Which skills there are is cheap to ask; what they say is read again only where that changed.
        key = self._stores.skills.digests_by_status(KEPT)
        if self._index is None or self._index[0] != key:
            kept = [*self.seeds(), *self.list(KEPT)]
            texts = {skill.digest: search_text(skill) for skill in kept}
            self._index = (key, SkillIndex(texts, self._stores.memory.embedder), self.from_practice(kept))
        shipped, taught = {seed.digest for seed in self.seeds()}, self._index[2]
        found = self._index[1].best_matches(query, len(key) + len(shipped))
        own = [digest for digest in found if digest not in taught | shipped][:k]
        more = [digest for digest in found if digest in taught][:k] if practice else []
        more += [digest for digest in found if digest in shipped][:k] if seeds else []
        return [self.show(digest) for digest in (*own, *more)]

    def tools(self, reserved: Collection[str] = ()) -> Mapping[str, Mapping[str, Json]]:
        """Functions that may leave, as MCP tools by name of the skill, the most used first."""
        from evolve.workspace.resources.skill_folders import skill_tools

        known = [skill for skill in self.list(KEPT) if not skill.environment]
        shipped = shipped_tasks(self._stores)
        kept = [skill for skill in known if not why_not_exported(self._stores, skill, shipped)]
        return skill_tools(kept, reserved)

    def call(self, name: str, given: Mapping[str, Json], *, seconds: float = 10.0, warm: Sandbox | None = None) -> Json:
        """What an admitted function gives for arguments by name; it runs in the sandbox, or in a warm one.

        Raises:
            UsageError: It is not in use, the arguments do not fit, it raised an error or took too long.
            SandboxUnavailable: The sandbox failed; that says nothing about the skill.
        """
        from evolve.workspace.resources.skill_folders import call_skill

        skill = self.show(name)
        if skill.status not in KEPT or skill.environment:
            raise UsageError(f"{name} is {'a procedure' if skill.environment else skill.status} and is not called")
        return call_skill(skill, given, warm or self._services.open_sandbox(), seconds)

    def files(self, name: str) -> Mapping[str, str]:
        """What another program may read of a skill, by file: its document and its code, without rows of anybody."""
        from evolve.skills.export import describe

        skill = self.show(name)
        return {"SKILL.md": skill_document(replace(skill, description=describe(skill)), rows=0), "skill.py": skill.code}

    def verify(self, name: str) -> builtins.list[Outcome]:
        """Runs a skill's own tests in the sandbox, now; one outcome per test.

        A skill that fails one is doubtful from then on, and so is what is made of it: neither is used until its own
        tests pass again. What a person owns is never changed.

        Raises:
            SandboxUnavailable: The sandbox failed; that says nothing about the skill.
        """
        skill = self.show(name)
        if skill.environment:
            raise UsageError(
                f"{skill.name} is a procedure and has no tests of its own: tasks in folders try it",
                hint=f"evolve skills show {skill.name} tells on which it was tried",
            )
        module = TestModule(files={"skill.py": skill.code, "test_skill.py": skill.test_code}, test_file="test_skill.py")
        result = self._services.open_sandbox().run_tests([module])
        if result.fault:
            hint = "run the same command again; `evolve status` shows the machine"
            raise SandboxUnavailable(f"{skill.name} could not be verified: {result.fault}", hint=hint)
        (ran,) = result.programs
        # Time also runs out on a busy machine, which says nothing about the skill.
        if not (self._read_only or result.timed_out or skill.owner == "user"):
            self._note_check(skill, failure_of(ran))
        return list(ran.outputs)

    def _note_check(self, skill: Skill, failed: str) -> None:
        library = self._stores.skills
        if not failed and skill.status == "doubtful":
            library.trust_again(skill.digest)
        elif failed and skill.status in KEPT:
            suspend_all(library, skill, failed)

    def retire(self, name: str, reason: str = "retired by a person") -> Skill:
        """Takes a skill out of use, with the same function of runs and of other skills; bodies and history stay.

        With the last skill go all parts of answers.
        """
        retired = self._stores.skills.retire(name, reason, attended=True)
        for other in () if retired.part or retired.environment else forget_answers(self._services, retired):
            self._stores.skills.retire(other.digest, reason, attended=True)
        self._tidy()
        return retired

    def forget_practice(self) -> builtins.list[Skill]:
        """Takes out of use what practice made, its parts too, but for what a skill of the person's is made of.

        Each can be put back by :meth:`undo`. Functions that runs of the person's own found stay in use.
        """
        known = [*self.list((*KEPT, "doubtful")), *self.parts((*KEPT, "doubtful"))]
        taught = self.from_practice(known)
        needed = with_called({skill.digest for skill in known} - taught, known)
        gone = [skill for skill in known if skill.digest in taught - needed]
        for skill in gone:
            self._stores.skills.retire(skill.digest, "what practice taught was forgotten")
        self._tidy()
        return gone

    def _tidy(self) -> None:
        """With the last skill go all parts of answers, and what acts only beside a skill."""
        if not self.list(ACTIVE):
            for part in self.parts():
                self._stores.skills.retire(part.digest, "the last skill was retired")
            self._on_empty()

    def versions(self, name: str) -> builtins.list[Skill]:
        """The skills that do the same job, oldest first.

        They give one column from the same others, a model wrote both for one task, or one is a case of the other.
        """
        skill = self.show(name)
        label = wanted_label(skill.description)

        def does_the_same(one: Skill) -> bool:
            again = (one.entry, one.source) == (skill.entry, skill.source)
            again = again or (label != "" and wanted_label(one.description) == label)
            case = adopted_skill(skill.name) == self.reason(one.name) or adopted_skill(one.name) == self.reason(
                skill.name
            )
            return case or (again and names_of(one.signature) == names_of(skill.signature))

        return [one for one in (*self.list(), *self.seeds()) if does_the_same(one)]

    def difference(self, name: str) -> str:
        """What a skill's code changed of that of its version before, as a unified diff; "" for the first one."""
        skill, versions = self.show(name), self.versions(name)
        for before in versions[: versions.index(skill)][-1:] if skill in versions else ():
            old, new = before.code.splitlines(keepends=True), skill.code.splitlines(keepends=True)
            return "".join(unified_diff(old, new, before.name, skill.name))
        return ""

    def undo(self, name: str) -> Skill:
        """Puts a skill that is out of use back, or of one in use the version before it; gives the one that is back.

        Its other versions go out of use. A skill is put back only if its own tests pass now.

        Raises:
            UsageError: There is no version before, or its tests fail.
        """
        skill, versions = self.show(name), self.versions(name)
        if skill not in versions:
            raise UsageError(f"{skill.name} is not in use: {self.reason(name)}", hint="evolve skills import")
        place = versions.index(skill) - (skill.status in ACTIVE)
        if place < 0:
            raise UsageError(f"{skill.name} has no version before it", hint=f"evolve forget {skill.name} retires it")
        back = versions[place]
        failed = [outcome for outcome in self.verify(back.name) if not outcome.ok] if not back.environment else []
        if failed:
            raise UsageError(f"{back.name} is not put back: {failed[0].name} fails", hint="evolve skills list --all")
        back = self._stores.skills.trust_again(back.digest, attended=True)
        for other in versions:
            if other.status in ACTIVE and other.digest != back.digest:
                self._stores.skills.retire(other.digest, f"{back.name} is used again", attended=True)
        return back

    def own(self, name: str) -> Skill:
        """Hands a skill to the user: it is never changed unattended from now on."""
        return self._stores.skills.hand_to_user(name)

    def export(
        self,
        names: Sequence[str] = (),
        *,
        to: str | os.PathLike[str] | None = None,
        install: str | None = None,
        format: str = "bundle",
        **wanted: Unpack[ExportOptions],
    ) -> ExportResult:
        """Writes skills where other agents find them, as a bundle or in another format.

        Args:
            to: The folder that becomes the bundle, or in which another format writes.
            install: ``claude``, ``codex`` or ``project``: also puts a folder for each skill where these look.

        Raises:
            UsageError: The format is unknown, a skill does not exist, must not leave or does not give the answers that
                it was checked to give, or something else stands in the place.
            SandboxUnavailable: A skill could not be tried.
        """
        from evolve.skills import export

        export.export_format(format)
        folders = skill_folders(install)
        if to is None and not folders:
            raise UsageError("say where the skills go", hint="--to DIR, or --install claude, codex or project")
        skills, left_out, shipped = [self.show(one) for one in names], dict[str, str](), shipped_tasks(self._stores)
        for skill in skills:
            told, _, hint = why_not_exported(self._stores, skill, shipped).partition("; ")
            if told:
                raise UsageError(f"{skill.name} is not exported: {told}", hint=hint)
        for skill in self.list(("trusted",)) if wanted.get("trusted") else ():
            if told := why_not_exported(self._stores, skill, shipped).partition("; ")[0]:
                left_out[skill.name] = told
            elif skill.digest not in {other.digest for other in skills}:
                skills.append(skill)
        if not skills:
            raise nothing_trusted_error(self._stores, self.list(KEPT), shipped, to)
        rules = export.ExportRules(
            # A .env file is never copied into a run, but what a program printed may hold its values all the same.
            scanner=scanner_of(self._paths, [Path(patch.folder) for patch in self._services.folders.list()]),
            with_rows=wanted.get("with_rows", False),
            description=wanted.get("description", ""),
            sandbox=self._services.open_sandbox(),
            evidence={skill.digest: evidence_of(self._stores, skill) for skill in skills},
            seen={skill.digest: skills_given_to_runs(self._stores, skill) for skill in skills},
        )
        prepared = export.prepare_export(skills, rules, to=None if to is None else Path(to), format=format)
        there = {one.judged.name: one.skill.name for one in prepared.leaving}
        return ExportResult(places=tuple(prepared.write(folders)), names=there, left_out=left_out)
