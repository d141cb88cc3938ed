"""What is inside a workbook's file before it is loaded: whether it fits into memory, and what writing it anew loses."""

from __future__ import annotations

import posixpath
import re
import zipfile
import zlib
from pathlib import Path
from types import MappingProxyType
from typing import IO
from xml.parsers import expat

from evolve.core.errors import TaskError
from evolve.tasks.tables.workbook_losses import WorkbookLosses

_MOST_BYTES = 64 * 2**20
_MOST_UNPACKED = 256 * 2**20
_MOST_SPREAD = 2**21
"""A workbook is held in memory whole, and with it every cell of a range that is merged, linked or commented."""
_WEIGHTS = MappingProxyType({"c": 6, "si": 6, "row": 10, "v": 1, "f": 1, "is": 1, "t": 1})
_WEIGHT = 20
_MOST_WEIGHT = 48_000_000
"""Elements by the memory that openpyxl takes for each, in some 50 bytes; empty ones unpack from next to nothing."""
_BLOCK = 1 << 20

_MOST_PARTS = 10_000
_MOST_SLOW = 20_000
_SLOW = MappingProxyType(
    {"mergeCell": 1, "conditionalFormatting": 1, "comment": 1, "cellStyle": 1, "numFmt": 1, "shape": 1, "sheet": 20}
)
"""Elements of which openpyxl compares each with all others."""
_MOST_FORMULA = 8_192
_MOST_TRANSLATED = 10_000_000
"""Signs of formulas that several cells share, which are translated for each of them."""
_MOST_PATTERN = 255
"""Signs of a format of numbers, which is searched in time that grows with their square."""
_MOST_DEPTH = 200
_MOST_TAG = 4 * 2**20
"""Bytes of a tag or a comment, which are read again from its beginning with every block until it ends."""
_READ_ONCE = frozenset(["worksheet", "chartsheet", "comments", "table", "drawing", "chart"])
"""Relationships to parts that belong to one other part alone, and are read whenever they are referred to."""
_RANGE = re.compile(r"\s*\$?([A-Z]{0,3})\$?(\d{0,7}):\$?([A-Z]{0,3})\$?(\d{0,7})", re.IGNORECASE)
_LAST_COLUMN, _LAST_ROW = 16_384, 1_048_576


def loss_of(path: Path, file: str) -> str:
    """What the library that writes workbooks does not carry over, in a sentence, or "".

    Args:
        file: The file's name for messages.

    Raises:
        TaskError: It is damaged or encrypted, or too large to be loaded.
    """
    _refuse(path.stat().st_size, _MOST_BYTES, file)
    carried = WorkbookLosses(macros=path.suffix.lower() == ".xlsm")
    try:
        with zipfile.ZipFile(path) as parts:
            _refuse(sum(part.file_size for part in parts.infolist()), _MOST_UNPACKED, file)
            scales = _Scales(file, carried)
            if len(parts.namelist()) > _MOST_PARTS:
                raise scales.too_much(f"more than {_MOST_PARTS:,} parts")
            for name in parts.namelist():
                with parts.open(name) as stream:
                    scales.weigh(name, stream)
    except (zipfile.BadZipFile, OSError, RuntimeError, EOFError, ValueError, zlib.error) as error:
        raise damaged_workbook_error(file) from error
    return (
        f"evolve cannot carry over {' and '.join(carried.list_losses())} of the workbook"
        if carried.list_losses()
        else ""
    )


def damaged_workbook_error(file: str) -> TaskError:
    """The refusal of a workbook that cannot be read, for whichever reason."""
    hint = "open it in your spreadsheet program, and save it again without a password"
    return TaskError("the workbook is damaged or has a password", file=file, hint=hint)


def _refuse(size: int, most: int, file: str) -> None:
    if size > most:
        hint = "save the sheet as CSV, which is read row by row"
        raise TaskError(f"the workbook is larger than {most >> 20} MiB", file=file, hint=hint)


