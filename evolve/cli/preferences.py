"""``evolve memory preferences``: what a person wants, to look at, change and delete."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

import evolve
from evolve.cli import options, pages
from evolve.cli.render.memory import describe_scope
from evolve.cli.render.output import emit, emit_json, shorten_line, table
from evolve.core.errors import UsageError

if TYPE_CHECKING:
    from evolve.workspace import Preference

app = pages.App(
    "See, state and change your preferences. evolve follows them and never counts them as evidence.",
    *("evolve memory preferences list", 'evolve memory preferences add "short answers"'),
)

PreferenceId = Annotated[str, typer.Argument(metavar="ID", help="Id of a preference or its beginning.")]
About = Annotated[
    str, typer.Option("--about", metavar="WORDS", help="Only for tasks in words like these.", show_default=False)
]
Folder = Annotated[str, typer.Option("--dir", metavar="DIR", help="Only for work in this folder.", show_default=False)]


@app.page("list", "evolve memory preferences list", "evolve memory preferences list --json")
def list_command(workspace: options.Workspace = None, as_json: options.AsJson = False) -> None:
    """List your preferences, the newest first."""
    with evolve.open(workspace, read_only=True) as opened:
        preferences = opened.preferences.list()
    if as_json:
        return emit_json(preferences)
    rows = [
        (
            preference.id[:10],
            preference.status,
            preference.author,
            len(preference.acts),
            shorten_line(describe_scope(preference), 30),
            shorten_line(preference.description, 80),
        )
        for preference in preferences
    ]
    emit(table(("id", "status", "by", "acts", "for", "preference"), rows, spare=("acts", "by")) or "no preferences yet")


@app.page("show", "evolve memory preferences show 522fa553", "evolve memory preferences show 522fa553 --json")
def show_command(
    preference: PreferenceId, workspace: options.Workspace = None, as_json: options.AsJson = False
) -> None:
    """Show one preference, where it holds, and each act of yours behind it, word for word."""
    with evolve.open(workspace, read_only=True) as opened:
        shown = opened.preferences.show(preference)
    emit_json(shown) if as_json else show_preference(shown)


def show_preference(shown: Preference) -> None:
    """Prints a preference, where it holds, and the acts behind it, word for word."""
    emit(f"{shown.id}: {shown.description}")
    emit(f"{shown.status}, wanted by {shown.author}, for {describe_scope(shown)}")
    if shown.successor:
        emit(f"a newer one says otherwise: {shown.successor[:10]}")
    if shown.proposal:
        emit(f"proposed by {shown.proposed_by}, not in force until confirmed: {shown.proposal}")
    for act in shown.acts:
        place = f" in {act.run}, episode {act.episode[:10]}, step {act.step}" if act.run else ""
        emit(f"{act.kind} by {act.author}{place}" + (f", asked: {act.question}" if act.question else ""))
        for line in act.text.splitlines():
            emit(f"    {line}")
        for line in act.edit_difference:
            emit(f"    {line}")


@app.page(
    "add",
    'evolve memory preferences add "short answers"',
    'evolve memory preferences add "use pathlib" --about "Python files"',
)
def add_command(
    text: Annotated[str, typer.Argument(metavar="TEXT", help="What you want, in your words.")],
    about: About = "",
    folder: Folder = "",
    workspace: options.Workspace = None,
    as_json: options.AsJson = False,
) -> None:
    """State a preference. It holds everywhere unless you give --about or --dir."""
    from evolve.workspace import context_of

    with evolve.open(workspace) as opened:
        saved = opened.preferences.add(text, context=context_of(about, folder))
    _show_stored(saved, as_json=as_json)


@app.page(
    "edit",
    'evolve memory preferences edit 522fa553 "one line"',
    "evolve memory preferences edit 522fa553 --everywhere",
)
def edit_command(
    preference: PreferenceId,
    text: Annotated[
        str | None, typer.Argument(metavar="TEXT", help="What it says from now on.", show_default=False)
    ] = None,
    about: About = "",
    folder: Folder = "",
    everywhere: Annotated[bool, typer.Option("--everywhere", help="It holds for every task.")] = False,
    workspace: options.Workspace = None,
    as_json: options.AsJson = False,
) -> None:
    """Change the words of a preference, or where it holds. A replaced preference then holds again."""
    from evolve.workspace import context_of

    context = context_of(about, folder)
    if everywhere and context is not None:
        raise UsageError("--everywhere does not go with --about or --dir")
    with evolve.open(workspace) as opened:
        contexts = () if everywhere else (context,) if context is not None else None
        edited = opened.preferences.edit(preference, description=text, contexts=contexts)
    _show_stored(edited, as_json=as_json)


@app.page(
    "propose",
    "evolve memory preferences propose 522fa553 --model gpt-5-mini",
    "evolve memory preferences propose 522fa553",
)
def propose_command(
    preference: PreferenceId,
    model: options.Model = None,
    workspace: options.Workspace = None,
    as_json: options.AsJson = False,
) -> None:
    """Ask a model to put a preference into words. The words hold once you confirm them."""
    with evolve.open(workspace, model=model) as opened:
        proposed = opened.preferences.propose(preference)
    if as_json:
        emit_json(proposed)
    else:
        emit(f"proposed: {proposed.proposal}")
        emit(f"until it is confirmed it says: {proposed.description}")
        emit(f"  evolve memory preferences confirm {proposed.id[:10]}", whole=True)


@app.page("confirm", "evolve memory preferences confirm 522fa553", "evolve memory preferences confirm 522fa553 --json")
def confirm_command(
    preference: PreferenceId, workspace: options.Workspace = None, as_json: options.AsJson = False
) -> None:
    """Accept the words that a model proposed."""
    with evolve.open(workspace) as opened:
        confirmed = opened.preferences.confirm(preference)
    _show_stored(confirmed, as_json=as_json)


def _show_stored(preference: Preference, *, as_json: bool) -> None:
    if as_json:
        emit_json(preference)
    else:
        emit(f"kept {preference.id[:10]}, for {describe_scope(preference)}: {preference.description}")
