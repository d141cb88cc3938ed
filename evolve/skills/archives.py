"""Texts that came from elsewhere, read into memory from a folder or an archive; nothing is unpacked on disk."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import stat
import tarfile
import unicodedata
import zipfile
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from evolve.core.errors import UsageError

MOST_FILES, MOST_BYTES, LARGEST, DEEPEST, RATIO = 40_000, 128 << 20, 1 << 20, 12, 200
"""Files in all, bytes of all texts, bytes of one, folders within each other, and how far an archive may swell."""
_TEXTS = (".md", ".py", ".json", ".jsonl")
_SKIPPED = frozenset({".git", "__pycache__", "node_modules", ".venv", "venv", "build", "dist"})
_DAMAGED = (tarfile.TarError, zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, OSError, ValueError)
_BROKEN = (*_DAMAGED, RuntimeError, IndexError)  # a compression that Python lacks, a member without a name
_Member = tuple[str, bool, Callable[[], bytes]]  # its name, whether it is a plain file, and what gives its first bytes


def read_foreign(path: Path) -> tuple[dict[str, bytes], dict[str, str]]:
    """The texts of a folder or of a zip or tar archive by relative path; and why others were not read.

    Raises:
        UsageError: There is no such thing, or it is broken, unsafe or too large; then nothing of it may be used.
    """
    texts, unread, seen, room = dict[str, bytes](), dict[str, str](), set[str](), MOST_BYTES
    try:
        members = _of_folder if path.is_dir() else _of_zip if zipfile.is_zipfile(path) else _of_tar
        for name, is_plain, read in members(path):
            known = _checked(name, seen)
            if _SKIPPED & set(known.split("/")):
                continue
            if not is_plain:
                unread[known] = "a link or no plain file"
            elif known.endswith(_TEXTS):
                texts[known] = read()
                room -= len(texts[known])
                if room < 0:
                    raise UsageError(f"more than {MOST_BYTES >> 20} MiB of text")
                if len(texts[known]) > LARGEST:
                    unread[known] = f"larger than {LARGEST >> 20} MiB"
    except UsageError as problem:
        raise UsageError(f"{path}: {problem}", hint="nothing was imported") from problem
    except _BROKEN as error:
        raise UsageError(f"{path}: no folder, zip or tar archive that can be read") from error
    return texts, unread


def _checked(name: str, seen: set[str]) -> str:
    """A member's path, which leads nowhere else and is there once."""
    parts = name.removeprefix("./").rstrip("/").split("/")
    odd = any(part in ("", ".", "..") or not part.isprintable() or len(part) > 255 for part in parts)
    if odd or "\\" in name or ":" in parts[0] or len(parts) > DEEPEST:
        raise UsageError(f"unsafe path in it: {name[:80]!a}")
    key = unicodedata.normalize("NFKC", "/".join(parts)).casefold()
    if key in seen or len(seen) == MOST_FILES:
        raise UsageError(f"two files of one name in it: {name[:80]!a}" if key in seen else f"over {MOST_FILES:,} files")
    seen.add(key)
    return "/".join(parts)


def _of_folder(root: Path) -> Iterator[_Member]:
    for place, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders if name not in _SKIPPED)
        for file in (Path(place, name) for name in sorted([*files, *folders])):
            mode = os.lstat(file).st_mode
            if not stat.S_ISDIR(mode):
                yield file.relative_to(root).as_posix(), stat.S_ISREG(mode), partial(_first_bytes, file)


def _of_zip(path: Path) -> Iterator[_Member]:
    with zipfile.ZipFile(path) as archive:
        for one in (one for one in archive.infolist() if not one.is_dir()):
            _refuse_swelling(one.file_size, one.compress_size)
            is_plain = stat.S_IFMT(one.external_attr >> 16) in (0, stat.S_IFREG) and not one.flag_bits & 1
            yield one.filename, is_plain, lambda one=one: archive.open(one).read(LARGEST + 1)  # type: ignore[misc]


def _of_tar(path: Path) -> Iterator[_Member]:
    with tarfile.open(fileobj=io.BytesIO(_plain(path)), mode="r:") as archive:
        while (member := archive.next()) is not None:
            stream = archive.extractfile(member) if member.isreg() and not member.issparse() else None
            if not member.isdir():
                yield member.name, stream is not None, partial(stream.read, LARGEST + 1) if stream else bytes


def _first_bytes(file: Path) -> bytes:
    handle = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    with os.fdopen(handle, "rb") as stream:
        return stream.read(LARGEST + 1) if stat.S_ISREG(os.fstat(handle).st_mode) else b""


def _plain(path: Path) -> bytes:
    """A tar archive without its compression, of no more bytes than all texts may have."""
    with path.open("rb") as stream:
        packed = plain = stream.read(MOST_BYTES + 1)
    for mark, opener in ((b"\x1f\x8b", gzip.open), (b"BZ", bz2.open), (b"\xfd7", lzma.open)):
        if packed.startswith(mark):
            plain = opener(io.BytesIO(packed)).read(MOST_BYTES + 1)
    if len(plain) > MOST_BYTES:
        raise UsageError(f"larger than {MOST_BYTES >> 20} MiB")
    _refuse_swelling(len(plain), len(packed))
    return plain


def _refuse_swelling(size: int, packed: int) -> None:
    if size > LARGEST and size > RATIO * max(1, packed):
        raise UsageError(f"it swells more than {RATIO} times")
