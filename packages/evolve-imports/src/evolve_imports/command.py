"""``evolve lab tasks import``: tasks of a published format as a task file."""

from __future__ import annotations

from typing import Annotated

import typer

from evolve.cli import options, pages
from evolve.cli.render.output import count_of, emit, emit_json, print_note, report_written_file

app = pages.App()


@app.page("import", "evolve lab tasks import HumanEval.jsonl --out tasks.jsonl", "evolve lab tasks import mbpp.jsonl")
def import_command(
    file: Annotated[str, typer.Argument(metavar="FILE", help="JSONL in the format of HumanEval, MBPP or SWE-bench.")],
    repos: Annotated[
        str | None,
        typer.Option("--repos", metavar="DIR", help="Folder of checked-out repositories, for SWE-style tasks."),
    ] = None,
    out: Annotated[str | None, typer.Option("--out", metavar="FILE", help="File to write; default stdout.")] = None,
    as_json: options.AsJson = False,
) -> None:
    """Turn tasks of a published format into evolve's own, one JSON line each.

    Reference solutions are not read.
    """
    from evolve.workspace import tasks
    from evolve_imports import import_tasks

    with report_written_file(out) as told:
        imported = import_tasks(file, repos=repos, out=out)
        told(count_of(imported.tasks, "task"))
    for reason in (*imported.refused, *(f"{task.id}: {text}" for task in imported.tasks for text in task.warnings)):
        print_note(f"warning: {reason}")
    if out is not None:
        return
    emit_json(tasks.as_json(imported.tasks)) if as_json else emit(tasks.render(imported.tasks).rstrip("\n"), exact=True)
