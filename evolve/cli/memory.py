"""``evolve memory``: notes and insights."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, time, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from evolve.cli import options, pages
from evolve.cli.causes import evidence_data, insight_data
from evolve.cli.layout import terminal_width
from evolve.cli.output import counted, emit, emit_json, flush, note, shorten, table, visible
from evolve.cli.views import LEARN, short_id

if TYPE_CHECKING:
    from evolve.workspace import ClaimTest, InsightStatus

app = pages.App()


def _date(text: str) -> datetime:
    """A day or a moment as ISO 8601 writes it; a bare number would else be taken for seconds since 1970."""
    try:
        return datetime.fromisoformat(text)
    except ValueError as error:
        raise typer.BadParameter(f"{text!r} is no date such as 2026-03-31 or 2026-03-31T14:30") from error


InsightId = Annotated[str, typer.Argument(metavar="INSIGHT", help="Id of an insight or its beginning.")]


@app.page(
    "list", "evolve memory list", "evolve memory list --status confirmed", "evolve memory list --about minigrid/Unlock"
)
def list_command(
    status: Annotated[
        str | None, typer.Option("--status", metavar="STATUS", help="Only this status, such as confirmed.")
    ] = None,
    about: Annotated[
        str | None,
        typer.Option("--about", metavar="TEXT", help="Only on such tasks: a part of a world's name, or of a type."),
    ] = None,
    workspace: options.Workspace = None,
    as_json: options.AsJson = False,
) -> None:
    """List what was learned about tasks, the best supported first, what makes no difference last; then your notes."""
    import evolve

    with evolve.open(workspace, read_only=True) as opened:
        insights, told = opened.memory.list(cast("InsightStatus | None", status)), opened.memory.sentences()
        every = status is None and about is None
        notes, replaced = (opened.memory.notes(), opened.memory.replaced()) if every else ([], {})
    insights = [one for one in insights if (about or "").casefold() in one.scope.family.casefold()]
    insights.sort(key=lambda one: (not one.groups, one.relation == "no_effect", -one.evidence, one.id))
    if as_json:
        told_notes = [
            {**vars(entry), "replaced_by": replaced[entry.id].id if entry.id in replaced else None} for entry in notes
        ]
        emit_json({"insights": [insight_data(insight, told[insight.id]) for insight in insights], "notes": told_notes})
        return
    rows = [
        (
            insight.id[:10],
            told[insight.id].standing,
            insight.evidence,
            insight.groups,
            shorten(told[insight.id].text, 160),
        )
        for insight in insights
    ]
    asked = [status or "", f"about {about!r}" if about else ""]
    none = "no insights yet" if every else visible(f"no insight is {' and '.join(filter(None, asked))}", lines=False)
    emit(table(("id", "status", "evidence", "groups", "insight"), rows, spare=("groups",)) or none)
    if not rows:
        note(f"  try: {LEARN if every else 'evolve memory list'}", whole=True)
    for entry in notes:
        later = f" (replaced: {shorten(replaced[entry.id].text, 60)})" if entry.id in replaced else ""
        emit(
            visible(
                f"note {short_id(entry.id)} by {_speaker(entry.author, entry.role)}: {entry.text}{later}",
                lines=False,
            )
        )


@app.page("show", "evolve memory show 0c1f22ab")
def show_command(insight: InsightId, workspace: options.Workspace = None, as_json: options.AsJson = False) -> None:
    """Show one insight and every piece of evidence."""
    import evolve

    with evolve.open(workspace, read_only=True) as opened:
        shown = opened.memory.show(insight)
        rows, told = opened.memory.evidence(shown.id), opened.memory.sentences()[shown.id]
        history = opened.memory.histories([shown])[shown.id]
    if as_json:
        emit_json({**insight_data(shown, told), "history": history.to_json(), "evidence_rows": evidence_data(rows)})
        return
    emit(visible(f"{shown.id}: {told.text}", lines=False))
    emit(f"{told.standing}, {told.counts}")
    # What a program finds it by: the words above are made from it.
    emit(visible(f"claim: {shown.cause} - {shown.relation} - {shown.effect}", lines=False))
    scope = [shown.scope.environment, shown.scope.family, *shown.scope.preconditions]
    emit(visible(f"scope: {', '.join(part for part in scope if part)}", lines=False))
    if history.text:
        emit(history.text)
    speaks = {1: "for", -1: "against", 0: "neither"}
    cells = [(row.task, row.kind, speaks[shown.speaks(row)], shorten(row.detail, 80)) for row in rows]
    emit(table(("task", "kind", "speaks", "what happened"), cells))


@app.page("recall", 'evolve memory recall "shorten a name"')
def recall_command(
    query: Annotated[str, typer.Argument(metavar="TASK", help="A task in words.")],
    k: Annotated[int, typer.Option("--k", metavar="NUMBER", min=1, help="Most items of a kind.")] = 5,
    as_of: Annotated[
        datetime | None,
        typer.Option(
            "--as-of",
            metavar="DATE",
            parser=_date,
            help="As it was known on that day, such as 2026-03-31.",
            show_default=False,
        ),
    ] = None,
    replaced: Annotated[bool, typer.Option("--replaced", help="Also notes that later ones replaced.")] = False,
    workspace: options.Workspace = None,
    as_json: options.AsJson = False,
) -> None:
    """Show what would be recalled for a task in words."""
    import evolve
    from evolve.errors import UsageError

    if not query.strip():
        raise UsageError("say for what", hint='evolve memory recall "shorten a name"')
    with evolve.open(workspace, read_only=True) as opened:
        kinds = ["insight", "replaced"] if replaced else None
        until = as_of + timedelta(days=1) if as_of is not None and as_of.time() == time.min else as_of
        recalled, encoder = opened.memory.recall(query, k, as_of=until, kinds=kinds), opened.memory.encoder
        others = {entry.id: (entry.author, entry.role) for entry in opened.memory.notes() if entry.role != "user"}
    if as_json:
        emit_json(recalled)
        return
    # A name may be anyone's, "you" too: what the role says stands before it.
    recalled = [
        replace(item, why=f"{_speaker(*others[item.id])}: {item.why}") if item.id in others else item
        for item in recalled
    ]
    whole = terminal_width() is None  # a program that reads it may want all of it
    recalled = sorted(recalled, key=lambda item: item.kind == "insight")  # what somebody said is sooner looked for
    texts = [(item.text, item.why) if whole else (shorten(item.text, 160), shorten(item.why, 60)) for item in recalled]
    rows = [
        (item.kind, item.score, *(" ".join(text.split()) for text in both))
        for item, both in zip(recalled, texts, strict=True)
    ]
    emit(table(("kind", "score", "text", "why"), rows, spare=("why",)) or "nothing is recalled")
    if not rows:
        note("  try: evolve memory list", whole=True)
    note(f"encoder: {encoder}")


@app.page(
    "note",
    'evolve memory note "dates are written day first"',
    'evolve memory note "the port of billing is 9000" --by Dana --at 2026-03-31 --thread standup',
)
def note_command(
    text: Annotated[str, typer.Argument(metavar="TEXT", help="A fact or preference.")],
    by: Annotated[str | None, typer.Option("--by", metavar="NAME", help="Who said it; you, unless given.")] = None,
    role: Annotated[
        str, typer.Option("--role", metavar="ROLE", help="Who that is: user, assistant, tool or document.")
    ] = "user",
    at: Annotated[
        datetime | None,
        typer.Option(
            "--at", metavar="DATE", parser=_date, help="When it was said; now, unless given.", show_default=False
        ),
    ] = None,
    thread: Annotated[str, typer.Option("--thread", metavar="NAME", help="Conversation it is part of.")] = "",
    source: Annotated[str, typer.Option("--source", metavar="TEXT", help="Where it stands, such as a file.")] = "",
    workspace: options.Workspace = None,
    as_json: options.AsJson = False,
) -> None:
    """Keep a note. Yours is an instruction, never evidence; what others said is shown as unchecked.

    A new value for the same thing replaces the old one in what is recalled; the old one stays readable.
    """
    import evolve

    with evolve.open(workspace) as opened:
        said = cast("Any", role)  # another word is refused there, with those that are known
        saved = opened.memory.note(text, author=by, role=said, at=at, thread=thread, source=source)
    if as_json:
        emit_json(saved)
    else:
        emit(visible(f"noted: {saved.text}", lines=False))


@app.page("export", "evolve memory export notes.jsonl")
def export_command(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A new file.")],
    workspace: options.Workspace = None,
    as_json: options.AsJson = False,
) -> None:
    """Write all notes to a file, one JSON object a line. Insights stay: their evidence is of this workspace."""
    import evolve

    with evolve.open(workspace, read_only=True) as opened:
        count = opened.memory.export(file)
    if as_json:
        emit_json({"notes": count})
    else:
        emit(visible(f"wrote {counted(count, 'note')} to {file}", lines=False))


@app.page("import", "evolve memory import notes.jsonl", "evolve memory import notes.jsonl --mine")
def import_command(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A file that export wrote, or one like it.")],
    mine: Annotated[
        bool, typer.Option("--mine", help="You vouch for it: a person's notes in it count as yours.")
    ] = False,
    workspace: options.Workspace = None,
    as_json: options.AsJson = False,
) -> None:
    """Take in notes from a file, all or none. Without --mine they count as what a document says, and reach no run."""
    import evolve

    with evolve.open(workspace) as opened:
        count = opened.memory.import_(file, mine=mine)
    if as_json:
        emit_json({"notes": count})
    else:
        emit(f"{counted(count, 'new note')}")


@app.page("forget", "evolve memory forget 0c1f22ab", "evolve memory forget --all")
def forget_command(
    ids: Annotated[
        list[str] | None, typer.Argument(metavar="ID", help="Ids of insights and notes.", show_default=False)
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Forget every insight.")] = False,
    workspace: options.Workspace = None,
    as_json: options.AsJson = False,
) -> None:
    """Delete insights with all their evidence, and notes. With --all notes stay.

    What a deleted note had replaced holds again. Runs that were told of it stay on record with its words.

    With the last insight goes what was judged only together with insights, and what that is is said before.
    """
    import evolve
    from evolve.errors import UsageError

    if bool(ids) == everything:
        raise UsageError("name insights or notes, or give --all", hint="evolve memory list")
    with evolve.open(_there(workspace)) as opened:
        gone = opened.variants.taken_back()
        if gone is not None and everything:
            note(f"with the insights {gone.variant[:12]} goes, which was judged with them: {', '.join(gone.parts)}")
            note(f"{gone.after[:12]} acts after it; evolve variants rollback goes back")
        # Asked on both sides: with the last insight the active variant may change.
        before, noted = opened.variants.active, len(opened.memory.notes())
        count = opened.memory.forget(ids or (), everything=everything)
        active, notes = opened.variants.active, noted - len(opened.memory.notes())
    if as_json:
        emit_json({"forgotten": count, "notes": notes, "active": active})
        return
    kinds = [counted(count - notes, "insight")] * (count > notes or not notes) + [counted(notes, "note")] * bool(notes)
    emit(f"forgot {' and '.join(kinds)}")
    if active != before:
        emit(f"active: {active[:12]}, before {before[:12]}")


@app.page("test", "evolve memory test everyday", "evolve memory test everyday --insight 0c1f22ab")
def test_command(
    suite: Annotated[str, typer.Argument(metavar="SUITE", help="A file or folder of tasks, or a built-in suite.")],
    insight: Annotated[
        str, typer.Option("--insight", metavar="INSIGHT", help="Only this one. Default: what is known least.")
    ] = "",
    budget: options.Budget = None,
    workspace: options.Workspace = None,
    as_json: options.AsJson = False,
) -> None:
    """Find out how many solved tasks need a step of their answer, by searching them again without it.

    It takes at most 500,000 candidates, or what the budget says. Where a model works, it is asked with a fact and
    without it, two facts at most and six tasks each. Interrupted, the same command continues.
    """
    import evolve
    from evolve.cli.views import LoopView
    from evolve.workspace import parse_budget

    parse_budget(budget or ())  # a wrong option is told before anything is made
    view = LoopView()
    with view, evolve.open(_there(workspace), events=view) as opened, opened.delivering():
        tests = opened.memory.test(suite, insight, budget=budget)
        view.stop()
        if as_json:
            emit_json({"tests": [{**insight_data(one.insight, one.sentence), **_counts(one)} for one in tests]})
        else:
            rows = [(one.insight.id[:10], one.tried, one.needed, shorten(one.sentence.text, 160)) for one in tests]
            none = (
                "nothing can be tested within this budget, or nothing is left" if budget else "nothing is left to test"
            )
            emit(table(("id", "tried", "needed", "insight"), rows) or none)
        flush()


def _counts(test: ClaimTest) -> dict[str, Any]:
    return {"tried": test.tried, "needed": test.needed, "sentence": test.sentence.text}


@app.page("check", "evolve memory check")
def check_command(workspace: options.Workspace = None, as_json: options.AsJson = False) -> None:
    """Compare the search index with the record. Exit code 3 where they differ."""
    import evolve

    with evolve.open(_there(workspace)) as opened:
        report, encoder = opened.memory.check(), opened.memory.encoder
    if as_json:
        emit_json({**vars(report), "ok": report.ok, "encoder": encoder})
    else:
        counts = ", ".join(
            (
                counted(report.insights, "insight"),
                counted(report.evidence, "piece of evidence", "pieces of evidence"),
                counted(report.episodes, "episode"),
                counted(report.notes, "note"),
                f"encoder {encoder}",
            )
        )
        emit(f"{'ok' if report.ok else 'index and record differ; evolve memory reindex mends it'}: {counts}")
    raise typer.Exit(0 if report.ok else 3)


@app.page("reindex", "evolve memory reindex")
def reindex_command(workspace: options.Workspace = None, as_json: options.AsJson = False) -> None:
    """Build the search index anew from the record."""
    import evolve

    with evolve.open(_there(workspace)) as opened:
        count = opened.memory.reindex(_progress_notes())
    if as_json:
        emit_json({"episodes": count})
    else:
        emit(f"indexed {counted(count, 'episode')}")


def _there(workspace: str | None) -> str | None:
    """The workspace, which must be there: in a new one there is nothing to look after, and the name may be misspelt."""
    import evolve
    from evolve.errors import WorkspaceError

    place = evolve.where(workspace)
    if not place.exists and not place.user:
        raise WorkspaceError(f"there is no workspace at {place.root}", hint=f"evolve init {place.root} makes one")
    return workspace


def _progress_notes() -> Callable[[int], None]:
    """A function that is called with the episodes indexed so far, and notes every thousand once."""
    last = [0]

    def tell(count: int) -> None:
        if count // 1000 > last[0]:
            last[0] = count // 1000
            note(f"indexed {count:,} episodes")

    return tell


def _speaker(author: str, role: str) -> str:
    """Whose note it is; of what is not the person's own, the role before the name."""
    return author if role == "user" else f"{role}, by {shorten(author, 30)} (unchecked)"
