"""Looks for damage in what a workspace keeps. Nothing here changes anything."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from evolve.agent.checkpoints import is_sound
from evolve.core.errors import RecordDamaged
from evolve.core.files import digest
from evolve.core.paths import WorkspacePaths
from evolve.core.schema import MIGRATIONS
from evolve.core.store import Database, ObjectStore, Value
from evolve.skills import Skill
from evolve.skills.folder import folder_changes, folder_digest
from evolve.trials import UNLEARNED, Variant, VariantRepository
from evolve.workspace.opening import refuse_lost_record


def record_faults(paths: WorkspacePaths) -> list[str]:
    """What is wrong with the database: its file, its structure, or rows by table and id.

    Raises:
        WorkspaceError: It cannot be read, or a newer version wrote it.
    """
    try:
        refuse_lost_record(paths)
        if not paths.db.exists():
            return []
        with Database(paths.db, MIGRATIONS, read_only=True) as db:
            return [f"{fault} in {paths.db}" for fault in db.check()]
    except RecordDamaged as damage:
        return [str(damage)]


def damaged_objects(paths: WorkspacePaths) -> list[Path]:
    """Objects whose bytes do not match their name."""
    objects = ObjectStore(paths.objects)
    return [paths.objects / name for name in objects.digests() if digest((paths.objects / name).read_bytes()) != name]


def missing_objects(db: Database, objects: ObjectStore) -> Iterator[tuple[str, str]]:
    """Objects that a skill or the active variant needs and that are not there, or not whole: by whom, and which."""
    for row in db.rows("skills"):
        if not _is_whole(objects, str(row["object"])):
            yield f"skill {row['name']!s}", str(row["object"])
    archive = VariantRepository(db, objects)
    active = archive.active_digest
    if active != UNLEARNED:
        for name in _bodies_of(db, active):
            if not _is_whole(objects, name):
                yield f"variant {active}", name


def usable_variants(db: Database, objects: ObjectStore) -> set[str]:
    """Variants whose row and objects are all there, the unlearned state among them."""
    known = {str(row["id"]) for row in db.rows("variants")}
    return {UNLEARNED, *(name for name in known if all(_is_whole(objects, body) for body in _bodies_of(db, name)))}


def _bodies_of(db: Database, variant: str) -> tuple[str, ...]:
    rows = db.rows("variants", {"id": variant})
    return Variant.from_json(json.loads(str(rows[0]["content"]))).objects if rows else (variant,)


def changed_folders(paths: WorkspacePaths, db: Database) -> list[tuple[str, str]]:
    """Folders of learned skills that are not what the record says: the skill's name, and what is wrong with which file.

    Folders of skills that a person owns may differ, see :func:`own_changes`. A part needs none.
    """
    faults = []
    for row in db.rows("skills"):
        folder = paths.skills / str(row["name"])
        if row["owner"] == "user" or row["status"] in ("retired", "draft") or _is_part(paths, row):
            continue
        if not os.path.lexists(folder):
            faults.append((folder.name, "its folder is missing"))
        elif names := _changed_files(paths, row):
            faults.append((folder.name, f"its folder was edited or damaged: {', '.join(names[:5])}"))
    return faults


def own_changes(paths: WorkspacePaths, db: Database) -> list[tuple[str, str]]:
    """Skills that a person owns and whose files are not as they were learned: the name, and the files."""
    rows = db.rows("skills", {"owner": "user"})
    changed = [(str(row["name"]), _changed_files(paths, row)) for row in rows]
    return [(name, ", ".join(names[:5])) for name, names in changed if names]


def _changed_files(paths: WorkspacePaths, row: Mapping[str, Value]) -> tuple[str, ...]:
    """Files of a skill's folder not as on record; words around the code are read too, so all bytes count."""
    objects, folder = ObjectStore(paths.objects), paths.skills / str(row["name"])
    if _is_whole(objects, str(row["object"])):
        return folder_changes(Skill.from_json(objects.get_json(str(row["object"]))), folder)
    # :func:`missing_objects` reports the body; what is left to compare with is the digest of the code and its tests.
    return () if folder_digest(folder) == row["digest"] else (folder.name,)


def _is_part(paths: WorkspacePaths, row: Mapping[str, Value]) -> bool:
    objects, body = ObjectStore(paths.objects), str(row["object"])
    return _is_whole(objects, body) and Skill.from_json(objects.get_json(body)).part


def damaged_checkpoints(paths: WorkspacePaths) -> list[Path]:
    """Files of episodes that are not what was written."""
    return [path for path in sorted(paths.runs.glob("*/*/checkpoint.db")) if not is_sound(path)]


def _is_whole(objects: ObjectStore, name: str) -> bool:
    path = objects.folder / name
    return name in objects and digest(path.read_bytes()) == name
