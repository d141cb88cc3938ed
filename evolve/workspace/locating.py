"""Finds the workspace that is used, and decides whether it is believed: the one gate that every command passes.

A folder is believed that this user made here or trusted. Who did is kept outside of it, with a number that also stands
in its store and in its record, so a copy, an exchanged record or another owner is asked about again.
"""

from __future__ import annotations

import os
import secrets
import shlex
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from evolve.core.errors import RecordDamaged, UntrustedWorkspace, WorkspaceError
from evolve.core.failpoints import hit_failpoint
from evolve.core.files import write_atomic, write_failure
from evolve.core.paths import (
    WorkspacePaths,
    approvals_folder,
    find_workspace,
    is_workspace,
    refuse_links,
    user_workspace,
)
from evolve.core.schema import MIGRATIONS
from evolve.core.settings import Settings, load_settings, settings_template
from evolve.core.store import Database, query_untrusted_file
from evolve.workspace.git_tracked import tracked_file
from evolve.workspace.opening import NAMED, record_to_write, workspace_identity
from evolve.workspace.register import Register, TrustedWorkspace
from evolve.workspace.trust import (
    TrustProposal,
    addresses_of,
    is_shared,
    owner_ids,
    printable_line,
    proposal_of,
    trusted_parts,
)


@dataclass(frozen=True, kw_only=True)
class WorkspaceLocation:
    """Where the workspace is.

    Attributes:
        created: It was made just now, in the user's data folder, because no other was found.
    """

    paths: WorkspacePaths
    created: bool = False


def selected_workspace(path: str | os.PathLike[str] | None = None) -> WorkspacePaths:
    """The workspace that is meant, which need not be there and of which nothing is believed yet."""
    return WorkspacePaths(Path(os.path.realpath(find_workspace(path) or user_workspace())))


def trusted_workspace(path: str | os.PathLike[str] | None = None, *, trust_now: bool = False) -> WorkspacePaths:
    """The workspace that is meant, which need not be there; what is there is believed.

    Args:
        trust_now: The person says so of one that was not trusted yet.

    Raises:
        UntrustedWorkspace: This user neither made it here nor trusted it.
        WorkspaceError: Git tracks its store.
    """
    paths = selected_workspace(path)
    if trust_now:
        trust(paths)
    check_trust(paths)
    return paths


def trusted_settings(paths: WorkspacePaths) -> Settings:
    """The settings of a workspace that was let in.

    Raises:
        UntrustedWorkspace: They name an address of a model that nobody chose or confirmed.
        WorkspaceError: They are malformed.
    """
    settings = load_settings(paths.root)
    entry = _register().entry_of(str(paths.root))
    new = sorted(addresses_of(settings) - set(entry.addresses if entry else ()))
    if new:
        why = f"{paths.root} names an address of a model that you did not confirm ({printable_line(new[0])})"
        raise _untrusted_error(paths, why)
    return settings


def choose_workspace(path: str | os.PathLike[str] | None = None, *, looking: bool = False) -> WorkspaceLocation:
    """The workspace to use; the user's own is made on first use, any other must exist or be named.

    Args:
        looking: One that is named must exist: nothing is to be seen in a new one, and the name may be misspelt.

    Raises:
        WorkspaceError: When the place cannot be written, is not trusted, or there is none to look at.
    """
    nearest = find_workspace(path)
    if looking and nearest is not None and not is_workspace(nearest):
        raise WorkspaceError(f"there is no workspace at {nearest}", hint=f"evolve init {nearest} makes one")
    paths = selected_workspace(path)
    return WorkspaceLocation(paths=paths, created=ensure_workspace(paths.root))


def ensure_workspace(root: Path) -> bool:
    """Makes a folder a workspace: marker, ``prompts/``, ``skills/``, ``memory_store/``. False where it was one.

    Existing files are never changed. What is made here is trusted.

    Raises:
        WorkspaceError: When the folder cannot be written, is a file, or holds what is not trusted.
    """
    if root.exists() and not root.is_dir():
        raise WorkspaceError(f"{root} is a file, not a folder", hint="choose a folder with -w")
    paths = WorkspacePaths(Path(os.path.realpath(root)))
    check_trust(paths)
    fresh = not is_workspace(root)
    if fresh and root.exists() and os.stat(root).st_uid != os.geteuid():
        _refuse_foreign_folder(paths)
    try:
        for folder in (paths.prompts, paths.skills, paths.store):
            folder.mkdir(parents=True, exist_ok=True)
        if fresh:
            # It holds rows and conversations, so nobody else reads it, and no commit takes it along.
            paths.store.chmod(0o700)
            write_atomic(paths.store / ".gitignore", b"*\n")
        hit_failpoint("workspace.folders")
    except OSError as error:
        raise write_failure(error.filename or root, error) from error
    if fresh:
        if not trusted_parts(paths):
            _bind(paths, _new_entry(paths))
        # The marker comes last: with it the folder counts as a workspace, so a kill leaves none half made.
        write_atomic(paths.marker, settings_template().encode())
        hit_failpoint("workspace.marked")
    return fresh


def _refuse_foreign_folder(paths: WorkspacePaths) -> None:
    """Raises :class:`UntrustedWorkspace` for a folder of somebody else that nobody trusted."""
    entry = _register().entry_of(str(paths.root))
    if entry is None or not _is_same(entry, paths):
        raise _untrusted_error(paths, f"{paths.root} is a folder of another user")


