"""The slash commands of a session. What is a command outside of it too is that command, in this workspace."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import TYPE_CHECKING, cast, get_args

from evolve.cli.chat.reading import read
from evolve.cli.chat.session import ChatSession
from evolve.cli.chat.showing import try_last_function
from evolve.cli.chat.spending import bounds_of, read_budget
from evolve.cli.chat.startup import resume_conversation
from evolve.cli.chat.wishes import review_proposals
from evolve.cli.render.output import command_as_typed, count_of, emit, shorten_home_path, shorten_line
from evolve.cli.render.why import show_learned
from evolve.core.errors import UsageError
from evolve.workspace import Approve, LearnMode, PersonAct, models, named_path, parse_model

if TYPE_CHECKING:
    from evolve.workspace import ChatTurn, Patch, Workspace

HELP = """\
A line is a task in words. A task file, SUITE#ID, or rows `input -> output` are tasks that need no model.
Several lines: Alt-Enter, a backslash at the end of the line, or triple quotes around them.
Rows end with an empty line.
Ctrl-C stops what is going on, Ctrl-D leaves; the conversation goes on when you come back."""


_MOST_TALKS = 15
"""Conversations listed by ``/resume``, the newest."""


@dataclass(frozen=True, kw_only=True)
class Command:
    """A slash command.

    Attributes:
        takes: Its arguments, as shown by ``/help``.
        about: What it does, in a few words.
        run: Does it, with what was typed after its name.
    """

    name: str
    takes: str
    about: str
    run: Callable[[ChatSession, str], None]


def commands() -> Mapping[str, Command]:
    """All commands, by name, in the order of ``/help``."""
    every = (
        Command(name="help", takes="", about="this list", run=_help),
        Command(name="resume", takes="[ID]", about="conversations; or go on with one of them", run=_resume),
        Command(name="try", takes="TEXT", about="what the last function gives on this; several values: a, b", run=_try),
        Command(name="plan", takes="", about="the plan of the last turn, and how far it came", run=_plan),
        Command(name="diff", takes="[RUN|all]", about="the last change again, or all of the conversation", run=_diff),
        Command(name="approve", takes="[ask|auto|never]", about="apply what waits; or set the mode", run=_approve),
        Command(name="refuse", takes="[REASON]", about="drop the waiting change, and say why", run=_refuse),
        Command(name="undo", takes="[RUN]", about="take back what was applied last", run=_undo),
        Command(name="again", takes="", about="go on with a stopped turn, or try a refused one anew", run=_again),
        Command(name="skills", takes="[NAME]", about="learned skills, or one of them", run=_skills),
        Command(name="memory", takes="[WORDS]", about="what is known, or what words bring to mind", run=_memory),
        Command(name="learn", takes="[MODE]", about="what was taught; or off, on, full: from now on", run=_learn),
        Command(name="remember", takes="", about="keep, edit or decline what runs here suggest", run=review_proposals),
        Command(name="comment", takes="TEXT", about="say how you want such things done", run=_comment),
        Command(name="edit", takes="[WHY]", about="change the last answer, and have it learned", run=_edit),
        Command(name="confirm", takes="ID [WORDS]", about="put a waiting preference in force", run=_confirm),
        Command(name="forget", takes="ID", about="drop a wish, an insight or a note", run=_forget),
        Command(name="why", takes="[EFFECT|--steps]", about="why the last answer, step by step too; causes", run=_why),
        Command(name="model", takes="[NAME|none]", about="the model; or another from the next turn on", run=_model),
        Command(name="budget", takes="[BOUNDS|none]", about="spent and left; or new bounds, such as $2", run=_budget),
        Command(name="save", takes="[FILE]", about="write the conversation as Markdown", run=_save),
        Command(name="exit", takes="", about="leave; so does Ctrl-D", run=_exit),
    )  # fmt: skip
    return {command.name: command for command in every}


def run_slash_command(session: ChatSession, name: str, text: str) -> None:
    """Does what a command says.

    Raises:
        UsageError: There is none of that name; the nearest is named.
    """
    by_name = commands()
    chosen = by_name.get({"quit": "exit", "q": "exit", "h": "help", "?": "help"}.get(name, name))
    if chosen is None:
        near = get_close_matches(name, by_name, n=1, cutoff=0.4)
        hint = f"did you mean /{near[0]}?" if near else "/help lists them"
        raise UsageError(f"there is no command /{name}", hint=hint)
    session.code = 0
    chosen.run(session, text)


_TYPED = {
    "evolve memory proposals keep": "/confirm",
    "evolve memory proposals": "/remember",
    "evolve memory list": "/memory",
    "evolve skills list": "/skills",
    "evolve skills show": "/skills",
    "evolve forget": "/forget",
    "evolve undo": "/undo",
    "evolve why": "/why",
}
"""What is a slash command here, in what commands tell."""


def _run_command(session: ChatSession, *words: str) -> None:
    """Runs a command of the command line in the workspace of the session.

    Raises:
        EvolveError: It cannot be done.
    """
    import typer

    from evolve.cli.tree import build_app

    session.set_learning_aside()
    place = [] if session.setup.workspace is None else ["-w", session.setup.workspace]
    command = typer.main.get_command(build_app(*words[:3]))
    with command_as_typed(_TYPED):
        session.code = command.main([*place, *words], prog_name="evolve", standalone_mode=False) or 0


def _last_turn(session: ChatSession) -> ChatTurn:
    """The last turn with a run.

    Raises:
        UsageError: There is none.
    """
    for turn in reversed(session.conversation.turns):
        if turn.run:
            return turn
    raise UsageError("nothing was done yet in this conversation")


def _why(session: ChatSession, text: str) -> None:
    named = text.removesuffix("--steps").strip()
    how = ["--steps"] if text.endswith("--steps") else [] if named else ["--no-replay"]
    _run_command(session, "why", *how, "--", named or _last_turn(session).run)


def _plan(session: ChatSession, text: str) -> None:
    _run_command(session, "runs", "show", _last_turn(session).run)


def _skills(session: ChatSession, text: str) -> None:
    _run_command(session, "skills", *(("show", "--", text) if text else ("list",)))


def _memory(session: ChatSession, text: str) -> None:
    folder = ["--dir", session.setup.folder] if session.setup.folder else []
    _run_command(session, "memory", *(("recall", *folder, "--", text) if text else ("list",)))


def _help(session: ChatSession, text: str) -> None:
    session.screen.lines("help", HELP)
    for command in commands().values():
        session.screen.print_line(f"/{command.name}", f"{command.takes + ': ' if command.takes else ''}{command.about}")


def _diff(session: ChatSession, text: str) -> None:
    runs = [text] if text and text != "all" else [turn.run for turn in session.conversation.turns if turn.run]
    if not text:
        _last_turn(session)
    with session.open_workspace(read_only=True) as workspace:
        if runs == [text]:
            patches = [workspace.runs.diff(text)]
        else:
            changed = {patch.run for patch in workspace.folders.list() if patch.names}
            patches = [workspace.runs.diff(run) for run in dict.fromkeys(runs) if run in changed]
    for patch in patches if text else patches[-1:]:
        session.screen.print_line("diff", f"{patch.state}; run {patch.run}, {shorten_home_path(patch.folder)}")
        session.show_diff(patch.diff or "no difference")
    if not patches:
        session.screen.print_line("diff", "no change was made in this conversation")


def _approve(session: ChatSession, text: str) -> None:
    modes = get_args(Approve)
    if text and text not in modes:
        raise UsageError(f"there is no mode {text!r}", hint=f"/approve {'|'.join(modes)}; alone it applies what waits")
    if text:
        session.setup = replace(session.setup, approve=cast(Approve, text))
    waiting = None if text else session.pending_patch()
    if waiting is not None:
        _apply(session, waiting)
        return
    meaning = {"ask": "you are asked before a file is changed", "auto": "what passes its check is applied at once",
               "never": "changes wait until /approve"}  # fmt: skip
    session.screen.print_line("approve", f"{session.setup.approve}: {meaning[session.setup.approve]}")


def _apply(session: ChatSession, waiting: Patch) -> None:
    """Applies a change, or shows it first where it was not on this screen yet."""
    said: str | None = "yes"
    if waiting.diff not in session.shown:
        said = session.ask_leave(waiting.diff, f"change {count_of(waiting.names, 'file')} in {waiting.folder}?")
    if said is None:
        session.report_patch(waiting)
        return
    with session.open_workspace() as workspace:
        runs = workspace.runs
        patch = runs.apply(waiting.run) if said == "yes" else runs.refuse(waiting.run, said)
    session.report_patch(patch)


def _refuse(session: ChatSession, text: str) -> None:
    waiting = session.pending_patch()
    if waiting is None:
        raise UsageError("no change is waiting")
    with session.open_workspace() as workspace:
        patch = workspace.runs.refuse(waiting.run, text or "no")
    session.report_patch(patch)


def _undo(session: ChatSession, text: str) -> None:
    with session.open_workspace() as workspace:
        patch = workspace.undo(text or _last_applied_run(session, workspace), person=session.person())
    session.conversation.note_refusal(patch)
    session.screen.print_line(
        "undone", f"{', '.join(patch.names)} in {shorten_home_path(patch.folder)} as before; run {patch.run}"
    )


def _last_applied_run(session: ChatSession, workspace: Workspace) -> str:
    """The newest run of this conversation that is applied, else of its folder; others have to be named."""
    runs = {turn.run for turn in session.conversation.turns}
    applied = [patch for patch in workspace.folders.list() if patch.state == "applied"]
    own = [patch.run for patch in applied if patch.run in runs]
    here = [patch.run for patch in applied if patch.folder == session.setup.folder]
    if not (own or here):
        hint = (
            f"/undo {applied[0].run} takes back a change in {shorten_home_path(applied[0].folder)}" if applied else ""
        )
        raise UsageError("nothing is applied that this conversation is about", hint=hint)
    return (own or here)[0]


def _again(session: ChatSession, text: str) -> None:
    unfinished = session.conversation.unfinished_turn
    turn = unfinished or session.conversation.refused_turn
    if turn is None:
        raise UsageError("no turn was stopped or refused")
    session.screen.print_line("again", shorten_line(turn.asked, 100))
    session.run_turn(read(turn.asked), turn.asked, unfinished)


def _comment(session: ChatSession, text: str) -> None:
    if not text:
        raise UsageError("say what you want", hint="/comment TEXT")
    last = next((turn for turn in reversed(session.conversation.turns) if turn.run), None)
    session.learn(PersonAct(kind="comment", text=text, run=last.run if last is not None else ""))


def _edit(session: ChatSession, text: str) -> None:
    turn = _last_turn(session)
    if not turn.answer:
        raise UsageError("the last turn has no answer to change")
    changed = session.edit(turn.answer)
    if changed is None or changed.rstrip() == turn.answer.rstrip():
        session.screen.print_line("edit", "nothing was changed")
        return
    session.conversation.end_turn(replace(turn, answer=changed, told=f"{turn.told}; changed by the person"))
    session.learn(PersonAct(kind="edit", text=text, before=turn.answer, after=changed, run=turn.run))


def _confirm(session: ChatSession, text: str) -> None:
    name, _, words = text.partition(" ")
    if not name:
        raise UsageError("name the preference", hint="/remember shows what waits")
    _run_command(
        session, "memory", "proposals", "edit" if words else "keep", "--", name, *filter(None, [words.strip()])
    )


def _forget(session: ChatSession, text: str) -> None:
    if not text:
        raise UsageError("name what to forget", hint="/memory shows the ids")
    _run_command(session, "forget", "--", *text.split())


_LEARNS = {
    "off": "nothing is learned from the next turn on",
    "after": "each turn is learned from once it was shown, from the next one on",
    "full": "as after, and every claim is tried by asking the model again",
}


def _learn(session: ChatSession, text: str) -> None:
    mode = "after" if text == "on" else text
    if not mode:
        left = session.unlearned_runs()  # what failed or was ended
        if left and session.attended:
            session.owes = True
            session.screen.print_line("learn", "not everything is learned from yet; it goes on behind the prompt")
        elif left:
            session.learn_now()
        _tell_learned(session)
        return
    if mode not in _LEARNS:
        raise UsageError(f"there is no mode {text!r}", hint=f"/learn on|{'|'.join(_LEARNS)}; alone it shows")
    session.setup = replace(session.setup, learn=cast(LearnMode, mode))
    session.screen.print_line("learn", f"{mode}: {_LEARNS[mode]}")


def _tell_learned(session: ChatSession) -> None:
    """What each run of this conversation taught, as it stands now."""
    runs = dict.fromkeys(turn.run for turn in session.conversation.turns if turn.run)
    with session.open_workspace(read_only=True) as workspace:
        taught = [workspace.runs.why(run) for run in runs]
    with command_as_typed(_TYPED):
        for one in taught:
            emit(f"{one.run}:")
            show_learned(one)
    if not taught:
        session.screen.print_line("learned", "nothing yet in this conversation")


def _try(session: ChatSession, text: str) -> None:
    if not text:
        raise UsageError("there is nothing to try", hint="/try TEXT")
    code = try_last_function(session.conversation.turns, text, session.screen, session.setup)
    if code is None:
        raise UsageError("there is no function yet in this conversation", hint="give rows `input -> output` first")
    session.code = code


def _resume(session: ChatSession, text: str) -> None:
    if text == session.conversation.id:
        session.screen.print_line("resumed", f"{text} is this one")
        return
    with session.open_workspace(read_only=True) as workspace:
        if text:
            chosen = workspace.conversations.conversation_of(text)
        else:
            talks = workspace.conversations.list()
    if text:
        resume_conversation(session, chosen)
        return
    for talk in talks[:_MOST_TALKS]:
        place = f" in {shorten_home_path(talk.folder)}" if talk.folder else ""
        session.screen.print_line(
            "talk", f"{talk.id}  {shorten_line(talk.turns[-1].asked, 60)} ({count_of(talk.turns, 'turn')}{place})"
        )
    if not talks:
        session.screen.print_line("talk", "no conversation so far")


def _model(session: ChatSession, text: str) -> None:
    if text:
        name = {"none": "", "default": None}.get(text, text)
        for part in filter(str.strip, (name or "").split(",")):
            parse_model(part)
        session.setup = replace(session.setup, model=name)
    session.screen.print_line("model", model_of(session) or "none: the embedded search works on rows and task files")


def model_of(session: ChatSession) -> str:
    """The model that decides in this session, or "" for the embedded search."""
    return models(session.setup.workspace).acting_model(session.setup.model)


def _budget(session: ChatSession, text: str) -> None:
    if text:
        session.purse.budget = read_budget(text.split())
    bounded = bool(bounds_of(session.purse.budget))
    bounds = "; a bound counts from the beginning of the session" if bounded else "; no bound for this session"
    session.screen.print_line("budget", session.purse.summary() + bounds)


def _save(session: ChatSession, text: str) -> None:
    try:
        parts = shlex.split(text)
    except ValueError:  # an apostrophe, say, which is part of the name
        parts = [text]
    file = named_path(parts[0] if parts else f"evolve-{session.conversation.id}.md")
    session.conversation.save(file)
    session.screen.print_line("saved", str(file))


def _exit(session: ChatSession, text: str) -> None:
    session.leaving = True
