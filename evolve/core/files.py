"""Canonical JSON, content digests and file access that never leaves a torn file behind."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import stat
import tempfile
import tomllib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from evolve.core.errors import SetupProblem, UsageError, WorkspaceError
from evolve.core.failpoints import hit_failpoint

_NO_SPACE = frozenset({errno.ENOSPC, errno.EDQUOT})
_REFUSED = frozenset({errno.EACCES, errno.EPERM, errno.EROFS})
_OWN_FOLDER = "name a folder of yours in XDG_STATE_HOME, or in HOME"
AFTER_SPACE = "free some space, then run the same command again"
"""The hint where a disk is full."""
SVG = b"<svg"
"""How every picture begins that is drawn here."""
MAX_TEXT_BYTES = 64 * 2**20
"""Largest text file that is read; it is held in memory whole."""


def canonical_json(value: Any) -> str:
    """The one text of a JSON value: sorted keys, no spaces, real characters.

    Equal values give equal text, so digests of it identify content. Tuples are written as lists.

    Raises:
        ValueError: For NaN and infinities, which JSON does not have.
        TypeError: For anything that is not a JSON value.
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def digest(content: str | bytes) -> str:
    """SHA-256 of the content as 64 lower-case hex digits; text is taken as UTF-8."""
    # surrogatepass keeps the mapping injective for text that clean_text has not seen yet
    data = content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content
    return hashlib.sha256(data).hexdigest()


def clean_text(text: str) -> str:
    """Replaces what SQLite and files refuse (lone surrogates, NUL) by U+FFFD.

    Text from models and from code under test passes through here once, where it enters.
    """
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").replace("\0", "\ufffd")


def head_and_tail(text: str, most: int) -> str:
    """The text; where it is longer than so many characters, both its ends, with a line between them that says so."""
    if len(text) <= most:
        return text
    room = max(0, most - 60) // 2
    return f"{text[:room]}\n... {len(text) - 2 * room:,} characters left out ...\n{text[len(text) - room :]}"


def read_text(path: str | os.PathLike[str]) -> str:
    """The file's text, strictly UTF-8; a byte-order mark at the start is allowed and dropped.

    Raises:
        UsageError: When the file is missing, unreadable, no regular file (a pipe or device may never end), larger than
            :data:`MAX_TEXT_BYTES`, or not UTF-8; the message names the file.
    """
    name = os.fspath(path)
    try:
        state = os.stat(path)
        if not stat.S_ISREG(state.st_mode):
            kind = "is a directory" if stat.S_ISDIR(state.st_mode) else "is not a regular file"
            raise UsageError(f"{name}: {kind}")
        if state.st_size > MAX_TEXT_BYTES:
            raise UsageError(f"{name}: larger than {MAX_TEXT_BYTES >> 20} MiB")
        data = Path(path).read_bytes()
    except OSError as error:
        raise UsageError(f"{name}: {_reason(error)}") from error
    except ValueError as error:  # a NUL in the name
        raise UsageError(f"{name!r}: not a file name") from error
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise UsageError(
            f"{name}:{line}: not UTF-8 (byte {error.start})", hint="save the file as UTF-8 and try again"
        ) from error


def write_private_text(path: str | os.PathLike[str]) -> str | None:
    """The text of a file that this user alone can have written, or None where there is none.

    Raises:
        WorkspaceError: It is a link or cannot be reached, or somebody else owns it, its folder, or may write there.
        UsageError: As for :func:`read_text`.
    """
    for place in (Path(path).parent, Path(path)):
        try:
            state = os.lstat(place)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise WorkspaceError(f"{place}: {_reason(error)}", hint=_OWN_FOLDER) from error
        if stat.S_ISLNK(state.st_mode):
            raise WorkspaceError(f"{place} is a link, so somebody else may have made it", hint=f"remove {place}")
        if state.st_uid != os.geteuid():
            raise WorkspaceError(f"{place} belongs to another user", hint=_OWN_FOLDER)
        if state.st_mode & 0o022:
            mode = "700" if stat.S_ISDIR(state.st_mode) else "600"
            raise WorkspaceError(f"{place} can be written by others", hint=f"chmod {mode} {place}")
    return read_text(path)


def parse_toml(text: str, name: str) -> dict[str, Any]:
    """The table that a TOML text is.

    Raises:
        UsageError: It is malformed, or nested more deeply than can be read; the message begins with ``name``.
    """
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{name}: not valid TOML: {error}") from error
    except RecursionError as error:  # tomllib has no limit of its own for nesting
        raise UsageError(f"{name}: nested too deeply") from error


def named_path(text: str | os.PathLike[str]) -> Path:
    """A path that a person named, absolute and with ``~`` expanded; it need not exist.

    Raises:
        UsageError: There can be no file of that name.
        FileNotFoundError: It is relative and the current folder was deleted.
    """
    shown = os.fspath(text)
    shown = shown if len(shown) <= 80 else f"{shown[:77]}..."
    try:
        path = Path(text).expanduser()
        os.stat(path)  # the system knows what a name may be
    except FileNotFoundError:
        pass
    except ValueError as error:
        raise UsageError(f"{shown!r}: not a file name") from error
    except RuntimeError as error:
        raise UsageError(f"{shown}: there is no such user, so no home folder") from error
    except OSError as error:
        if error.errno in (errno.ENAMETOOLONG, errno.ELOOP):
            raise UsageError(f"{shown}: {_reason(error)}") from error
    return path.absolute()


