"""The program ``evolve``: its commands, its signals, and how it ends."""

from __future__ import annotations

import os
import shlex
import signal
import sys
from collections.abc import Sequence
from types import FrameType
from typing import Any

import typer
from typer.core import TyperGroup

from evolve.cli import improve, memory, place, report, run, runs, skills, tasks
from evolve.cli.output import complain
from evolve.errors import EvolveError, Interrupted


class _Terminated(KeyboardInterrupt):
    """SIGTERM; travels like Ctrl-C, so that everything is closed on the way."""


class Commands(TyperGroup):
    """Turns a signal into one sentence that says how to go on."""

    def invoke(self, ctx: Any) -> Any:
        """Runs the chosen command."""
        try:
            return super().invoke(ctx)
        except _Terminated as stop:
            raise Interrupted("terminated; everything finished so far is saved", exit_code=143) from stop
        except KeyboardInterrupt as stop:
            raise Interrupted("interrupted; everything finished so far is saved") from stop


def build_app() -> typer.Typer:
    """The whole command tree."""
    app = typer.Typer(
        cls=Commands,
        name="evolve",
        help="An agent that measurably learns: it solves tasks, keeps what helped, and proves it on held-out tasks.",
        no_args_is_help=True,
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    for commands in (run.app, improve.app, report.app, place.app):
        app.add_typer(commands)
    app.add_typer(tasks.app, name="tasks")
    app.add_typer(runs.app, name="runs")
    app.add_typer(memory.app, name="memory")
    app.add_typer(skills.app, name="skills")
    return app


def main(argv: Sequence[str] | None = None) -> None:
    """Runs the command line and exits with its code."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    signal.signal(signal.SIGTERM, _on_term)
    sys.exit(_ended(arguments))


def _ended(arguments: list[str]) -> int:
    try:
        build_app()(args=arguments, prog_name="evolve")
    except Interrupted as stop:
        command = shlex.join(["evolve", *arguments])
        complain(str(stop), hint=stop.hint or f"continue with: {command}")
        return stop.exit_code
    except EvolveError as error:
        complain(str(error), hint=error.hint)
        return error.exit_code
    except BrokenPipeError:
        # The reader of our output has gone; there is nobody to tell.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return 130
    except SystemExit as leave:
        return leave.code if isinstance(leave.code, int) else 0
    return 0


def _on_term(number: int, frame: FrameType | None) -> None:
    signal.signal(number, signal.SIG_DFL)  # a second signal ends the process at once
    raise _Terminated
