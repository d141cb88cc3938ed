"""``evolve memory``: notes and insights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

import evolve
from evolve.cli import options, pages
from evolve.cli.memory_graph import insight_data
from evolve.cli.render.layout import terminal_width
from evolve.cli.render.memory import MemoryListing, origin_data, practice_line, show_remembered, speaker_label
from evolve.cli.render.output import (
    count_of,
    emit,
    emit_json,
    escape_control_characters,
    print_note,
    shorten_line,
    table,
)
from evolve.cli.render.views import LEARN
from evolve.core.errors import UsageError

if TYPE_CHECKING:
    from evolve.workspace import InsightStatus, Note, Recalled

app = pages.App()


@app.page(
    "list", "evolve memory list", "evolve memory list --status confirmed", "evolve memory list --about minigrid/Unlock"
)
def list_command(
    status: Annotated[
        str | None, typer.Option("--status", metavar="STATUS", help="Only this status, such as confirmed.")
    ] = None,
    about: Annotated[
        str | None,
        typer.Option("--about", metavar="TEXT", help="Only on such tasks: a part of their family, or of a type."),
    ] = None,
    whole: Annotated[bool, typer.Option("--all", help="Also how often answers needed a step.")] = False,
    practice: options.Practice = False,
    workspace: options.Workspace = None,
    as_json: options.AsJson = False,
) -> None:
    """List what evolve remembers: your preferences and notes, then its insights, the best proven first."""
    with evolve.open(workspace, read_only=True) as opened:
        taught = opened.memory.from_practice()
        insights, told = opened.memory.list(cast("InsightStatus | None", status)), opened.memory.sentences()
        histories = opened.memory.histories([one for one in insights if told[one.id].worded])
        every = status is None and about is None
        notes, replaced = (opened.memory.notes(), opened.memory.replaced()) if every else ([], {})
        again = opened.memory.spoken_of_again() if every else {}
        preferences = [one for one in opened.preferences.list() if one.status != "proposed"] if every else []
        proposals = len(opened.preferences.proposals()) if every else 0
    insights = [one for one in insights if (about or "").casefold() in one.scope.family.casefold()]
    insights.sort(key=lambda one: (one.id in taught, not one.groups, one.relation == "no_effect", -one.evidence))
    if as_json:
        told_notes = [_note_data(entry, replaced.get(entry.id), again.get(entry.id)) for entry in notes]
        told_insights = [{**insight_data(one, told[one.id]), **origin_data(one.id, taught)} for one in insights]
        emit_json({"insights": told_insights, "preferences": preferences, "notes": told_notes})
        return
    left_out = [] if practice else [one for one in insights if one.id in taught]
    insights = [one for one in insights if one not in left_out]
    everything = MemoryListing(insights=insights, told=told, histories=histories, preferences=preferences)
    everything = replace(everything, notes=notes, replaced=replaced, newer=again)
    show_remembered(everything, whole=whole or practice or not every)
    if not (insights or notes or preferences or proposals):
        asked = " and ".join(filter(None, [status or "", f"about {about!r}" if about else ""]))
        emit(
            "evolve remembers nothing yet"
            if every
            else escape_control_characters(f"no insight is {asked}", lines=False)
        )
        print_note(f"  try: {LEARN if every else 'evolve memory list'}", whole=True)
    if left_out:
        print_note(practice_line(len(left_out), "insight"))
    if proposals:
        print_note(f"  {count_of(proposals, 'proposal')} to keep or decline: evolve memory proposals", whole=True)


def _note_data(entry: Note, later: Note | None, newer: Note | None) -> dict[str, Any]:
    """A note with its day, and the ids of what replaced it and of what is about the same."""
    ids = {"replaced_by": later.id if later is not None else None, "newer": newer.id if newer is not None else None}
    return {**vars(entry), "date": entry.date, **ids}


@app.page("recall", 'evolve memory recall "shorten a name"', 'evolve memory recall "run the tests" --dir .')
def recall_command(
    query: Annotated[str, typer.Argument(metavar="TASK", help="A task in words.")],
    k: Annotated[int, typer.Option("--k", metavar="NUMBER", min=1, help="Most items of a kind.")] = 8,
    as_of: Annotated[
        str | None, typer.Option("--as-of", metavar="DATE", help="As it was known on that day, such as 2026-03-31.")
    ] = None,
    replaced: Annotated[bool, typer.Option("--replaced", help="Also notes that later ones replaced.")] = False,
    folder: Annotated[
        str, typer.Option("--dir", metavar="DIR", help="With your preferences for work there. Default: this folder.")
    ] = ".",
    practice: options.Practice = False,
    workspace: options.Workspace = None,
    as_json: options.AsJson = False,
) -> None:
    """Show the notes and insights that evolve would recall for a task in words."""
    from evolve.workspace import named_path, to_data

    if not query.strip():
        raise UsageError("say for what", hint='evolve memory recall "shorten a name"')
    with evolve.open(workspace, read_only=True) as opened:
        kinds = ["insight", "replaced"] if replaced else None
        where = named_path(folder).resolve()
        recalled = opened.memory.recall(query, k, as_of=as_of, kinds=kinds, folder=where, practice=practice)
        encoder, taught = opened.memory.encoder_name, opened.memory.from_practice()
        others = {entry.id: (entry.author, entry.role) for entry in opened.memory.notes() if entry.role != "user"}
    if as_json:
        return emit_json([{**to_data(one), **origin_data(one.id, taught)} for one in recalled])
    _show_recalled(recalled, others)
    print_note(f"encoder: {encoder}")


def _show_recalled(recalled: Sequence[Recalled], others: Mapping[str, tuple[str, str]]) -> None:
    """Prints what is recalled; ``others`` are authors and roles of notes that are not the person's, by id."""
    whole = terminal_width() is None  # a program that reads it may want all of it
    rows = []
    for item in recalled:
        # A name may be anyone's, "you" too: what the role says stands before it.
        why = f"{speaker_label(*others[item.id])}: {item.why}" if item.id in others else item.why
        text, why = (item.text, why) if whole else (shorten_line(item.text, 160), shorten_line(why, 120))
        rows.append((item.kind, item.score, item.date, " ".join(text.split()), " ".join(why.split())))
    emit(table(("kind", "score", "date", "text", "why"), rows, spare=("why",)) or "nothing is recalled")
    if not rows:
        print_note("  try: evolve memory list", whole=True)


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
    at: Annotated[str | None, typer.Option("--at", metavar="DATE", help="When it was said; now, unless given.")] = None,
    thread: Annotated[str, typer.Option("--thread", metavar="NAME", help="Conversation it is part of.")] = "",
    source: Annotated[str, typer.Option("--source", metavar="TEXT", help="Where it stands, such as a file.")] = "",
    workspace: options.Workspace = None,
    as_json: options.AsJson = False,
) -> None:
    """Keep a note. evolve follows your own notes, and shows the notes of others as unchecked.

    A new value for the same thing replaces the old one. You can still read the old one.
    """
    with evolve.open(workspace) as opened:
        said = cast("Any", role)  # another word is refused there, with those that are known
        saved = opened.memory.note(text, author=by, role=said, at=at, thread=thread, source=source)
    emit_json(saved) if as_json else emit(
        escape_control_characters(f"noted {saved.id[:10]}: {saved.text}", lines=False)
    )


