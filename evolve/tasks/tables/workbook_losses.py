"""What of a workbook the library that writes workbooks does not carry over.

Known is what it does carry over, and what nobody would miss. Anything else that a workbook has is named, whatever it
may be: a part, an element, a relationship. So a feature that nobody thought of is a loss, too.
"""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from xml.etree import ElementTree

_KEPT = re.compile(
    r"\[Content_Types\]\.xml|_rels/\.rels|docProps/(app|core|custom)\.xml"
    r"|xl/(workbook|styles|sharedStrings|calcChain)\d*\.xml|xl/_rels/workbook\d*\.xml\.rels|xl/theme/theme\d*\.xml"
    r"|xl/(worksheets|chartsheets|tables|comments)/[^/]+\.xml|xl/(worksheets|chartsheets)/_rels/[^/]+\.rels"
    r"|xl/comments[^/]*\.xml|xl/drawings/[^/]*\.vml|.*/"
)
_MACROS = re.compile(r"xl/vba\w+\.bin|xl/_rels/vba\w+\.bin\.rels|xl/vbaData\.xml|customUI/.*")
_UNMISSED_PARTS = re.compile(r"xl/(printerSettings/.*|persons/.*|metadata)|docProps/thumbnail\.\w+")
"""Parts that nobody would miss: what a driver of a printer keeps beside the set-up of pages, names of who wrote in
threads that are parts of their own, what an online spreadsheet reads back alone, and a picture of what was."""
_DRAWING = re.compile(r"xl/drawings/drawing\d*\.xml")
"""Some programs write one for each sheet or filter, with nothing in it."""
_SHAPES = re.compile(r"xl/drawings/.*vmlDrawing\d\.vml")
"""Parts with shapes that are carried over in workbooks with macros, where the others are written anew."""
_LOST_PARTS = (
    ("xl/charts/", "charts"),
    ("xl/media/", "pictures"),
    ("xl/pivot", "pivot tables"),
    ("xl/slicer", "slicers"),
    ("xl/timeline", "timelines"),
    ("xl/externalLinks/", "links to other workbooks"),
    ("xl/threadedComments/", "threads of comments"),
    ("xl/embeddings/", "embedded objects"),
    ("xl/ctrlProps/", "controls"),
    ("xl/activeX/", "controls"),
    ("xl/drawings/", "drawings"),
    ("xl/diagrams/", "drawings"),
    ("xl/connections.xml", "connections to data"),
    ("xl/quer", "connections to data"),
    ("xl/model/", "the data model"),
    ("xl/metadata.xml", "formulas that fill several cells"),
    ("xl/vba", "macros"),
    ("xl/macrosheets/", "macros"),
    ("customXml/", "custom XML"),
    ("docMetadata/", "labels of confidentiality"),
    ("_xmlsignatures/", "signatures"),
)


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


