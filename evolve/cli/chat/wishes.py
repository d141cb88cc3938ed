"""What a refusal, a comment or an edit seems to show: put into general words, shown beside the person's own, and in
force once they confirm it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from evolve.cli.chat.session import ChatSession
from evolve.cli.proposals import apply_decision, ask_each, in_general_words
from evolve.cli.render.memory import kept_line
from evolve.workspace import PersonAct

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evolve.workspace import Preference


def learn_wish(session: ChatSession, act: PersonAct) -> None:
    """Learns from something the person did, and asks them whether it was understood."""
    with session.open_workspace() as workspace:
        wish = workspace.preferences.suggest(act)
        if wish is not None and session.attended:
            try:
                with session.screen.show_working("putting that into general words"):
                    wish = in_general_words(workspace, wish, session.purse.remaining())
            finally:
                session.purse.add_cost(workspace.preferences.spent, {})
    if wish is None:
        session.screen.print_line(
            "hint", "nothing was learned from that: it has no words of yours besides what it quotes"
        )
    elif wish.status != "proposed":
        _say_kept(session, wish)
    elif not _ask(session, [wish]):
        session.screen.print_line("hint", f"it does not act until you keep it: /confirm {wish.id[:8]}")


def review_proposals(session: ChatSession, text: str) -> None:
    """Asks about everything that runs in this folder, or without one, suggest to remember, the first first."""
    with session.open_workspace(read_only=True) as workspace:
        waiting = workspace.preferences.proposals(folder=session.setup.folder)[::-1]
    if not waiting:
        session.screen.print_line("hint", "nothing is proposed")
        return
    session.to_remember = len(waiting) - len(_ask(session, waiting))


def _say_kept(session: ChatSession, wish: Preference) -> None:
    """Says what became of a wish."""
    session.screen.print_line("memory", kept_line(wish, "/forget", session.setup.folder))


def _ask(session: ChatSession, waiting: Sequence[Preference]) -> Sequence[Preference]:
    """Asks about what waits, and does what the person says; gives what they decided."""
    say, ask = partial(session.screen.lines, "memory"), session.ask_afresh if session.attended else session.ask
    decisions = ask_each(waiting, ask, say, here=session.setup.folder)
    if not decisions:
        return ()
    with session.open_workspace() as workspace:
        decided = [apply_decision(workspace, decision) for decision in decisions]
    for one in decided:
        _say_kept(session, one)
    return decided