@app.page("export", "evolve memory export notes.jsonl", "evolve memory export --to agents-md --into AGENTS.md")
def export_command(
    file: Annotated[
        Path | None, typer.Argument(metavar="FILE", help="A new file for your notes.", show_default=False)
    ] = None,
    to: Annotated[str, typer.Option("--to", metavar="FORM", help="notes, or agents-md.")] = "notes",
    into: Annotated[
        Path | None,
        typer.Option("--into", metavar="FILE", help="AGENTS.md or CLAUDE.md to renew.", show_default=False),
    ] = None,
    workspace: options.Workspace = None,
    as_json: options.AsJson = False,
) -> None:
    """Write all notes to a file, one JSON object a line. Insights stay here, since their evidence does.

    With --to agents-md, write your preferences, confirmed facts and notes for other agents. --into renews the block
    that evolve wrote there before, or adds it; nothing else in the file changes. Without --into it is printed.
    """
    if to not in ("notes", "agents-md"):
        raise UsageError(f"no form {to!r}", hint="--to notes, or --to agents-md")
    if (to == "notes") is (file is None) or (into is not None and to == "notes"):
        example = "FILE" if to == "notes" else "--to agents-md --into AGENTS.md"
        raise UsageError("name one file", hint=f"evolve memory export {example}")
    with evolve.open(workspace, read_only=True) as opened:
        if file is not None:
            count = opened.memory.export(file)
        else:
            block = opened.memory.export_to_agents(into)
            count = sum(line.startswith("- ") for line in block.splitlines())
    if file is not None:
        told: dict[str, Any] = {"notes": count}
        text = f"wrote {count_of(count, 'note')} to {file}"
    else:
        told = {"lines": count, "file": str(into) if into is not None else None, "block": block}
        text = block if into is None else f"wrote {count_of(count, 'line')} between its marks in {into}"
    emit_json(told) if as_json else emit(
        escape_control_characters(text, lines=file is None and into is None), exact=True
    )


@app.page("import", "evolve memory import notes.jsonl", "evolve memory import notes.jsonl --mine")
def import_command(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A file that export wrote, or one like it.")],
    mine: Annotated[
        bool, typer.Option("--mine", help="You vouch for it: a person's notes in it count as yours.")
    ] = False,
    workspace: options.Workspace = None,
    as_json: options.AsJson = False,
) -> None:
    """Take in the notes of a file, all or none. Without --mine they count as quoted and reach no run."""
    with evolve.open(workspace) as opened:
        count = opened.memory.import_(file, mine=mine)
    emit_json({"notes": count}) if as_json else emit(f"{count_of(count, 'new note')}")
