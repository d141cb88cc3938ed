"""The loop of a session: reads what is typed, acts on it and shows the result until the person leaves."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import evolve
from evolve.cli.chat.commands import commands, model_of, run_slash_command
from evolve.cli.chat.input import LineInput
from evolve.cli.chat.reading import TypedLines, read
from evolve.cli.chat.screen import needs_plain_screen, open_screen
from evolve.cli.chat.session import ChatSession
from evolve.cli.chat.setup import ChatSetup, open_workspace
from evolve.cli.chat.showing import short_model
from evolve.cli.chat.spending import SessionBudget
from evolve.cli.chat.startup import check_setup, choose_conversation, offer_check, print_greeting, resume_command
from evolve.cli.chat.wishes import learn_wish, review_proposals
from evolve.cli.render.output import print_note, shorten_home_path
from evolve.core.errors import EvolveError
from evolve.workspace import parse_budget

if TYPE_CHECKING:
    from prompt_toolkit.formatted_text import StyleAndTextTuples

    from evolve.cli.chat.input import TerminalInput

_BETWEEN = " | "
_LEAVE = "Ctrl-C stops what is going on; Ctrl-D or /exit leaves"


def run_session(setup: ChatSetup, budget: Sequence[str], *, new: bool = False, resume: str | None = None) -> int:
    """A whole session, which may spend so much in all; gives the exit code of its last turn.

    Raises:
        UsageError: Options are wrong, or the conversation that is named does not exist.
        EnvironmentProblem: The workspace cannot be used.
    """
    from evolve.workspace import choose_workspace, servers

    purse = SessionBudget(budget=parse_budget(budget))
    setup = check_setup(setup)
    attended = sys.stdin.isatty()
    # Opening to read makes nothing, and a session may be begun where no workspace is yet.
    created = choose_workspace(setup.workspace).created
    with evolve.open(setup.workspace, model=setup.model, settings=setup.settings, read_only=True) as workspace:
        if created:
            print_note(shorten_home_path(f"made the workspace {workspace.paths.root}"))
        store = workspace.conversations.folder
        new = new or (not attended and resume is None)  # a pipe begins where it says
        conversation, setup = choose_conversation(workspace.conversations, setup, new=new, resume=resume)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a terminal that lacks a letter gets its number
    screen = open_screen(plain=setup.plain or needs_plain_screen(os.environ))
    kept = servers(setup.workspace).keep_running(partial(screen.print_line, "warning"))
    setup = replace(setup, servers=kept)
    # The status line of the input needs the session, so the session learns afterwards whom to ask.
    session = ChatSession(setup=setup, screen=screen, ask=lambda question: None, conversation=conversation, purse=purse)
    session.attended, session.learn = attended, partial(learn_wish, session)
    typed = TypedLines(store / "typed.jsonl")
    source = _input(session, typed, attended=attended)
    session.ask, session.edit, session.drop_typed_ahead = source.read_answer, source.edit, source.drop_typed_ahead
    session.learner.finished = partial(source.print_above, partial(session.tell_learned, sound=True))
    try:
        if attended:
            print_greeting(session, model_of(session))
        offer_check(session)
        _run_turns(session, source)
        session.end_learning()
        if attended and session.leaving and session.to_remember:  # whoever is in a hurry has seen no more than a hint
            review_proposals(session, "")
    finally:
        session.learner.close()
        session.conversation.close()
        kept.close()
    if attended and session.conversation.turns:
        screen.command("bye", "go on with: ", resume_command(session))
    return 0 if attended else session.code  # whoever leaves has seen what came of it


def _input(session: ChatSession, typed: TypedLines, *, attended: bool) -> LineInput | TerminalInput:
    if session.screen.plain:
        return LineInput(attended=attended, typed=typed.read() if attended else ())
    from evolve.cli.chat.input import TerminalInput

    colour = not os.environ.get("NO_COLOR")
    return TerminalInput(typed, partial(_status_line, session), partial(_completions, session), colour=colour)


def _run_turns(session: ChatSession, source: LineInput | TerminalInput) -> None:
    while not session.leaving:
        try:
            session.learn_behind_the_prompt()
            text = source.text()
            if text is None:
                return
            handle_input(session, text)
        except KeyboardInterrupt:
            session.screen.print_line("hint", _LEAVE)
        except EvolveError as error:
            session.code = error.exit_code
            session.screen.print_line("error", str(error))
            if error.hint:
                session.screen.print_line("hint", error.hint)


def handle_input(session: ChatSession, text: str) -> None:
    """Does what a text asks for.

    Raises:
        EvolveError: It cannot be done; the session goes on.
    """
    wanted = read(text)
    if wanted.kind == "command":
        run_slash_command(session, wanted.name, wanted.text)
    elif wanted.kind != "nothing":
        session.run_turn(wanted, text)
        left_over, session.left_over = session.left_over, ""
        if left_over:
            handle_input(session, left_over)


def _completions(session: ChatSession, name: str) -> Iterable[tuple[str, str]]:
    """What may be typed after a command, or the commands."""
    if not name:
        return [(command.name, command.about) for command in commands().values()]
    if name == "approve":
        return [("ask", ""), ("auto", ""), ("never", "")]
    if name == "skills":
        # Beside whoever learns meanwhile: nobody waits for that while they type.
        with open_workspace(session.setup, read_only=True) as workspace:
            return [(skill.name, skill.description[:60]) for skill in workspace.skills.list()]
    if name in ("diff", "undo"):
        return [(turn.run, turn.asked[:60]) for turn in session.conversation.turns if turn.run]
    if name == "learn":
        return [("on", ""), ("off", ""), ("after", ""), ("full", "")]
    return [("none", "")] if name in ("model", "budget") else []


def _status_parts(session: ChatSession) -> list[str]:
    """What the line says, the most important first."""
    parts = ["UNSANDBOXED"] if session.setup.is_unsandboxed else []
    parts.append(short_model(model_of(session)) or "search, no model")
    if session.to_remember:
        parts.append(f"{session.to_remember} to remember: /remember")
    if session.setup.folder:
        parts.append(f"approve {session.setup.approve}")
    parts.append(session.purse.summary())
    if session.setup.folder:
        parts.append(shorten_home_path(session.setup.folder))
    if not session.setup.is_unsandboxed:
        parts.append("sandboxed")
    return parts


def _status_line(session: ChatSession, width: int) -> StyleAndTextTuples:
    """As many parts as fit into ``width`` columns, at least one, as styled text."""
    from prompt_toolkit.utils import get_cwidth

    parts = _status_parts(session)
    while len(parts) > 1 and get_cwidth(_BETWEEN.join(parts)) > width - 1:
        parts.pop()
    line: StyleAndTextTuples = []
    for place, part in enumerate(parts):
        line.append(("", _BETWEEN if place else " "))
        style = "bold bg:ansired fg:ansiwhite" if part == "UNSANDBOXED" else ""
        while get_cwidth(part) > max(1, width - 2):
            part = part[:-1]
        line.append((style, part))
    return line
