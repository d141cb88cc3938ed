"""How a session begins: what is checked before anything is made, and which conversation goes on."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast, get_args

from evolve.cli.chat.session import WITHOUT_MODEL, ChatSession, Setup
from evolve.cli.chat.showing import at_home, short_model
from evolve.cli.output import counted, shorten
from evolve.errors import UsageError
from evolve.workspace import Approve, named_path, parse_model

if TYPE_CHECKING:
    from evolve.workspace import Conversation, Conversations


def parse_approve_mode(approve: str) -> Approve:
    """The mode of that name.

    Raises:
        UsageError: There is none.
    """
    if approve not in get_args(Approve):
        raise UsageError(f"--approve {approve}: not a mode", hint="--approve ask, auto or never")
    return cast(Approve, approve)


def check_setup(setup: Setup) -> Setup:
    """The setup with its folder in full.

    Raises:
        UsageError: Options do not go together, or name what is not there.
    """
    for name in filter(str.strip, (setup.model or "").split(",")):
        parse_model(name)
    if not setup.folder:
        for option, value in (("--check", setup.check), ("--python", setup.python)):
            if value:
                raise UsageError(f"{option} is about work in a folder", hint="name the folder with --dir")
        return setup
    if not setup.check.strip():
        raise UsageError("--dir needs a command that tells when work is done", hint='--check "pytest -q"')
    folder = named_path(setup.folder).resolve()
    if not folder.is_dir():
        raise UsageError(f"{setup.folder} is not a folder")
    from dataclasses import replace

    return replace(setup, folder=str(folder))


def choose_conversation(stored: Conversations, folder: str, *, new: bool, resume: str | None) -> Conversation:
    """The conversation that is asked for, else the last one about this folder, else a new one.

    Raises:
        UsageError: There is none of that name, or it is about another folder.
    """
    if resume is not None:
        if new:
            raise UsageError("either --new or --resume, not both")
        chosen = stored.of(resume)
        if chosen.folder != folder:
            there = f"--dir {chosen.folder}" if chosen.folder else "no --dir"
            chosen.close()
            raise UsageError(
                f"the conversation {chosen.id} is about {chosen.folder or 'no folder'}", hint=f"give {there}"
            )
        return chosen
    latest = None if new else stored.latest(folder)
    return latest or stored.begin(folder)


def greet(session: ChatSession, model: str) -> None:
    """Says where the person is and what is open."""
    screen, turns = session.screen, session.conversation.turns
    if session.setup.sandbox == "none":
        screen.say("unsandboxed", "UNSANDBOXED: code that a model writes is not confined; what is learned is marked")
    screen.say("evolve", f"{short_model(model) if model else 'the embedded search'}; /help lists what can be typed")
    if not model and not turns:
        for text in WITHOUT_MODEL:
            screen.say("hint", text)
    if turns:
        last = shorten(turns[-1].asked, 60)
        summary = f"{session.conversation.id} after {counted(turns, 'turn')}"
        screen.say("resumed", f"{summary}, the last: {last}  (--new begins anew)")
    unfinished = session.conversation.unfinished
    if unfinished is not None:
        screen.say("stopped", "the last turn did not end: /again goes on with it")
    say_waiting(session)


def say_waiting(session: ChatSession) -> None:
    """Says that a change waits, if one does."""
    waiting = session.waiting()
    if waiting is not None:
        changes = counted(waiting.names, "file")
        session.screen.say(
            "waiting", f"a change to {changes} in {at_home(waiting.folder)}: /diff shows it, /approve applies it"
        )


def farewell(session: ChatSession) -> str:
    """The command that goes on with the conversation."""
    import shlex

    setup, parts = session.setup, ["evolve", "chat"]
    for option, value in (("-w", setup.workspace), ("--dir", setup.folder), ("--check", setup.check)):
        parts += [option, value] if value else []
    return shlex.join([*parts, "--resume", session.conversation.id])
