"""What a turn teaches, worked out once its result is on the screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evolve.cli.output import shorten
from evolve.errors import EndpointProblem, SandboxUnavailable

if TYPE_CHECKING:
    from evolve.cli.chat.session import ChatSession


def learn_after(session: ChatSession) -> None:
    """Learns from what was shown and says what came of it; Ctrl-C leaves it for after the next turn."""
    say = session.screen.say
    try:
        with session.screen.working("keeping what was learned"), session.opened() as workspace:
            taught = workspace.learn()
    except KeyboardInterrupt:
        say("stopped", "the result stands; it is learned from after the next turn")
        return
    except (EndpointProblem, SandboxUnavailable) as problem:
        say("warning", f"it is not learned from yet: {problem}")
        return
    for one in taught:
        session.purse.book(one.cost, {})
        for text in one.learned[:3]:
            say("learned", shorten(text, 110))
        for skill in one.skills:
            say("learned", f"the skill {skill}: /skills {skill}")