_CARRIED: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "worksheet": _names(
            "sheetPr dimension sheetViews sheetFormatPr cols sheetData sheetProtection autoFilter scenarios"
            " mergeCells conditionalFormatting dataValidations hyperlinks printOptions pageMargins pageSetup"
            " headerFooter rowBreaks colBreaks drawing legacyDrawing tableParts"
        ),
        "chartsheet": _names(
            "sheetPr sheetViews sheetProtection pageMargins pageSetup headerFooter drawing legacyDrawing"
        ),
        "workbook": _names(
            "fileVersion workbookPr workbookProtection bookViews sheets definedNames calcPr externalReferences"
            " pivotCaches revisionPtr"
        ),
        "styleSheet": _names("numFmts fonts fills borders cellStyleXfs cellXfs cellStyles dxfs tableStyles colors"),
        "sst": frozenset(["si"]),
        "comments": frozenset(["authors", "commentList"]),
        "table": frozenset(["autoFilter", "sortState", "tableColumns", "tableStyleInfo"]),
        "calcChain": frozenset(["c"]),
        "Types": frozenset(["Default", "Override"]),
        "Relationships": frozenset(["Relationship"]),
    }
)
"""What may stand directly within the root of a part; below it anything of the same namespace but what is lost."""
_WHOLE = frozenset(["theme", "coreProperties", "Properties", "xml"])
"""Roots of parts that are carried over as they are, or that are looked at in another way."""
_LOST_ELEMENTS: Mapping[str, str] = MappingProxyType(
    {
        "sparklineGroup": "sparklines",
        "cfRule": "conditional formats of later versions",
        "conditionalFormatting": "conditional formats of later versions",
        "dataValidation": "checks of input of later versions",
        "dataValidations": "checks of input of later versions",
        "slicer": "slicers",
        "slicerList": "slicers",
        "slicerStyle": "slicers",
        "timelineStyle": "timelines",
        "timelineRef": "timelines",
        "rPh": "readings above characters",
        "control": "controls",
        "controls": "controls",
        "oleObjects": "embedded objects",
        "legacyDrawingHF": "pictures in headers and footers",
        "drawingHF": "pictures in headers and footers",
        "picture": "pictures",
        "protectedRanges": "ranges that may be edited",
        "customSheetViews": "saved views",
        "customWorkbookViews": "saved views",
        "ignoredErrors": "errors that are ignored",
        "fileSharing": "the wish to be opened read-only",
    }
)
_UNSEEN = _names(
    "ext extLst AlternateContent Choice Fallback absPath revisionPtr documentId calcFeatures feature extCalcPr"
    " slicerStyles timelineStyles workbookPr sheetsCustomData version"
)
"""Of other namespaces, what holds other elements alone, or only how a program wrote the file."""
_UNMISSED = _names("phoneticPr sortState sheetCalcPr fileRecoveryPr webPublishing smartTagPr smartTags")
"""How readings that stand elsewhere would look, how rows were put into the order that they keep, notes of programs."""
_CELLS = _names("row c f v is t si r")
_MARGINS = _names("oddHeader oddFooter evenHeader evenFooter firstHeader firstFooter")
_LONGEST_MARGIN = 1_000
_MISSED_SETTINGS = frozenset(["showObjects", "backupFile", "refreshAllConnections"])
_OFF = ("0", "false", "all")
_NOTE = _names("MoveWithCells SizeWithCells Anchor AutoFill Row Column")
_NOTE_SIZE = re.compile(r"(?=.*\bwidth:(144px|108pt))(?=.*\bheight:(79px|59\.25pt))", re.DOTALL)
_NOTE_COLOURS = ("#ffffe1", "infoBackground [80]")
_NOTE_TYPE = "#_x0000_t202"
_BOXES = "size and looks of comment boxes"
_EXTENSIONS = "extensions of a sheet or of formats"
_VALUES = "the values of formulas (which are computed anew when it is opened)"


