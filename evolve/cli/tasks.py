"""``evolve tasks``: suites and single tasks."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

from evolve.cli import options
from evolve.cli.output import emit, emit_json, note, shorten, table, visible

if TYPE_CHECKING:
    from evolve.tasks import Suite, Task

app = typer.Typer(rich_markup_mode=None, no_args_is_help=True, help="Generate, import and look at tasks.")


@app.command("list")
def list_command(as_json: options.AsJson = False) -> None:
    """List the built-in suites."""
    from evolve.tasks import BUILTIN

    if as_json:
        emit_json([suite.name for suite in BUILTIN])
        return
    for suite in BUILTIN:
        emit(suite.name)


@app.command("generate")
def generate_command(
    suite: Annotated[str, typer.Argument(help="everyday, lists, strings, tables or composed.")],
    n: Annotated[int | None, typer.Option("--n", min=1, max=100_000, help="Number of tasks, if not all.")] = None,
    seed: options.Seed = 0,
    out: Annotated[str | None, typer.Option("--out", help="File to write; default stdout.")] = None,
    as_json: options.AsJson = False,
) -> None:
    """Write a built-in suite as JSON lines, one task each. Another --n or --seed draws fresh tasks, in a clone only."""
    from evolve.files import write_atomic
    from evolve.tasks import generate_suite, render_jsonl, task_json

    made = generate_suite(suite, n=n, seed=seed)
    if out is not None:
        write_atomic(out, render_jsonl(made.tasks).encode("utf-8", "backslashreplace"))
        note(f"wrote {len(made.tasks)} tasks to {out}")
    elif as_json:
        emit_json([task_json(task) for task in made.tasks])
    else:
        emit(render_jsonl(made.tasks).rstrip("\n"), exact=True)


@app.command("import")
def import_command(
    file: Annotated[str, typer.Argument(help="JSONL in the format of HumanEval, MBPP or SWE-bench.")],
    repos: Annotated[
        str | None,
        typer.Option("--repos", help="Folder of checked-out repositories, for SWE-style tasks."),
    ] = None,
    out: Annotated[str | None, typer.Option("--out", help="File to write; default stdout.")] = None,
    as_json: options.AsJson = False,
) -> None:
    """Turn tasks of a published format into evolve's own, one JSON line each. Reference solutions are not read."""
    from evolve.files import write_atomic
    from evolve.tasks import render_jsonl, task_json
    from evolve.tasks.imports import import_tasks

    found = import_tasks(file, repos=repos)
    for reason in (*found.refused, *(f"{task.id}: {text}" for task in found.tasks for text in task.warnings)):
        note(f"warning: {reason}")
    if out is not None:
        write_atomic(out, render_jsonl(found.tasks).encode("utf-8", "backslashreplace"))
        note(f"wrote {len(found.tasks)} tasks to {out}")
    elif as_json:
        emit_json([task_json(task) for task in found.tasks])
    else:
        emit(render_jsonl(found.tasks).rstrip("\n"), exact=True)


@app.command("show")
def show_command(
    task: Annotated[str, typer.Argument(help="A suite, a task file, or SUITE#ID.")],
    as_json: options.AsJson = False,
) -> None:
    """Show a task, or what a suite holds. Rows kept for verification are counted, not shown."""
    from evolve.errors import UsageError
    from evolve.tasks import load_suite, resolve_task

    try:
        _show_task(resolve_task(task), as_json)
    except UsageError:
        if "#" in task:
            raise
        _show_suite(load_suite(task), as_json)


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
    from evolve.environments import kind_of

    told = kind_of(task.environment).told(task)
    if told:
        emit(told)
        return
    emit(f"def {view.entry}{view.signature}")
    for row in task.examples:
        given = ", ".join(json.dumps(value, ensure_ascii=False) for value in row.input)
        emit(f"  {shorten(given, 90)}  →  {shorten(json.dumps(row.output, ensure_ascii=False), 60)}")
    emit(f"{len(task.verify_rows())} rows are kept for verification" + (", and tests" if task.tests else ""))
    for warning in task.warnings:
        note(visible(f"warning: {warning}", lines=False))


def _show_suite(suite: Suite, as_json: bool) -> None:
    counts = {split: len(suite.split(split)) for split in ("train", "gate", "test")}
    groups = len({task.group for task in suite.tasks})
    if as_json:
        tasks = [{"id": task.id, "family": task.family, "split": suite.split_of(task.group)} for task in suite.tasks]
        emit_json({"name": suite.name, "digest": suite.digest, "groups": groups, "splits": counts, "tasks": tasks})
        return
    emit(f"{suite.name}: {len(suite.tasks)} tasks, {groups} distinct problems")
    emit(", ".join(f"{count} {split}" for split, count in counts.items()))
    rows = [(task.id, task.family, shorten(task.instruction, 70)) for task in suite.tasks[:20]]
    emit(table(("id", "family", "instruction"), rows))
    if len(suite.tasks) > 20:
        emit(f"... and {len(suite.tasks) - 20} more")
