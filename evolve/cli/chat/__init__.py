"""``evolve chat``: the same as ``evolve run``, turn by turn, in a terminal session."""

from __future__ import annotations

from typing import Annotated

import typer

from evolve.cli import folder, options, pages

__all__ = ["app"]

app = pages.App()


@app.page("chat", "evolve chat", 'evolve chat --dir project --check "pytest -q" --model gpt-5-mini')
def chat_command(
    directory: folder.Dir = None,
    check: folder.Check = None,
    python: folder.Python = None,
    model: options.Model = None,
    approve: Annotated[
        str,
        typer.Option("--approve", metavar="MODE", help="Before a file is changed: ask, auto or never."),
    ] = "ask",
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
    sandbox: options.Sandbox = None,
    workspace: options.Workspace = None,
) -> None:
    """Work with evolve turn by turn in the terminal, with tasks in words, rows or files.

    It goes on with the last conversation. /help lists what can be typed.
    """
    from evolve.cli.chat.loop import Start, converse
    from evolve.cli.chat.setup import Setup
    from evolve.cli.chat.startup import parse_approve_mode

    setup = Setup(
        workspace=workspace,
        folder=directory or "",
        check=check or "",
        python=python,
        model=model,
        sandbox=sandbox,
        approve=parse_approve_mode(approve),
        plain=plain,
    )
    raise typer.Exit(converse(setup, Start(new=new, resume=resume, budget=tuple(budget or ()))))
