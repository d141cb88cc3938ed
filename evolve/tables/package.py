"""What is inside a workbook's file before it is loaded: whether it fits into memory, and what writing it anew loses."""

from __future__ import annotations

import re
import zipfile
import zlib
from pathlib import Path

from evolve.errors import TaskError

_MOST_BYTES = 64 * 2**20
_MOST_UNPACKED = 256 * 2**20
_MOST_MERGED = 2**21
"""A workbook is held in memory whole, and with it every cell that is a part of merged ones."""

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
_MERGED = re.compile(rb"<(?:\w+:)?mergeCell\s[^>]*?ref=[\"']\$?([A-Z]+)\$?(\d+):\$?([A-Z]+)\$?(\d+)")


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
            merged = 0
            for name in parts.namelist():
                if name.endswith(".xml") and name.startswith(("xl/worksheets/", "xl/sharedStrings")):
                    data = parts.read(name)
                    lost |= _lost_inside(data)
                    merged += sum(map(_area, _MERGED.findall(data)))
    except (zipfile.BadZipFile, OSError, RuntimeError, EOFError, ValueError, zlib.error) as error:
        raise TaskError(f"not a workbook that can be read: {error}", file=file) from error
    if merged > _MOST_MERGED:
        raise TaskError(f"more than {_MOST_MERGED:,} merged cells", file=file, hint="save the sheet as CSV")
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


def _area(corners: tuple[bytes, bytes, bytes, bytes]) -> int:
    left, top, right, bottom = corners
    return (_number(right) - _number(left) + 1) * (int(bottom) - int(top) + 1)


def _number(letters: bytes) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + letter - 64
    return number