class WorkbookLosses:
    """Collects what of a workbook's parts is lost, element by element.

    Args:
        macros: The workbook may have macros.
    """

    def __init__(self, *, macros: bool) -> None:
        self._macros = macros
        self._lost: dict[str, None] = {}
        self._part = ""
        self._is_kept = self._keeps_shapes = self._may_be_empty = False
        self._path: list[tuple[str, str]] = []
        self._extension = 0
        self._strange: list[str] = []
        self._has_formula = self._in_note = False

    def list_losses(self) -> Sequence[str]:
        """What is lost, in words."""
        return list(self._lost)

    def begin_part(self, name: str) -> None:
        """Begins a part."""
        self._part, self._path, self._extension = name, [], 0
        self._is_kept = bool(_KEPT.fullmatch(name))
        self._keeps_shapes = self._macros and bool(_SHAPES.fullmatch(name))
        self._may_be_empty = bool(_DRAWING.fullmatch(name))
        is_known = self._is_kept or self._may_be_empty or _UNMISSED_PARTS.fullmatch(name)
        if not is_known and not (self._macros and _MACROS.fullmatch(name)):
            self._lose_part()

    def mark_broken(self) -> None:
        """The part is no XML, or no more from here on."""
        if (self._is_kept and not self._keeps_shapes) or self._may_be_empty:
            self._lose_part()

    def begin(self, name: str, attributes: Mapping[str, str]) -> None:
        """An element begins.

        Args:
            name: Its namespace and its name, with a blank between.
        """
        space, _, local = name.rpartition(" ")
        path = self._path
        path.append((space, local))
        if not self._is_kept:
            self._within_drawing(len(path))
            return
        root_space, root = path[0]
        if len(path) == 1:
            if root not in _CARRIED and root not in _WHOLE:
                self._lose_part()
        elif root == "xml":
            self._shape(local, attributes)
        elif root in _CARRIED:
            if self._extension:
                self._within_extension(local)
            elif space != root_space or local == "extLst":
                self._extension, self._strange = len(path), []
                self._within_extension(local)
            elif len(path) == 2 and local not in _CARRIED[root]:
                self._lose_element(local)
            elif local in _CELLS:
                self._has_formula = local == "f" or (self._has_formula and local != "c")
            else:
                self._inner(root, local, attributes)

    def end(self, text: str) -> None:
        """The element that began last ends.

        Args:
            text: What stood in it, at least its beginning.
        """
        _, local = self._path.pop()
        if self._extension > len(self._path):
            self._lost |= dict.fromkeys(self._strange)
            self._extension = 0
        elif local == "v" and self._has_formula and text:
            self._lose(_VALUES)
        elif local in _MARGINS and not _is_kept_margin(text):
            self._lose("headers and footers")
        elif local == "HyperlinkBase" and text.strip() and self._part == "docProps/app.xml":
            self._lose("the address with which links begin")

    def _within_extension(self, local: str) -> None:
        """What an extension holds is named where it is known, else it is an extension."""
        if local in _LOST_ELEMENTS:
            self._lose(_LOST_ELEMENTS[local])
            self._strange = [_LOST_ELEMENTS[local]]
        elif local not in _UNSEEN and not self._strange:
            self._strange = [_EXTENSIONS]

    def _within_drawing(self, depth: int) -> None:
        if self._may_be_empty and depth > 1:
            self._lose_part()

    def _inner(self, root: str, local: str, attributes: Mapping[str, str]) -> None:
        """An element within one that is carried over."""
        if local == "rPh":
            self._lose_element(local)
        elif root == "comments" and local in ("rPr", "commentPr"):
            self._lose("fonts and settings of comments")
        elif local == "workbookPr" and any(
            key in _MISSED_SETTINGS and value not in _OFF for key, value in attributes.items()
        ):
            self._lose("settings of the workbook")
        elif attributes.get("TargetMode") == "External" and not attributes.get("Type", "").endswith("/hyperlink"):
            self._lose("links to other files")

    def _shape(self, local: str, attributes: Mapping[str, str]) -> None:
        """An element of the drawings in which boxes of comments and controls stand."""
        if local == "shape":
            self._in_note = attributes.get("type") == _NOTE_TYPE
            style = attributes.get("style", "")
            if self._in_note and not (_NOTE_SIZE.match(style) and attributes.get("fillcolor") in _NOTE_COLOURS):
                self._lose(_BOXES)
        elif self._in_note:
            if local == "font" or (self._path[-2][1] == "ClientData" and local not in _NOTE):
                self._lose(_BOXES)
        elif local == "ClientData" and not self._keeps_shapes:
            self._lose("form controls such as buttons")
        elif local == "FmlaMacro" and not self._keeps_shapes:
            self._lose("macros that form controls run")

    def _lose_part(self) -> None:
        if not self._part.endswith(".rels"):  # which says what belongs to a part that is told of itself
            told = next((what for begin, what in _LOST_PARTS if self._part.startswith(begin)), "")
            self._lose(told or f"the part {self._part}")

    def _lose_element(self, local: str) -> None:
        if local not in _UNMISSED:
            self._lose(_LOST_ELEMENTS.get(local, f"the element {local}"))

    def _lose(self, what: str) -> None:
        self._lost[what] = None


def _is_kept_margin(text: str) -> bool:
    """Whether a header or footer is written with every sign that it has, which depends on the order of its formats."""
    from openpyxl.worksheet.header_footer import HeaderFooterItem

    if not text.strip() or len(text) > _LONGEST_MARGIN:
        return not text.strip()
    element = ElementTree.Element("oddHeader")
    element.text = text
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        written = HeaderFooterItem.from_tree(element).to_tree("oddHeader").text or ""
    return not Counter("".join(text.lower().split())) - Counter(written.lower())
