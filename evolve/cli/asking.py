"""Questions to the person at the terminal, and what they are shown before they allow a call of a function."""

from __future__ import annotations

import json
import re
import select
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar, cast

import typer

import evolve
from evolve.cli.render.episodes import show_change, show_diff
from evolve.cli.render.output import (
    count_of,
    escape_control_characters,
    flush,
    print_note,
    shorten_home_path,
    suspend_live_line,
)
from evolve.cli.render.views import answer_command

if TYPE_CHECKING:
    from evolve.cli.options import Overrides
    from evolve.core.errors import UntrustedWorkspace
    from evolve.workspace import CallApprovalRequest, Consent, Person, Question, Result


_LONGEST, _LONGEST_PART, _MOST_PARTS = 2_000, 400, 24
"""Characters of all arguments that are shown unasked, of one that is shown among them, and how many of these."""

_BLANKS = re.compile(r"[\s\u2800\u3164\u115f\u1160\uffa0]{4,}")
"""Blanks that push what follows to where a line of the terminal begins."""

_ANSWERS: dict[str, Consent] = {
    "y": "once",
    "yes": "once",
    "a": "run",
    "all": "run",
    "n": "no",
    "no": "no",
    "": "no",
    "v": "never",
    "never": "never",
}

ASKED = "allow it? [y]es, [a]ll calls of it in this run, [n]o, ne[v]er in this run"


def ask_consent(
    question: CallApprovalRequest, tell: Callable[[str], None], ask: Callable[[str], str | None]
) -> Consent:
    """Puts the question until it is answered; nothing said is no.

    Args:
        tell: Shows a line; what it shows of arguments and descriptions comes from outside.
        ask: Gives what is typed, or None where nobody answers.
    """
    whole = json.dumps(question.arguments, ensure_ascii=False, indent=1)
    shown = _shown_arguments(question.arguments)
    for line in _lines_of(question, shown):
        tell(line)
    if shown != whole:
        tell(f"these are not all of its {len(whole):,} characters: [m] shows them as they are")
    while True:
        typed = ask(f"{ASKED}: ")
        if typed is None:
            return "no"
        word = typed.strip().lower()
        if word == "m" and shown != whole:
            tell(whole)
        elif word in _ANSWERS:
            return _ANSWERS[word]


def _shown_arguments(arguments: Mapping[str, Any]) -> str:
    """The arguments; where they are long, both ends of each, so that none is out of sight behind a long one.

    Runs of blanks are told by their length.
    """
    whole = json.dumps(arguments, ensure_ascii=False, indent=1)
    if len(whole) > _LONGEST:
        lines = [f"{_short(_text(name))}: {_short(_text(arguments[name]))}" for name in arguments]
        if len(lines) > _MOST_PARTS:
            half = _MOST_PARTS // 2
            lines = [*lines[:half], f"... {len(lines) - 2 * half} more arguments ...", *lines[-half:]]
        whole = "\n ".join(["{", *lines]) + "\n}"
    return "\n".join(line[: _indent(line)] + _narrow(line[_indent(line) :]) for line in whole.split("\n"))


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _short(text: str) -> str:
    half = _LONGEST_PART // 2
    cut = f"{text[:half]} ... {len(text) - 2 * half:,} characters left out ... {text[-half:]}"
    return text if len(text) <= _LONGEST_PART else cut


def _indent(line: str) -> int:
    return min(len(line) - len(line.lstrip(" ")), 40)


def _narrow(text: str) -> str:
    return _BLANKS.sub(lambda blanks: f" ({len(blanks[0])} blanks) ", text)


def _lines_of(question: CallApprovalRequest, arguments: str) -> Iterator[str]:
    """What the person has to know to decide."""
    function = question.function
    origin = f" of {function.source}" if function.source else ""
    yield f"the code wants to call {function.name}{origin}, which {question.effects_text}"
    if function.description:
        yield f"it says of itself: {_narrow(' '.join(function.description.split()))[:300]}"
    yield f"with {arguments}"
    if question.read:
        yield f"careful: this run has read from {', '.join(question.read)}, and that may leave this machine with it"
    before = f"{count_of(question.allowed, 'call')} of it allowed in this run" if question.allowed else "its first call"
    if question.alike:
        yield f"careful: {count_of(question.alike, 'call')} with these very arguments went before"
    yield f"{before}; at most {question.left} more can come"


_Typed = TypeVar("_Typed")

WAITING = 6
"""The exit code where a run waits for a person."""

TYPED_AHEAD = "evolve drops what you typed before this was on the screen"
"""Told where :func:`drop_typed_ahead` dropped something."""
WHY_NOT = "why not? (Enter: no reason) "
"""Asked of whoever says no to a change."""
APPROVE = ("ask", "auto", "never")
"""What happens before something that cannot be taken back easily, such as changing a folder."""


