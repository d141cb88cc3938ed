"""What a refusal, a comment or an edit seems to show: put into general words, shown beside the person's own, and in
force once they confirm it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evolve.cli.chat.session import NO, YES, ChatSession
from evolve.cli.output import at_home, shorten
from evolve.errors import BudgetExhausted, EndpointProblem, ModelMistake
from evolve.workspace import Context, PersonAct

if TYPE_CHECKING:
    from evolve.workspace import Preference, Workspace

_ALWAYS = ("always", "everywhere")
_LATER = ("", "later")


def learn_wish(session: ChatSession, act: PersonAct) -> None:
    """Learns from something the person did, and asks them whether it was understood."""
    with session.opened() as workspace:
        wish = workspace.preferences.suggest(act)
        if wish is not None and wish.status == "proposed" and session.attended and workspace.uses_model:
            wish = _in_general_words(session, workspace, wish)
    if wish is None:
        session.screen.say("hint", "nothing was learned from that: it has no words of yours besides what it quotes")
    elif wish.status == "proposed":
        _ask_to_confirm(session, wish, act.text)
    else:
        say_kept(session, wish)


def confirm(session: ChatSession, wish: Preference, words: str = "", *, everywhere: bool = False) -> None:
    """Puts a wish in force, for tasks like the one it was said of or for all that are worked on here."""
    folder = session.setup.folder
    contexts = ([Context(folder=folder)] if folder else []) if everywhere else None
    with session.opened() as workspace:
        kept = workspace.preferences.confirm(wish.id, words or None, contexts=contexts)
    say_kept(session, kept)


def say_kept(session: ChatSession, wish: Preference) -> None:
    """Says what later tasks are told of from now on."""
    session.screen.say("wish", f"{wish.description}  (for {scope(wish)}; /forget {wish.id[:8]} drops it)")


def scope(wish: Preference) -> str:
    """Where a wish holds, in a few words."""
    if not wish.contexts:
        return "every task"
    last = wish.contexts[-1]
    if last.instruction:
        return f"tasks like: {shorten(last.instruction, 60)}"
    return f"all work in {at_home(last.folder)}" if last.folder else f"the family {last.family}"


def _in_general_words(session: ChatSession, workspace: Workspace, wish: Preference) -> Preference:
    """The wish with a proposal of the model beside it, where the model has a usable one and may be asked."""
    preferences = workspace.preferences
    try:
        with session.screen.working("putting that into general words"):
            return preferences.propose(wish.id, budget=session.purse.left())
    except (BudgetExhausted, EndpointProblem, ModelMistake):
        return wish  # the person's own words are there, and they can say it otherwise
    finally:
        session.purse.book(preferences.spent, {})


def _ask_to_confirm(session: ChatSession, wish: Preference, said: str) -> None:
    words = wish.proposal or wish.description
    told = [f"you said: {said}"] if said else []
    session.screen.lines("wish", "\n".join([*told, f"to be kept: {words}", f"for {scope(wish)}"]))
    answer = (session.ask_afresh("keep it? [yes/always/no, or in your words] ") or "").strip()
    word = answer.casefold()
    if word in _LATER:
        session.screen.say("hint", f"it does not act until you confirm it: /confirm {wish.id[:8]}")
    elif word in NO:
        with session.opened() as workspace:
            workspace.preferences.forget([wish.id])
        session.screen.say("forgotten", "nothing of it is kept")
    else:
        known = word in YES or word in _ALWAYS
        confirm(session, wish, "" if known else answer, everywhere=word in _ALWAYS)
