"""What is inside a workbook's file before it is loaded: whether it fits into memory, and what writing it anew loses."""

from __future__ import annotations

import re
import zipfile
import zlib
from pathlib import Path
from types import MappingProxyType
from typing import IO
from xml.parsers import expat

from evolve.errors import TaskError

_MOST_BYTES = 64 * 2**20
_MOST_UNPACKED = 256 * 2**20
_MOST_SPREAD = 2**21
"""A workbook is held in memory whole, and with it every cell of a range that is merged, linked or commented."""
_WEIGHTS = MappingProxyType({"c": 6, "si": 6, "row": 10, "v": 1, "f": 1, "is": 1, "t": 1})
_WEIGHT = 20
_MOST_WEIGHT = 48_000_000
"""Elements by the memory that openpyxl takes for each, in some 50 bytes; empty ones unpack from next to nothing."""
_BLOCK = 1 << 20

_KEPT = re.compile(
    r"\[Content_Types\]\.xml|_rels/\.rels|docProps/(app|core|custom)\.xml|docProps/thumbnail\.\w+"
    r"|xl/(workbook|styles|sharedStrings|calcChain)\d*\.xml|xl/_rels/workbook\d*\.xml\.rels|xl/theme/theme\d*\.xml"
    r"|xl/(worksheets|chartsheets|tables|comments)/[^/]+\.xml|xl/(worksheets|chartsheets)/_rels/[^/]+\.rels"
    r"|xl/comments[^/]*\.xml|xl/drawings/[^/]*\.vml|xl/printerSettings/[^/]+|.*/"
)
"""What openpyxl reads and writes, and printers' own settings, which hold nothing of the workbook."""
_MACROS = re.compile(r"xl/vba\w+\.bin|xl/_rels/vba\w+\.bin\.rels|xl/vbaData\.xml|customUI/.*")
_LOST = (
    ("xl/charts/", "charts"),
    ("xl/media/", "pictures"),
    ("xl/pivot", "pivot tables"),
    ("xl/slicer", "slicers"),
    ("xl/externalLinks/", "links to other workbooks"),
    ("xl/threadedComments/", "threads of comments"),
    ("xl/persons/", "threads of comments"),
    ("xl/embeddings/", "embedded objects"),
    ("xl/ctrlProps/", "controls"),
    ("xl/activeX/", "controls"),
    ("xl/drawings/", "drawings"),
    ("xl/diagrams/", "drawings"),
    ("xl/connections.xml", "connections to data"),
    ("xl/quer", "connections to data"),
    ("xl/metadata.xml", "formulas that fill several cells"),
    ("xl/vba", "macros"),
    ("customXml/", "custom XML"),
)
_INSIDE = (
    (re.compile(rb"sparklineGroup\b"), "sparklines"),
    (re.compile(rb"x14:(conditionalFormatting|cfRule)\b"), "conditional formats of later versions"),
    (re.compile(rb"x14:dataValidation\b"), "checks of input of later versions"),
    (re.compile(rb"<(\w+:)?rPh\b"), "readings above characters"),
    (
        re.compile(rb"(</(\w+:)?f>|<(\w+:)?f\b[^>]*/>)\s*<(\w+:)?v>[^<]"),
        "the values of formulas (which are computed anew when it is opened)",
    ),
)
_EXTENSION = re.compile(rb"<(\w+:)?ext\b")
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
    lost: dict[str, None] = {}
    try:
        with zipfile.ZipFile(path) as parts:
            _refuse(sum(part.file_size for part in parts.infolist()), _MOST_UNPACKED, file)
            for name in parts.namelist():
                if not _KEPT.fullmatch(name) and not (path.suffix.lower() == ".xlsm" and _MACROS.fullmatch(name)):
                    lost |= _part_lost(name)
            scales = _Scales(file)
            for name in parts.namelist():
                with parts.open(name) as stream:
                    scales.weigh(stream)
                if name.endswith(".xml") and name.startswith(("xl/worksheets/", "xl/sharedStrings")):
                    lost |= _lost_inside(parts.read(name))
    except (zipfile.BadZipFile, OSError, RuntimeError, EOFError, ValueError, zlib.error) as error:
        raise TaskError(f"not a workbook that can be read: {error}", file=file) from error
    return f"{' and '.join(lost)} of the workbook cannot be carried over" if lost else ""


def _refuse(size: int, most: int, file: str) -> None:
    if size > most:
        hint = "save the sheet as CSV, which is read row by row"
        raise TaskError(f"larger than {most >> 20} MiB", file=file, hint=hint)


def _part_lost(name: str) -> dict[str, None]:
    if name.endswith(".rels"):
        return {}  # it says what belongs to a part that is told of itself
    return {next((what for begin, what in _LOST if name.startswith(begin)), f"the part {name}"): None}


def _lost_inside(data: bytes) -> dict[str, None]:
    found = {what: None for pattern, what in _INSIDE if pattern.search(data)}
    told_of_itself = any("later" in what or what == "sparklines" for what in found)
    return found if told_of_itself or not _EXTENSION.search(data) else {**found, "extensions of a sheet": None}


class _Scales:
    """Adds up what the parts of a workbook will take in memory; any part may be the one with the cells.

    Args:
        file: The file's name for messages.
    """

    def __init__(self, file: str) -> None:
        self._file = file
        self._weight = self._spread = self._table = 0

    def weigh(self, part: IO[bytes]) -> None:
        """Adds a part, up to where it is no XML.

        Raises:
            TaskError: It is too much.
        """
        parser = expat.ParserCreate()
        parser.StartElementHandler = self._element
        self._table = 0
        try:
            while block := part.read(_BLOCK):
                parser.Parse(block)
                self._judge()
        except expat.ExpatError:
            pass  # what comes after is not read by openpyxl either
        self._spread += self._table
        self._judge()

    def _element(self, name: str, attributes: dict[str, str]) -> None:
        name = name.rpartition(":")[2]
        self._weight += _WEIGHTS.get(name, _WEIGHT)
        if name in ("mergeCell", "hyperlink", "comment"):
            self._spread += _area(attributes.get("ref", ""))
        elif name == "table":
            self._table = _area(attributes.get("ref", ""))
        elif name == "tableColumn":
            self._table = 0  # only a table that names no columns is looked up cell by cell

    def _judge(self) -> None:
        told = ""
        if self._spread > _MOST_SPREAD:
            told = f"more than {_MOST_SPREAD:,} cells in ranges that are merged, linked or commented"
        elif self._weight > _MOST_WEIGHT:
            told = "more cells, rows and formats than fit into memory"
        if told:
            raise TaskError(told, file=self._file, hint="save the sheet as CSV")


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
