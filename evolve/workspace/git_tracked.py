"""What git tracks in a folder, read from the files of git itself; git is not started on foreign settings."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from evolve.core.errors import WorkspaceError

_FIXED = 40
"""Bytes of an entry before the digest of its content: times, device, mode, owner and size."""

_SHA1, _SHA256 = 20, 32
"""Bytes of a digest, which the index does not say."""

_LONGEST_NAME, _LARGEST = 4096, 2**29
"""Bytes of a name, which no system takes longer, and of a file that is read whole; larger ones are made to harm."""


def tracked_file(folder: Path, part: str) -> str:
    """A file that git tracks in a folder and that is ``part`` of it or lies there, or "".

    Letters count without their case, as some disks take them, and ``.gitkeep`` and ``.gitignore`` are no content.

    Raises:
        WorkspaceError: A repository is there whose index cannot be understood.
    """
    for top in (folder, *folder.parents):
        if not os.path.lexists(top / ".git"):
            continue
        wanted = "/".join((*folder.relative_to(top).parts, part)).lower()
        git = _git_folder(top / ".git")
        try:
            indexes = [git / "index", *git.glob("sharedindex.*")]
        except OSError as error:
            raise _not_understood(git) from error
        for index in indexes:
            data = _content(index)
            found = [] if data is None else [_named(data, size, wanted) for size in (_SHA1, _SHA256)]
            if found == [None, None]:
                raise _not_understood(index)
            if any(found):
                return next(filter(None, found))
    return ""


def _git_folder(place: Path) -> Path:
    """Where the index lies: the folder, or the one that a work tree's or submodule's file names."""
    if place.is_dir():
        return place
    text = (_content(place) or b"")[:_LONGEST_NAME].strip()
    return place.parent / os.fsdecode(text.removeprefix(b"gitdir:").strip())


def _named(data: bytes, hashed: int, wanted: str) -> str | None:
    """The first name in an index of version 2, 3 or 4 that is wanted or lies there, or "".

    None where it is no index, or one with digests of another length: each entry has the length of its name.
    """
    version, count = int.from_bytes(data[4:8], "big"), int.from_bytes(data[8:12], "big")
    if data[:4] != b"DIRC" or version not in (2, 3, 4):
        return None
    part = os.fsencode(wanted.rpartition("/")[2])
    if version < 4 and part not in data.lower():
        return ""  # names stand there whole, and a large index takes long to go through
    place, name = 12, b""
    for _ in range(count):
        begin = place
        place += _FIXED + hashed
        flags = int.from_bytes(data[place : place + 2], "big")
        place += 4 if flags & 0x4000 else 2
        kept = 0
        if version == 4:
            dropped, place = _number(data, place)
            kept = len(name) - dropped
        end = data.find(b"\0", place)
        length = kept + end - place
        if end < 0 or not 0 <= kept <= len(name) or flags & 0xFFF != min(length, 0xFFF) or length > _LONGEST_NAME:
            return None
        name = name[:kept] + data[place:end]
        place = end + 1 if version == 4 else begin + (end - begin + 8) // 8 * 8
        if part not in name.lower():
            continue
        text = os.fsdecode(name)
        is_there = text.lower() == wanted or text.lower().startswith(f"{wanted}/")
        if is_there and text.rpartition("/")[2] not in (".gitkeep", ".gitignore"):
            return text
    return ""


def _number(data: bytes, place: int) -> tuple[int, int]:
    """A number as git writes offsets, and where it ends."""
    byte = data[place] if place < len(data) else 0
    number = byte & 127
    while byte & 128 and place + 1 < len(data) and number <= _LONGEST_NAME:
        place += 1
        byte = data[place]
        number = ((number + 1) << 7) | (byte & 127)
    return number, place + 1


def _content(place: Path) -> bytes | None:
    """What a file holds, None where there is none; a pipe, which may never end, is not opened."""
    try:
        state = os.stat(place)
        if stat.S_ISREG(state.st_mode) and state.st_size <= _LARGEST:
            return place.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError) as error:
        raise _not_understood(place) from error
    raise _not_understood(place)


def _not_understood(place: Path) -> WorkspaceError:
    return WorkspaceError(f"{place} cannot be understood, so nobody knows what git tracks there")
