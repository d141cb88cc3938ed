"""Tables as people have them: CSV and TSV however they were saved, JSONL, and sheets of workbooks.

    table = open_table("names.csv")
    for record in table.records(): ...

What is recognised of a file is kept when it is written again: every cell that is not changed stays as it was. Nothing
here knows what a table is for.
"""

from evolve.core.lazy import TYPE_CHECKING, attach

if TYPE_CHECKING:
    from evolve.tasks.tables.columns import (
        ANY,
        TEXT,
        ColumnKind,
        Comma,
        comma_of,
        majority_kind,
        other_kind,
        text_column,
        typed_column,
    )
    from evolve.tasks.tables.delimited import FirstLine, first_line_of
    from evolve.tasks.tables.form import (
        CHECKS,
        Cell,
        Rewriting,
        RowChange,
        Table,
        TableRow,
        column_of,
        escape_unprintable,
        file_identity,
        is_blank,
        label_of,
        table_path,
        translate_read_errors,
    )
    from evolve.tasks.tables.formulas import TEXT_PREFIX, Formulas, formula_sign
    from evolve.tasks.tables.opening import form_of, open_table
else:
    __getattr__, __dir__ = attach(__name__)
