"""``evolve tasks``: tasks from what a person has already."""

from __future__ import annotations

from typing import Annotated

import typer

import evolve
from evolve.cli import options, pages
from evolve.cli import options as overrides
from evolve.cli.render.output import count_of, emit, emit_json, print_note, shorten_line, table

app = pages.App(
    "Make tasks from work that was done already.",
    "evolve tasks from-git . --last 20 --out tasks.jsonl",
    "evolve tasks from-git ../site --out site.jsonl",
)


@app.page(
    "from-git",
    "evolve tasks from-git . --last 20 --out tasks.jsonl",
    'evolve tasks from-git ../site --out tasks.jsonl --check "sh run-tests.sh"',
)
def from_git_command(
    repo: Annotated[str, typer.Argument(metavar="REPO", help="The folder of a git repository.")],
    out: Annotated[str, typer.Option("--out", metavar="FILE", help="Task file to write, such as tasks.jsonl.")],
    last: Annotated[int, typer.Option("--last", metavar="NUMBER", min=1, max=1000, help="The most tasks.")] = 20,
    check: Annotated[
        str,
        typer.Option(
            "--check",
            metavar="COMMAND",
            help="What decides; {tests} stands for the commit's test files. Default: pytest.",
        ),
    ] = "",
    set_: Annotated[list[str] | None, overrides.set_option("python=DIR (a virtual environment for the tests)")] = None,
    workspace: options.Workspace = None,
    as_json: options.AsJson = False,
) -> None:
    """Turn commits that came with tests into tasks: the folder before, the message, and the tests as a hidden check.

    evolve keeps a commit only if its tests fail before it and pass after it, in the sandbox. Whoever solves the task
    sees neither these tests nor any later commit. Merges are left out. Exit codes: 0 there are tasks, 1 there are none.
    """
    chosen = overrides.parse_overrides(set_, "python")
    with evolve.open(workspace, settings=chosen.settings) as opened:
        history = opened.tasks_from_git(repo, out=out, last=last, check=check, python=chosen.text("python"))
    if as_json:
        tasks = [{"id": task.id, "instruction": task.instruction} for task in history.tasks]
        emit_json({"file": out, "commits": history.commits, "tasks": tasks, "left_out": dict(history.left)})
    else:
        rows = [(task.id, shorten_line(task.instruction.partition("\n")[0], 90)) for task in history.tasks]
        emit(table(("commit", "task"), rows) or "no commit makes a task")
    print_note(f"{count_of(history.commits, 'commit')} looked at, {count_of(history.tasks, 'task')}")
    for reason, number in history.left.items():
        print_note(f"  left out: {number} ({reason})")
    if history.tasks:
        print_note(f"wrote {out}; try: evolve improve {out}", whole=True)
    raise typer.Exit(0 if history.tasks else 1)
