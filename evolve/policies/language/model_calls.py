"""The model calls of one episode: what it may spend, replies that are kept, and pieces told while they arrive."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count, groupby

from evolve.core.cancellation import Cancellation
from evolve.core.episodes import Cost
from evolve.core.files import clean_text
from evolve.core.ledger import Budget, CostAmount, Ledger
from evolve.policies.base import Once, OnPiece, ReplyDelta
from evolve.runtime.models import ChatModel, ModelMeter, ModelReply, ModelRequest, OnDelta, TokenLimits, WaitingDelta


class EpisodeMeter:
    """The meter that models are opened with; each episode starts it anew.

    Args:
        within: Puts an episode's ledger inside wider limits, such as those of the day.
    """

    def __init__(self, within: Callable[[Ledger], ModelMeter] = lambda ledger: ledger) -> None:
        self._within = within
        self._meter: ModelMeter = within(Ledger(Budget()))
        self.spent = Cost()
        """Everything booked since the meter was made; it never goes back."""

    def start(self, budget: Budget) -> None:
        """Begins an episode that may spend ``budget``."""
        self._meter = self._within(Ledger(budget))

    @property
    def remaining(self) -> Budget:
        """What the episode may still spend."""
        return self._meter.remaining

    @property
    def exhausted_bound(self) -> str:
        """Which bound has been reached, or ""."""
        return self._meter.exhausted_bound

    def reserve(self, cost: CostAmount) -> bool:
        """Sets aside the most a call can cost; False when it does not fit."""
        return self._meter.reserve(cost)

    def settle(self, reserved: CostAmount, actual: CostAmount) -> None:
        """Books what a call cost."""
        self._meter.settle(reserved, actual)
        self.recall(actual)

    def recall(self, actual: CostAmount) -> None:
        """Counts what was booked on another day, by a process before this one: it is no spending of today."""
        self.spent += Cost(
            tokens=actual.tokens,
            money=actual.money,
            calls=actual.calls,
            completion=actual.completion,
            cached=actual.cached,
            estimated=actual.calls if getattr(actual, "estimated", False) else 0,
        )


@dataclass(kw_only=True)
class CachedModel:
    """Models whose replies go through ``once``; implements :class:`evolve.runtime.models.ChatModel`.

    Attributes:
        meter: Counts what a kept reply cost when it was asked for, without booking it again.
    """

    models: ChatModel
    once: Once
    meter: EpisodeMeter
    name: str = ""

    def __post_init__(self) -> None:
        self.name = self.models.name

    def complete(
        self, request: ModelRequest, on_delta: OnDelta | None = None, cancellation: Cancellation | None = None
    ) -> ModelReply:
        """Asks, or gives what is kept; see :meth:`evolve.runtime.models.ChatModel.complete`."""
        asked = False

        def ask() -> ModelReply:
            nonlocal asked
            asked = True
            return self.models.complete(request, on_delta, cancellation)

        reply = self.once(request, ask)
        if not asked:
            self.meter.recall(reply.usage)
        return reply

    def limits(self, role: str = "act") -> TokenLimits:
        """How much fits; see :meth:`evolve.runtime.models.ChatModel.limits`."""
        return self.models.limits(role)

    def close(self) -> None:
        """Closes the models."""
        self.models.close()


_HIGH_SURROGATES = ("d8", "d9", "da", "db")


@dataclass(kw_only=True)
class WatchedModel:
    """Models whose replies are told piece by piece; implements :class:`evolve.runtime.models.ChatModel`.

    Attributes:
        on_piece: None where nobody watches; then replies come whole.
    """

    models: ChatModel
    cancellation: Cancellation
    on_piece: OnPiece | None = None
    name: str = ""

    def __post_init__(self) -> None:
        self.name = self.models.name
        self._calls = count(1).__next__

    def complete(
        self, request: ModelRequest, on_delta: OnDelta | None = None, cancellation: Cancellation | None = None
    ) -> ModelReply:
        """Asks; see :meth:`evolve.runtime.models.ChatModel.complete`."""
        if self.on_piece is not None:
            on_delta = self._listener(request, self.on_piece)
        return self.models.complete(request, on_delta, cancellation or self.cancellation)

    def limits(self, role: str = "act") -> TokenLimits:
        """How much fits; see :meth:`evolve.runtime.models.ChatModel.limits`."""
        return self.models.limits(role)

    def _listener(self, request: ModelRequest, tell: OnPiece) -> OnDelta:
        new = FenceReader if request.schema is None else FieldReader
        reader, call = new(), 0

        def listen(text: str) -> None:
            nonlocal reader, call
            if not text or not call:
                # An empty text says that the reply begins anew.
                reader, call = new(), self._calls()
            if isinstance(text, WaitingDelta):
                tell(ReplyDelta(stage=request.tag, field="asks again", text=text.told, call=call))
            for name, value in reader.read_piece(text):
                if value:
                    tell(ReplyDelta(stage=request.tag, field=name, text=value, call=call))

        return listen

    def close(self) -> None:
        """Closes the models."""
        self.models.close()


class FenceReader:
    """Tells thought and code apart in a reply of words and fenced blocks while it comes; the fences are left out."""

    def __init__(self) -> None:
        self._fence = 0  # backticks of the block around this place
        self._held = ""  # the beginning of a line that may become a fence

    def read_piece(self, piece: str) -> list[tuple[str, str]]:
        """What the piece adds, as ``(field, text)`` in order."""
        *lines, rest = (self._held + piece).split("\n")
        pieces = [found for line in lines for found in self._read(f"{line}\n")]
        # Only what may become a fence waits for its line's end.
        self._held = rest if not rest.strip() or rest.lstrip().startswith("`") else ""
        if rest and not self._held:
            pieces.append((self._field, rest))
        return [
            (name, clean_text("".join(text for _, text in group))) for name, group in groupby(pieces, lambda o: o[0])
        ]

    @property
    def _field(self) -> str:
        return "code" if self._fence else "thought"

    def _read(self, line: str) -> list[tuple[str, str]]:
        bare = line.strip()
        ticks = len(bare) - len(bare.lstrip("`"))
        if ticks >= 3 and (not self._fence or (ticks >= self._fence and ticks == len(bare))):
            self._fence = 0 if self._fence else ticks
            return []
        return [(self._field, line)]


class FieldReader:
    """Reads the texts in a JSON object while it comes, with the names of their fields.

    Whatever stands around the object is passed over. It says nothing of whether the JSON is sound.
    """

    def __init__(self) -> None:
        self._open: list[str] = []  # the brackets around this place
        self._names: list[str] = []  # the field of each of them
        self._name = ""
        self._wants_name = False
        self._inside = False  # of a string
        self._escape = ""
        self._string: list[str] = []

    def read_piece(self, piece: str) -> list[tuple[str, str]]:
        """What the piece adds, as ``(field, text)`` in order."""
        pieces = [(name, text) for char in piece for name, text in self._read(char)]
        return [
            (name, clean_text("".join(text for _, text in group))) for name, group in groupby(pieces, lambda o: o[0])
        ]

    def _read(self, char: str) -> list[tuple[str, str]]:
        if self._inside:
            return self._in_string(char)
        if char in "{[":
            self._open.append(char)
            self._names.append(self._name)
            self._wants_name = char == "{"
        elif char in "}]" and self._open:
            self._open.pop()
            self._name = self._names.pop()
            self._wants_name = False
        elif char == "," and self._open:
            self._wants_name = self._open[-1] == "{"
        elif char == '"' and self._open:
            self._inside, self._string = True, []
        return []

    def _in_string(self, char: str) -> list[tuple[str, str]]:
        if self._escape and _is_lone_half(self._escape, char):
            self._escape = self._escape[6:]
            return self._in_string(char)
        if self._escape:
            self._escape += char
            text = _unescaped(self._escape)
            if text is None:
                return []
            self._escape = ""
        elif char == "\\":
            self._escape = char
            return []
        elif char == '"':
            self._inside = False
            if self._wants_name:
                self._name, self._wants_name = "".join(self._string), False
            return []
        else:
            text = char
        if self._wants_name:
            self._string.append(text)
            return []
        return [(self._name, text)]


def _unescaped(text: str) -> str | None:
    """What an escape stands for; None while it is not complete."""
    if text[1] != "u":
        return _decoded(text)
    # A character beyond the first plane is written as two escapes, a high and a low half.
    return None if len(text) < (12 if _is_high(text) else 6) else _decoded(text)


def _is_high(text: str) -> bool:
    return text[2:4].lower() in _HIGH_SURROGATES


def _is_lone_half(text: str, char: str) -> bool:
    """Whether an escape that is half a character turns out to have no other half."""
    return len(text) in (6, 7) and _is_high(text) and not "\\u".startswith(text[6:] + char)


def _decoded(text: str) -> str:
    try:
        return str(json.loads(f'"{text}"'))
    except ValueError:
        return ""
