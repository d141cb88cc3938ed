"""Makes a prompt shorter by leaving out what matters least."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from evolve.models.protocol import KEPT, Message
from evolve.models.tokens import PER_MESSAGE, most_tokens

ASSUMED_SHARE = 0.6
"""How much is kept where the endpoint does not say how much fits."""

# Sizes here are bytes and the endpoint's figures are tokens, so a share fits only about.
_MARGIN = 0.95


def trim(messages: Sequence[Message], share: float | None) -> tuple[list[Message], tuple[str, ...]] | None:
    """The messages that are left, and the kinds of those that are not; None where too much is golden.

    Lowest priority goes first, among equals the oldest. The same prompt always loses the same messages. Messages
    from :data:`evolve.models.protocol.KEPT` on stay, and so does the last one, which is what is being asked. An
    assistant's turn and the message after it go together or stay together, so that roles still take turns.

    Args:
        share: The part of the prompt that fits, from 0 to 1; None where that is not known.
    """
    sizes = [most_tokens(message.text) + PER_MESSAGE for message in messages]
    target = sum(sizes) * (ASSUMED_SHARE if share is None else min(share, 1.0) * _MARGIN)
    dropped: set[int] = set()
    for _, places in sorted(_free_units(messages)):
        if sum(size for other, size in enumerate(sizes) if other not in dropped) <= target:
            break
        dropped.update(places)
    size_left = sum(size for place, size in enumerate(sizes) if place not in dropped)
    # Where the endpoint named no figure the aim is a guess, and whatever could go may do.
    if not dropped or (share is not None and size_left > target / _MARGIN):
        return None
    kinds = tuple(messages[place].kind or messages[place].role for place in sorted(dropped))
    return [message for place, message in enumerate(messages) if place not in dropped], kinds


def _free_units(messages: Sequence[Message]) -> Iterator[tuple[int, tuple[int, ...]]]:
    """What may go, each with its priority and the places of its messages."""
    last = len(messages) - 1
    first_turn = next((place for place, message in enumerate(messages) if message.role == "assistant"), None)
    # An assistant's turn has to answer somebody.
    opening = max((place for place in range(first_turn or 0) if messages[place].role == "user"), default=last)
    place = 0
    while place < last:
        answered = messages[place].role == "assistant" and messages[place + 1].role != "assistant"
        places = (place, place + 1) if answered else (place,)
        place += len(places)
        priority = max(messages[one].priority for one in places)
        if priority < KEPT and last not in places and opening not in places:
            yield priority, places
