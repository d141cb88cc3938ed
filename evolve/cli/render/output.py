"""Printing: results on stdout, everything else on stderr."""

from __future__ import annotations

import json
import os
import re
import shlex
import sys
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from types import MappingProxyType
from typing import Any, TextIO

from evolve.cli.render import layout
from evolve.cli.render.layout import count_of as count_of
from evolve.cli.render.layout import shorten_line as shorten_line
from evolve.cli.render.layout import singular_form as singular_form
from evolve.cli.render.live_line import hide_live_line as hide_live_line
from evolve.cli.render.live_line import suspend_live_line as suspend_live_line
from evolve.core.errors import SetupProblem

# A first sieve: printable ASCII, tabs and line breaks need no look at their category.
_CONTROLS_AND_FOREIGN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\U0010ffff]")
_UNSEEN = re.compile(  # blank to the eye, though by their category they are letters, marks, symbols or unassigned
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2065\u2800\u3164\ufe00-\ufe0f\uffa0\ufff0-\ufff8"
    "\U00016fe4\U0001d159\U000e0000-\U000e0fff]"
)
_OF_EMOJI = frozenset({"So", "Sk", "Mn"})
# Inside an emoji these two say how it is drawn; anywhere else nobody sees them.
_JOINER, _DRAWN_AS_EMOJI = "\u200d", "\ufe0f"


_PRINTED: ContextVar[bool] = ContextVar("printed", default=False)
"""Whether this command has printed any of its result."""


_WORKSPACE: ContextVar[str] = ContextVar("workspace", default="")
"""The workspace that was named on the command line, or ""."""
_COMMAND = re.compile(
    r"\bevolve (?=(?:run|fill|chat|undo|status|improve|report|why|forget|apply|learn)\b"
    r"|(?:memory|skills|models|runs|lab) [a-z]+\b)"
)
"""A command in a text, not the program's name before a verb."""


@contextmanager
def watch_output() -> Iterator[Callable[[], bool]]:
    """For one command: a function that says whether any of its result was printed so far."""
    token, workspace = _PRINTED.set(False), _WORKSPACE.set("")
    try:
        yield _PRINTED.get
    finally:
        _PRINTED.reset(token)
        _WORKSPACE.reset(workspace)


def name_workspace(typed: str) -> None:
    """Has the commands that are printed from now on name this workspace, so that they do what they say when typed."""
    _WORKSPACE.set(typed)


_TYPED: ContextVar[Mapping[str, str]] = ContextVar("typed", default=MappingProxyType({}))
"""How commands are typed where the person is, if not as on the command line."""


@contextmanager
def command_as_typed(commands: Mapping[str, str]) -> Iterator[None]:
    """Tells of these commands as they are typed where the person is: in a session, ``/why`` for ``evolve why``."""
    token = _TYPED.set(commands)
    try:
        yield
    finally:
        _TYPED.reset(token)


def _addressed(text: str) -> str:
    """The text, in which commands name the workspace that the person named; unless one does already."""
    for command, typed in _TYPED.get().items():
        text = text.replace(command, typed)
    workspace = _WORKSPACE.get()
    if not workspace or " -w " in text:
        return text
    option = f"evolve -w {shlex.quote(workspace)} "
    return _COMMAND.sub(lambda _: option, text)


def escape_control_characters(text: str, *, lines: bool = True) -> str:
    """The text with escapes such as ``\\x1b`` for whatever steers a terminal: it may come from outside.

    Args:
        lines: Leave line breaks; without, they are shown as ``\\n``.
    """
    # A carriage return that ends no line lets what follows overwrite what was read.
    shown = _CONTROLS_AND_FOREIGN.sub(_escaped, text.replace("\r\n", "\n"))
    return shown if lines else shown.replace("\n", "\\n")


def _escaped(match: re.Match[str]) -> str:
    """The sign, as an escape where a terminal obeys it, it turns the order of letters around, or nobody sees it."""
    sign = match[0]
    steers = unicodedata.category(sign) in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp") or _UNSEEN.match(sign)
    if not steers or (sign == _JOINER and _joins_emoji(match.string, match.start())):
        return sign
    if sign == _DRAWN_AS_EMOJI and _is_emoji(match.string[match.start() - 1 : match.start()]):
        return sign
    return sign.encode("unicode_escape").decode("ascii")


def _joins_emoji(text: str, at: int) -> bool:
    around = text[at - 1 : at], text[at + 1 : at + 2]
    return all(sign and not sign.isascii() and unicodedata.category(sign) in _OF_EMOJI for sign in around)


def _is_emoji(sign: str) -> bool:
    return bool(sign) and unicodedata.category(sign) == "So" and not _UNSEEN.match(sign)


