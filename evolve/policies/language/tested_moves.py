"""How a prompt tells what experiments showed: in a message of its own, worded by the kind of environment."""

from __future__ import annotations

from collections.abc import Sequence

from evolve.environments import Recounting, kind_of
from evolve.episodes import MOVE, Recalled, TaskView
from evolve.models import Message
from evolve.policies.language.quoting import quoted


def is_tested_move(item: Recalled) -> bool:
    """Whether an item is a claim on a move or a plan."""
    return item.cause.startswith(MOVE)


def tested_message(items: Sequence[Recalled], view: TaskView) -> list[Message]:
    """What the kind of environment makes of such items; nothing where it makes nothing."""
    kind, tested = kind_of(view.environment), list(filter(is_tested_move, items))
    parts = kind.recount(tested, view) if tested and isinstance(kind, Recounting) else ()
    text = "".join(quoted(part.name, part.text) if part.name else part.text for part in parts)
    return [Message(role="user", text=text, priority=60, kind="insight")] if text else []
