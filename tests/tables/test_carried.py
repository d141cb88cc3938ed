"""What of a workbook is lost when it is written is said before, and no small file takes time without end."""

from __future__ import annotations

import io
import zipfile
from xml.etree import ElementTree

import openpyxl
import openpyxl.comments
import pytest
from openpyxl.formatting.rule import CellIsRule
from openpyxl.styles import Font, PatternFill
from openpyxl.worksheet.datavalidation import DataValidation
from openpyxl.worksheet.formula import ArrayFormula
from openpyxl.worksheet.table import Table

from evolve.core.errors import TaskError
from evolve.tasks.tables import Rewriting, RowChange, open_table

_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_VML = (
    '<xml xmlns:v="urn:schemas-microsoft-com:vml" xmlns:o="urn:schemas-microsoft-com:office:office" '
    'xmlns:x="urn:schemas-microsoft-com:office:excel">{}</xml>'
)
_NOTE = (
    '<v:shape type="#_x0000_t202" style="position:absolute;width:{}pt;height:59.25pt" fillcolor="#ffffe1">'
    '<x:ClientData ObjectType="Note"><x:Anchor>1, 2</x:Anchor><x:Row>1</x:Row>{}</x:ClientData></v:shape>'
)
_BUTTON = (
    '<v:shape type="#_x0000_t201" style="width:48pt"><x:ClientData ObjectType="{}">'
    "<x:FmlaMacro>[0]!Click</x:FmlaMacro></x:ClientData></v:shape>"
)


@pytest.fixture
def book(tmp_path):
    """A workbook with all that is carried over."""
    made = openpyxl.Workbook()
    sheet = made.active
    for row in [("a", "b"), (1, 2), (2, None), (3, 6)]:
        sheet.append(row)
    sheet["A2"].comment = openpyxl.comments.Comment("seen", "Kim")
    sheet["A2"].font, sheet["A2"].fill = Font(bold=True), PatternFill("solid", fgColor="FF00FF00")
    sheet["D1"], sheet["D2"] = "=A2", ArrayFormula("D2:D3", "=A2:A3*2")
    checked = DataValidation(type="whole", operator="greaterThan", formula1="0")
    checked.add("A2:A4")
    sheet.add_data_validation(checked)
    sheet.conditional_formatting.add("A2:A4", CellIsRule(operator="lessThan", formula=["2"], font=Font(bold=True)))
    sheet["F1"].hyperlink = "https://example.org"
    sheet.auto_filter.ref, sheet.freeze_panes, sheet.print_area = "A1:B4", "A2", "A1:B4"
    sheet.oddHeader.left.text, sheet.oddHeader.left.size = "Page &P", 12
    sheet.protection.sheet = True
    made.defined_names["rate"] = openpyxl.workbook.defined_name.DefinedName("rate", attr_text="Sheet!$A$2")
    other = made.create_sheet("other")
    other.append(["x", "y"])
    other.append([1, 2])
    other.add_table(Table(displayName="t", ref="A1:B2"))
    made.save(tmp_path / "t.xlsx")
    return tmp_path / "t.xlsx"


def package(file, change=lambda name, data: data, **more):
    """Writes the package again with parts changed, or further ones."""
    with zipfile.ZipFile(file) as read:
        parts = {name: change(name, read.read(name)) for name in read.namelist()}
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as written:
        for name, data in {**parts, **more}.items():
            written.writestr(name, data)
    return file


def within(part, before, text):
    """A change of one part: a text before another one."""
    return lambda name, data: data.replace(before, text.encode() + before, 1) if name.endswith(part) else data


def paths(data):
    """Every kind of element in the parts of a workbook, with the names of its attributes."""
    found = set()

    def walk(element, path):
        here = f"{path}/{element.tag}"
        found.add((here, *sorted(element.attrib)))
        for inner in element:
            walk(inner, here)

    with zipfile.ZipFile(data) as parts:
        for name in parts.namelist():
            if name.endswith((".xml", ".vml")):
                walk(ElementTree.fromstring(parts.read(name)), "")
    return found


def test_of_a_workbook_of_which_no_loss_is_said_nothing_is_lost(book):
    table = open_table(book)
    assert table.loss == ""
    out = io.BytesIO()
    table.rewrite(Rewriting(column=1, label="b", changes=iter([RowChange(number=2, cell=4, why="odd")])), out)
    assert paths(book) <= paths(out)
    book.write_bytes(out.getvalue())
    assert open_table(book).loss == ""  # with a comment of its own