def check_trust(paths: WorkspacePaths) -> None:
    """Lets in a workspace that this user made here or trusted, and one that is not there yet.

    Raises:
        UntrustedWorkspace: It is neither.
        WorkspaceError: Git tracks its store, or as :func:`evolve.core.paths.refuse_links`.
    """
    refuse_links(paths.root)
    if not trusted_parts(paths):
        return
    _refuse_tracked_store(paths)
    entry = _register().entry_of(str(paths.root))
    if entry is not None and _is_same(entry, paths):
        return
    raise _untrusted_error(paths, f"{paths.root} is a workspace that you neither made here nor trusted")


def is_trusted(paths: WorkspacePaths) -> bool:
    """Whether a workspace would be let in."""
    try:
        check_trust(paths)
    except WorkspaceError:
        return False
    return True


def trust(paths: WorkspacePaths, seen: TrustProposal | None = None) -> None:
    """Believes what is there from now on; does nothing where that is so already.

    Args:
        seen: What the person was shown; trusted is that and nothing else.

    Raises:
        WorkspaceError: It changed since it was shown, git tracks its store, or it cannot be written.
    """
    if not paths.root.is_dir():
        return
    _refuse_tracked_store(paths)
    with suppress(UntrustedWorkspace):
        check_trust(paths)
        if trusted_parts(paths):
            trusted_settings(paths)
        elif os.stat(paths.root).st_uid != os.geteuid():
            _refuse_foreign_folder(paths)
        return
    entry = _register().entry_of(str(paths.root))
    known = entry is not None and _is_same(entry, paths)
    fresh = _new_entry(paths)
    if seen is not None and proposal_of(paths) != seen:
        raise WorkspaceError(f"{paths.root} changed while you were asked", hint="look at it again")
    _bind(paths, replace(fresh, id=entry.id) if entry is not None and known else fresh)


def confirm(paths: WorkspacePaths, addresses: frozenset[str]) -> None:
    """Notes addresses that a person chose for a workspace that was let in."""
    register = _register()
    entry = register.entry_of(str(paths.root))
    if entry is not None and not addresses <= set(entry.addresses):
        register.save_entry(replace(entry, addresses=tuple(sorted(addresses.union(entry.addresses)))))


def _untrusted_error(paths: WorkspacePaths, why: str) -> UntrustedWorkspace:
    """The error for a workspace that is not believed, with the command that trusts it."""
    changes = "; ".join(proposal_of(paths).changes)
    return UntrustedWorkspace(
        f"{why}, so nothing in it was used" + (f"; it has: {changes}" if changes else ""),
        root=str(paths.root),
        why=why,
        hint=f"evolve trust {shlex.quote(str(paths.root))}",
    )


def _register() -> Register:
    return Register(approvals_folder())


def _new_entry(paths: WorkspacePaths) -> TrustedWorkspace:
    try:
        addresses = addresses_of(load_settings(paths.root, {}))
    except WorkspaceError:
        addresses = frozenset()  # whoever reads the settings tells what is wrong with them
    return TrustedWorkspace(
        path=str(paths.root),
        owners=tuple(sorted(owner_ids(paths))),
        id=secrets.token_hex(16),
        shared=is_shared(paths),
        addresses=tuple(sorted(addresses)),
    )


def _bind(paths: WorkspacePaths, entry: TrustedWorkspace) -> None:
    """Writes the entry, and its number into the store and the record."""
    _register().save_entry(entry)
    write_atomic(paths.identity, entry.id.encode("ascii"))
    if paths.db.exists():
        # One that is damaged is named once it is repaired; until then the file speaks for it.
        with suppress(RecordDamaged), record_to_write(paths) as db:
            _name_record(db, entry.id)


def _name_record(db: Database, number: str) -> None:
    if db.get_meta(NAMED) != number:
        db.set_meta(NAMED, number)


def workspace_number(paths: WorkspacePaths) -> str:
    """The number that a workspace was let in with, or "" where it is not there yet."""
    entry = _register().entry_of(str(paths.root))
    return entry.id if entry else ""


def restore_number(paths: WorkspacePaths, db: Database) -> None:
    """Writes it again where a mended record or store has lost it."""
    number = workspace_number(paths)
    if number and workspace_identity(paths) != number:
        write_atomic(paths.identity, number.encode("ascii"))
    if number:
        _name_record(db, number)


def _is_same(entry: TrustedWorkspace, paths: WorkspacePaths) -> bool:
    """Whether a folder is the one that the entry was written for."""
    if not owner_ids(paths) <= {*entry.owners, os.geteuid()}:
        return False
    if is_shared(paths) and not entry.shared:
        return False
    if not os.path.lexists(paths.db):
        return workspace_identity(paths) == entry.id
    rows = query_untrusted_file(paths.db, f"SELECT value FROM meta WHERE key = '{NAMED}'", log=True)
    if rows == [(entry.id,)]:
        return True
    # A record that is damaged may say anything; it is refused as such where it is opened.
    return workspace_identity(paths) == entry.id and (rows is None or _is_damaged(paths))


def _is_damaged(paths: WorkspacePaths) -> bool:
    try:
        Database(paths.db, MIGRATIONS, read_only=True).close()
    except RecordDamaged:
        return True
    return False


def _refuse_tracked_store(paths: WorkspacePaths) -> None:
    name = tracked_file(paths.root, paths.store.name)
    if name:
        raise WorkspaceError(
            f"git tracks {printable_line(name)}, so what {paths.root} has learned could come with a pull from "
            f"somebody else",
            hint=f"git -C {shlex.quote(str(paths.root))} rm -r --cached {paths.store.name}, and list it in .gitignore",
        )
