"""Opens the file of a table by its name."""

from __future__ import annotations

import os
from pathlib import Path

from evolve.core.errors import TaskError, UsageError
from evolve.tasks.tables.form import Table, table_path

DELIMITED = (".csv", ".tsv", ".txt", ".tab")
WORKBOOKS = (".xlsx", ".xlsm")
LINES = (".jsonl", ".ndjson")


def open_table(path: str | os.PathLike[str], *, sheet: str | None = None, header: bool = True) -> Table:
    """The table in a file.

    Args:
        path: A CSV, TSV, JSONL or XLSX file.
        sheet: Name of the sheet of a workbook; by default the one that was open when it was saved.
        header: The first line of a delimited table names its columns, as it does in all other tables.

    Raises:
        TaskError: There is no such file, it is malformed, or holds no rows.
        UsageError: A sheet is named where there is none of that name.
    """
    file, name = table_path(path), os.fspath(path)
    kind = form_of(file)
    if sheet is not None and kind != "workbook":
        raise UsageError(f"{name} is not a workbook, so it has no sheet {sheet!r}", hint="leave --sheet out")
    if kind == "workbook":
        from evolve.tasks.tables.workbook import WorkbookTable

        return WorkbookTable(file, file=name, sheet=sheet)
    if kind == "jsonl":
        from evolve.tasks.tables.json_lines import JsonLinesTable

        return JsonLinesTable(file, file=name)
    from evolve.tasks.tables.delimited import DelimitedTable

    return DelimitedTable(file, file=name, header=header)


def form_of(path: Path) -> str:
    """The kind of a table's file by its name: ``delimited``, ``jsonl`` or ``workbook``.

    Raises:
        TaskError: It is of no kind that is known.
    """
    suffix = path.suffix.lower()
    for kind, suffixes in (("delimited", DELIMITED), ("workbook", WORKBOOKS), ("jsonl", LINES)):
        if suffix in suffixes:
            return kind
    hint = "save it as .xlsx or as CSV" if suffix in (".xls", ".xlsb", ".ods", ".numbers") else ""
    known = ", ".join((".csv", ".tsv", ".jsonl", ".xlsx"))
    what = f"a {suffix} file" if suffix else "a file without an ending"
    raise TaskError(f"evolve cannot read {what} as a table; it reads {known}", file=path.name, hint=hint)
