"""``ws.team``: a folder that a team shares, with skills and claims of its members."""

from __future__ import annotations

import getpass
import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from evolve.core.episodes import FACT, OWN, Claim, EpisodeRecord, Evidence, Json, Scope
from evolve.core.errors import UsageError
from evolve.core.files import canonical_json, digest, read_text, write_atomic
from evolve.core.text_screen import comparison_key, insight_problem
from evolve.policies.language.reflection import EFFECT
from evolve.skills import ACTIVE, Skill
from evolve.skills.export.row_literals import holds_rows
from evolve.skills.folder import folder_files, replace_folder
from evolve.workspace.resources.base import Resource
from evolve.workspace.resources.exporting import skills_given_to_runs
from evolve.workspace.runs.importing import ImportReport, import_skills
from evolve.workspace.secrets import scanner_of
from evolve.workspace.services import WorkspaceServices

_SKILLS, _CLAIMS, _EVIDENCE, _LARGEST = "skills", "claims.jsonl", "evidence.json", 1 << 20
_MOST_CLAIMS = 1_000
OTHERS = "others:a shared folder"
"""Who made the evidence of foreign claims, and its task: one for all, so that many who say the same count once."""


class _ForeignClaim(BaseModel):
    """One line of claims, as untrusted as whoever wrote it."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    text: str = Field(min_length=1, max_length=240)
    environment: str = Field(default="", pattern=r"^[\w-]{0,80}$")
    family: str = Field(default="", pattern=r"^[\w:./ -]{0,80}$")


@dataclass(frozen=True, kw_only=True)
class Pushed:
    """What was put into the folder.

    Attributes:
        skills: Names of those written.
        same: Names of those that stand there as they are.
        refused: Why others were not written, by name.
        claims: How many claims are in its file now.
    """

    skills: tuple[str, ...] = ()
    same: tuple[str, ...] = ()
    refused: Mapping[str, str] = field(default_factory=dict)
    claims: int = 0


@dataclass(frozen=True, kw_only=True)
class Pulled:
    """What came of a shared folder: what an import says of its skills, new claims, and why some lines are none."""

    skills: ImportReport
    claims: tuple[str, ...] = ()
    refused: Mapping[str, str] = field(default_factory=dict)


class Team(Resource):
    """What a team shares in a folder, which may be a git folder. Nothing is fetched and nothing committed."""

    def __init__(self, services: WorkspaceServices, writable: Callable[[], None]) -> None:
        self._services = services
        self._writable = writable

    def push(self, folder: str | os.PathLike[str], names: Sequence[str] = (), *, with_rows: bool = False) -> Pushed:
        """Writes skills in use, or those that are named, with owner, version and evidence, and the claims that act.

        Args:
            with_rows: The person's rows go along as examples; else none of them does.

        Raises:
            UsageError: There is no such skill.
        """
        return _push(self._services, Path(folder), names, with_rows=with_rows)

    def pull(self, folder: str | os.PathLike[str]) -> Pulled:
        """Takes in what others put there: skills as an import does, claims as hypotheses.

        Raises:
            UsageError: It cannot be read, or is unsafe.
        """
        place = Path(folder) / _SKILLS
        if not place.is_dir():
            raise UsageError(f"{folder}: no folder {_SKILLS} in it", hint="evolve skills push DIR makes one")
        self._writable()
        return _pull_claims(self._services, Path(folder), import_skills(self._services, place))


def _push(services: WorkspaceServices, folder: Path, names: Sequence[str], *, with_rows: bool) -> Pushed:
    library, scanner = services.stores.skills, scanner_of(services.paths)
    skills = [library.get(name) for name in names] or library.list(ACTIVE)
    written, same, refused = list[str](), list[str](), dict[str, str]()
    _refuse_links(folder)
    for skill in (one for one in skills if not (one.is_hidden or one.environment)):
        place = folder / _SKILLS / skill.name
        evidence, before = _evidence_of(services, skill, _object(place / _EVIDENCE)), _object(place / _EVIDENCE)
        bare = replace(skill, source="", tree=None)
        bare = bare if with_rows else replace(bare, rows=(), test_code="", needs=())
        files = {name: text for name, text in folder_files(bare).items() if text}
        evidence["files"] = {name: digest(text) for name, text in files.items()}
        files[_EVIDENCE] = json.dumps(evidence, indent=2) + "\n"
        held = "" if with_rows else holds_rows(skill, skills_given_to_runs(services.stores, skill), [*files.values()])
        found = next((finding for text in files.values() for finding in scanner.find(text)), None)
        if before.get("owner", evidence["owner"]) != evidence["owner"]:
            refused[skill.name] = f"a skill of {before['owner']!a:.80} has that name there"
        elif found is not None:
            refused[skill.name] = f"it holds {found.kind}"
        elif held:
            refused[skill.name] = f"{held}; --with-rows lets them go along"
        elif all(_text(place / name) == text for name, text in files.items()):
            same.append(skill.name)
        elif place.exists() and not _is_own(place, before):
            refused[skill.name] = f"{place} is no push of yours as it was written: move it first"
        else:
            replace_folder(place, files)
            written.append(skill.name)
    claims = _push_claims(services, folder / _CLAIMS, lambda text: bool(scanner.find(text)))
    return Pushed(skills=tuple(written), same=tuple(same), refused=refused, claims=claims)


def _refuse_links(folder: Path) -> None:
    """Refuses a folder in which what is written could end elsewhere.

    Raises:
        UsageError: There is a link in it.
    """
    below = [folder / _SKILLS, folder / _CLAIMS, *(folder / _SKILLS).rglob("*")]
    link = next((path for path in below if path.is_symlink()), None)
    if link is not None:
        raise UsageError(f"{link} is a link to another place", hint="remove it: only files of that folder are written")


def _is_own(place: Path, evidence: Mapping[str, Json]) -> bool:
    """Whether all that a folder holds is as an earlier push wrote it."""
    written = evidence.get("files")
    found = [path for path in place.rglob("*") if not path.is_dir() and path != place / _EVIDENCE]
    known = written if isinstance(written, dict) else {}
    return bool(known) and all(known.get(path.relative_to(place).as_posix()) == digest(_text(path)) for path in found)


def _pull_claims(services: WorkspaceServices, folder: Path, skills: ImportReport) -> Pulled:
    """Takes in the claims of a shared folder as hypotheses, beside what became of its skills."""
    new, refused = list[str](), dict[str, str]()
    for number, line in enumerate(_text(folder / _CLAIMS).splitlines(), 1):
        if number > _MOST_CLAIMS:
            refused[f"line {number} and what follows"] = f"a folder shares {_MOST_CLAIMS:,} claims at most"
            break
        try:
            claim = _ForeignClaim.model_validate_json(line)
        except ValidationError:
            refused[f"line {number}"] = "it is no claim"
            continue
        why = insight_problem(claim.text)
        if why:
            refused[f"line {number}"] = why
        elif services.stores.memory.commit(_as_episode(claim), instruction=claim.text):
            new.append(claim.text)
    return Pulled(skills=skills, claims=tuple(new), refused=refused)


def _evidence_of(services: WorkspaceServices, skill: Skill, before: Mapping[str, Json]) -> dict[str, Any]:
    """What speaks for a skill, without any row: for people, since whoever takes it in tests it anew."""
    version = before.get("version")
    version = version if isinstance(version, int) else 0
    admitted = [one for one in services.stores.skills.verdicts(skill.digest) if one.admitted]
    return {
        "owner": getpass.getuser(),
        "version": version + (before.get("digest") != skill.digest),
        "digest": skill.digest,
        "status": skill.status,
        "tasks_helped": len(skill.tasks),
        "rows": len(skill.rows),
        "admitted": [{"policy": one.policy, "sandbox": one.fingerprint} for one in admitted],
    }


def _object(file: Path) -> Mapping[str, Json]:
    try:
        value = json.loads(_text(file) or "{}")
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _text(file: Path) -> str:
    """A file's text; "" for one that is not there, no plain file or too large."""
    plain = file.is_file() and not file.is_symlink() and file.stat().st_size <= _LARGEST
    return read_text(file) if plain else ""


