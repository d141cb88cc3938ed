"""``evolve lab tasks``: suites and single tasks."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

from evolve.cli import options, pages
from evolve.cli.render.output import (
    count_of,
    emit,
    emit_json,
    escape_control_characters,
    print_note,
    report_written_file,
    shorten_line,
    table,
)

if TYPE_CHECKING:
    from evolve.workspace import Suite, Task

app = pages.App(
    "List, generate and look at tasks.",
    "evolve lab tasks list",
    "evolve lab tasks generate lists --out lists.jsonl",
)


@app.page("list", "evolve lab tasks list", "evolve lab tasks list --json")
def list_command(workspace: options.Workspace = None, as_json: options.AsJson = False) -> None:
    """List the built-in suites, the same in every workspace."""
    from evolve.workspace import tasks

    names = tasks.list()
    if as_json:
        return emit_json(names)
    for name in names:
        emit(name)


@app.page(
    "generate", "evolve lab tasks generate lists --out lists.jsonl", "evolve lab tasks generate strings --n 20 --seed 7"
)
def generate_command(
    suite: Annotated[str, typer.Argument(metavar="SUITE", help="everyday, lists, strings, tables or composed.")],
    n: Annotated[
        int | None, typer.Option("--n", metavar="NUMBER", min=1, max=100_000, help="Number of tasks, if not all.")
    ] = None,
    seed: options.Seed = 0,
    out: Annotated[str | None, typer.Option("--out", metavar="FILE", help="File to write; default stdout.")] = None,
    as_json: options.AsJson = False,
) -> None:
    """Write a built-in suite as JSON lines, one task each.

    Another --n or --seed draws fresh tasks, which only a clone can.
    """
    from evolve.workspace import tasks

    with report_written_file(out) as told:
        generated = tasks.generate(suite, n=n, seed=seed, out=out)
        told(count_of(generated.tasks, "task"))
    if out is not None:
        return
    if as_json:
        emit_json(tasks.as_json(generated.tasks))
    else:
        emit(tasks.render(generated.tasks).rstrip("\n"), exact=True)


@app.page("show", "evolve lab tasks show everyday", "evolve lab tasks show names.csv")
def show_command(
    task: Annotated[str, typer.Argument(metavar="TASK", help="A suite, a task file, or SUITE#ID.")],
    as_json: options.AsJson = False,
) -> None:
    """Show a task, or what a suite holds.

    Rows kept for verification are counted, not shown.
    """
    from evolve.workspace import Suite, tasks

    shown = tasks.show(task)
    if isinstance(shown, Suite):
        _show_suite(shown, as_json)
    else:
        _show_task(shown, as_json)


def _show_task(task: Task, as_json: bool) -> None:
    view = task.view()
    if as_json:
        examples = [{"input": list(row.input), "output": row.output} for row in task.examples]
        emit_json(
            {
                "id": task.id,
                "family": task.family,
                "instruction": task.instruction,
                "signature": view.signature,
                "examples": examples,
                "verify_rows": len(task.verify_rows()),
                "environment": task.environment,
                "check": view.check,
                "hidden_tests": bool(task.tests or getattr(task.work, "hidden_check", "")),
                "warnings": list(task.warnings),
            }
        )
        return
    emit(escape_control_characters(f"{task.id} ({task.family}): {task.instruction}", lines=False))
    from evolve.workspace import tasks

    description = tasks.task_description(task)
    if description:
        emit(description)
        return
    rows = len(task.verify_rows())
    emit(f"def {view.entry}{view.signature}", whole=True)
    for row in task.examples:
        inputs = ", ".join(json.dumps(value, ensure_ascii=False) for value in row.input)
        emit(f"  {shorten_line(inputs, 90)}  →  {shorten_line(json.dumps(row.output, ensure_ascii=False), 60)}")
    summary = f"{count_of(rows, 'row')} {'is' if rows == 1 else 'are'} kept for verification"
    emit(summary + (", and tests" if task.tests else ""))
    for warning in task.warnings:
        print_note(escape_control_characters(f"warning: {warning}", lines=False))


def _show_suite(suite: Suite, as_json: bool) -> None:
    counts = {split: len(suite.split(split)) for split in ("train", "gate", "test")}
    groups = len({task.group for task in suite.tasks})
    if as_json:
        tasks = [{"id": task.id, "family": task.family, "split": suite.splits[task.group]} for task in suite.tasks]
        emit_json({"name": suite.name, "digest": suite.digest, "groups": groups, "splits": counts, "tasks": tasks})
        return
    emit(f"{suite.name}: {count_of(suite.tasks, 'task')}, {count_of(groups, 'distinct problem')}")
    emit(", ".join(f"{count} {split}" for split, count in counts.items()))
    rows = [(task.id, task.family, shorten_line(task.instruction, 70)) for task in suite.tasks[:20]]
    emit(table(("id", "family", "instruction"), rows, spare=("family",)))
    if len(suite.tasks) > 20:
        emit(f"... and {len(suite.tasks) - 20} more")
