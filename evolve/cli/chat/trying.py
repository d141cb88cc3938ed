"""What the last function of a conversation gives on what is typed."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from evolve.cli.chat.reading import read
from evolve.cli.chat.screen import Screen
from evolve.cli.chat.setup import Setup

if TYPE_CHECKING:
    from evolve.workspace import ChatTurn


def try_last(turns: Sequence[ChatTurn], text: str, screen: Screen, setup: Setup) -> int | None:
    """Shows what the last function of the turns gives on arguments as they are typed, and gives the exit code.

    None where there is no function.

    Raises:
        UsageError: The arguments are not as many as it takes.
    """
    turn = next((turn for turn in reversed(turns) if is_function(turn)), None)
    if turn is None:
        return None
    from evolve.workspace import sandbox

    with screen.working("trying"):
        outcome = sandbox(setup.workspace, setup.settings.get("sandbox")).call(turn.answer, text)
    if outcome.ok:
        value = outcome.value
        screen.say("gives", value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
    else:
        screen.say("error", f"the function fails here: {outcome.error}")
    return 0 if outcome.ok else 1


def is_function(turn: ChatTurn) -> bool:
    """Whether a turn ended with a function that was found from rows."""
    return (
        turn.status == "solved" and bool(turn.answer) and not turn.words and read(turn.asked).kind in ("rows", "named")
    )
