"""Where a workspace is and where its parts lie."""

from __future__ import annotations

import os
import re
import shlex
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from evolve.core.errors import UsageError, WorkspaceError
from evolve.core.files import named_path, parse_toml, read_text

MARKER = "evolve.toml"
STORE = "memory_store"
APPROVALS = "evolve-approvals"
_OBJECT = re.compile(r"[0-9a-f]{64}\Z")
"""Names of files that are replaced whole, so that another name of theirs does no harm."""


@dataclass(frozen=True)
class WorkspacePaths:
    """The layout of one workspace. Naming a path creates nothing."""

    root: Path

    @property
    def marker(self) -> Path:
        return self.root / MARKER

    @property
    def prices(self) -> Path:
        """What models cost, as the person wrote it."""
        return self.root / "prices.toml"

    @property
    def prompts(self) -> Path:
        return self.root / "prompts"

    @property
    def skills(self) -> Path:
        return self.root / "skills"

    @property
    def store(self) -> Path:
        return self.root / STORE

    @property
    def db(self) -> Path:
        return self.store / "memory.db"

    @property
    def identity(self) -> Path:
        """Holds the number that tells this workspace from another one at its path; the record holds it too."""
        return self.store / "identity"

    @property
    def objects(self) -> Path:
        return self.store / "objects"

    @property
    def runs(self) -> Path:
        return self.store / "runs"

    @property
    def index(self) -> Path:
        return self.store / "index"

    @property
    def spending(self) -> Path:
        """The book behind limits of day and workspace."""
        return self.store / "spending.db"

    @property
    def lock(self) -> Path:
        return self.store / "lock"

    @property
    def access(self) -> Path:
        """Locked by everybody who has the record open for writing."""
        return self.store / "access"

    @property
    def loop(self) -> Path:
        """Says which loop is at work, and in which process; it is there no longer than that."""
        return self.store / "loop"

    @property
    def pause(self) -> Path:
        """Asks the loop that is at work to wait, for as long as it is there."""
        return self.store / "pause"


def refuse_links(root: Path) -> None:
    """Refuses a workspace in which a file or folder of evolve's is a link, a pipe or a device.

    By a link, whoever made the folder could get a file written elsewhere, or shown to a model. The folder of
    the workspace and those above it may be links. What lies in ``skills`` is left to the library, which follows none.

    Raises:
        WorkspaceError: Naming the first of them.
    """
    paths = WorkspacePaths(root)
    named: dict[tuple[int, int], list[str]] = {}
    counts: dict[tuple[int, int], int] = {}
    for entry in _entries(paths):
        if entry.is_symlink():
            raise WorkspaceError(
                f"{entry.path} is a symbolic link, and evolve follows none inside a workspace",
                hint=f"put the file or folder itself there, or remove the link: rm {shlex.quote(entry.path)}",
            )
        if entry.is_dir(follow_symlinks=False):
            continue
        if not entry.is_file(follow_symlinks=False):
            raise WorkspaceError(
                f"{entry.path} is a pipe, a socket or a device, where evolve keeps files of its own",
                hint=f"remove it: rm {shlex.quote(entry.path)}",
            )
        if Path(entry.path).is_relative_to(paths.store) and not _OBJECT.match(entry.name):
            with suppress(FileNotFoundError):
                state = entry.stat(follow_symlinks=False)
                key = (state.st_dev, state.st_ino)
                named.setdefault(key, []).append(entry.path)
                counts[key] = state.st_nlink
    # A file with all its names in here leads nowhere else; a repair that was cut off leaves such a one.
    elsewhere = next((found[0] for key, found in named.items() if counts[key] > len(found)), None)
    if elsewhere is not None:
        raise WorkspaceError(
            f"{elsewhere} is a hard link: the same file has a name elsewhere, where evolve would change it",
            hint=f"make it a file of its own: cp {shlex.quote(elsewhere)} COPY, then mv COPY {shlex.quote(elsewhere)}",
        )


def _entries(paths: WorkspacePaths) -> Iterator[os.DirEntry[str]]:
    """What evolve keeps in a workspace, and all below that; of ``skills`` the folder alone."""
    own = {path.name for path in (paths.marker, paths.skills, paths.prompts, paths.store)}
    waiting = [str(paths.root)]
    while waiting:
        folder = waiting.pop()
        # What is gone by now, or closed to this person, cannot be looked through; whoever opens it says so.
        with suppress(FileNotFoundError, NotADirectoryError, PermissionError), os.scandir(folder) as entries:
            for entry in entries:
                if folder != str(paths.root) or entry.name in own:
                    yield entry
                    if entry.is_dir(follow_symlinks=False) and entry.path != str(paths.skills):
                        waiting.append(entry.path)


