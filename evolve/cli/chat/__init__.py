"""``evolve chat``: the same as ``evolve run``, turn by turn, in a terminal session."""

from __future__ import annotations

from typing import Annotated, Any, cast

import typer

from evolve.cli import folder, options, pages
from evolve.cli import options as overrides
from evolve.cli.asking import APPROVE

__all__ = ["app"]

app = pages.App()

Set = Annotated[
    list[str] | None,
    overrides.set_option(
        "python=DIR (a virtual environment to import from)",
        "approve=ask, auto or never (before a change of your folder)",
    ),
]


@app.page("chat", "evolve chat", 'evolve chat --dir project --check "pytest -q" --model gpt-5-mini')
def chat_command(
    directory: folder.Dir = None,
    check: folder.Check = None,
    model: options.Model = None,
    budget: options.Budget = None,
    new: Annotated[bool, typer.Option("--new", help="Begin a new conversation.")] = False,
    resume: Annotated[
        str | None,
        typer.Option("--resume", metavar="ID", help="Go on with that conversation, or that run's: c1, r7."),
    ] = None,
    plain: Annotated[
        bool,
        typer.Option(
            "--plain", envvar="EVOLVE_PLAIN", help="Plain lines, each with a word in front: no colour, no box."
        ),
    ] = False,
    set_: Set = None,
    workspace: options.Workspace = None,
) -> None:
    """Work with evolve in the terminal, turn by turn. You type tasks in words, rows or file names.

    evolve goes on with your last conversation. Type /help to see what you can type.
    """
    from evolve.cli.chat.loop import run_session
    from evolve.cli.chat.setup import ChatSetup
    from evolve.workspace import Approve

    chosen = overrides.parse_overrides(set_, "approve", "python")
    setup = ChatSetup(
        workspace=workspace,
        folder=directory or "",
        check=check or "",
        python=chosen.text("python"),
        model=model,
        settings=chosen.settings,
        approve=cast(Approve, chosen.last_choice("approve", *APPROVE)),
        plain=plain,
        learn=cast(Any, chosen.settings.get("learn")),
    )
    raise typer.Exit(run_session(setup, budget or (), new=new, resume=resume))
