"""Finds out how the file of a delimited table is written: encoding, delimiter, quoting, ends of lines."""

from __future__ import annotations

import codecs
import csv
import io
import itertools
from collections.abc import Sequence
from pathlib import Path

from evolve.errors import TaskError
from evolve.tables.form import Form

_BLOCK = 1 << 20
_SAMPLE = 1 << 18
_ROWS = 500
"""Rows that are looked at to tell the delimiter."""
_DELIMITERS = (",", ";", "\t", "|")
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_SAVED = ("cp1252", "cp1250", "cp1251", "cp1253", "cp1254", "cp1257", "cp932", "gb18030", "big5", "cp949", "mac_roman")
"""Encodings in which spreadsheets save; only among these is guessed."""


def recognised(path: Path, *, file: str, delimiter: str = ",") -> Form:
    """The form of a delimited table.

    Byte-order marks say the encoding; without one it is UTF-8 where all of the file is, else what charset-normalizer
    takes it for. The delimiter is the usual one where it gives every row the same number of cells, two at least; else
    the first other one that does; else what ``csv.Sniffer`` says.

    Args:
        file: Its name for messages.
        delimiter: The one that is usual for files of this name.

    Raises:
        TaskError: The file is empty, no text, or in no encoding that is known.
    """
    with path.open("rb") as stream:
        head = stream.read(_SAMPLE)
    _refuse_other_files(head, file)
    marked = next(((mark, name) for mark, name in _MARKS if head.startswith(mark)), None)
    mark, encoding = marked or (b"", encoding_of(path, head, file))
    text = codecs.getincrementaldecoder(encoding)("replace").decode(head[len(mark) :])
    if not text.strip():
        raise TaskError("the file is empty", file=file)
    if len(head) == _SAMPLE:
        text = text[: text.rfind("\n") + 1] or text
    told = declared_delimiter(text.split("\n", 1)[0])
    lines = text.split("\n", 1)[1] if told and "\n" in text else text
    chosen = told or _delimiter(lines, delimiter)
    first = text.find("\n")
    line_end = "\r\n" if first > 0 and text[first - 1] == "\r" else "\r" if first < 0 and "\r" in text else "\n"
    quoted = _all_quoted(lines, chosen)
    return Form(kind="delimited", encoding=encoding, mark=mark, delimiter=chosen, quoted=quoted, line_end=line_end)


def declared_delimiter(line: str) -> str:
    """The delimiter that a first line ``sep=;`` declares, as some spreadsheets write it, or ""."""
    line = line.rstrip("\r\n")
    return line[4] if len(line) == 5 and line[:4].lower() == "sep=" else ""


def encoding_of(path: Path, head: bytes, file: str) -> str:
    """The encoding of a file without a byte-order mark.

    Raises:
        TaskError: None that is known fits.
    """
    decoder = codecs.getincrementaldecoder("utf-8")()
    foreign = b""
    line = 1
    with path.open("rb") as stream:
        while block := stream.read(_BLOCK):
            try:
                decoder.decode(block)
                line += block.count(b"\n")
            except UnicodeDecodeError as error:
                line += block.count(b"\n", 0, error.start)
                foreign = block[max(0, error.start - 200) :]
                break
        else:
            try:
                decoder.decode(b"", final=True)
                return "utf-8"
            except UnicodeDecodeError:
                foreign = head
    wide = _without_mark(head)
    return wide or _guessed(path, foreign, (file, line))


def _without_mark(head: bytes) -> str:
    """UTF-16 without a mark: every second byte of ASCII text is zero."""
    zeros = [head[start::2].count(0) * 4 > len(head) for start in (0, 1)]
    return "" if zeros[0] == zeros[1] else "utf-16-be" if zeros[0] else "utf-16-le"


def _guessed(path: Path, foreign: bytes, place: tuple[str, int]) -> str:
    from charset_normalizer import from_bytes

    letters = b"\n".join(part for part in foreign.splitlines() if not part.isascii())[:_SAMPLE]
    fits = [name for name in _SAVED if _decodes(path, name)]
    if "cp1252" in fits and _is_western(letters):
        return "cp1252"
    best = from_bytes(letters, cp_isolation=fits).best() if fits else None
    if best is None:
        raise TaskError(
            "not UTF-8, and in no other encoding that is known",
            file=place[0],
            line=place[1],
            hint="save the file as UTF-8 and try again",
        )
    return str(best.encoding)


def _is_western(letters: bytes) -> bool:
    """Whether the bytes are what letters and signs of Western Europe are in cp1252, each in a word of ASCII letters.

    Statistics of a few names tell less than this: such a table has some accents, and none of the many signs between.
    """
    text = letters.decode("cp1252", "replace")
    usual = "ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÑÒÓÔÕÖØÙÚÛÜßàáâãäåæçèéêëìíîïñòóôõöøùúûüÿŒœŠšŽž€£§°²³µ«»„“”‚‘’–—…·´©®½¼\u00a0"
    strange = sum(not sign.isascii() and sign not in usual for sign in text)
    foreign = sum(not sign.isascii() for sign in text)
    runs = sum(not one.isascii() and not other.isascii() for one, other in itertools.pairwise(text))
    return not strange and runs * 4 <= foreign


def _decodes(path: Path, encoding: str) -> bool:
    """Whether all of a file is text of an encoding, from which the same bytes can be made again."""
    decoder, encoder = codecs.getincrementaldecoder(encoding)(), codecs.getincrementalencoder(encoding)()
    made = hold = b""
    try:
        with path.open("rb") as stream:
            while block := stream.read(_BLOCK):
                made += encoder.encode(decoder.decode(block))
                hold += block
                size = min(len(made), len(hold))
                if made[:size] != hold[:size]:
                    return False
                made, hold = made[size:], hold[size:]
            made += encoder.encode(decoder.decode(b"", final=True), final=True)
    except UnicodeError:
        return False
    return made == hold


def _refuse_other_files(head: bytes, file: str) -> None:
    if head.startswith(b"PK\x03\x04"):
        raise TaskError(
            "holds a workbook or another zip archive, and no text",
            file=file,
            hint="name it .xlsx, or save the sheet as CSV",
        )
    if head.startswith(b"\xd0\xcf\x11\xe0"):
        raise TaskError("holds a workbook of the old form", file=file, hint="save it as .xlsx or as CSV")


def _delimiter(text: str, usual: str) -> str:
    others = [mark for mark in _DELIMITERS if mark != usual]
    for mark in (usual, *others):
        widths = _widths(text, mark)
        if widths and widths[0] >= 2 and len(set(widths)) == 1:
            return mark
    try:
        sniffed = csv.Sniffer().sniff(text[:20_000], "".join(_DELIMITERS)).delimiter
    except csv.Error:
        return usual
    # What the first line lacks would leave the table with one column.
    return sniffed if sniffed in text.split("\n", 1)[0] else usual


def _widths(text: str, delimiter: str) -> Sequence[int]:
    """How many cells each of the first rows has; none where the quoting does not go with that delimiter."""
    widths: list[int] = []
    try:
        for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True):
            if row:
                widths.append(len(row))
            if len(widths) >= _ROWS:
                break
    except csv.Error:
        # An open quote at the end of the sample is no fault of the rows before it.
        return widths if len(text) > _SAMPLE // 8 and len(widths) > 1 else ()
    return widths


def _all_quoted(text: str, delimiter: str) -> bool:
    lines = [line.rstrip("\r") for line in text.split("\n")[:50] if line.strip()]
    return all(line[:1] == '"' and line[-1:] == '"' and f'"{delimiter}"' in line for line in lines)