class _Scales:
    """Walks once through the parts of a workbook, and refuses what would take memory or time without end.

    Any part may be the one with the cells, whatever it is called.

    Args:
        file: The file's name for messages.
        carried: Told every element.
    """

    def __init__(self, file: str, carried: WorkbookLosses) -> None:
        self._file, self._carried = file, carried
        self._weight = self._spread = self._slow = self._translated = self._table = 0
        self._shared: dict[str, int] = {}
        self._formula: str | None = None
        self._folder = ""
        self._targets: set[str] = set()
        self._sheets: set[str] = set()
        self._depth = 0
        self._text: list[str] = []
        self._told = ""

    def weigh(self, name: str, part: IO[bytes]) -> None:
        """Adds a part, up to where it is no XML.

        Raises:
            TaskError: It is too much.
        """
        if name.endswith("/"):
            return
        self._folder = posixpath.dirname(posixpath.dirname(name))
        parser = expat.ParserCreate(namespace_separator=" ")
        parser.buffer_text = True
        parser.StartElementHandler, parser.EndElementHandler = self._begin, self._end
        parser.CharacterDataHandler = self._text.append
        parser.StartDoctypeDeclHandler = self._declared
        self._carried.begin_part(name)
        self._shared.clear()
        self._sheets.clear()
        self._text.clear()
        self._depth = self._table = 0
        try:
            fed = 0
            while block := part.read(_BLOCK):
                parser.Parse(block)
                fed += len(block)
                if fed - parser.CurrentByteIndex > _MOST_TAG:
                    raise self.too_much(f"a tag or a comment of more than {_MOST_TAG >> 20} MiB")
                self._judge()
            parser.Parse(b"", True)
        except expat.ExpatError:
            self._carried.mark_broken()  # what comes after is not read by openpyxl either
        self._spread += self._table
        self._judge()

    def too_much(self, told: str) -> TaskError:
        return TaskError(f"the workbook has {told}", file=self._file, hint="save the sheet as CSV")

    def _declared(self, *_: object) -> None:
        raise self.too_much("XML entities of its own, which no spreadsheet program writes")

    def _begin(self, name: str, attributes: dict[str, str]) -> None:
        self._carried.begin(name, attributes)
        self._text.clear()
        self._depth += 1
        name = name.rpartition(" ")[2]
        self._weight += _WEIGHTS.get(name, _WEIGHT)
        self._slow += _SLOW.get(name, 0)
        if self._depth > _MOST_DEPTH:
            self._told = f"elements within more than {_MOST_DEPTH} others"
        elif name == "f":
            shared = attributes.get("t") == "shared"
            self._formula = attributes.get("si", "") if shared else None
        elif name in ("sheet", "tablePart"):
            self._refer({value for key, value in attributes.items() if key.endswith(" id")}, self._sheets)
        elif name == "Relationship" and attributes.get("Type", "").rpartition("/")[2] in _READ_ONCE:
            target = posixpath.join("/", self._folder, attributes.get("Target", ""))
            self._refer({posixpath.normpath(target)}, self._targets)
        elif name in ("mergeCell", "hyperlink", "comment"):
            self._spread += _area(attributes.get("ref", ""))
        elif name == "table":
            self._table = _area(attributes.get("ref", ""))
        elif name == "tableColumn":
            self._table = 0  # only a table that names no columns is looked up cell by cell
        elif name == "numFmt" and len(attributes.get("formatCode", "")) > _MOST_PATTERN:
            self._told = f"a format of numbers with more than {_MOST_PATTERN} signs"

    def _refer(self, parts: set[str], known: set[str]) -> None:
        if parts & known:
            self._told = "two sheets, or two parts of sheets, that are one part of the file"
        known |= parts

    def _end(self, name: str) -> None:
        text = "".join(self._text)
        self._text.clear()
        self._carried.end(text)
        self._depth -= 1
        if name.endswith(" f") or name == "f":
            if len(text) > _MOST_FORMULA:
                self._told = f"a formula of more than {_MOST_FORMULA:,} characters"
            if self._formula is not None:
                self._translated += self._shared.setdefault(self._formula, len(text))

    def _judge(self) -> None:
        told = self._told
        if self._spread > _MOST_SPREAD:
            told = f"more than {_MOST_SPREAD:,} cells in ranges that are merged, linked or commented"
        elif self._weight > _MOST_WEIGHT:
            told = "more cells, rows and formats than fit into memory"
        elif self._slow > _MOST_SLOW:
            told = f"more than {_MOST_SLOW:,} merged ranges, comments, conditional formats and formats of numbers"
        elif self._translated > _MOST_TRANSLATED:
            told = f"more than {_MOST_TRANSLATED:,} characters in formulas that cells share"
        if told:
            raise self.too_much(told)


def _area(reference: str) -> int:
    """How many cells a range has, such as ``A1:B9``, ``A:B`` or ``1:9``."""
    found = _RANGE.match(reference)
    if found is None:
        return 1
    left, top, right, bottom = found.groups()
    width = (_number(right) or _LAST_COLUMN) - (_number(left) or 1) + 1
    return max(width, 1) * max(int(bottom or _LAST_ROW) - int(top or 1) + 1, 1)


def _number(letters: str) -> int:
    number = 0
    for letter in letters.upper():
        number = number * 26 + ord(letter) - 64
    return number
