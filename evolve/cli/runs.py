"""``evolve runs``: what was done, step by step."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

import typer

import evolve
from evolve.cli import asking, options, pages
from evolve.cli import options as overrides
from evolve.cli.render.episodes import show_diff, untouched_files
from evolve.cli.render.layout import format_spending, format_time
from evolve.cli.render.output import (
    emit,
    emit_json,
    escape_control_characters,
    flush,
    pick_attributes,
    shorten_line,
    suspend_live_line,
    table,
)
from evolve.cli.render.views import RunView, answer_command, subgoal_line
from evolve.core.errors import UsageError

if TYPE_CHECKING:
    from evolve.workspace import EpisodeRecord

app = pages.App()

_ASKED = 40
"""Columns of what a run was asked that tell it from others of the same kind."""


@app.page("list", "evolve runs list", "evolve runs list --json")
def list_command(workspace: options.Workspace = None, as_json: options.AsJson = False) -> None:
    """List runs, the oldest first."""
    with evolve.open(workspace, read_only=True) as opened:
        runs = opened.runs.list()
    if as_json:
        names = ("id", "kind", "started", "state", "body")
        return emit_json([{**pick_attributes(entry.run, *names), "episodes": entry.episodes} for entry in runs])
    rows = [
        (
            entry.run.id,
            entry.run.kind,
            str(entry.run.body.get("task") or entry.run.body.get("suite") or ""),
            format_time(entry.run.started),
            "waiting" if entry.question is not None else entry.run.state,
            entry.episodes,
            shorten_line(entry.instruction, _ASKED),
        )
        for entry in runs
    ]
    header = ("run", "kind", "of", "started (UTC)", "state", "episodes", "asked")
    emit(table(header, rows, spare=("started (UTC)", "kind", "episodes")) or "no runs yet")


@app.page("search", 'evolve runs search "port of billing last week"', 'evolve runs search "dates in march" --k 10')
def search_command(
    question: Annotated[str, typer.Argument(metavar="QUESTION", help="A question in words.")],
    k: Annotated[int, typer.Option("--k", metavar="NUMBER", min=1, help="Most things that were said.")] = 5,
    workspace: options.Workspace = None,
    as_json: options.AsJson = False,
) -> None:
    """Find past questions and results by words. A date in your question counts too."""
    with evolve.open(workspace, read_only=True) as opened:
        found = opened.runs.search(question, k)
    if as_json:
        return emit_json(found)
    rows = [
        (
            said.place,
            said.run,
            f"{datetime.fromtimestamp(said.at, UTC):%Y-%m-%d %H:%M}" if said.at else "",
            said.author,
            shorten_line(" ".join(said.text.split()), 160),
        )
        for said in found
    ]
    emit(table(("in", "run", "began (UTC)", "by", "text"), rows, spare=("began (UTC)",)) or "nothing like it was said")


_EPISODE = ("episode", "task", "split", "variant", "status", "rests on", "spent")


def _told(record: EpisodeRecord, not_kept: Iterable[object]) -> dict[str, object]:
    from evolve.workspace import subgoal_states

    plan = [
        {**vars(state.subgoal), "standing": state.status, "told": state.told} for state in subgoal_states(record.steps)
    ]
    return {
        **pick_attributes(record, "episode", "task", "split", "variant", "status", "verified", "checked"),
        **pick_attributes(record.cost, "candidates", "calls", "tokens", "money"),
        "not_kept": [vars(refused) for refused in not_kept],
        **({"plan": plan} if plan else {}),
        **({} if record.found is None else {"found": record.found.to_json()}),
    }


@app.page("show", "evolve runs show r1", "evolve runs show r1 --json")
def show_command(run: options.RunId, workspace: options.Workspace = None, as_json: options.AsJson = False) -> None:
    """Show the episodes of a run, its plan, and the question it waits with."""
    from evolve.workspace import subgoal_states

    with evolve.open(workspace, read_only=True) as opened:
        overview = opened.runs.show(run)
        records = overview.episodes
        cut_off = None if records else opened.runs.plan(overview.run.id)
    if as_json:
        unwanted = {"refused": True} if overview.unwanted else {}
        emit_json([{**_told(one, overview.not_kept.get(one.episode, ())), **unwanted} for one in records])
        return
    rows = [
        (
            record.episode[:10],
            record.task,
            record.split,
            record.variant[:10],
            "not applied" if overview.unwanted else record.status,
            "verified" if record.verified else "checked" if record.checked else "",
            format_spending(record.cost),
        )
        for record in records
    ]
    emit(table(_EPISODE, rows, spare=("variant", "split")) or "no episodes yet")
    for state in cut_off.states if cut_off is not None else ():
        emit(f"plan {subgoal_line(state)}")
    for record in records:
        for state in subgoal_states(record.steps):
            emit(f"plan {subgoal_line(state)}")
        _tell_answers(record)
        for refused in overview.not_kept.get(record.episode, ()):
            emit(f"skill {refused.skill} not kept: {refused.reason}")
    if overview.question is not None:
        emit(f"waiting for an answer: {overview.question.text}")
        approval = overview.question.kind == "approve"
        emit(f"  try: {answer_command(overview.run.id, approval=approval)}", whole=True)


def _tell_answers(record: EpisodeRecord) -> None:
    for step in record.steps:
        if step.observation is not None and step.observation.person:
            emit(f"step {step.number} of {record.episode[:10]} asked: {step.action.text}")
            emit(f"  the person answered: {step.observation.text}")
        elif step.observation is not None and step.observation.interrupted:
            emit(f"step {step.number} of {record.episode[:10]} was stopped by the person")
    if record.found is not None:
        emit(f"{record.episode[:10]}: a right answer was found while learning, {record.found.kind}")
        emit(f"  try: evolve why {record.episode[:10]} --steps", whole=True)


@app.page("diff", "evolve runs diff r1", "evolve runs diff r1 --json")
def diff_command(run: options.RunId, workspace: options.Workspace = None, as_json: options.AsJson = False) -> None:
    """Show the changes of a run in a folder, applied or not."""
    with evolve.open(workspace, read_only=True) as opened:
        patch = opened.runs.diff(run)
    if as_json:
        emit_json({**patch.to_json(), "diff": patch.diff})
    else:
        show_diff(patch.diff)
        if left := untouched_files(patch):
            emit(escape_control_characters(left, lines=False))


Set = Annotated[
    list[str] | None,
    overrides.set_option(
        "approve=ask, auto or never (before a change of your folder)",
    ),
]


@app.page("answer", 'evolve runs answer r1 "the second one"', "evolve runs answer r1 --withdraw")
def reply_command(
    run: Annotated[str, typer.Argument(metavar="RUN", help="Id of a run that waits, such as r1.")],
    text: Annotated[
        str | None, typer.Argument(metavar="ANSWER", help="The answer, or - to read it from stdin.")
    ] = None,
    withdraw: Annotated[bool, typer.Option("--withdraw", help="Take the question back: the work ends there.")] = False,
    set_: Set = None,
    model: options.Model = None,
    workspace: options.Workspace = None,
    as_json: options.AsJson = False,
) -> None:
    """Answer the question of a waiting run. The run then goes on."""
    from evolve.cli.learning import learn_and_print
    from evolve.cli.run import present_result

    if (text is None) != withdraw:
        raise UsageError("give either the answer or --withdraw", hint=f"evolve runs answer {run} TEXT")
    with suspend_live_line():
        answer = sys.stdin.read() if text == "-" else text
    if model is None:  # then the model that the run was begun with
        with evolve.open(workspace, read_only=True) as reader:
            model = reader.runs.show(run).model
    chosen = overrides.parse_overrides(set_, "approve")
    person = asking.is_person_present(chosen, as_json=as_json)
    view = RunView(unsandboxed=chosen.is_unsandboxed)
    with evolve.open(workspace, model=model, events=view, settings=chosen.settings) as opened:
        with opened.delivering():
            result = opened.runs.answer(run, answer, person=person)
            code = present_result(opened, None, result, person, as_json=as_json)
            flush()
        learn_and_print(opened, named=workspace, as_json=as_json, result=result, person=person)
    raise typer.Exit(code)


@app.page(
    "comment", 'evolve runs comment r1 "too long, one line is enough"', 'evolve runs comment r1 "use pathlib" --prefer'
)
def comment_command(
    run: options.RunId,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="What you have to say about it.")],
    prefer: Annotated[
        bool, typer.Option("--prefer", help="Also a preference for other such tasks, once you confirm it.")
    ] = False,
    workspace: options.Workspace = None,
    as_json: options.AsJson = False,
) -> None:
    """Say what you think of a run. A package may turn similar comments into a metric."""
    from evolve.cli.proposals import ask_about_proposals
    from evolve.workspace import extensions

    with evolve.open(workspace) as opened:
        outcome = opened.runs.comment(run, text, prefer=prefer)
        wish = outcome.preference
        if wish is not None and wish.status == "proposed" and not as_json:
            ask_about_proposals(opened, [wish], attended=asking.is_attended(as_json=as_json))
    metrics = outcome.metrics
    if as_json:
        told = {"preference": wish.id, "status": wish.status} if wish is not None else {}
        emit_json({"run": run, "metrics": [metric.name for metric in metrics], **told})
        return
    none = "kept; no metric yet" if extensions.extension_names("evaluators") else "kept"
    emit(f"kept; it speaks of {', '.join(metric.name for metric in metrics)}" if metrics else none)
    for metric in metrics:
        if metric.id in outcome.new:
            emit(f"new metric: {metric.name}  (evolve lab metrics show {metric.name})")