_LOST = {
    "button": ("x", {"xl/drawings/vmlDrawing1.vml": _VML.format(_BUTTON.format("Button"))}, "form controls"),
    "macro": ("x", {"xl/drawings/vmlDrawing1.vml": _VML.format(_BUTTON.format("Checkbox"))}, "macros"),
    "wide comment": ("x", {"xl/drawings/vmlDrawing1.vml": _VML.format(_NOTE.format(192, ""))}, "comment boxes"),
    "open comment": ("x", {"xl/drawings/v.vml": _VML.format(_NOTE.format(108, "<x:Visible/>"))}, "comment boxes"),
    "plain comment": ("x", {"xl/drawings/vmlDrawing1.vml": _VML.format(_NOTE.format(108, ""))}, ""),
    "cut-off drawing": ("x", {"xl/drawings/vmlDrawing1.vml": "<xml><br></xml>"}, "drawings"),
    "fonts": (within("comment1.xml", b"<t>seen", "<r><rPr><sz val='8'/></rPr><t>a</t></r>"), {}, "fonts"),
    "ranges": (within("sheet1.xml", b"<sheetProt", "<protectedRanges/>"), {}, "ranges that may be edited"),
    "unknown": (within("sheet1.xml", b"<pageM", "<newFeature/>"), {}, "newFeature"),
    "later": (
        within("sheet1.xml", b"</worksheet", "<extLst><ext uri='{0}'><z:q xmlns:z='u'/></ext></extLst>"),
        {},
        "extensions",
    ),
    "control": (
        within(
            "sheet1.xml",
            b"</worksheet",
            "<m:AlternateContent xmlns:m='u'><m:Choice><controls/></m:Choice></m:AlternateContent>",
        ),
        {},
        "controls",
    ),
    "header": (within("sheet1.xml", b"</headerF", "<oddFooter>Centred</oddFooter>"), {}, "headers and footers"),
    "sizes": (within("sheet1.xml", b"</headerF", "<oddFooter>&amp;L&amp;8a&amp;9b</oddFooter>"), {}, "headers and"),
    "read-only": (within("workbook.xml", b"<workbookPr", "<fileSharing readOnlyRecommended='1'/>"), {}, "read-only"),
    "backups": (lambda n, d: d.replace(b"<workbookPr ", b'<workbookPr backupFile="1" '), {}, "settings of the work"),
    "objects": (lambda n, d: d.replace(b"<workbookPr ", b'<workbookPr showObjects="all" '), {}, ""),
    "base": (within("app.xml", b"</Properties", "<HyperlinkBase>A</HyperlinkBase>"), {}, "address with which links"),
    "no base": (within("app.xml", b"</Properties", "<HyperlinkBase></HyperlinkBase>"), {}, ""),
    "readings": (within("sheet1.xml", b"</is", "<rPh sb='0' eb='1'><t>q</t></rPh>"), {}, "readings"),
    "drawing": ("x", {"xl/drawings/drawing1.xml": "<d><anchor/></d>"}, "drawings"),
    "broken drawing": ("x", {"xl/drawings/drawing1.xml": "<d>"}, "drawings"),
    "macro sheet": ("x", {"xl/macrosheets/sheet1.xml": f"<m xmlns='{_MAIN}'/>"}, "macros"),
    "other root": ("x", {"xl/worksheets/sheet9.xml": f"<dialogsheet xmlns='{_MAIN}'/>"}, "xl/worksheets/sheet9.xml"),
    "linked": (
        within(
            "_rels/sheet1.xml.rels",
            b"</Rel",
            "<Relationship Id='q' Type='u/oleObject' Target='x' TargetMode='External'/>",
        ),
        {},
        "links to other files",
    ),
}


@pytest.mark.parametrize("case", _LOST)
def test_whatever_is_not_known_to_be_carried_over_is_said_by_its_name(book, case):
    change, parts, told = _LOST[case]
    package(book, **({} if change == "x" else {"change": change}), **parts)
    loss = open_table(book).loss
    assert (told in loss and loss) if told else loss == ""


_UNMISSED = {
    "printer": ("x", {"xl/printerSettings/printerSettings1.bin": "x"}),
    "preview": ("x", {"docProps/thumbnail.jpeg": "x"}),
    "persons": ("x", {"xl/persons/person.xml": "<personList/>"}),
    "drawing with nothing in it": ("x", {"xl/drawings/drawing1.xml": "<wsDr/>"}),
    "privacy": (lambda n, d: d.replace(b"<workbookPr ", b'<workbookPr filterPrivacy="1" hidePivotFieldList="1" '), {}),
    "company": (within("app.xml", b"</Properties", "<Company>A</Company><Manager>B</Manager>"), {}),
    "no readings": (within("sheet1.xml", b"<pageM", "<phoneticPr fontId='1' type='Hiragana'/>"), {}),
    "sorted": (within("sheet1.xml", b"<pageM", "<sortState ref='A2:A4'/>"), {}),
    "repaired": (within("workbook.xml", b"<bookViews", "<fileRecoveryPr repairLoad='1'/>"), {}),
}


