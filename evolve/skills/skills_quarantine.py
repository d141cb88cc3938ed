"""Functions that came from elsewhere: none is a skill of the library before a task of the person's own admitted it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace

from evolve.core.episodes import Json
from evolve.core.files import canonical_json
from evolve.core.store import Database, value_of
from evolve.skills.skill import Skill


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


def set_aside(db: Database, skill: Skill, origin: str, evidence: Mapping[str, Json]) -> bool:
    """Keeps a function; False for one that is known, whatever became of it."""
    body = canonical_json({"skill": skill.to_json(), "evidence": dict(evidence)})
    row = {"digest": skill.digest, "name": skill.name, "origin": origin, "state": "waiting", "reason": ""}
    return db.insert("skill_imports", {**row, "body": body}, key="digest")


def imported_skills(db: Database, state: str = "") -> list[ImportedSkill]:
    """All of them, or those in one state, oldest first."""
    rows = db.rows("skill_imports", {"state": state} if state else {})
    bodies = [json.loads(str(row["body"])) for row in rows]
    skills = [replace(Skill.from_json(body["skill"]), owner="imported") for body in bodies]
    both = zip(rows, bodies, skills, strict=True)
    return [value_of(ImportedSkill, row, skill=skill, evidence=body["evidence"]) for row, body, skill in both]


def note_outcome(db: Database, digest: str, state: str, reason: str) -> None:
    """Notes what became of one."""
    db.update("skill_imports", {"digest": digest}, {"state": state, "reason": reason})
