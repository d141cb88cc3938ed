"""The program ``evolve``: what it tells of errors, and how it ends."""

from __future__ import annotations

import gc
import os
import shlex
import signal
import sys
from collections.abc import Sequence

from evolve.cli import welcome
from evolve.cli.asking import is_attended, is_trusted_now
from evolve.cli.render.activities import show_activities
from evolve.cli.render.live_line import PACE, RedrawInterval
from evolve.cli.render.output import discard_output, emit_json, flush, print_error, shorten_line, watch_output
from evolve.cli.signals import on_ctrl_c, on_term, raise_ctrl_c, signals_as_interrupted
from evolve.cli.tree import build_app
from evolve.core.errors import EvolveError, Interrupted, SetupProblem, UntrustedWorkspace, UsageError
from evolve.workspace import machine_problem


def main(argv: Sequence[str] | None = None, pace: RedrawInterval = PACE) -> None:
    """Runs the command line and exits with its code.

    Args:
        pace: When what takes long is shown.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    # Streams that whoever started us closed get a place; else the next file opened would take their number.
    for name, flags, mode in (("stdin", os.O_RDONLY, "r"), ("stdout", os.O_WRONLY, "w"), ("stderr", os.O_WRONLY, "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, flags), mode, encoding="utf-8"))
    try:
        with signals_as_interrupted():
            on_ctrl_c(raise_ctrl_c)
            signal.signal(signal.SIGTERM, on_term)
            with show_activities(pace):
                code = _exit_code_of(arguments, whole_process=argv is None)
            on_ctrl_c(signal.SIG_DFL)  # all is said; while Python ends there is nobody left to tell
    except Interrupted as stop:
        command = shlex.join(["evolve", *arguments])
        print_error(str(stop), hint=stop.hint or f"continue with: {command}")
        code = stop.exit_code
    if argv is None:
        gc.freeze()  # the process ends and gives all back at once, so nothing has to be looked for
    sys.exit(code)


def _exit_code_of(arguments: list[str], *, whole_process: bool) -> int:
    """Runs the command, tells in one sentence what went wrong, and gives the exit code."""
    typed = arguments[: arguments.index("--")] if "--" in arguments else arguments
    with watch_output() as printed:
        told, code = _outcome(arguments, whole_process)
        # A program that reads the output gets one document, whatever happens.
        if told is not None and "--json" in typed and not printed():
            try:
                emit_json({"error": str(told), "hint": told.hint, "exit_code": code})
                flush()
            except (BrokenPipeError, SetupProblem):
                discard_output()  # it was told on the other stream
    return code


def _outcome(arguments: list[str], whole_process: bool) -> tuple[EvolveError | None, int]:
    """Runs the command and tells a person what went wrong; gives that as an error of the tree, and the exit code."""
    try:
        return _run_command(arguments, whole_process)
    except Interrupted:
        raise  # an EvolveError too; ``main`` tells it with the command that goes on
    except UntrustedWorkspace as error:
        try:
            trusted = is_trusted_now(error, as_json="--json" in arguments)
        except EvolveError as refusal:  # it changed since it was shown, or nothing can be written
            print_error(str(refusal), hint=refusal.hint)
            return refusal, refusal.exit_code
        if trusted:
            return _outcome(arguments, whole_process=False)  # what the person thought about it is not the command's
        print_error(str(error), hint=error.hint)
        return error, error.exit_code
    except EvolveError as error:
        print_error(str(error), hint=error.hint)
        return error, error.exit_code
    except BrokenPipeError:
        discard_output()  # the reader of our output has gone; there is nobody to tell
        return None, 0
    except OSError as error:
        problem = machine_problem(error)
        if problem is None:
            return EvolveError(str(error)), _own_fault(error)
        print_error(str(problem), hint=problem.hint)
        return problem, problem.exit_code
    except Exception as fault:  # the last line of the command: only faults of evolve itself come this far
        return EvolveError(f"{type(fault).__name__}: {fault}"), _own_fault(fault)


def _run_command(arguments: list[str], whole_process: bool) -> tuple[EvolveError | None, int]:
    """Runs the command; gives what was wrong with how it was typed, and its code once the output is out."""
    mistake = None
    if not arguments and is_attended(as_json=False):
        welcome.show_welcome()
        return None, 0
    try:
        build_app(*arguments[:3])(args=arguments, prog_name="evolve", obj=whole_process)
        code = 0
    except SystemExit as leave:
        cause = leave.__context__.__cause__ if leave.__context__ is not None else None
        if isinstance(cause, KeyboardInterrupt):
            raise cause from None  # it came between reading the command line and the command, where typer takes it
        if isinstance(leave.__context__, BrokenPipeError):
            raise leave.__context__ from None  # typer takes it and ends with 1, as if a task were not solved
        code = leave.code if isinstance(leave.code, int) else 0
        told = getattr(leave.__context__, "format_message", None)  # what a mistaken option is told by
        mistake = None if told is None else UsageError(told())
    flush()  # a full disk shows only here, as the output may wait in a buffer
    return mistake, code


def _own_fault(fault: Exception) -> int:
    """Says in one sentence who is at fault, evolve or a package that adds to it, and where the traceback lies."""
    from evolve.workspace import failing_package, kept_file

    what = shorten_line(f"{type(fault).__name__}: {fault}", 160)
    package = failing_package(fault)
    if package:
        place = kept_file(fault)
        print_error(
            f"the package {package} failed ({what}); the traceback is in {place}", hint=f"mend or uninstall {package}"
        )
        return EvolveError.exit_code
    print_error(
        f"a fault of evolve itself, not of your input ({what}); the traceback is in {kept_file(fault)}",
        hint="the same command again, it goes on from what was saved; if the fault returns, report it with that file",
    )
    return EvolveError.exit_code
