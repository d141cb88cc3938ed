"""``evolve run``: solve one task."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from evolve.cli import asking, folder, learning, open_questions, options, pages
from evolve.cli.amounts import spending
from evolve.cli.layout import terminal_width
from evolve.cli.output import at_home, emit, flush, note, visible

if TYPE_CHECKING:
    from evolve.workspace import Person, Result, Task, Workspace

app = pages.App()

Wanted = Annotated[
    str | None,
    typer.Argument(
        metavar="TASK",
        help="A task file, SUITE#ID, - for rows on stdin, or, with --dir or a model, a task in words.",
        show_default=False,
    ),
]
Rubric = Annotated[
    str | None,
    typer.Option(
        "--rubric",
        metavar="TEXT",
        help="Words, or a file of them, by which a model judges what nothing else can check.",
    ),
]


Examples = Annotated[
    str | None,
    typer.Option(
        "--examples",
        metavar="FILE",
        help="Rows: a table (CSV, TSV or XLSX), JSON or Python assertions; the last column is the output.",
    ),
]
Target = Annotated[
    str | None, typer.Option("--target", metavar="NAME", help="The column of the table that is the output.")
]
Learn = Annotated[
    str | None,
    typer.Option(
        "--learn",
        metavar="MODE",
        help="What is learned once the result was shown: off, after (asks a model again at most once to try a claim)"
        " or full (tries all). Default: the setting learn.",
    ),
]
Name = Annotated[str | None, typer.Option("--name", metavar="NAME", help="Name of the task and of its function.")]


@app.page(
    "run",
    "evolve run --examples names.csv",
    'evolve run "make the tests pass" --dir project --check "pytest -q" --model gpt-5-mini',
)
def run_command(
    task: Wanted = None,
    examples: Examples = None,
    name: Name = None,
    target: Target = None,
    no_header: Annotated[bool, typer.Option("--no-header", help="The table's first line is data.")] = False,
    directory: folder.Dir = None,
    check: folder.Check = None,
    python: folder.Python = None,
    protect: folder.Protect = None,
    yes: folder.Yes = False,
    approve: asking.Approve = "ask",
    rubric: Rubric = None,
    budget: options.Budget = None,
    model: options.Model = None,
    record: options.Record = None,
    replay: options.Replay = None,
    sandbox: options.Sandbox = None,
    learn: Learn = None,
    workspace: options.Workspace = None,
    as_json: options.AsJson = False,
) -> None:
    """Solve a task: learn a function from examples, or change a folder until a check passes.

    What helped is kept for later tasks, once the result was shown. With a model, a task may also be told in words.
    """
    import evolve
    from evolve.cli.views import RunView
    from evolve.workspace import models, parse_budget, recorded, tasks

    parse_budget(budget or ())  # a wrong option is told before anything is made
    person = learning.who_learns(asking.person_here("auto" if yes else approve, as_json=as_json), learn)
    model_choice = recorded(model, record, replay)
    folder_options = folder.FolderOptions(folder=directory, check=check, python=python, protect=protect, yes=yes)
    decides = models(workspace).acting(model)
    rows = TableOptions(examples=examples, name=name, header=not no_header, target=target)
    wanted = folder_options.task(task, name) or _task(task, rows, words=bool(decides))
    folder_options.fit(wanted)
    tasks.need_model(wanted, decides)  # told before anything is made
    wanted = _with_rubric(wanted, rubric)
    view = RunView(unsandboxed=sandbox == "none")
    with evolve.open(workspace, model=model_choice, events=view, sandbox=sandbox) as opened:
        tell_created(opened)
        with opened.delivering():
            result = opened.run(wanted, budget=budget, python=python, person=person)
            code = present(opened, wanted, result, Presentation(budget=budget, person=person, as_json=as_json))
            flush()
        learning.learn_and_tell(opened, named=workspace, as_json=as_json)
    raise typer.Exit(code)


def _with_rubric(task: Task, rubric: str | None) -> Task:
    """The task with its rubric if there is one; what is doubtful about it is told."""
    from evolve.workspace import tasks

    wanted = tasks.with_rubric(task, rubric) if rubric is not None else task
    for warning in wanted.warnings:
        note(visible(f"warning: {warning}", lines=False))
    return wanted


def tell_created(opened: Workspace) -> None:
    """Says which workspace was made by this command."""
    if opened.created:
        note(at_home(f"made the workspace {opened.paths.root}"))


@dataclass(frozen=True, kw_only=True)
class Presentation:
    """How a result is presented, and who settles what its examples leave open within which budget."""

    budget: list[str] | None = None
    person: Person
    as_json: bool = False


def present(opened: Workspace, task: Task | None, result: Result, how: Presentation) -> int:
    """Asks what the examples leave open, shows the result, and gives the exit code.

    Args:
        task: None where nothing is asked any more.
    """
    from evolve.workspace import tasks

    if not result.words and (result.patch is not None or (task is not None and tasks.leaves_changes(task))):
        return folder.show_work(opened, result, as_json=how.as_json)
    if how.as_json:
        learning.emit_with_lessons(opened, result)
    else:
        asks = task is not None and asking.is_attended(as_json=False)
        told = replace(result, ambiguity=None) if asks else result
        _show(told, "".join(f" ({word})" for word in opened.mark), task.folder if task is not None else "")
        if task is not None and asks:
            result = _settle(opened, task, result, how)
    asking.tell_waiting(result)
    return exit_code(result)


@dataclass(frozen=True, kw_only=True)
class TableOptions:
    """The options of ``evolve run`` that say how a table of examples is read."""

    examples: str | None
    name: str | None
    header: bool
    target: str | None = None


def _task(task: str | None, rows: TableOptions, *, words: bool) -> Task:
    """The task that is named or given as rows; rows may also come from stdin."""
    from evolve.workspace import tasks

    if "-" in (task, rows.examples) and None in (task, rows.examples):
        data = sys.stdin.buffer.read()
        return tasks.from_bytes(data, name=rows.name, header=rows.header, target=rows.target)
    return tasks.read(task, examples=rows.examples, name=rows.name, header=rows.header, target=rows.target, words=words)


def _settle(opened: Workspace, task: Task, result: Result, how: Presentation) -> Result:
    """Asks what the rows leave open, once the answer was shown."""
    mark = "".join(f" ({word})" for word in opened.mark)
    flush()  # the question comes after what it is about

    def ask(question: str) -> str:
        try:
            return str(typer.prompt(question.rstrip(), default="", show_default=False, prompt_suffix=" ", err=True))
        except typer.Abort:  # the function that was shown stands
            note("")
            return ""

    talk = open_questions.Talk(
        tell=lambda text: note(visible(text)),
        ask=ask,
        again=lambda changed: opened.run(changed, budget=how.budget, person=how.person),
        show=lambda new: _show(replace(new, ambiguity=None), mark, task.folder),
    )
    return open_questions.settle(task, result, talk).result


def _show(result: Result, mark: str, asked_about: str) -> None:
    if result.answer and (result.solved or result.status == "unverified"):
        if terminal_width() is not None:  # on a terminal the answer follows the progress
            note("")
        emit(result.answer.rstrip(), exact=True)
        emit()
    files = folder.named_files(result.words, asked_about)
    if files:
        emit(f"rests on: {', '.join(files)}")
    if not result.words and (result.status == "unverified" or (result.judged and result.solved)):
        emit(f"it gives {json.dumps(result.value, ensure_ascii=False)}")
    state = f"solved, {result.kind}" if result.solved else result.status
    emit(f"{state}{mark}: {result.note}")
    if result.reason and "unverified" not in result.note:
        emit(f"  {result.reason}")
    tell_open(result)
    emit(f"{spending(result.cost)}, {result.cost.seconds:.2f} s; episode {result.episode_id}")
    tell_help(result)


def tell_open(result: Result) -> None:
    """Prints what the examples leave open."""
    if result.ambiguity is not None:
        first, *others = [json.dumps(value, ensure_ascii=False) for value in result.ambiguity.outputs]
        emit(f"ambiguous: for {_values(result.ambiguity.input)} this gives {first}, another short program {others[0]}")
        emit("  add a row with that input to decide it")


def tell_help(result: Result) -> None:
    """Prints what came nearest, which budget ended a run, and what would help."""
    for line in open_questions.nearest_lines(result):
        emit(f"  {line}")
    if result.overshoot:
        emit(f"  {result.overshoot}")
    if result.status == "budget":
        ended = "the given budget" if result.budget_ended else "the settings' own bound"
        more = _larger(result)
        help_ = "a larger one goes further" if more else "more rows of the kind that fails help more than a larger one"
        emit(f"  {ended} ended it; {help_}")
        if more:
            emit(f"  try: {more}", whole=True)


def _larger(result: Result) -> str:
    """Options for a budget that is larger than what was spent; "" where a larger one is of little use."""
    if result.cost.calls:
        return "--budget 2M-tokens" if result.cost.tokens < 2_000_000 else ""
    spent_all = result.cost.candidates >= 10_000_000 or result.cost.seconds >= 600
    return "" if spent_all else "--budget 10M-candidates --budget 10m"


def _values(arguments: Any) -> str:
    return ", ".join(json.dumps(value, ensure_ascii=False) for value in arguments)


def exit_code(result: Result) -> int:
    """What the command ends with."""
    if result.solved or result.status == "unverified":
        return 0
    return folder.EXIT_CODES.get(result.status, 5 if result.budget_ended else 1)
