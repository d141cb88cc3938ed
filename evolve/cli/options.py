"""Options that several commands share.

An option has a variable only where :data:`evolve.settings.VARIABLES` names it: what is set once for a session must not
decide what a single command deletes, overwrites, approves or pays for.
"""

from __future__ import annotations

from typing import Annotated

import typer


def named_before(ctx: typer.Context, value: str | None) -> str | None:
    """The workspace typed after the command, else the one typed before it."""
    return value if value is not None else typed_before(ctx)


def typed_before(ctx: typer.Context) -> str | None:
    """The workspace that was typed before the command, if any."""
    found: str | None = ctx.find_root().params.get("workspace")
    return found


Suite = Annotated[str, typer.Argument(help="A task file or folder, or a built-in suite.")]
RunId = Annotated[str, typer.Argument(help="Id of a run, such as r1.")]
Workspace = Annotated[
    str | None,
    typer.Option(
        "-w",
        "--workspace",
        help="Folder of the workspace. Default: that of EVOLVE_WORKSPACE, else the nearest above.",
        callback=named_before,
    ),
]
Model = Annotated[
    str | None,
    typer.Option(
        "--model",
        help='A language model: NAME, openai:NAME or http://host/v1#NAME; "" for none. Default: the workspace\'s.',
    ),
]
Record = Annotated[
    str | None,
    typer.Option(
        "--record",
        help="Keep the model's exchanges in this folder, or .jsonl file, and ask only for what is not in it yet.",
    ),
]
Replay = Annotated[
    str | None,
    typer.Option("--replay", help="Take the model's replies from such a recording, and ask no endpoint."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
Budget = Annotated[
    list[str] | None,
    typer.Option(
        "--budget",
        envvar="EVOLVE_BUDGET",
        help="60s, 2h, 200k-candidates, 2M-tokens, 500-calls or $2; may be repeated, the first bound reached stops.",
    ),
]
Sandbox = Annotated[
    str | None,
    typer.Option(
        "--sandbox",
        help="Sandbox backend: auto, bubblewrap, landlock, seatbelt. none confines nothing, marks what is learned,"
        " and needs EVOLVE_UNSAFE=I_UNDERSTAND as well.",
    ),
]
Seed = Annotated[
    int, typer.Option("--seed", envvar="EVOLVE_SEED", min=0, max=2**63 - 1, help="Seed of everything drawn at random.")
]


def before_the_command(
    workspace: Annotated[
        str | None,
        typer.Option("-w", "--workspace", help="Folder of the workspace, for any command."),
    ] = None,
) -> None:
    """An agent that measurably learns: it solves tasks, keeps what helped, and proves it on held-out tasks."""
