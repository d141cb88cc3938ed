"""What a workspace knows of skills that leave it: which may, what they were verified on, and where programs look."""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

from evolve.core.errors import UsageError
from evolve.core.paths import home_folder
from evolve.runtime.sandbox import UNSANDBOXED
from evolve.skills import Skill
from evolve.workspace.resources.practice import made_by_practice

if TYPE_CHECKING:
    from evolve.trials.repositories import Repositories

_MOST_RUNS = 20
_INSTALL: Mapping[str, tuple[tuple[bool, str], ...]] = {
    "claude": ((True, ".claude/skills"),),
    "codex": ((True, ".agents/skills"),),
    "project": ((False, ".claude/skills"), (False, ".agents/skills")),
}
"""Where programs look for skills: whether below the home folder, else below the current one, and in which folder."""


class ExportOptions(TypedDict, total=False):
    """What may be wished for of an export.

    Attributes:
        trusted: All trusted skills, but for those that must not leave.
        with_rows: The rows of a person leave too, as examples and tests.
        description: A person's words for the one skill that is named.
    """

    trusted: bool
    with_rows: bool
    description: str


@dataclass(frozen=True, kw_only=True)
class ExportResult:
    """What an export wrote.

    Attributes:
        places: Folders and files that stand there now.
        names: Name that each skill left under, by its name here.
        left_out: Why trusted skills did not leave, by name.
    """

    places: tuple[Path, ...]
    names: Mapping[str, str]
    left_out: Mapping[str, str] = field(default_factory=dict)


def why_not_exported(stores: Repositories, skill: Skill, shipped: Collection[str]) -> str:
    """Why a skill must not leave the workspace, with what to do about it; "" where it may."""
    if skill.is_hidden:
        return (
            "it is a part of answers that the search uses, and no skill; "
            f"evolve skills own {skill.name} makes it one of yours"
        )
    if {one.fingerprint for one in stores.skills.verdicts(skill.digest) if one.admitted} == {UNSANDBOXED}:
        return "it was learned without a sandbox; learn it again without --set sandbox=none"
    if made_by_practice(skill, shipped):
        return (
            "it comes from practice on tasks that ship with evolve, not from work of yours; "
            f"evolve skills own {skill.name} makes it yours, then export it"
        )
    return ""


def nothing_trusted_error(
    stores: Repositories, kept: Sequence[Skill], shipped: Collection[str], to: str | os.PathLike[str] | None
) -> UsageError:
    """Why no trusted skill leaves, with the command for those in use that may leave by name."""
    able = [skill for skill in kept if not why_not_exported(stores, skill, shipped)]
    trusted = any(skill.status == "trusted" for skill in kept)
    why = "may leave" if trusted else "is there: none has helped on three tasks yet"
    names = " ".join(skill.name for skill in able[:3])
    hint = f"evolve skills export {names} --to {to or 'my_skills'}" if able else "evolve skills list"
    return UsageError(f"no trusted skill {why}", hint=hint)


def evidence_of(stores: Repositories, skill: Skill) -> dict[str, object]:
    """What a skill was verified on, by what and when: figures and names of places, no row."""
    verdicts = [verdict for verdict in stores.skills.verdicts(skill.digest) if verdict.admitted]
    holders = ", ".join("?" * len(skill.source.split(", ")))
    sql = (
        "SELECT min(r.started) AS first FROM episodes e JOIN runs r ON r.id = e.run"
        f" WHERE e.task IN ({holders}) AND e.verified = 1"
    )
    (row,) = stores.db.query(sql, skill.source.split(", "))
    return {
        "learned": str(row["first"] or ""),
        "rows_unseen_passed": max((int(verdict.checks.get("unseen_rows") or 0) for verdict in verdicts), default=0),
        "admitted_by": [
            {
                "policy": verdict.policy,
                "sandbox": verdict.fingerprint,
                "checks": {name: figure for name, figure in verdict.checks.items() if isinstance(figure, int | float)},
            }
            for verdict in verdicts
        ],
    }


def skills_given_to_runs(stores: Repositories, skill: Skill) -> str:
    """The tasks of the runs that a skill came from, with all their rows, as JSON."""
    tasks = skill.source.split(", ")
    sql = (
        f"SELECT DISTINCT run FROM episodes WHERE task IN ({', '.join('?' * len(tasks))}) ORDER BY number DESC LIMIT ?"
    )
    runs = [stores.runs.run(str(row["run"])) for row in stores.db.query(sql, [*tasks, _MOST_RUNS])]
    given = [stores.objects.get(str(run.body["input"])).decode() for run in runs if "input" in run.body]
    # with every sign as JSON may also write it, so that a text is found in either form
    return "\n".join(json.dumps(json.loads(text)) for text in given)


def skill_folders(install: str | None) -> list[Path]:
    """Where a program looks for skills; nothing without one.

    Raises:
        UsageError: Nobody knows the program, or its place is a link: what is written must stay in this folder.
    """
    if install is not None and install not in _INSTALL:
        raise UsageError(f"no program {install!r}", hint=f"--install {', --install '.join(_INSTALL)}")
    found = [(home_folder() if home else Path.cwd(), place) for home, place in _INSTALL.get(install or "", ())]
    for base, place in found:
        if (base / place).resolve() != base.resolve() / place:
            raise UsageError(f"{base / place} is a link to another place", hint="--to DIR writes where you say")
    return [base / place for base, place in found]
