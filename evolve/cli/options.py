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
    """The workspace that was typed before the command or before its group, the nearest one, if any."""
    outer = ctx.parent
    while outer is not None and outer.params.get("workspace") is None:
        outer = outer.parent
    return None if outer is None else outer.params["workspace"]


Suite = Annotated[
    str, typer.Argument(metavar="SUITE", help="A task file or folder, or a built-in suite (evolve tasks list).")
]
RunId = Annotated[str, typer.Argument(metavar="RUN", help="Id of a run, such as r1.")]
Workspace = Annotated[
    str | None,
    typer.Option(
        "-w",
        "--workspace",
        metavar="DIR",
        help="The workspace. Default: the nearest around this folder, else your own.",
        callback=named_before,
    ),
]
Model = Annotated[
    str | None,
    typer.Option(
        "--model",
        metavar="MODEL",
        help='A language model: NAME, openai:NAME or http://host/v1#NAME; "" for none. Default: the workspace\'s.',
    ),
]
Record = Annotated[
    str | None,
    typer.Option(
        "--record",
        metavar="PATH",
        help="Keep the model's exchanges in this folder, or .jsonl file, and ask only for what is not in it yet.",
    ),
]
Replay = Annotated[
    str | None,
    typer.Option(
        "--replay", metavar="PATH", help="Take the model's replies from such a recording, and ask no endpoint."
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
Budget = Annotated[
    list[str] | None,
    typer.Option(
        "--budget",
        metavar="BOUND",
        envvar="EVOLVE_BUDGET",
        help="Stop at 60s, 2h, 200k-candidates, 2M-tokens, 500-calls or $2; may be given several times.",
    ),
]
Sandbox = Annotated[
    str | None,
    typer.Option(
        "--sandbox",
        metavar="BACKEND",
        help="What confines code: auto, bubblewrap, landlock or seatbelt. none confines nothing, marks what is"
        " learned, and needs EVOLVE_UNSAFE=I_UNDERSTAND as well.",
    ),
]
Seed = Annotated[
    int,
    typer.Option(
        "--seed",
        metavar="NUMBER",
        envvar="EVOLVE_SEED",
        min=0,
        max=2**63 - 1,
        help="Seed of everything drawn at random.",
    ),
]


def before_a_command_of_a_group(
    workspace: Annotated[
        str | None, typer.Option("-w", "--workspace", metavar="DIR", help="The workspace, for any command.")
    ] = None,
) -> None:
    # Without words: the page of the group has its own.
    ...


def _tell_version(asked: bool) -> None:
    if not asked:
        return
    import platform

    from evolve import __version__
    from evolve.cli.output import emit

    emit(f"evolve {__version__} (Python {platform.python_version()}, {platform.system()})")
    raise typer.Exit


def before_the_command(
    workspace: Annotated[
        str | None,
        typer.Option("-w", "--workspace", metavar="DIR", help="The workspace, for any command."),
    ] = None,
    version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_tell_version, help="Show the version and exit.")
    ] = False,
) -> None:
    """An agent that gets better at your own tasks.

    It solves tasks, keeps what helped, and shows on tasks it has not practised whether that helped. What it learns
    is kept in a workspace, a folder of yours.
    """
