"""``evolve run``: solve one task."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

import evolve
from evolve.cli import asking, folder, learning, open_questions, options, pages
from evolve.cli import options as overrides
from evolve.cli.render.layout import cost_line, terminal_width
from evolve.cli.render.memory import used_lines
from evolve.cli.render.output import (
    emit,
    escape_control_characters,
    flush,
    print_note,
    shorten_home_path,
    suspend_live_line,
)
from evolve.cli.render.verdicts import earlier_line, nearest_lines, open_line, verdict_line
from evolve.cli.render.views import RunView
from evolve.core.errors import UsageError

if TYPE_CHECKING:
    from evolve.workspace import Ledger, Person, Result, Task, Workspace

app = pages.App()

Wanted = Annotated[
    str | None,
    typer.Argument(
        metavar="TASK",
        help="A task file, SUITE#ID, or - for rows on stdin. With --dir or a model: your task in words.",
        show_default=False,
    ),
]
Rubric = Annotated[
    str | None,
    typer.Option(
        "--rubric",
        metavar="TEXT",
        help="A model judges the answer by this text, or this file, if nothing else can check it.",
    ),
]


Examples = Annotated[
    str | None,
    typer.Option(
        "--examples",
        metavar="FILE",
        help="Your rows: a table (CSV, TSV or XLSX), JSON or Python assertions. The last column is the output.",
    ),
]
Target = Annotated[str | None, typer.Option("--target", metavar="NAME", help="The output column of the table.")]
Name = Annotated[str | None, typer.Option("--name", metavar="NAME", help="Name of the task and of its function.")]

Set = Annotated[
    list[str] | None,
    overrides.set_option(
        "header=no (the first line of the table is data)",
        "python=DIR (a virtual environment to import from)",
        "protect=PATTERN (files whose changes do not count)",
        "approve=ask, auto or never (before a change of your folder)",
    ),
]


@app.page(
    "run",
    "evolve run --examples names.csv",
    'evolve run "make the tests pass" --dir project --check "pytest -q" --model gpt-5-mini',
)
def run_command(
    ctx: typer.Context,
    task: Wanted = None,
    examples: Examples = None,
    name: Name = None,
    target: Target = None,
    directory: folder.Dir = None,
    check: folder.Check = None,
    yes: folder.Yes = False,
    rubric: Rubric = None,
    budget: options.Budget = None,
    model: options.Model = None,
    record: options.Record = None,
    replay: options.Replay = None,
    set_: Set = None,
    workspace: options.Workspace = None,
    as_json: options.AsJson = False,
) -> None:
    """Solve one task: evolve writes a function from your examples, or changes a folder until your check passes.

    With a model you can also ask for something in words. evolve shows the result first, then learns from it.
    """
    from evolve.workspace import model_or_recording, models, tasks

    bounds = options.start_budget(ctx, budget)  # a wrong option is told before anything is made
    chosen = overrides.parse_overrides(set_, "approve", "header", "protect", "python")
    person, python = asking.is_person_present(chosen, as_json=as_json, yes=yes), chosen.text("python")
    model_choice = model_or_recording(model, record, replay)
    decides = models(workspace).acting_model(model)
    table = {"name": name, "header": chosen.last_choice("header", "yes", "no") == "yes", "target": target}
    place = (directory, check, chosen.all_values("protect"))
    wanted = _task(task, examples, table, place, words=bool(decides))
    if not wanted.folder:
        folder.refuse_options({"--set python": python, "--yes": yes})
    tasks.need_model(wanted, decides)  # told before anything is made
    wanted = _with_rubric(wanted, rubric)
    view = RunView(unsandboxed=chosen.is_unsandboxed)
    with evolve.open(workspace, model=model_choice, events=view, settings=chosen.settings) as opened:
        print_created(opened)
        if directory is not None and not check:
            wanted = _with_kept_check(opened, wanted, person)
        with opened.delivering():
            result = opened.run(wanted, budget=bounds, python=python, person=person)
            code = present_result(opened, wanted, result, person, as_json=as_json, bounds=bounds)
            flush()
        learning.learn_and_print(opened, bounds, named=workspace, as_json=as_json, result=result, person=person)
    raise typer.Exit(code)


def _with_kept_check(opened: Workspace, task: Task, person: Person) -> Task:
    """The task with the check that the person kept for its folder, if they want it."""
    from evolve.workspace import tasks

    agrees = partial(asking.ask_yes, default=True) if person.respond is not None else None
    check = folder.chosen_check(
        opened, task.folder, agrees, lambda text: print_note(escape_control_characters(text, lines=False), whole=True)
    )
    return tasks.with_check(task, check) if check else task


def _with_rubric(task: Task, rubric: str | None) -> Task:
    """The task with its rubric if there is one; what is doubtful about it is told."""
    from evolve.workspace import tasks

    wanted = tasks.with_rubric(task, rubric) if rubric is not None else task
    # A question in words has no rows, and its verdict says what that means.
    for warning in wanted.warnings if wanted.family != "words" or rubric is not None else ():
        print_note(escape_control_characters(f"warning: {warning}", lines=False))
    return wanted


def print_created(opened: Workspace) -> None:
    """Says which workspace was made by this command."""
    if opened.created:
        print_note(shorten_home_path(f"evolve made the workspace {opened.paths.root}"))


def present_result(
    opened: Workspace, task: Task | None, result: Result, person: Person, *, as_json: bool, bounds: Ledger | None = None
) -> int:
    """Asks what the examples leave open, shows the result, and gives the exit code.

    Args:
        task: None where nothing is asked any more.
        person: Who settles what its examples leave open, within the bounds.
    """
    from evolve.workspace import tasks

    if not result.words and (result.patch is not None or (task is not None and tasks.leaves_changes(task))):
        before = person.before_approval
        shown = isinstance(before, asking.ChangeShown) and result.run_id in before.runs
        return folder.show_work(opened, result, as_json=as_json, bounds=bounds, shown=shown)
    if as_json:
        learning.emit_with_lessons(opened, result, bounds)
    else:
        asks = task is not None and asking.is_attended(as_json=False)
        told = replace(result, ambiguity=None) if asks else result
        _show(told, "".join(f" ({word})" for word in opened.sandbox_mark), task.folder if task is not None else "")
        if task is not None and asks:
            result = _settle(opened, task, result, person, bounds)
    asking.print_waiting(result)
    return result.exit_code


def _task(
    task: str | None,
    examples: str | None,
    table: dict[str, Any],
    place: tuple[str | None, str | None, Sequence[str] | None],
    *,
    words: bool,
) -> Task:
    """The task that is named, is work in a folder, or given as rows; rows may also come from stdin.

    Args:
        place: The folder, its check, and the files whose changes do not count.
    """
    from evolve.workspace import tasks

    directory, check, protect = place
    if directory is not None:
        if not task:
            raise UsageError("evolve needs a task for the folder", hint='evolve run "TASK" --dir PATH --check COMMAND')
        return tasks.in_folder(task, directory, check or "", protected=protect, name=table["name"])
    folder.refuse_options({"--check": check, "--set protect": protect})
    if "-" in (task, examples) and None in (task, examples):
        with suspend_live_line():
            data = sys.stdin.buffer.read()
        return tasks.from_bytes(data, **table)
    return tasks.read(task, examples=examples, words=words, **table)


def _settle(opened: Workspace, task: Task, result: Result, person: Person, bounds: Ledger | None) -> Result:
    """Asks what the rows leave open, once the answer was shown."""
    mark = "".join(f" ({word})" for word in opened.sandbox_mark)

    def ask(question: str) -> str:
        asked = time.monotonic()
        try:
            return asking.ask_line(question) or ""  # where nothing is said the function that was shown stands
        finally:
            if bounds is not None:  # the person's time is none of the budget's
                bounds.exclude_wait(time.monotonic() - asked)

    talk = open_questions.QuestionView(
        tell=lambda text: print_note(escape_control_characters(text)),
        ask=ask,
        again=lambda changed: opened.run(changed, budget=bounds, person=person),
        show=lambda new: _show(replace(new, ambiguity=None), mark, task.folder),
    )
    return open_questions.settle(task, result, talk)[0]


def _show(result: Result, mark: str, asked_about: str) -> None:
    if result.answer and (result.solved or result.status == "unverified"):
        if terminal_width() is not None:  # on a terminal the answer follows the progress
            print_note("")
        emit(result.answer.rstrip(), exact=True)
        emit()
    files = folder.named_files(result.words, asked_about)
    if files:
        emit(f"rests on: {', '.join(files)}")
    if not result.words and (result.status == "unverified" or (result.judged and result.solved)):
        emit(f"value: {json.dumps(result.value, ensure_ascii=False)}")
    print_verdict(result, mark)
    for line in used_lines(result):
        emit(line)
    print_next_steps(result)
    emit(cost_line(result))


def print_verdict(result: Result, mark: str = "") -> None:
    """Prints how sure a result is, what earlier runs have to do with it, and what the rows leave open."""
    emit(verdict_line(result).line(mark))
    for line in filter(None, (earlier_line(result), open_line(result))):
        emit(line)


def print_next_steps(result: Result) -> None:
    """Prints what came nearest, which budget ended a run, and what would help."""
    for line in nearest_lines(result):
        emit(f"  {line}")
    if result.overshoot:
        emit(f"  {result.overshoot}")
    if result.limit_ended:
        emit("  a spending limit ended the run: day_limit, total_limit or EVOLVE_DAY_LIMIT")
        emit("  try: evolve status --settings", whole=True)
    elif result.status == "budget":
        ended = "your budget" if result.budget_ended else "the limit in the settings"
        more = _larger(result)
        help_ = "a larger one goes further" if more else "more rows of the kind that fails help more, or a model"
        help_ = "a larger one would not help" if result.lacking else help_
        emit(f"  {ended} ended the run; {help_}")
        if more:
            emit(f"  try: {more}", whole=True)


def _larger(result: Result) -> str:
    """Options for a budget that is larger than what was spent; "" where a larger one is of little use."""
    if result.lacking:
        return ""
    if result.cost.calls:
        return "--budget 2M-tokens --budget 30m" if result.cost.tokens < 2_000_000 else ""
    spent_all = result.cost.candidates >= 5_000_000 or result.cost.seconds >= 300
    return "" if spent_all else "--budget 10M-candidates --budget 10m"
