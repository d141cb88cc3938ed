"""The program ``evolve``: its commands, its signals, and how it ends."""

from __future__ import annotations

import os
import shlex
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Any, ClassVar

import typer
from typer.models import TyperInfo

from evolve.cli import (
    causes,
    chat,
    diagnose,
    fill,
    gate,
    improve,
    learning,
    memory,
    metrics,
    models,
    optimize,
    options,
    pages,
    place,
    preferences,
    report,
    run,
    runs,
    sandbox,
    selftest,
    skills,
    tasks,
    tools,
    trials,
    undo,
    variants,
    workflow,
    worlds,
)
from evolve.cli.output import complain, emit_json, flush, mute, shorten, watched
from evolve.errors import EnvironmentProblem, EvolveError, Interrupted, UsageError
from evolve.workspace import machine_problem


class _CtrlC(KeyboardInterrupt):
    """SIGINT. Once a plain KeyboardInterrupt has crossed an ``exec``, as in the making of a dataclass, Python ends
    itself by the signal in the end, whatever the exit code."""


class _Terminated(KeyboardInterrupt):
    """SIGTERM; travels like Ctrl-C, so that everything is closed on the way."""


class Commands(pages.Group):
    """Turns a signal into one sentence that says how to go on."""

    parts: ClassVar = {
        "Solve tasks": ("run", "fill", "chat", "undo", "runs", "diagnose"),
        "Get better by practice": ("learn", "improve", "report", "optimize", "tasks", "trials", "worlds"),
        "See and change what was learned": ("memory", "skills", "variants", "gate"),
        "Set up and check": ("init", "models", "tools", "config", "where", "workflow", "sandbox", "doctor", "selftest"),
    }

    def make_context(self, *args: Any, **more: Any) -> Any:
        """Reads the command line."""
        with _signals_as_interrupted():
            return super().make_context(*args, **more)

    def invoke(self, ctx: Any) -> Any:
        """Runs the chosen command."""
        with _signals_as_interrupted():
            return super().invoke(ctx)


_FIRST = ("evolve run --examples names.csv", "evolve improve everyday", "evolve chat")
_VARIABLES = (
    "EVOLVE_WORKSPACE, EVOLVE_MODEL, EVOLVE_SEED, EVOLVE_BUDGET and other variables stand in for what is not typed;"
    " evolve config lists them all, with every setting."
)


@contextmanager
def _signals_as_interrupted() -> Iterator[None]:
    """Turns Ctrl-C and SIGTERM into :class:`Interrupted` once everything inside has been closed."""
    try:
        yield
    except _Terminated as stop:
        _on_ctrl_c(signal.SIG_DFL)
        # 143 is 128 and the number of SIGTERM, as a shell reports it.
        text = "terminated; everything finished so far is saved"
        raise Interrupted(text, hint=_way_on(stop), exit_code=143) from stop
    except KeyboardInterrupt as stop:
        _on_ctrl_c(signal.SIG_DFL)  # everything is closed: a second one ends the process at once
        raise Interrupted("interrupted; everything finished so far is saved", hint=_way_on(stop)) from stop


def _way_on(stop: KeyboardInterrupt) -> str:
    """How to go on after a signal, where that is another command than the same one."""
    return "; ".join(getattr(stop, "__notes__", ()))


def build_app(wanted: str = "") -> typer.Typer:
    """The whole command tree, or only the part in which the command or group of this name is.

    Typer reads the signatures of all commands in the tree, which takes longer than most of them.
    """
    app = pages.App(
        cls=Commands,
        name="evolve",
        no_args_is_help=True,
        add_completion=False,
        epilog="\n".join(_FIRST) + "\n\n" + _VARIABLES,
        pretty_exceptions_enable=False,  # a traceback goes to a file; typer would print it
        context_settings={"help_option_names": ["-h", "--help"], "max_content_width": pages.WIDEST},
    )
    app.callback()(options.before_the_command)
    for part in (run, fill, chat, undo, diagnose, learning, improve, optimize, report, trials, place, selftest):
        app.add_typer(part.app)
    app.add_typer(tasks.app, name="tasks")
    runs_group = _merged_group(
        "See what past runs did, and answer, apply or comment on them.",
        *(runs.app, metrics.comments),
        examples=("evolve runs list", "evolve runs show r1"),
    )
    app.add_typer(runs_group, name="runs")
    memory_group = _merged_group(
        "See, add to and forget what evolve knows: insights, your notes and preferences.",
        memory.app,
        causes.app,
        examples=("evolve memory list", 'evolve memory recall "shorten a name"'),
    )
    memory_group.add_typer(preferences.app, name="preferences")
    memory_group.add_typer(metrics.app, name="metrics")
    app.add_typer(memory_group, name="memory")
    app.add_typer(skills.app, name="skills")
    app.add_typer(variants.app, name="variants")
    app.add_typer(gate.app, name="gate")
    app.add_typer(models.app, name="models")
    app.add_typer(tools.app, name="tools")
    app.add_typer(workflow.app, name="workflow")
    app.add_typer(sandbox.app, name="sandbox")
    app.add_typer(worlds.app, name="worlds")
    app.registered_groups = [part for part in app.registered_groups if wanted in _names(part)] or app.registered_groups
    return app


