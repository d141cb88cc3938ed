"""Reads and replaces files below a folder without following a link anywhere on the way."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from evolve.core.errors import UsageError
from evolve.core.failpoints import hit_failpoint
from evolve.core.files import write_failure
from evolve.runtime.folder_tree import is_ignored
from evolve.runtime.sandbox.actions import is_plain_name

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# Without O_NONBLOCK, opening a named pipe would wait until somebody writes to it.
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


@dataclass(frozen=True, kw_only=True)
class FileState:
    """A file as it is: its content, None where there is none, and its permissions."""

    data: bytes | None
    mode: int = 0o644


def stat_file(root: str, name: str) -> FileState:
    """The file of that name below the folder.

    Raises:
        UsageError: The name leads out of the folder, through a link, or to something that is no regular file.
    """
    _check(name)
    try:
        with _parent(root, name) as (folder, last), open(os.open(last, _FILE, dir_fd=folder), "rb") as stream:
            state = os.fstat(stream.fileno())
            if not stat.S_ISREG(state.st_mode):
                raise UsageError(f"{name} is no regular file")
            return FileState(data=stream.read(), mode=stat.S_IMODE(state.st_mode))
    except FileNotFoundError:
        return FileState(data=None)
    except OSError as error:
        raise UsageError(f"{name} cannot be read as a file of its own: {(error.strerror or '').lower()}") from error


def may_touch(name: str) -> bool:
    """Whether work in a folder may touch a file of that name."""
    return is_plain_name(name) and not is_ignored(name)


def missing_folders(root: str, name: str) -> list[str]:
    """The folders above a name that do not exist yet, outermost first."""
    parts = name.split("/")[:-1]
    above = ["/".join(parts[: count + 1]) for count in range(len(parts))]
    return [folder for folder in above if not os.path.lexists(os.path.join(root, folder))]


def replace_file(root: str, name: str, data: bytes | None, mode: int) -> None:
    """Replaces one file whole, or removes it where ``data`` is None.

    Raises:
        UsageError: As for :func:`stat_file`.
        WorkspaceError: Disk full or not writable; the file is then as it was.
    """
    _check(name)
    try:
        with _parent(root, name, make=data is not None) as (folder, last):
            if data is None:
                os.unlink(last, dir_fd=folder)
            else:
                _replace(folder, last, data, mode)
            # Else a power cut could undo the renaming, although the content is on disk.
            os.fsync(folder)
    except NotADirectoryError as error:
        raise UsageError(f"{name} leads through a link or a file") from error
    except OSError as error:
        raise write_failure(os.path.join(root, name), error) from error


def drop_folder(root: str, name: str) -> None:
    """Removes a folder if it is empty."""
    with contextlib.suppress(OSError), _parent(root, name) as (folder, last):
        os.rmdir(last, dir_fd=folder)


def _replace(folder: int, last: str, data: bytes, mode: int) -> None:
    # Always the same name, so that what a kill left behind goes when the same change is made again.
    temporary = f".{last[:40]}.evolve"
    with contextlib.suppress(FileNotFoundError):
        os.unlink(temporary, dir_fd=folder)
    # Nobody else may read it before it has the permissions of the file that it becomes.
    handle = os.open(temporary, _NEW, 0o600, dir_fd=folder)
    try:
        with open(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fchmod(stream.fileno(), mode)
            os.fsync(stream.fileno())
        hit_failpoint("work.written")
        os.rename(temporary, last, src_dir_fd=folder, dst_dir_fd=folder)
        hit_failpoint("work.renamed")
    except OSError:
        with contextlib.suppress(OSError):
            os.unlink(temporary, dir_fd=folder)
        raise


def _check(name: str) -> None:
    if not may_touch(name):
        raise UsageError(f"{name!r} is not a name that work in a folder may touch")


@contextmanager
def _parent(root: str, name: str, *, make: bool = False) -> Iterator[tuple[int, str]]:
    """The open folder that a name lies in, reached part by part, and the name's last part."""
    *outer, last = name.split("/")
    folder = os.open(root, _FOLDER)
    try:
        # Each part is opened below the one before: O_NOFOLLOW on a whole path looks at its last part alone.
        for part in outer:
            if make:
                with contextlib.suppress(FileExistsError):
                    os.mkdir(part, 0o755, dir_fd=folder)
            inner = os.open(part, _FOLDER, dir_fd=folder)
            os.close(folder)
            folder = inner
        yield folder, last
    finally:
        os.close(folder)
