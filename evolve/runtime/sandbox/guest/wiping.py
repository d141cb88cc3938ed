"""Empties, measures and reads a folder that hostile code filled. Used by the supervisor and, as text, by the runner.

No step follows a link, recurses, or uses a path longer than one name, so that a tree may have any depth.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    Stamp = tuple[int, int, int, int]

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# O_NONBLOCK, because to open a pipe would wait for its other end
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
# no honest tree is deeper; one of 3,000 levels once ended the supervisor by recursion
_DEEPEST = 32


# what code can bring about with names, links and rights; every other error is the machine's
_CAUSED_BY_CODE = frozenset(
    {
        *(errno.EACCES, errno.EPERM, errno.EEXIST, errno.ENOTEMPTY, errno.ENOTDIR, errno.EISDIR, errno.ELOOP),
        *(errno.ENOENT, errno.ENAMETOOLONG, errno.ENXIO, errno.ENODEV, errno.ETXTBSY),
    }
)


def is_caused_by_code(error: OSError) -> bool:
    """Whether an error of a call on the folder says something about its content, and not about the machine."""
    return error.errno in _CAUSED_BY_CODE


def is_full(error: OSError) -> bool:
    """Whether there was no room."""
    return error.errno in (errno.ENOSPC, errno.EDQUOT)


class NotWiped(OSError):
    """A folder could not be emptied within the bounds."""


def wipe(root: int, *, most: int = 20_000, seconds: float = 0.3) -> None:
    """Removes everything in the folder open as ``root``. Nothing else may use the folder meanwhile.

    Raises:
        NotWiped: More than ``most`` entries, or more than ``seconds``.
        OSError: Something in it could not be removed.
    """
    deadline = time.monotonic() + seconds
    above: list[tuple[str, list[str], int]] = []  # name, what is left beside it, and inode of its folder
    folder = os.dup(root)
    try:
        inner = _without_files(folder)
        while inner or above:
            most -= 1
            if most < 0 or time.monotonic() > deadline:
                raise NotWiped("the scratch folder holds too much")
            if inner:
                name = inner.pop()
                above.append((name, inner, os.fstat(folder).st_ino))
                folder = _replace_descriptor(folder, _open_folder(folder, name))
                inner = _without_files(folder)
                continue
            name, inner, inode = above.pop()
            folder = _replace_descriptor(folder, os.open("..", _FOLDER, dir_fd=folder))
            # ".." leads elsewhere once the folder below was moved
            if os.fstat(folder).st_ino != inode:
                raise NotWiped("the scratch folder changed while it was emptied")
            os.rmdir(name, dir_fd=folder)
    finally:
        os.close(folder)


def _replace_descriptor(old: int, new: int) -> int:
    os.close(old)
    return new


def _without_files(folder: int) -> list[str]:
    """Removes what is not a folder; gives the names of the folders."""
    folders = []
    for name in os.listdir(folder):
        if stat.S_ISDIR(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
            folders.append(name)
        else:
            os.unlink(name, dir_fd=folder)
    return folders


def _open_folder(root: int, name: str) -> int:
    """Opens a folder with every right over it: what is in it may have been locked by its owner, us.

    Raises:
        OSError: It is gone, a link, or its rights cannot be changed.
    """
    try:
        folder = os.open(name, _FOLDER, dir_fd=root)
    except PermissionError:
        os.chmod(name, 0o700, dir_fd=root)
        return os.open(name, _FOLDER, dir_fd=root)
    try:
        # its owner can take these rights away, and then nothing in it can be removed
        if os.fstat(folder).st_mode & 0o700 != 0o700:
            os.fchmod(folder, 0o700)
    except OSError:
        os.close(folder)
        raise
    return folder


def larger_than(root: int, size: int, most: int) -> bool:
    """Whether the tree below ``root`` holds more bytes or entries than allowed, or cannot be measured.

    What is deeper than anyone needs, or locked by its owner, cannot.

    Raises:
        OSError: ``root`` is gone, or the machine refused.
    """
    pending = [""]
    while pending:
        prefix = pending.pop()
        try:
            entries, used, inner = _measure_folder(root, prefix, most)
        except FileNotFoundError:
            if not prefix:
                raise
            continue  # gone again while we looked
        except OSError as error:
            if not is_caused_by_code(error):
                raise
            return True
        most, size = most - entries, size - used
        pending += [f"{prefix}/{name}" if prefix else name for name in inner]
        if size < 0 or most < 0 or (pending and pending[-1].count("/") >= _DEEPEST):
            return True
    return False


def _measure_folder(root: int, prefix: str, most: int) -> tuple[int, int, list[str]]:
    """How many entries one folder has, what they use, and the names of folders among them."""
    folder = _open_below(root, prefix)
    size, inner = 0, []
    try:
        names = os.listdir(folder)
        for name in names[: most + 1]:
            with contextlib.suppress(FileNotFoundError):
                state = os.stat(name, dir_fd=folder, follow_symlinks=False)
                # what it occupies, folders included: a file with holes may have any size
                size += state.st_blocks * 512
                if stat.S_ISDIR(state.st_mode):
                    inner.append(name)
    finally:
        os.close(folder)
    return len(names), size, inner


def stamp_of(state: os.stat_result) -> Stamp:
    """What of a file changes with its content: identity, size, and its times, of which code cannot set the last."""
    return state.st_ino, state.st_size, state.st_mtime_ns, state.st_ctime_ns


def regular_files(
    root: int, size: int, most: int, refuse: Callable[[str], None], known: Mapping[str, Stamp]
) -> Iterator[tuple[str, bytes | None, Stamp]]:
    """The regular files below ``root`` with a name of their own, as ``(name, data, stamp)``.

    Links, devices, pipes, and files with a second name are told to ``refuse`` and left out, as is what exceeds the
    bounds. Those with a known stamp are not read, and their data is None. Depth is bounded as in :func:`larger_than`.

    Raises:
        OSError: ``root`` is gone, or the machine refused.
    """
    pending: list[str] = [""]
    while pending and most > 0:
        prefix = pending.pop(0)
        try:
            folder = _open_below(root, prefix)
        except OSError as error:
            if not (prefix and is_caused_by_code(error)):
                raise
            refuse(prefix)
            continue
        for name in sorted(os.listdir(folder)):
            most -= 1
            if most < 0:
                break
            path = f"{prefix}/{name}" if prefix else name
            state = _state_of(folder, name)
            mode = 0 if state is None else state.st_mode
            if stat.S_ISDIR(mode) and prefix.count("/") < _DEEPEST:
                pending.append(path)
                continue
            if state is not None and path in known and known[path] == stamp_of(state):
                yield path, None, known[path]
                continue
            found = _read_plain_file(folder, name, size) if stat.S_ISREG(mode) else None
            if found is None:
                refuse(path)
            else:
                size -= len(found[0])
                yield path, *found
        os.close(folder)


def _state_of(folder: int, name: str) -> os.stat_result | None:
    """What an entry is; None where that cannot be said."""
    try:
        return os.stat(name, dir_fd=folder, follow_symlinks=False)
    except OSError as error:
        if not is_caused_by_code(error):
            raise
        return None


def _open_below(root: int, prefix: str) -> int:
    """A folder below ``root``, opened part by part."""
    folder = os.dup(root)
    try:
        for part in filter(None, prefix.split("/")):
            inner = _open_folder(folder, part)
            os.close(folder)
            folder = inner
    except OSError:
        os.close(folder)
        raise
    return folder


def _read_plain_file(folder: int, name: str, size: int) -> tuple[bytes, Stamp] | None:
    """The bytes of one file, and its stamp before; None where it is not plain, too large, or cannot be read."""
    try:
        file = os.open(name, _FILE, dir_fd=folder)
    except OSError as error:
        if not is_caused_by_code(error):
            raise
        return None
    try:
        state = os.fstat(file)
        # looked at again once it is open: the name may mean another file by now
        if not stat.S_ISREG(state.st_mode) or state.st_nlink != 1 or state.st_size > size:
            return None
        parts = []
        left = state.st_size
        while left > 0:
            part = os.read(file, min(left, 1 << 20))
            if not part:
                break
            parts.append(part)
            left -= len(part)
        return b"".join(parts), stamp_of(state)
    finally:
        os.close(file)


def place_file(root: int, name: str, data: bytes) -> Stamp:
    """Writes one file below ``root``, with its folders, in place of a regular file of that name; gives its stamp.

    Raises:
        OSError: The name leads through a link, or something that is no regular file is in the way.
    """
    folder = os.dup(root)
    try:
        *outer, last = name.split("/")
        for part in outer:
            with contextlib.suppress(FileExistsError):
                os.mkdir(part, 0o700, dir_fd=folder)
            inner = os.open(part, _FOLDER, dir_fd=folder)
            os.close(folder)
            folder = inner
        with contextlib.suppress(FileNotFoundError):
            # a new file, never the old one written over: that may have a second name
            os.unlink(last, dir_fd=folder)
        file = os.open(last, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600, dir_fd=folder)
        try:
            view = memoryview(data)
            while view:
                view = view[os.write(file, view) :]
            return stamp_of(os.fstat(file))
        finally:
            os.close(file)
    finally:
        os.close(folder)
