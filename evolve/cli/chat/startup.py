"""How a session begins: what is checked before anything is made, and which conversation goes on."""

from __future__ import annotations

import shlex
from dataclasses import replace
from typing import TYPE_CHECKING

from evolve.cli.chat.session import WITHOUT_MODEL, ChatSession
from evolve.cli.chat.setup import ChatSetup
from evolve.cli.chat.showing import short_model
from evolve.cli.chat.spending import budget_texts
from evolve.cli.folder import chosen_check
from evolve.cli.render.output import count_of, shorten_home_path, shorten_line
from evolve.core.errors import UsageError
from evolve.workspace import named_path, parse_model

if TYPE_CHECKING:
    from evolve.workspace import Conversation, Conversations


def check_setup(setup: ChatSetup) -> ChatSetup:
    """The setup with its folder in full.

    Raises:
        UsageError: Options do not go together, or name what is not there.
    """
    for name in filter(str.strip, (setup.model or "").split(",")):
        parse_model(name)
    if not setup.folder:
        for option, value in (("--check", setup.check), ("--set python", setup.python)):
            if value:
                raise UsageError(f"{option} is about work in a folder", hint="name the folder with --dir")
        return setup
    folder = named_path(setup.folder).resolve()
    if not folder.is_dir():
        raise UsageError(f"{setup.folder} is not a folder")
    return replace(setup, folder=str(folder))


def choose_conversation(
    stored: Conversations, setup: ChatSetup, *, new: bool, resume: str | None
) -> tuple[Conversation, ChatSetup]:
    """The conversation that is asked for, else the last one about this folder, else a new one; and how it goes on.

    Raises:
        UsageError: There is none of that name, or it is about another folder.
    """
    if resume is not None and new:
        raise UsageError("either --new or --resume, not both")
    latest = (
        stored.conversation_of(resume)
        if resume is not None
        else None
        if new
        else stored.latest_conversation(setup.folder)
    )
    if latest is None:
        return stored.begin(setup.folder), setup
    try:
        return latest, _going_on(setup, latest)
    except UsageError:
        latest.close()
        raise


def _going_on(setup: ChatSetup, conversation: Conversation) -> ChatSetup:
    """The setup with what it leaves open as the conversation was last worked.

    Raises:
        UsageError: The conversation is about another folder, or nothing says how it was worked there.
    """
    means, there = conversation.means, conversation.folder
    if there != setup.folder and (setup.folder or means is None):
        hint = f"give --dir {there}" if there else "give no --dir"
        raise UsageError(f"the conversation {conversation.id} is about {there or 'no folder'}", hint=hint)
    if means is None:
        return setup
    model = means.model if setup.model is None else setup.model
    setup = replace(setup, learn=setup.learn or means.learn)
    if there == setup.folder:
        return replace(setup, model=model, python=setup.python or means.python)
    return check_setup(replace(setup, folder=there, check=means.check, python=means.python, model=model))


def resume_conversation(session: ChatSession, conversation: Conversation) -> None:
    """Leaves the conversation for another one, which goes on as it was last worked.

    Raises:
        UsageError: It cannot go on, because its folder is gone, for one; then the session stays where it was.
    """
    try:
        # What this session was begun with is about the conversation that it leaves.
        setup = _going_on(
            replace(session.setup, folder="", check="", python=None, model=None, learn=None), conversation
        )
    except UsageError:
        conversation.close()
        raise
    if setup.approve == "auto" and setup.folder != session.setup.folder:
        setup = replace(setup, approve="ask")
        session.screen.print_line("approve", "ask: leave that was given beforehand was for the folder of before")
    session.conversation.close()
    session.conversation, session.setup = conversation, setup
    _say_where(session, "/exit, then evolve chat --new begins anew")


def print_greeting(session: ChatSession, model: str) -> None:
    """Says where the person is and what is open."""
    screen = session.screen
    if session.setup.is_unsandboxed:
        screen.print_line(
            "unsandboxed", "UNSANDBOXED: code that a model writes is not confined; what is learned is marked"
        )
    screen.print_line(
        "evolve", f"{short_model(model) if model else 'the embedded search'}; /help lists what can be typed"
    )
    if not model and not session.conversation.turns:
        for text in WITHOUT_MODEL:
            screen.print_line("hint", text)
    _say_where(session)
    with session.open_workspace(read_only=True) as workspace:
        if waiting := workspace.preferences.proposals(folder=session.setup.folder):
            screen.print_line(
                "memory", f"{count_of(waiting, 'proposal')} of earlier runs to keep or decline: /remember"
            )


def offer_check(session: ChatSession) -> None:
    """Offers the check that the person kept for this folder, where none is given."""
    setup = session.setup
    if not setup.folder or setup.check:
        return

    def agrees(question: str) -> bool:
        answer = session.ask_afresh(f"{question} [Y/n] ")
        return answer is not None and answer.strip().lower() in ("", "y", "yes")

    with session.open_workspace(read_only=True) as workspace:
        asks = agrees if session.attended else None
        check = chosen_check(workspace, setup.folder, asks, lambda text: session.screen.print_line("hint", text))
    session.setup = replace(setup, check=check)


def _say_where(session: ChatSession, otherwise: str = "--new begins anew") -> None:
    """Says which conversation goes on, and what is open in it.

    Args:
        otherwise: How another one is begun from where the person is.
    """
    screen, turns = session.screen, session.conversation.turns
    if turns:
        last = shorten_line(turns[-1].asked, 60)
        summary = f"{session.conversation.id} after {count_of(turns, 'turn')}"
        screen.print_line("resumed", f"{summary}, the last: {last}  ({otherwise})")
    unfinished = session.conversation.unfinished_turn
    if unfinished is not None:
        screen.print_line("stopped", "the last turn did not end: /again goes on with it")
    waiting = session.pending_patch()
    if waiting is not None:
        changes = count_of(waiting.names, "file")
        session.screen.print_line(
            "waiting",
            f"a change to {changes} in {shorten_home_path(waiting.folder)}: /diff shows it, /approve applies it",
        )


def resume_command(session: ChatSession) -> str:
    """The command that goes on with the conversation in the same way."""
    setup, parts = session.setup, ["evolve", "chat"]
    given: list[tuple[str, str | None]] = [("-w", setup.workspace), ("--dir", setup.folder), ("--check", setup.check)]
    own = {"python": setup.python, "approve": setup.approve if setup.approve != "ask" else None}
    given += [("--set", f"{key}={value}") for key, value in {**setup.settings, **own}.items() if value is not None]
    for option, value in given:
        parts += [option, value] if value else []
    # An empty name means no model, and is something else than none given.
    parts += ["--model", setup.model] if setup.model is not None else []
    for bound in budget_texts(session.purse.budget):
        parts += ["--budget", bound]
    return shlex.join([*parts, *(["--plain"] if setup.plain else []), "--resume", session.conversation.id])