def emit_json(value: Any) -> None:
    """Prints one JSON document, readable by people too. Dataclasses in it become objects of their fields."""
    _put(json.dumps(value, default=_as_data, indent=2, ensure_ascii=True, allow_nan=False))


def pick_attributes(one: object, *names: str) -> dict[str, Any]:
    """These attributes of a value, by their names."""
    return {name: getattr(one, name) for name in names}


def _as_data(value: Any) -> Any:
    from evolve.workspace import to_data

    return to_data(value)


def emit(text: str = "", *, indent: int = 2, exact: bool = False, whole: bool = False) -> None:
    """Prints a line of the result, folded at spaces where it is longer than the terminal is wide.

    Args:
        indent: Columns by which further lines are set in, where it is folded.
        exact: It is data, such as code or a difference: another program gets it as it is, a terminal does not.
        whole: It is not folded, as what is exact is not: a path, a drawing, lines of code.
    """
    text = text if exact else _addressed(text)
    text = text if exact and not sys.stdout.isatty() else escape_control_characters(text)
    if not (exact or whole):
        text = layout.wrap_text(text, layout.terminal_width(), indent=indent)
    try:
        _put(text)
    except UnicodeEncodeError:  # an ASCII locale, for one, lacks letters
        _put(text.encode("ascii", "backslashreplace").decode("ascii"))


def flush() -> None:
    """Hands over what was printed, so that a full disk is told and not lost.

    Raises:
        EnvironmentProblem: The output cannot be written.
    """
    with _writing():
        sys.stdout.flush()


def discard_output() -> None:
    """Drops whatever is printed from now on: nobody can read it."""
    _drop(sys.stdout)


def _drop(stream: TextIO) -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _put(text: str) -> None:
    _PRINTED.set(True)
    with _writing(), hide_live_line():
        print(text)


@contextmanager
def _writing() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise  # an OSError, but no fault: the reader, such as `head`, has had enough
    except OSError as error:
        discard_output()  # else the interpreter tries once more when it ends
        raise SetupProblem(f"cannot write the output: {(error.strerror or str(error)).lower()}") from error


def print_note(text: str, *, indent: int = 2, whole: bool = False) -> None:
    """Tells of progress. Where it cannot be written, on a full disk, the work goes on untold.

    Args:
        indent: Columns by which further lines are set in, where it is folded.
        whole: It is not folded: a command to be typed, what a program printed.
    """
    encoding, text = sys.stderr.encoding or "utf-8", _addressed(text)
    shown = (
        escape_control_characters(text)
        if whole
        else layout.wrap_text(escape_control_characters(text), layout.terminal_width(sys.stderr), indent=indent)
    )
    try:
        with hide_live_line():
            print(shown.encode(encoding, "backslashreplace").decode(encoding), file=sys.stderr, flush=True)
    except OSError:
        _drop(sys.stderr)  # what waits in it would fail once more, and when the interpreter ends


def print_error(message: str, *, hint: str = "") -> None:
    """Says what went wrong in one sentence, and what to do next."""
    print_note(escape_control_characters(f"evolve: {message}", lines=False))
    if hint:
        # Never folded: half a command does something else.
        hint = escape_control_characters(hint, lines=False)
        print_note(f"  try: {hint}" if not hint.startswith("continue with") else f"  {hint}", whole=True)


@contextmanager
def report_written_file(out: str | None) -> Iterator[Callable[[str], None]]:
    """Says afterwards that a file was written, and whether in place of another; nothing where it is None.

    Gives a function that is told what is in the file, where the name alone says too little.
    """
    there = out is not None and os.path.exists(os.path.expanduser(out))
    told: list[str] = []
    yield told.append
    if out is not None:
        what = f"{told[0]} to {out}" if told else out
        print_note(f"wrote {what}" + (", in place of the file that was there" if there else ""))


def table(header: Sequence[str], rows: Iterable[Sequence[Any]], *, spare: Sequence[str] = ()) -> str:
    """Aligned columns that fit the terminal; numbers to the right. Without rows, an empty string.

    Args:
        spare: Columns that go where the terminal is too narrow, the first named first.
    """
    texts = [[_cell(value) for value in row] for row in rows]
    return layout.table(header, texts, width=layout.terminal_width(), spare=spare)


def _cell(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:,.2f}"
    return escape_control_characters(str(value), lines=False)


def shorten_home_path(text: str) -> str:
    """A text with paths as short as they can be: from this folder on, or with ``~`` for the person's own."""
    try:
        here = os.getcwd()
    except FileNotFoundError:  # it was deleted meanwhile
        here = ""
    home = os.path.expanduser("~")
    for folder, short in ((here, ""), (home, "~/")):
        text = text.replace(f"{folder}/", short) if len(folder) > 1 else text
    return text
