"""What a turn teaches, worked out once its result is on the screen."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from evolve.cli.chat.screen import Screen
from evolve.cli.chat.spending import Purse
from evolve.cli.output import shorten
from evolve.errors import BudgetExhausted, EndpointProblem, SandboxUnavailable

if TYPE_CHECKING:
    from evolve.workspace import Taught, Workspace


def learn_after(
    screen: Screen, purse: Purse, opened: Callable[[], AbstractContextManager[Workspace]]
) -> tuple[Taught, ...]:
    """Learns from what was shown, says what came of it and gives it; Ctrl-C leaves it for after the next turn.

    Nothing is learned once the session's budget is spent: turns before may owe something that has a share of its own.
    """
    say = screen.say
    try:
        purse.left()
        with screen.working("keeping what was learned"), opened() as workspace:
            taught = workspace.learn()
    except KeyboardInterrupt:
        say("stopped", "the result stands; it is learned from after the next turn")
        return ()
    except (BudgetExhausted, EndpointProblem, SandboxUnavailable) as problem:
        say("warning", f"it is not learned from yet: {problem}")
        return ()
    for one in (one for one in taught if not one.waits):
        purse.book(one.cost, {})
        for text in one.learned[:3]:
            say("learned", shorten(text, 110))
        for skill in one.skills:
            say("learned", f"the skill {skill}: /skills {skill}")
    return taught
