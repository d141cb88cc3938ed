"""Options that several commands share.

An option has a variable only where :data:`evolve.core.settings.VARIABLES` names it: what is set once for a session must
not decide what a single command deletes, overwrites, approves or pays for.
"""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

import evolve
from evolve.cli.render.output import emit, name_workspace
from evolve.core.errors import UsageError, WorkspaceError

if TYPE_CHECKING:
    from evolve.workspace import Ledger


def _named_before(ctx: typer.Context, value: str | None) -> str | None:
    """The workspace typed after the command, else the one typed before it."""
    typed = value if value is not None else typed_before(ctx)
    name_workspace(typed or "")
    return typed


def typed_before(ctx: typer.Context) -> str | None:
    """The workspace that was typed before the command or before its group, the nearest one, if any."""
    outer = ctx.parent
    while outer is not None and outer.params.get("workspace") is None:
        outer = outer.parent
    return None if outer is None else outer.params["workspace"]


Suite = Annotated[
    str, typer.Argument(metavar="SUITE", help="A task file or folder, or a built-in suite (evolve lab tasks list).")
]
RunId = Annotated[str, typer.Argument(metavar="RUN", help="Id of a run, such as r1.")]
Workspace = Annotated[
    str | None,
    typer.Option(
        "-w",
        "--workspace",
        metavar="DIR",
        help="The workspace. Default: the nearest around this folder, or else your own.",
        callback=_named_before,
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
        help="Keep the replies of the model in this folder or .jsonl file. evolve asks only for new ones.",
    ),
]
Replay = Annotated[
    str | None,
    typer.Option(
        "--replay", metavar="PATH", help="Take the replies of the model from a recording, and ask no endpoint."
    ),
]
Practice = Annotated[bool, typer.Option("--practice", help="Also what practice on tasks that ship with evolve taught.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
Budget = Annotated[
    list[str] | None,
    typer.Option(
        "--budget",
        metavar="BOUND",
        envvar="EVOLVE_BUDGET",
        help="Stop the command at 60s, 2h, 200k-candidates, 2M-tokens, 500-calls or $2. You may repeat this.",
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


def start_budget(ctx: typer.Context, budget: list[str] | None) -> Ledger:
    """The budget of the whole command; its seconds count from when it was typed.

    Called first of all, so that a wrong option is told before anything is made.
    """
    from evolve.workspace import command_budget

    return command_budget(budget or (), whole_process=bool(ctx.obj))


def require_workspace(workspace: str | None) -> str | None:
    """The workspace, which must be there: in a new one there is nothing to look after, and the name may be misspelt."""
    place = evolve.where(workspace)
    if not place.exists and not place.user:
        raise WorkspaceError(f"there is no workspace at {place.root}", hint=f"evolve init {place.root} makes one")
    return workspace


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
    from evolve import __version__

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
    """An agent that learns from your work.

    evolve keeps a lesson only if you confirm it or a test shows that it helps. It keeps its lessons in a workspace,
    a folder of yours.
    """


Details = Annotated[bool, typer.Option("--details", help="Show every figure, round, skill and insight.")]


@dataclass(frozen=True, kw_only=True)
class Overrides:
    """What a person typed after ``--set``.

    Attributes:
        settings: Settings of the workspace that another value holds for, as text.
        details: What only this command knows; no file and no variable can say it.
    """

    settings: Mapping[str, str]
    details: Mapping[str, tuple[str, ...]]

    @property
    def is_unsandboxed(self) -> bool:
        """Whether code shall run unconfined."""
        return self.settings.get("sandbox") == "none"

    def all_values(self, key: str) -> list[str] | None:
        """Every value of a detail, or None."""
        return list(self.details[key]) if key in self.details else None

    def text(self, key: str) -> str | None:
        """The last value of a detail, or None."""
        return self.details[key][-1] if key in self.details else None

    def last_choice(self, key: str, *words: str) -> str:
        """The last value of a detail, which is one of these words; the first of them where none was given.

        Raises:
            UsageError: It is none of them.
        """
        value = self.text(key) or words[0]
        if value not in words:
            raise UsageError(f"--set {key}={value}: not a value", hint=f"{key} is one of {', '.join(words)}")
        return value

    def positive_number(self, key: str, default: int) -> int:
        """A detail that counts something, at least one.

        Raises:
            UsageError: It is no such number.
        """
        value = self.text(key)
        if value is None:
            return default
        if not (value.isascii() and value.isdecimal() and len(value) < _DIGITS and int(value) > 0):
            raise UsageError(f"--set {key}={value}: not a value", hint=f"{key} is a whole number from 1 on")
        return int(value)


def set_option(*details: str, settings: bool = True) -> Any:
    """The option ``--set``.

    Args:
        details: Keys of this command with what they mean, for its page.
        settings: Settings can be overridden too.
    """
    first = "Use another setting for this command, such as learn=off or sandbox=landlock. " if settings else ""
    also = f"{'Here also' if settings else 'Keys'}: {', '.join(details)}. " if details else ""
    text = f"{first}{also}You may repeat this."
    return typer.Option("--set", metavar="KEY=VALUE", help=text)


Set = Annotated[list[str] | None, set_option()]


_DIGITS = 10
"""No number that counts anything here has as many."""


def parse_overrides(typed: Sequence[str] | None, *details: str, settings: bool = True) -> Overrides:
    """Reads what was typed after ``--set``.

    Args:
        details: Keys that this command has beside the settings.
        settings: Settings can be overridden too.

    Raises:
        UsageError: There is no such key here.
    """
    from evolve.workspace import setting_names

    names = setting_names() if settings and typed else ()
    chosen: dict[str, str] = {}
    told: dict[str, tuple[str, ...]] = {}
    for text in typed or ():
        key, sign, value = text.partition("=")
        if not sign or key not in (*details, *names):
            raise UsageError(f"--set {text}: no KEY=VALUE for this command", hint=_hint(key, details, names))
        if key in details:
            told[key] = (*told.get(key, ()), value)
        else:
            chosen[key] = value
    return Overrides(settings=chosen, details=told)


def _hint(key: str, details: Sequence[str], names: Sequence[str]) -> str:
    return "name the model with --model" if key == "model" else f"keys are {', '.join((*details, *names))}"