def write_atomic(path: str | os.PathLike[str], data: bytes) -> None:
    """Writes a whole file or nothing, durably: temporary file, fsync, rename, fsync of the folder.

    Missing parent folders are made.

    Raises:
        WorkspaceError: When the disk is full, the place cannot be written, or something there is no regular file,
            such as a device, which a rename would replace; what was there is untouched.
    """
    with replace_file(path) as stream:
        stream.write(data)


@contextmanager
def replace_file(
    path: str | os.PathLike[str], *, mode: int = 0o644, before: Callable[[], None] = lambda: None
) -> Iterator[BinaryIO]:
    """A stream whose content becomes the whole file when the block ends without an error, and is dropped otherwise.

    Args:
        mode: Who may read and write the file.
        before: Called when everything is on the disk and nothing is replaced yet; what it raises keeps the old file.

    Raises:
        WorkspaceError: As for :func:`write_atomic`; what was there is untouched.
    """
    target = Path(path)
    try:
        if target.exists() and not target.is_file():
            raise WorkspaceError(f"cannot write {target}: not a regular file", hint="name a file that may be replaced")
        hit_failpoint("file.begin")
        target.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name[:40]}.", suffix=".tmp")
    except OSError as error:
        raise write_failure(target, error) from error
    kept = False
    try:
        with os.fdopen(handle, "wb") as stream:
            yield stream
            stream.flush()
            hit_failpoint("file.written")
            os.fsync(stream.fileno())
        os.chmod(temporary, mode)  # mkstemp makes files that only their owner can read
        hit_failpoint("file.synced")
        before()
        os.replace(temporary, target)
        kept = True
        hit_failpoint("file.renamed")
        sync_folder(target.parent)
        hit_failpoint("file.kept")
    except OSError as error:
        raise write_failure(target, error) from error
    finally:
        if not kept:
            Path(temporary).unlink(missing_ok=True)


def check_folder(path: str | os.PathLike[str]) -> None:
    """Refuses, before any work is done for it, a file in a folder that cannot be written.

    Raises:
        WorkspaceError: As writing it would.
    """
    folder = next(folder for folder in Path(path).absolute().parents if folder.exists())
    try:
        tempfile.TemporaryFile(dir=folder).close()  # permissions alone do not tell: nobody writes to /proc
    except OSError as error:
        raise write_failure(path, error) from error


def is_replaced(path: str | os.PathLike[str], begins: bytes) -> bool:
    """Whether a file of this name is there, which a person named to be written.

    Args:
        begins: How a file of its kind begins. What begins otherwise was not written here, and would be lost.

    Raises:
        UsageError: It is another kind of file.
    """
    if not os.fspath(path):
        raise UsageError("an empty name names no file", hint="name a file, such as graph.svg")
    target = named_path(path)
    if not target.is_file():
        return False  # what is no file at all is refused where it is written
    with target.open("rb") as stream:
        found = stream.read(len(begins))
    if found and found != begins:
        raise UsageError(f"{os.fspath(path)} is there already, and is another kind of file", hint="give another name")
    return True


def sync_folder(folder: Path) -> None:
    """Makes renames inside the folder durable; a no-op where folders cannot be opened."""
    flags = getattr(os, "O_DIRECTORY", None)
    if flags is None:
        return
    handle = os.open(folder, os.O_RDONLY | flags)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def write_failure(path: str | os.PathLike[str], error: OSError) -> WorkspaceError:
    """The error of the tree that stands for a failed write: disk full, or unwritable."""
    if error.errno in _NO_SPACE:
        return WorkspaceError(f"disk full while writing {os.fspath(path)}", hint=AFTER_SPACE)
    hint = f"name another place, or see who may write there: ls -ld {os.path.dirname(os.fspath(path)) or '.'}"
    return WorkspaceError(f"cannot write {os.fspath(path)}: {_reason(error)}", hint=hint)


def machine_problem(error: OSError) -> SetupProblem | None:
    """The error of the tree for a call that the machine refused anywhere, or None where it may be a fault of ours."""
    where = f" ({os.fsdecode(error.filename)})" if isinstance(error.filename, str | bytes) else ""
    if error.errno in _NO_SPACE:
        return WorkspaceError(f"disk full{where}", hint=AFTER_SPACE)
    if error.errno in (errno.EMFILE, errno.ENFILE):
        return SetupProblem(f"too many open files{where}", hint="allow more, such as with: ulimit -n 1024")
    if error.errno in (errno.ENOMEM, errno.EIO) or (where and error.errno in _REFUSED):
        return SetupProblem(f"the system refused{where}: {_reason(error)}")
    return None


def _reason(error: OSError) -> str:
    return (error.strerror or type(error).__name__).lower()
