"""``evolve lab tasks``: suites and single tasks."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

from evolve.cli import options, pages
from evolve.cli.render.output import counted, emit, emit_json, note, shorten, table, visible, writing

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

    with writing(out) as told:
        generated = tasks.generate(suite, n=n, seed=seed, out=out)
        told(counted(generated.tasks, "task"))
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
    emit(visible(f"{task.id} ({task.family}): {task.instruction}", lines=False))
    from evolve.workspace import tasks

    description = tasks.told(task)
    if description:
        emit(description)
        return
    rows = len(task.verify_rows())
    emit(f"def {view.entry}{view.signature}", whole=True)
    for row in task.examples:
        inputs = ", ".join(json.dumps(value, ensure_ascii=False) for value in row.input)
        emit(f"  {shorten(inputs, 90)}  →  {shorten(json.dumps(row.output, ensure_ascii=False), 60)}")
    summary = f"{counted(rows, 'row')} {'is' if rows == 1 else 'are'} kept for verification"
    emit(summary + (", and tests" if task.tests else ""))
    for warning in task.warnings:
        note(visible(f"warning: {warning}", lines=False))


def _show_suite(suite: Suite, as_json: bool) -> None:
    counts = {split: len(suite.split(split)) for split in ("train", "gate", "test")}
    groups = len({task.group for task in suite.tasks})
    if as_json:
        tasks = [{"id": task.id, "family": task.family, "split": suite.splits[task.group]} for task in suite.tasks]
        emit_json({"name": suite.name, "digest": suite.digest, "groups": groups, "splits": counts, "tasks": tasks})
        return
    emit(f"{suite.name}: {counted(suite.tasks, 'task')}, {counted(groups, 'distinct problem')}")
    emit(", ".join(f"{count} {split}" for split, count in counts.items()))
    rows = [(task.id, task.family, shorten(task.instruction, 70)) for task in suite.tasks[:20]]
    emit(table(("id", "family", "instruction"), rows, spare=("family",)))
    if len(suite.tasks) > 20:
        emit(f"... and {len(suite.tasks) - 20} more")
