"""``evolve serve``: skills and memory for other agents, over the Model Context Protocol."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from evolve.cli import options, pages
from evolve.cli.render.live_line import suspend_live_line
from evolve.cli.render.reasons import fill_summary, flag_sentence
from evolve.cli.why import why_data

app = pages.App()

Http = Annotated[
    int | None,
    typer.Option("--http", metavar="PORT", min=0, max=65535, help="Serve HTTP on this machine; 0: any free port."),
]
Folders = Annotated[
    list[Path] | None,
    typer.Option("--dir", metavar="DIR", help="Clients may fill tables below it. Default: this folder."),
]


@app.page("serve", "evolve serve", "evolve serve -w work --http 8765")
def serve_command(http: Http = None, folders: Folders = None, workspace: options.Workspace = None) -> None:
    """Serve skills and memory to Claude Code, Codex or any other MCP client, which starts this command.

    A client calls your skills in the sandbox, recalls what evolve remembers, leaves notes under its own name and fills
    tables. With --http you start it: evolve writes the address and a token to stderr.
    """
    from evolve.cli.serve.answers import McpTexts
    from evolve.cli.serve.protocol import serve

    wording = McpTexts(flag=flag_sentence, filled=fill_summary, why=why_data)
    with suspend_live_line():  # it waits for requests, which is nothing to tell of
        serve(options.require_workspace(workspace), wording=wording, folders=folders or [Path()], port=http)