class ChangeShown:
    """Shows a change before it is asked about.

    Attributes:
        runs: Those whose change was shown.
    """

    def __init__(self) -> None:
        self.runs: set[str] = set()

    def __call__(self, result: Result) -> None:
        self.runs.add(result.run_id)
        show_change(result)


def is_person_present(chosen: Overrides, *, as_json: bool, yes: bool = False) -> Person:
    """Who can be asked: whoever sits at the terminal, or nobody.

    Args:
        chosen: May say whether leave is asked for, and what is learned.
        yes: Leave was given beforehand.

    Raises:
        UsageError: ``--set approve`` is none of its three words.
    """
    from evolve.workspace import Person

    approve, learn = cast(Any, chosen.last_choice("approve", *APPROVE)), cast(Any, chosen.settings.get("learn"))
    here = is_attended(as_json=as_json)
    return Person(
        respond=_respond if here else None,
        before_approval=ChangeShown() if here else None,
        approve="auto" if yes else approve,
        consent=_consent if here else None,
        learn=learn,
    )


def is_attended(*, as_json: bool) -> bool:
    """Whether a question can be put here."""
    return not as_json and sys.stdin.isatty() and sys.stdout.isatty()


def is_trusted_now(problem: UntrustedWorkspace, *, as_json: bool) -> bool:
    """Asks whoever sits at the terminal whether to trust a workspace; what they were shown is then trusted."""
    from evolve.workspace import trust_proposal

    if not is_attended(as_json=as_json):
        return False
    seen = trust_proposal(problem.root)
    print_note(f"{escape_control_characters(problem.why, lines=False)}. If you trust it, evolve uses:")
    for line in seen.changes or ("nothing yet: the folder is empty",):
        print_note(f"  {escape_control_characters(line, lines=False)}")
    agreed = bool(ask_yes("trust it?"))
    if agreed:
        evolve.init(seen.root, trust=seen)
    return agreed


def ask_line(question: str, *, ahead: bool = False) -> str | None:
    """The line that somebody at the terminal types to a question; None where they leave it by Ctrl-C or Ctrl-D.

    Every question goes through here or :func:`ask_yes`: it comes after what it is about, nothing is drawn over it, and
    what was typed before it could be read answers nothing.

    Args:
        ahead: What was typed before counts, as in a game.
    """

    def ask() -> str:
        shown = escape_control_characters(question.rstrip())
        return str(typer.prompt(shown, default="", show_default=False, prompt_suffix=" ", err=True))

    return _ask(ask, ahead=ahead)


def ask_yes(question: str, *, default: bool = False) -> bool | None:
    """Whether somebody at the terminal says yes; None where they leave the question."""
    return _ask(lambda: typer.confirm(question, default=default, err=True))


def _ask(ask: Callable[[], _Typed], *, ahead: bool = False) -> _Typed | None:
    flush()
    if not ahead and drop_typed_ahead():
        print_note(TYPED_AHEAD)
    try:
        with suspend_live_line():
            return ask()
    except typer.Abort:
        print_note("")
        return None


def _respond(question: Question) -> str | None:
    """What the person types; None where they leave the question open."""
    if question.kind == "approve":
        show_diff(question.detail)
        agreed = ask_yes(escape_control_characters(shorten_home_path(question.text)))
        if agreed is None or agreed:
            return "yes" if agreed else None
        why = ask_line(WHY_NOT)
        if why is None:
            return None
        return why.strip() if why.strip().lower() not in ("", "y", "yes") else "no"
    print_note(f"question: {question.text}")
    for option in question.options:
        print_note(f"  {option}")
    return (ask_line("answer (Enter leaves it open):") or "").strip() or None


def _consent(question: CallApprovalRequest) -> Consent:
    """What the person says to a call that needs leave."""
    from evolve.cli.asking import ask_consent

    print_note("")
    return ask_consent(question, lambda line: print_note(escape_control_characters(line)), ask_line)


def drop_typed_ahead() -> bool:
    """Drops what was typed at the terminal and not read yet, which can be no answer to what comes on the screen now.

    Gives whether there was something.
    """
    import termios

    if not sys.stdin.isatty():
        return False
    typed = bool(select.select([sys.stdin], [], [], 0)[0])
    termios.tcflush(sys.stdin, termios.TCIFLUSH)
    return typed


def print_waiting(result: Result) -> None:
    """How to go on with a run that waits."""
    question, run = result.question, result.run_id
    if question is None:
        return
    approval = question.kind == "approve"
    print_note(f"{'nothing is changed yet' if approval else 'waiting for an answer'}: {question.text}")
    other = "" if approval else ", or the same command on a terminal"
    print_note(f"  try: {answer_command(run, approval=approval)}{other}", whole=True)


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
