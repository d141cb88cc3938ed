"""``evolve`` alone at a terminal: what happened since the last time, whether learning helped, and what to do next."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from itertools import islice
from typing import TYPE_CHECKING

import evolve
from evolve.cli.asking import ask_line
from evolve.cli.render.output import count_of, emit, escape_control_characters, flush, shorten_line
from evolve.cli.render.views import answer_command
from evolve.core.errors import UsageError

if TYPE_CHECKING:
    from evolve.workspace import Workspace, WorkspaceVisit

_NEXT = 3
"""Things to do that are named."""
_LOOPS = ("improve", "optimize")
_STARTS = (
    ("fill a table", "evolve fill march.csv", "evolve fill april.csv"),
    ("work in a folder", "evolve models default gpt-5-mini", 'evolve chat --dir . --check "pytest -q"'),
    ("improve on your own tasks", "evolve improve tasks.jsonl --budget 1h", "evolve report"),
    ("see a demo", "evolve demo", "evolve --help"),
)
"""What one may want to begin with, and two lines to type for it."""


def show_welcome() -> None:
    """Tells what happened, and what can be done; the first time it asks what one wants to do."""
    from evolve.workspace import WorkspaceVisit, keep_visit, last_visit

    place = evolve.where()
    if not place.exists:
        _ask_for_a_start()
        return
    with evolve.open(read_only=True, model="") as opened:
        if not (opened.runs.list() or opened.memory.notes() or opened.preferences.list()):
            _ask_for_a_start()
            return
        told, skills = opened.memory.sentences(), opened.skills.list()
        own = {name for name, one in told.items() if one.worded} - opened.memory.from_practice()
        now = WorkspaceVisit(
            insights=len(own),
            skills=len(skills) - len(opened.skills.from_practice(skills)),
            unfinished=tuple(row.run.id for row in opened.runs.list() if row.run.state == "open"),
        )
        _tell_since(opened, last_visit(opened.paths.root), now)
        emit(_helped(opened))
        emit()
        ways = list(islice(_ways(opened), _NEXT))
    for about, command in ways:
        emit(escape_control_characters(about, lines=False))
        emit(f"  {command}", whole=True)
    flush()
    keep_visit(place.root, now)


def _ask_for_a_start() -> None:
    emit("evolve learns from your work. What do you want to do?")
    for number, (about, *_) in enumerate(_STARTS, 1):
        emit(f"  {number}  {about}")
    known = {str(number): lines for number, (_, *lines) in enumerate(_STARTS, 1)}
    chosen = ask_line("number:")
    if chosen is None:
        return
    # Whatever else was typed, as by somebody who wants none of it, is answered by where all of it stands.
    emit("type:")
    for line in known.get(chosen.strip(), ["evolve --help"]):
        emit(f"  {line}", whole=True)


def _tell_since(opened: Workspace, last: WorkspaceVisit | None, now: WorkspaceVisit) -> None:
    """Prints which runs there were since the last visit, which loops ended, and how much was learned."""
    before = 0.0 if last is None else last.at
    rows = opened.runs.list()
    fresh = [row for row in rows if datetime.fromisoformat(row.run.started).replace(tzinfo=UTC).timestamp() > before]
    since = "so far" if last is None else f"since {datetime.fromtimestamp(before):%Y-%m-%d %H:%M}"
    runs = [row for row in fresh if row.run.kind not in _LOOPS]
    told = [count_of(runs, "run")] if runs else []
    insights, skills = now.insights - (last.insights if last else 0), now.skills - (last.skills if last else 0)
    told += [count_of(insights, "new insight")] if insights > 0 else []
    told += [count_of(skills, "new skill")] if skills > 0 else []
    emit(f"{since}: {', '.join(told) or 'nothing new'}")
    known = {row.run.id for row in fresh} | set(last.unfinished if last is not None else ())
    for row in rows:
        if row.run.kind in _LOOPS and row.run.id in known and row.run.state in ("done", "budget"):
            why = "its budget ended" if row.run.state == "budget" else "it is done"
            emit(
                escape_control_characters(
                    f"  {row.run.id}, {row.run.kind} {row.run.body.get('suite', '')}: {why}", lines=False
                )
            )


def _helped(opened: Workspace) -> str:
    for proof in opened.gate.proofs().values():
        wins, losses = proof.state.tally.wins, proof.state.tally.losses
        if proof.helped or proof.harmed:
            what = "learning has helped" if proof.helped else "learning has made things worse"
            return f"{what} on your own tasks: {wins} better, {losses} worse of {proof.counted}"
    try:
        report = opened.report()
    except UsageError:
        return "whether learning helps is not shown yet: evolve report tells how far that is"
    if report.promoted and report.helped:
        return f"learning has helped on {report.suite}: evolve report"
    return f"no gain is shown on {report.suite} yet: evolve report"


def _ways(opened: Workspace) -> Iterator[tuple[str, str]]:
    """What to do next, what waits for the person first: each with the command for it."""
    rows = opened.runs.list()
    asking = [row for row in rows if row.question is not None]
    for row in asking:
        if row.question is not None:
            way = answer_command(row.run.id, approval=row.question.kind == "approve")
            yield f"{row.run.id} asks: {shorten_line(row.question.text, 100)}", way
    for patch in opened.folders.list():
        if patch.state == "waiting" and patch.run not in {row.run.id for row in asking}:
            yield f"{patch.run} would change {count_of(patch.names, 'file')}", f"evolve apply {patch.run}"
    if waiting := opened.preferences.proposals():
        yield f"{count_of(waiting, 'proposal')} to keep or decline", "evolve memory proposals"
    # The loop that is at work, and those that a stop or a budget cut off, the newest first.
    from evolve.workspace import loop_at_work

    loop = loop_at_work(opened.paths)
    if loop is not None:
        yield f"{loop.run} is at work", "evolve status"
    for row in reversed(rows):
        left = row.run.kind == "improve" and row.run.state in ("open", "budget")
        if left and (loop is None or row.run.id != loop.run):
            yield f"{row.run.id} can go on", shlex.join(["evolve", "improve", str(row.run.body.get("suite", ""))])
    if opened.runs.unlearned():
        yield "a run was not learned from yet", "evolve learn"
    yield from _otherwise(opened, [row.run.id for row in rows if row.run.kind == "run"])


def _otherwise(opened: Workspace, runs: Sequence[str]) -> Iterator[tuple[str, str]]:
    """What can always be done."""
    if runs:
        yield f"see what the last run, {runs[-1]}, rests on", f"evolve why {runs[-1]}"
    learned = opened.skills.list() or opened.runs.functions_kept()
    yield "see what was learned", "evolve skills list" if learned else "evolve memory list"
    yield "fill another table", "evolve fill TABLE.csv"
    yield "see whether learning helps", "evolve report"