def find_workspace(explicit: str | os.PathLike[str] | None = None, start: Path | None = None) -> Path | None:
    """The workspace to use, or None when only the user's own is left.

    Order: ``explicit``, the variable ``EVOLVE_WORKSPACE``, the nearest marked folder at or above
    ``start`` (default: the current folder). An explicit folder need not exist yet.

    Raises:
        WorkspaceError: The current folder was deleted, or the named folder can be none.
    """
    named = explicit or os.environ.get("EVOLVE_WORKSPACE")
    try:
        if named:
            return workspace_at(named)
        here = (start or Path.cwd()).absolute()
    except FileNotFoundError as error:
        raise WorkspaceError("the current folder no longer exists", hint="change to one that does") from error
    return next((folder for folder in (here, *here.parents) if is_workspace(folder)), None)


def workspace_at(name: str | os.PathLike[str]) -> Path:
    """The folder that a person names as a workspace, which need not exist yet.

    Raises:
        WorkspaceError: There can be no folder of that name, it is a file or evolve's source, or it lies in what another
            workspace keeps.
    """
    try:
        root = named_path(name)
    except UsageError as error:
        raise WorkspaceError(str(error), hint="choose a folder with -w") from error
    there = next(folder for folder in (root, *root.parents) if os.path.lexists(folder))
    if there.exists() and not there.is_dir():
        inside = f", so {root} cannot be there" if there != root else ""
        raise WorkspaceError(f"{there} is a file, not a folder{inside}", hint="choose a folder with -w")
    if root == seed_root():
        raise WorkspaceError(f"{root} is the source of evolve itself", hint="choose another folder with -w")
    for folder in (root, *root.parents):
        if folder.name == STORE and is_workspace(folder.parent):
            raise WorkspaceError(f"{root} lies in {STORE} of the workspace {folder.parent}", hint=f"-w {folder.parent}")
    return root


def is_workspace(folder: Path) -> bool:
    """True when the folder carries ``evolve.toml`` or a ``[tool.evolve]`` table in its pyproject.toml."""
    if (folder / MARKER).is_file():
        return True
    try:
        text = read_text(folder / "pyproject.toml")
    except UsageError:
        return False
    if "tool.evolve" not in text:
        return False
    try:
        return "evolve" in parse_toml(text, "pyproject.toml").get("tool", {})
    except UsageError:
        # Marked but malformed: it is the workspace meant, and reading the settings will name the line.
        return True


def user_workspace() -> Path:
    """The user's own workspace under the platform's data folder; not created here."""
    if sys.platform == "darwin":
        base = home_folder() / "Library" / "Application Support"
    elif sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or home_folder() / "AppData" / "Local")
    else:
        data = os.environ.get("XDG_DATA_HOME", "")
        # The XDG base directory specification says relative values are to be ignored.
        base = Path(data) if os.path.isabs(data) else home_folder() / ".local" / "share"
    return base / "evolve"


def home_folder() -> Path:
    """The user's home folder.

    Raises:
        WorkspaceError: Neither the system nor HOME names one.
    """
    try:
        return Path.home()
    except RuntimeError as error:  # a user whom the system does not know, as in a container
        raise WorkspaceError("this user has no home folder", hint="name a folder of theirs in HOME") from error


def approvals_folder() -> Path:
    """Where is kept what a person approved: outside any workspace, and left out of every folder that is worked on."""
    if sys.platform in ("darwin", "win32"):
        return user_workspace().with_name(APPROVALS)
    state = os.environ.get("XDG_STATE_HOME", "")
    return (Path(state) if os.path.isabs(state) else home_folder() / ".local" / "state") / APPROVALS


def package_root() -> Path:
    """The folder of the package ``evolve`` itself."""
    return Path(__file__).parent.parent


def seed_root() -> Path:
    """The folder with the seed ``prompts/`` and ``skills/``: inside the wheel, or the source tree."""
    package = package_root()
    packed = package / "_seed"
    return packed if packed.is_dir() else package.parent