def _names(part: TyperInfo) -> set[str | None]:
    """What a part adds to the tree: a group, or commands where it has no name of its own."""
    if isinstance(part.name, str) or part.typer_instance is None:
        return {part.name}
    return {command.name for command in part.typer_instance.registered_commands}


def _merged_group(about: str, *parts: typer.Typer, examples: Sequence[str]) -> typer.Typer:
    """The commands of several parts as one group."""
    group = pages.App(about, *examples)
    for part in parts:
        group.add_typer(part)
    return group


def main(argv: Sequence[str] | None = None) -> None:
    """Runs the command line and exits with its code."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    _open_streams()
    try:
        with _signals_as_interrupted():
            _on_ctrl_c(_raise_ctrl_c)
            signal.signal(signal.SIGTERM, _on_term)
            code = _exit_code_of(arguments)
            _on_ctrl_c(signal.SIG_DFL)  # all is said; while Python ends there is nobody left to tell
    except Interrupted as stop:
        command = shlex.join(["evolve", *arguments])
        complain(str(stop), hint=stop.hint or f"continue with: {command}")
        code = stop.exit_code
    sys.exit(code)


def _open_streams() -> None:
    """Gives a place to streams that whoever started us closed; else the next file opened would take their number."""
    for name, flags, mode in (("stdin", os.O_RDONLY, "r"), ("stdout", os.O_WRONLY, "w"), ("stderr", os.O_WRONLY, "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, flags), mode, encoding="utf-8"))


def _exit_code_of(arguments: list[str]) -> int:
    """Runs the command, tells in one sentence what went wrong, and gives the exit code."""
    typed = arguments[: arguments.index("--")] if "--" in arguments else arguments
    with watched() as printed:
        told, code = _outcome(arguments)
        # A program that reads the output gets one document, whatever happens.
        if told is not None and "--json" in typed and not printed():
            _tell_program(told, code)
    return code


def _outcome(arguments: list[str]) -> tuple[EvolveError | None, int]:
    """Runs the command and tells a person what went wrong; gives that as an error of the tree, and the exit code."""
    try:
        return _run_command(arguments)
    except Interrupted:
        raise  # an EvolveError too; ``main`` tells it with the command that goes on
    except EvolveError as error:
        complain(str(error), hint=error.hint)
        return error, error.exit_code
    except BrokenPipeError:
        mute()  # the reader of our output has gone; there is nobody to tell
        return None, 0
    except OSError as error:
        problem = machine_problem(error)
        if problem is None:
            return EvolveError(str(error)), _own_fault(error)
        complain(str(problem), hint=problem.hint)
        return problem, problem.exit_code
    except Exception as fault:  # the last line of the command: only faults of evolve itself come this far
        return EvolveError(f"{type(fault).__name__}: {fault}"), _own_fault(fault)


def _tell_program(error: EvolveError, code: int) -> None:
    try:
        emit_json({"error": str(error), "hint": error.hint, "exit_code": code})
        flush()
    except (BrokenPipeError, EnvironmentProblem):
        mute()  # it was told on the other stream


def _run_command(arguments: list[str]) -> tuple[EvolveError | None, int]:
    """Runs the command; gives what was wrong with how it was typed, and its code once the output is out."""
    mistake = None
    try:
        build_app(next(iter(arguments), ""))(args=arguments, prog_name="evolve")
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
    from evolve.workspace import blamed, kept_file

    what = shorten(f"{type(fault).__name__}: {fault}", 160)
    package = blamed(fault)
    if package:
        place = kept_file(fault)
        complain(
            f"the package {package} failed ({what}); the traceback is in {place}", hint=f"mend or uninstall {package}"
        )
        return EvolveError.exit_code
    complain(
        f"a fault of evolve itself, not of your input ({what}); the traceback is in {kept_file(fault)}",
        hint="the same command again, it goes on from what was saved; if the fault returns, report it with that file",
    )
    return EvolveError.exit_code


def _on_ctrl_c(action: signal.Handlers | Callable[[int, FrameType | None], None]) -> None:
    if signal.getsignal(signal.SIGINT) != signal.SIG_IGN:  # ignored by whoever started us, as ``nohup`` does
        signal.signal(signal.SIGINT, action)


def _raise_ctrl_c(number: int, frame: FrameType | None) -> None:
    _end_at_once_next_time()
    raise _CtrlC


def _on_term(number: int, frame: FrameType | None) -> None:
    _end_at_once_next_time()
    raise _Terminated


def _end_at_once_next_time() -> None:
    """A second signal waits for nothing; what was saved bears it."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    _on_ctrl_c(signal.SIG_DFL)