@pytest.mark.parametrize("case", _UNMISSED)
def test_what_nobody_would_miss_is_no_loss(book, case):
    change, parts = _UNMISSED[case]
    package(book, **({} if change == "x" else {"change": change}), **parts)
    assert open_table(book).loss == ""


@pytest.mark.parametrize(("name", "lost"), [("t.xlsx", True), ("t.xlsm", False)])
def test_form_controls_stay_where_macros_do(book, name, lost):
    def change(part, data):
        if part == "[Content_Types].xml" and name.endswith("m"):
            return data.replace(b"spreadsheetml.sheet.main", b"sheet.macroEnabled.main").replace(
                b"openxmlformats-officedocument.sheet.macroE", b"ms-excel.sheet.macroE"
            )
        return data.replace(b"/xl/drawings/commentsDrawing1.vml", b"/xl/drawings/vmlDrawing1.vml")

    package(book, change, **{"xl/drawings/vmlDrawing1.vml": _VML.format(_BUTTON.format("Button"))})
    book.rename(book.with_name(name))
    table = open_table(book.with_name(name))
    assert ("form controls" in table.loss) is lost
    out = io.BytesIO()
    table.rewrite(Rewriting(column=1, label="b", changes=iter([])), out)
    with zipfile.ZipFile(out) as parts:
        drawings = b"".join(parts.read(one) for one in parts.namelist() if one.endswith(".vml"))
    assert (b"Click" in drawings) is not lost


def _shared(text, cells):
    """A formula in one cell that so many others share."""
    others = "".join(f'<c r="B{row}"><f t="shared" si="0"/></c>' for row in range(11, 11 + cells))
    return f'<row r="10"><c r="B10"><f t="shared" ref="B10:B9999" si="0">{text}</f></c></row><row>{others}</row>'


_SHEET = (
    '<sheet xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" name="n" sheetId="{}" {}/>'
)
_ENDLESS = {
    "unclosed formulas": within("sheet1.xml", b"</sheetData", "<row><c>" + "<f " * 300_000),
    "shared formula": within("sheet1.xml", b"</sheetData", _shared("A1+" * 2_700 + "1", 2_000)),
    "long tag": within("sheet1.xml", b"</sheetData", f"<row x='{'y' * 6_000_000}'/>"),
    "long comment": within("sheet1.xml", b"</sheetData", f"<!--{'y' * 6_000_000}-->"),
    "long formula": within("sheet1.xml", b"</sheetData", f"<row><c><f>{'A1+' * 9_000}1</f></c></row>"),
    "merged": within("sheet1.xml", b"<pageM", "<mergeCells>" + '<mergeCell ref="Z9:Z9"/>' * 21_000 + "</mergeCells>"),
    "comments": within("comment1.xml", b"</commentL", '<comment ref="Z9" authorId="0"><text/></comment>' * 21_000),
    "sheets": within("workbook.xml", b"</sheets", _SHEET.format(9, 'r:id="rId1"') * 2),
    "targets": within(
        "workbook.xml.rels",
        b"</Rel",
        "<Relationship Id='q' Target='/xl/worksheets/../worksheets/sheet1.xml' Type='http://schemas.openxmlformats.org"
        "/officeDocument/2006/relationships/worksheet'/>",
    ),
    "deep": within("sheet1.xml", b"<pageM", "<a>" * 250 + "</a>" * 250),
    "format": within("styles.xml", b"</numFmts", f'<numFmt numFmtId="200" formatCode="{"[" * 60_000}"/>'),
    "entities": lambda n, d: b'<!DOCTYPE x [<!ENTITY a "b">]>' + d[d.index(b"<w") :] if n.endswith("sheet1.xml") else d,
}


@pytest.mark.parametrize("case", _ENDLESS)
def test_a_small_workbook_that_would_be_read_without_end_is_refused(book, case):
    def change(name, data):
        if case == "format":
            data = data.replace(b"<numFmts />", b"<numFmts></numFmts>").replace(
                b'<numFmts count="0" />', b"<numFmts></numFmts>"
            )
        return _ENDLESS[case](name, data)

    package(book, change)
    assert book.stat().st_size < 120_000
    with pytest.raises(TaskError, match="t.xlsx: "):
        open_table(book)


def test_formulas_that_cells_share_are_read_and_kept(book):
    package(book, within("sheet1.xml", b"</sheetData", _shared("A10*2", 3)))
    out = io.BytesIO()
    open_table(book).rewrite(Rewriting(column=1, label="b", changes=iter([])), out)
    sheet = openpyxl.load_workbook(out).worksheets[0]
    assert [sheet[f"B{row}"].value for row in (10, 12)] == ["=A10*2", "=A12*2"]
