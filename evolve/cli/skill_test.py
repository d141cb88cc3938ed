"""``evolve skills test``: whether skills that anybody wrote help, in pairs with and without them."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

import evolve
from evolve.cli import options, pages
from evolve.cli import options as overrides
from evolve.cli.asking import WAITING, ask_yes
from evolve.cli.render.layout import format_spending
from evolve.cli.render.output import count_of, emit, emit_json, flush, print_note, table
from evolve.cli.render.views import LoopView

if TYPE_CHECKING:
    from evolve.workspace import PairSummary, SkillTestReport, SkillTestRow, Workspace

app = pages.App()

_MOST_NAMED = 3

Folder = Annotated[
    str, typer.Argument(metavar="DIR", help="A folder of skills (SKILL.md), or a CLAUDE.md or AGENTS.md.")
]
Tasks = Annotated[str, typer.Option("--tasks", metavar="FILE", help="Tasks. Default: the skills' own evals.")]
FromGit = Annotated[str, typer.Option("--from-git", metavar="REPO", help="Tasks from a repository's history.")]
Last = Annotated[int, typer.Option("--last", metavar="NUMBER", min=1, max=1000, help="The most tasks of a history.")]
_AGENT = (
    'A program that solves the tasks in place of evolve, such as "claude -p" or "codex exec". It takes the task as its'
    " last argument, or from its input if COMMAND ends with -."
)
Agent = Annotated[str, typer.Option("--agent", metavar="COMMAND", help=_AGENT)]
Yes = Annotated[
    bool, typer.Option("-y", "--yes", help="Run a COMMAND that you approved here before without a question.")
]
Set = Annotated[list[str] | None, overrides.set_option("python=DIR (a virtual environment for the tests)")]


@app.page(
    "test",
    "evolve skills test .claude/skills --from-git . --model gpt-5-mini",
    'evolve skills test CLAUDE.md --tasks tasks.jsonl --agent "claude -p"',
)
def test_command(
    ctx: typer.Context,
    folder: Folder,
    tasks: Tasks = "",
    from_git: FromGit = "",
    last: Last = 20,
    agent: Agent = "",
    yes: Yes = False,
    budget: options.Budget = None,
    model: options.Model = None,
    set_: Set = None,
    workspace: options.Workspace = None,
    as_json: options.AsJson = False,
) -> None:
    """Test whether skills help: the same tasks with them and without, in pairs.

    evolve says first what your tasks can show. If you stop it, or its budget ends, the same command continues. Exit
    codes: 0 the skills help, 1 they harm or no difference was shown, 6 you have to approve the program of --agent.
    """
    from evolve.workspace import SkillTestRequest

    bounds = options.start_budget(ctx, budget)  # a wrong option is told before anything is made
    chosen = overrides.parse_overrides(set_, "python")
    python = chosen.text("python")
    request = SkillTestRequest(folder=folder, tasks=tasks, from_git=from_git, last=last, agent=agent, python=python)
    view = LoopView(unsandboxed=chosen.is_unsandboxed)
    with evolve.open(workspace, model="" if agent else model, events=view, settings=chosen.settings) as opened:
        if agent and not _approved(opened, agent, yes=yes):
            raise typer.Exit(WAITING)
        with view, opened.delivering():
            report = opened.test_skills(request, budget=bounds)
            view.stop()
            emit_json({**_readable(report.to_json()), **opened.sandbox_mark}) if as_json else _show_skill_test(report)
            flush()
    raise typer.Exit(0 if report.whole.verdict == "helps" else 1)


def _approved(opened: Workspace, command: str, *, yes: bool) -> bool:
    """Whether a person lets the program run; a yes given beforehand counts only for one that was approved before."""
    known = opened.agents.is_approved(command)
    if known and yes:
        return True
    print_note(f"{command} would run outside of the sandbox: with your rights, your network and your keys.", whole=True)
    print_note(
        "It works in a copy of each task's folder, for at most 15 minutes. Its answers are judged in the sandbox."
    )
    if not (sys.stdin.isatty() and ask_yes("run it?")):
        print_note("evolve did not run it. Approve it at a terminal; after that, --yes runs it without a question.")
        return False
    opened.agents.approve(command)
    return True


def _show_skill_test(report: SkillTestReport) -> None:
    """Prints a report for people: the verdict in one line, then the figures, then a line for each skill."""
    pairs, tokens, known = report.whole.pairs, report.tokens.value, report.uses_known
    counts = f"{report.solved_with} of {pairs} solved with the skills, {report.solved_without} of {pairs} without"
    few = report.whole.verdict == "too few tasks to tell"
    told = [f"{report.folder}: {report.whole.verdict}: {counts if few else f'{_difference(report.whole)}; {counts}'}"]
    told += [] if tokens is None else [f"{tokens:+,.0f} tokens a task"]
    if known:
        told += _named("never read", [row.name for row in report.skills if not row.read])
        told += _named("read where no skill was needed", [row.name for row in report.skills if row.needless])
    emit("; ".join(told))
    if report.outside:
        emit(f"{report.by.removeprefix('agent:')} solved them outside of the sandbox, and does not tell its tokens")
    rows = [(it.name, *((f"{it.read}", f"{it.needless}") if known else "??"), _verdict(it)) for it in report.skills]
    emit(table(("skill", "read", "not needed", "verdict"), rows))
    if not known:
        print_note("the program does not tell which skills it reads")
    if report.whole.void:
        print_note(f"{count_of(report.whole.void, 'pair')} ended by a fault")
    runs = count_of(report.spent.calls, "run of the program", "runs of the program")
    spent = runs if report.outside else format_spending(report.spent)
    print_note(f"{report.finish_reason}; spent: {spent} in {report.spent.seconds:.0f} s")


def _named(what: str, names: Sequence[str]) -> list[str]:
    """Some names under what holds of them; nothing without any."""
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return [f"{what}: {', '.join(names[:_MOST_NAMED])}{more}"] if names else []


def _difference(shown: PairSummary) -> str:
    one = shown.difference
    if one.value is None or one.low is None or one.high is None:
        return "no pair has an outcome"
    points = f"{abs(one.value) * 100:.0f} points {'fewer' if one.value < 0 else 'more'}"
    return f"solved {points} ({one.low * 100:+.0f} to {one.high * 100:+.0f})"


def _verdict(row: SkillTestRow) -> str:
    return row.why or "" if row.shown is None else f"{row.shown.verdict}: {_difference(row.shown)}"


def _readable(value: Any) -> Any:
    """JSON data with its numbers rounded, and an interval's level under the name of what it is."""
    if isinstance(value, dict):
        return {"confidence" if key == "level" else key: _readable(item) for key, item in value.items()}
    rounded = round(value, 4) if isinstance(value, float) else value
    return [_readable(item) for item in value] if isinstance(value, list) else rounded
