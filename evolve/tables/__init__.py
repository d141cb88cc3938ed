"""Tables as people have them: CSV and TSV however they were saved, JSONL, and sheets of workbooks.

    table = open_table("names.csv")
    for record in table.records(): ...

What is recognised of a file is kept when it is written again: every cell that is not changed stays as it was. Nothing
here knows what a table is for.
"""

from __future__ import annotations

from evolve.tables.columns import ANY, TEXT, ColumnKind, Comma, comma_of, mostly, text_column, typed_column
from evolve.tables.form import (
    CHECKS,
    Cell,
    Change,
    Form,
    Record,
    Rewriting,
    Table,
    column_of,
    identity,
    is_blank,
    label_of,
    printable,
    table_path,
)
from evolve.tables.opening import DELIMITED, LINES, WORKBOOKS, form_of, open_table

__all__ = [
    "ANY",
    "CHECKS",
    "DELIMITED",
    "LINES",
    "TEXT",
    "WORKBOOKS",
    "Cell",
    "Change",
    "ColumnKind",
    "Comma",
    "Form",
    "Record",
    "Rewriting",
    "Table",
    "column_of",
    "comma_of",
    "form_of",
    "identity",
    "is_blank",
    "label_of",
    "mostly",
    "open_table",
    "printable",
    "table_path",
    "text_column",
    "typed_column",
]