def _push_claims(services: WorkspaceServices, file: Path, is_secret: Callable[[str], bool]) -> int:
    """Adds the claims that may act here to those in the file."""
    lines = dict.fromkeys(_text(file).splitlines())
    if not lines and os.path.lexists(file) and file.stat().st_size:
        raise UsageError(f"{file}: no plain file of at most {_LARGEST >> 20} MiB", hint="move it, so that none is lost")
    for one in services.stores.memory.list_insights(policy=services.learner.name if services.uses_model else None):
        if one.may_influence and one.cause.startswith(FACT) and not is_secret(one.text):
            scope = {"environment": one.scope.environment, "family": one.scope.family}
            lines[canonical_json({"text": one.text, **scope})] = None
    if lines:
        write_atomic(file, "".join(f"{line}\n" for line in lines).encode())
    return len(lines)


def _as_episode(claim: _ForeignClaim) -> EpisodeRecord:
    """A foreign claim as one trial of another model would tell of it: enough to be tried here, and not to act."""
    told = Evidence(task=OTHERS, group=OTHERS, kind="intervention", direction=1, detail="others say so")
    said = Claim(
        cause=f"{FACT}{comparison_key(claim.text)}",
        relation="contributes",
        effect=EFFECT,
        scope=Scope(environment=claim.environment, family=claim.family),
        evidence=(told,),
        text=claim.text,
    )
    return EpisodeRecord(
        episode=digest(canonical_json([OTHERS, said.cause, claim.environment, claim.family]))[:32],
        run="",
        task=OTHERS,
        suite="",
        group=OTHERS,
        split=OWN,
        variant="unlearned",
        seed=0,
        status="solved",
        claims=(said,),
        policy=OTHERS,
    )
