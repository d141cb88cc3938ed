"""``evolve status --repair``: looks for damage, moves what is damaged aside, and says what is lost.

Nothing is deleted: what is damaged is moved aside under a name that says so. Every step leaves things either as
they were or mended, and doing all of it again changes nothing.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from evolve.agent.checkpoints import is_sound
from evolve.core.episodes import Cost
from evolve.core.errors import EvolveError, RecordDamaged, WorkspaceError
from evolve.core.files import digest
from evolve.core.ledger import Spent, book_faults, rebuild_book
from evolve.core.paths import WorkspacePaths
from evolve.core.schema import MIGRATIONS
from evolve.core.store import (
    Database,
    ObjectStore,
    RecordAccess,
    Value,
    WriterLock,
    finish_rebuild,
    rebuild_database,
    still_lost,
)
from evolve.skills import Skill, write_folder
from evolve.skills.folder import folder_changes, folder_digest, read_folder
from evolve.trials import UNLEARNED, Variant, VariantRepository
from evolve.trials.repositories import Repositories
from evolve.workspace.health.housekeeping import clean_up
from evolve.workspace.locating import restore_number, trusted_settings, trusted_workspace
from evolve.workspace.opening import open_stores, refuse_lost_record
from evolve.workspace.resources.preferences import act_text


@dataclass
class Repair:
    """What a repair did.

    Attributes:
        done: What was mended or set aside, a line each.
        lost: What is gone for good, as far as known, a line each.
        left: What is still wrong, a line each; empty when all is well.
        rows: Rows of the record that were kept, and that came from a backup, where it was rebuilt.
    """

    done: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    rows: Mapping[str, int] = field(default_factory=dict)

    def to_json(self) -> dict[str, object]:
        """As ``--json`` prints it."""
        return {"done": self.done, "lost": self.lost, "left": self.left, "rows": dict(self.rows)}


def repair(path: str | os.PathLike[str] | None = None, *, tell: Callable[[str], None] = lambda _: None) -> Repair:
    """Checks everything a workspace keeps and mends what it can.

    Args:
        tell: Told what is being done.

    Raises:
        WorkspaceBusy: Another process writes to the workspace.
        WorkspaceError: It cannot be written, or a newer version made it.
    """
    paths = trusted_workspace(path)
    report = Repair()
    if not paths.store.is_dir():
        if os.path.lexists(paths.store):
            raise WorkspaceError(f"{paths.store} is not a folder", hint="move it aside")
        return report
    with WriterLock(paths.lock).hold("repair"), RecordAccess(paths.access).hold_exclusively():
        finish_rebuild(paths.db)
        tell("checking the record")
        # The record comes first: it says which objects, skills and variants there should be.
        _mend_record(paths, report)
        if not paths.db.exists():
            _mend_spending(paths, None, report)
            return report
        _set_aside_files(paths, report)
        stores = open_stores(paths, trusted_settings(paths))
        with closing(stores):
            restore_number(paths, stores.db)
            tell("checking objects, skills and memory")
            _mend_memory(stores, report)
            _mend_skills(paths, stores, report)
            _mend_variants(stores, report)
            _mend_spending(paths, stores, report)
            tell("checking the index")
            check = stores.memory.check()
            if not check.ok:
                count = stores.memory.reindex()
                report.done.append(f"the index did not agree with the record and was built anew from {count} episodes")
            report.done += clean_up(paths, stores.db)
        report.left += _still_wrong(paths)
    return report


def _mend_record(paths: WorkspacePaths, report: Repair) -> None:
    faults = record_faults(paths)
    if not faults:
        return
    built = rebuild_database(paths.db, MIGRATIONS)
    kept, restored = sum(built.kept.values()), sum(built.restored.values())
    aside = f"; the damaged file is now {built.aside.name}" if built.aside else ""
    source = f" and {restored} from {built.backup.name}" if built.backup else ""
    report.done += [fault.replace("; nothing was changed", "") for fault in faults]
    report.done.append(f"rebuilt {paths.db} from {kept} rows that were whole{source}{aside}")
    report.lost += built.lost
    if not kept and built.backup:
        report.lost.append(f"whatever was recorded after the backup {built.backup.name} was made")
    if not kept and not restored:
        report.lost.append("everything in the record: no row could be read and there was no backup")
    report.rows = {"kept": kept, "restored": restored}


def _set_aside_files(paths: WorkspacePaths, report: Repair) -> None:
    objects = ObjectStore(paths.objects)
    for path in damaged_objects(paths):
        try:
            objects.get(path.name)
        except RecordDamaged as damage:
            report.done.append(str(damage))
    for path in damaged_checkpoints(paths):
        aside = _free_name(path)
        path.rename(aside)
        # SQLite would take a log that stays behind for one of the next file of this name.
        for end in ("-wal", "-shm"):
            path.with_name(path.name + end).unlink(missing_ok=True)
        report.done.append(f"the checkpoint {path} was damaged and is now {aside.name}; its episode will run again")


def _mend_memory(stores: Repositories, report: Repair) -> None:
    anew, aside = stores.memory.repair_rows(stores.runs.episodes())
    if anew:
        report.done.append(f"made {anew} rows of evidence anew from the episodes they came from")
    wishes, idle = stores.memory.preferences.rebuild_lost(act_text)
    if wishes:
        report.done.append(f"made {len(wishes)} preferences anew from the acts they rest on")
    report.lost = still_lost(stores.db, report.lost)
    report.lost += [f"{name}: set aside, because what it refers to is gone" for name in (*aside, *idle)]


def _mend_skills(paths: WorkspacePaths, stores: Repositories, report: Repair) -> None:
    for row in stores.db.rows("skills"):
        name, body = str(row["name"]), str(row["object"])
        try:
            stores.objects.get(body)
            continue
        except RecordDamaged:
            pass
        if name in stores.skills.quarantined:
            stores.db.set_aside("skills", {"digest": row["digest"]})
            report.lost.append(f"skill {name}: its body is damaged, and its folder is not the same skill")
            continue
        # The folder is the very same skill by its digest; words around it may differ, so the body has a new name.
        fresh = stores.objects.put_json(read_folder(paths.skills / name).to_json())
        stores.db.update("skills", {"digest": row["digest"]}, {"object": fresh})
        report.done.append(f"skill {name}: its body was made anew from its folder")
    for name, what in changed_folders(paths, stores.db):
        folder = paths.skills / name
        if os.path.lexists(folder):
            aside = _free_name(folder)
            folder.rename(aside)
            what += f" and is now {aside.name}"
        write_folder(stores.skills.get(name), paths.skills)
        report.done.append(f"skill {name}: {what}; it was written anew from the record")


def _mend_variants(stores: Repositories, report: Repair) -> None:
    """Falls back to the newest promoted variant that is whole, where the active one lost a body for good."""
    # Lost marks of what the memory held: each is one number, so it is found by trying.
    missing = {name for what, name in missing_objects(stores.db, stores.objects)}
    last = stores.db.query("SELECT max(seq) AS n FROM memory_evidence")[0]["n"]
    for name in stores.insight_marks(missing, int(str(last or 0))):
        report.done.append(f"object {name} was made anew")
    usable = _usable_variants(stores.db, stores.objects)
    active = stores.variants.active_digest
    if active in usable:
        return
    before = [promotion.variant for promotion in stores.variants.list_promotions() if promotion.variant in usable]
    chosen = before[-1] if before else UNLEARNED
    if chosen == UNLEARNED:
        stores.variants.reset(grounds="repair")
    else:
        stores.variants.promote(chosen, grounds="repair")
    report.lost.append(f"variant {active}: a body it needs is gone; {chosen} acts instead")


def _mend_spending(paths: WorkspacePaths, stores: Repositories | None, report: Repair) -> None:
    """Rebuilds a damaged book of spending from what episodes on record cost, so that limits still count it."""
    faults = book_faults(paths.spending)
    if not faults:
        return
    cost = sum((record.cost for record in stores.runs.episodes()), Cost()) if stores is not None else Cost()
    least = Spent(tokens=cost.tokens, calls=cost.calls, money=cost.money)
    aside = _free_name(paths.spending)
    kept = rebuild_book(paths.spending, aside, least)
    report.done.append(f"{faults[0]} in {paths.spending}; made anew from {kept} entries; damaged: {aside.name}")
    report.lost.append("spending: what could not be read and is not the cost of an episode; days of the rest")


def _still_wrong(paths: WorkspacePaths) -> list[str]:
    try:
        faults = record_faults(paths)
        if faults:
            return faults
        with Database(paths.db, MIGRATIONS, read_only=True) as db:
            wrong = body_faults(paths, db)
    except EvolveError as problem:
        return [str(problem)]
    return [*wrong, *(f"{fault} in {paths.spending}" for fault in book_faults(paths.spending))]


def _free_name(path: Path) -> Path:
    """The first name beside ``path`` that is free: ``<name>.damaged-1`` and so on."""
    number = 1
    while os.path.lexists(aside := path.with_name(f"{path.name}.damaged-{number}")):
        number += 1
    return aside


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


def body_faults(paths: WorkspacePaths, db: Database) -> list[str]:
    """What is wrong beside the database: with objects, skill folders and checkpoints."""
    faults = [f"{path} does not match its digest" for path in damaged_objects(paths)]
    missing = missing_objects(db, ObjectStore(paths.objects))
    faults += [f"{what} needs the object {name}" for what, name in missing]
    faults += [f"skill {name}: {what}" for name, what in changed_folders(paths, db)]
    return [*faults, *(f"{path} is damaged" for path in damaged_checkpoints(paths))]


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


def _usable_variants(db: Database, objects: ObjectStore) -> set[str]:
    """Variants whose row and objects are all there, the unlearned state among them."""
    known = {str(row["id"]) for row in db.rows("variants")}
    return {UNLEARNED, *(name for name in known if all(_is_whole(objects, body) for body in _bodies_of(db, name)))}


def _bodies_of(db: Database, variant: str) -> tuple[str, ...]:
    rows = db.rows("variants", {"id": variant})
    return Variant.from_json(json.loads(str(rows[0]["content"]))).objects if rows else (variant,)


def changed_folders(paths: WorkspacePaths, db: Database) -> list[tuple[str, str]]:
    """Folders of learned skills that are not what the record says: the skill's name, and what is wrong with which file.

    Folders of skills that a person owns may differ, see :func:`workspace_changes`. A part needs none.
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


def workspace_changes(paths: WorkspacePaths, db: Database) -> list[tuple[str, str]]:
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
