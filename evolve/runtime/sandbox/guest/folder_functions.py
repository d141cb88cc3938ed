"""Functions by which code works in a folder: the module ``folder_functions`` of every session there; sent as text.

They act on the copy that the session stands in and nothing else: a path is relative, has no ``..`` and leads through no
link. They keep code from nothing that it could not do by itself; the sandbox does that. What they are for is code that
is kept: with them it needs nothing beside its arguments, so that it can be read, judged and done again elsewhere.
"""

from __future__ import annotations

import os
import re
import stat
from contextlib import suppress

from evolve.core.text_files import TextFile, normalize_line_ends, read_text_file, split_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

ROOT = os.getcwd()
LEFT_OUT: frozenset[str] = frozenset()  # put in by whoever sends this: names that are left out at any depth
ENCODINGS: Mapping[str, str] = {}  # put in as well: of files whose encoding takes a guess

_MOST_LINES = 10_000
_LONGEST_LINE = 2_000
_LARGEST = 8 << 20


def read(path: str, start: int = 1, lines: int | None = None) -> str:
    """The text of a file with plain line ends, from line ``start`` on, at most ``lines`` of it."""
    text = _text_file(path).text
    if start == 1 and lines is None:
        return text
    kept = split_lines(text)[max(0, start - 1) :]
    return "".join(kept if lines is None else kept[: max(0, lines)])


def search(pattern: str, path: str = "") -> list[tuple[str, int, str]]:
    """File, number and text of every line in which a regular expression is found, in the order of names.

    Args:
        path: A file or folder to look in; "" for all. Links, large and binary files are passed over.
    """
    found: list[tuple[str, int, str]] = []
    sought = re.compile(pattern)
    for name in sorted(_names(path)):
        try:
            text = _text_file(name, _LARGEST).text
        except (OSError, _Binary):
            continue
        for number, line in enumerate(split_lines(text), 1):
            line = line.rstrip("\n")
            if sought.search(line):
                if len(found) >= _MOST_LINES:
                    raise ValueError(f"more than {_MOST_LINES} lines match {pattern!r}: search for less")
                found.append((name, number, line[:_LONGEST_LINE]))
    return found


def edit(path: str, old: str, new: str) -> None:
    """Puts ``new`` in the place of ``old``, which has to stand in the file once; of a new file ``old`` is "".

    The file keeps its encoding and the line ends of its other lines; whatever ends lines in ``old`` and ``new``.
    """
    if not old:
        descriptor = _opened(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, makes=True)
        with open(descriptor, "wb") as stream:
            stream.write(new.encode("utf-8"))
        return
    before, sought = _text_file(path), normalize_line_ends(old)
    text = before.text
    places = text.count(sought)
    if places != 1:
        raise ValueError(f"{path}: the text to replace stands there {places} times: {old[:80]!r}")
    data = before.with_replacement(text.index(sought), len(sought), new).with_declared_encoding(before).data
    with open(_opened(path, os.O_WRONLY | os.O_TRUNC), "wb") as stream:
        stream.write(data)


def run(command: str) -> tuple[int, str]:
    """What a shell command in the folder ended with, and what it printed on both streams."""
    ended, printed = shell(command)
    return ended, printed.decode("utf-8", "replace")


def shell(command: str) -> tuple[int, bytes]:
    """Runs a command in the folder; whoever sends this puts theirs in its place."""
    raise OSError(f"nothing runs commands here: {command}")


class _Binary(ValueError):
    """A file is no text."""


def _text_file(path: str, most: int | None = None) -> TextFile:
    file = read_text_file(_bytes(path, most), ENCODINGS.get(path, ""))
    if file is None:
        raise _Binary(f"{path} is binary and no text")
    return file


def _bytes(path: str, most: int | None = None) -> bytes:
    with open(_opened(path, os.O_RDONLY), "rb") as stream:
        if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
            raise ValueError(f"{path} is no file")
        if most is not None and os.fstat(stream.fileno()).st_size > most:
            raise OSError(f"{path} is too large")
        return stream.read()


def _parts(path: str) -> list[str]:
    parts = path.split("/")
    if not path.isprintable() or "\\" in path or any(part in ("", ".", "..") for part in parts):
        raise ValueError(f"{path!r} leaves the folder: a path is relative to it and has no ..")
    if any(part.casefold() in LEFT_OUT for part in parts):
        raise ValueError(f"{path!r} is left out of the work")
    return parts


def _opened(path: str, flags: int, *, makes: bool = False) -> int:
    """A descriptor, reached part by part: a link on the way, made by whoever, leads nowhere."""
    *folders, last = _parts(path)
    at = os.open(ROOT, os.O_RDONLY | os.O_DIRECTORY)
    try:
        for name in folders:
            if makes:
                with suppress(FileExistsError):
                    os.mkdir(name, dir_fd=at)
            inner = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=at)
            os.close(at)
            at = inner
        return os.open(last, flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, 0o666, dir_fd=at)
    finally:
        os.close(at)


def _names(path: str) -> Iterator[str]:
    """Names of the regular files at or below a path, in no order."""
    parts = _parts(path) if path else []
    top = os.path.join(os.path.realpath(ROOT), *parts)
    if os.path.realpath(top) != top:
        raise ValueError(f"{path!r} leads through a link")
    if not os.path.isdir(top):
        yield path
        return
    for folder, inner, files in os.walk(top):
        inner[:] = [name for name in inner if name.casefold() not in LEFT_OUT]
        for name in files:
            full = os.path.join(folder, name)
            if name.casefold() not in LEFT_OUT and stat.S_ISREG(os.lstat(full).st_mode):
                yield os.path.relpath(full, os.path.realpath(ROOT))
