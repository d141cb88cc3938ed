"""Questions to the person at the terminal. Where there is none, the run is left waiting."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from evolve.cli.output import at_home, emit, flush, note, visible

if TYPE_CHECKING:
    from evolve.workspace import CallQuestion, Consent, Person, Question, Result

WAITING = 6
"""The exit code where a run waits for a person."""

TYPED_AHEAD = "what was typed before this was on the screen is dropped"
"""Told where :func:`drop_typed_ahead` dropped something."""

Approve = Annotated[
    str,
    typer.Option(
        "--approve",
        metavar="MODE",
        help="Before what cannot be taken back easily, such as changing a folder: ask, auto (do it) or never (leave"
        " it).",
    ),
]


def person_here(approve: str, *, as_json: bool) -> Person:
    """Who can be asked: whoever sits at the terminal, or nobody.

    Raises:
        UsageError: ``--approve`` is none of its three words.
    """
    from evolve.errors import UsageError
    from evolve.workspace import Person

    if approve not in ("ask", "auto", "never"):
        raise UsageError(f"--approve {approve}: it is ask, auto or never")
    here = is_attended(as_json=as_json)
    return Person(respond=_respond if here else None, approve=cast(Any, approve), consent=_consent if here else None)


def is_attended(*, as_json: bool) -> bool:
    """Whether a question can be put here."""
    return not as_json and sys.stdin.isatty() and sys.stdout.isatty()


def _respond(question: Question) -> str | None:
    """What the person types; None where they leave the question open."""
    try:
        if question.kind == "approve":
            return _ask_approval(question)
        note(f"question: {question.text}")
        for option in question.options:
            note(f"  {option}")
        answer = typer.prompt("answer (Enter leaves it open)", default="", show_default=False, err=True)
    except typer.Abort:
        note("")
        return None
    return answer.strip() or None


def _consent(question: CallQuestion) -> Consent:
    """What the person says to a call that needs leave."""
    from evolve.cli.consent import asked_for_consent

    def ask(text: str) -> str | None:
        flush()
        if drop_typed_ahead():
            note(TYPED_AHEAD)
        try:
            return str(typer.prompt(text.rstrip(": "), default="", show_default=False, err=True))
        except typer.Abort:
            note("")
            return None

    note("")
    return asked_for_consent(question, lambda line: note(visible(line)), ask)


def _ask_approval(question: Question) -> str:
    """Shows the change and asks for leave: ``yes``, ``no``, or the reason against it."""
    show_diff(question.detail)
    flush()  # the question comes after what it is about
    if drop_typed_ahead():
        note(TYPED_AHEAD)
    if typer.confirm(visible(at_home(question.text)), err=True):
        return "yes"
    why = typer.prompt("what is wrong with it (Enter: nothing to say)", default="", show_default=False, err=True)
    return why.strip() if why.strip().lower() not in ("", "y", "yes") else "no"


def drop_typed_ahead() -> bool:
    """Drops what was typed at the terminal and not read yet, which can be no answer to what comes on the screen now.

    Gives whether there was something.
    """
    import select
    import termios

    if not sys.stdin.isatty():
        return False
    typed = bool(select.select([sys.stdin], [], [], 0)[0])
    termios.tcflush(sys.stdin, termios.TCIFLUSH)
    return typed


def show_diff(text: str) -> None:
    """The difference; in colour on a terminal."""
    if not text:
        return
    if not sys.stdout.isatty():
        emit(text.rstrip("\n"), exact=True)
        return
    from rich.console import Console
    from rich.text import Text

    styles = {"+": "green", "-": "red", "@": "cyan"}
    console = Console(highlight=False, soft_wrap=True)
    for line in text.rstrip("\n").split("\n"):
        console.print(Text(visible(line), style=styles.get(line[:1], "")))


def tell_waiting(result: Result) -> None:
    """How to go on with a run that waits."""
    question, run = result.question, result.run_id
    if question is None:
        return
    if question.kind == "approve":
        note(f"nothing is changed yet: {question.text}")
        note(f"  try: evolve runs apply {run}, or evolve runs answer {run} no", whole=True)
    else:
        note(f"waiting for an answer: {question.text}")
        note(f"  try: evolve runs answer {run} TEXT, or the same command on a terminal")


def parse_choice(answer: str, outputs: Sequence[Any]) -> tuple[Any] | None:
    """The output that a person typed: the number of one of these, or any value.

    A tuple of one, so that ``null`` is an output too; None where the question stays open.

    Args:
        answer: JSON, or text that is taken as it is; nothing leaves the question open.
    """
    if not answer:
        return None
    if answer.isdecimal() and 1 <= int(answer) <= len(outputs):
        return (outputs[int(answer) - 1],)
    if all(isinstance(output, str) for output in outputs) and not answer.startswith('"'):
        return (answer,)  # where texts are wanted, 007 is one
    try:
        return (json.loads(answer),)
    except (ValueError, RecursionError):  # what is nested too deep for the parser is text as well
        return (answer,)
