"""What one episode may spend on models, inside what the run and the workspace may; a kept reply is not paid again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from evolve.core.cancellation import Cancellation
from evolve.core.episodes import Cost
from evolve.core.ledger import Amount, Budget, Ledger
from evolve.policies.base import Once
from evolve.runtime.models import ChatModel, Meter, ModelLimits, ModelReply, ModelRequest, OnDelta


class EpisodeMeter:
    """The meter that models are opened with; each episode starts it anew.

    Args:
        within: Puts an episode's ledger inside wider limits, such as those of the day.
    """

    def __init__(self, within: Callable[[Ledger], Meter] = lambda ledger: ledger) -> None:
        self._within = within
        self._meter: Meter = within(Ledger(Budget()))
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

    def reserve(self, cost: Amount) -> bool:
        """Sets aside the most a call can cost; False when it does not fit."""
        return self._meter.reserve(cost)

    def settle(self, reserved: Amount, actual: Amount) -> None:
        """Books what a call cost."""
        self._meter.settle(reserved, actual)
        self.recall(actual)

    def recall(self, actual: Amount) -> None:
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

    def limits(self, role: str = "act") -> ModelLimits:
        """How much fits; see :meth:`evolve.runtime.models.ChatModel.limits`."""
        return self.models.limits(role)

    def close(self) -> None:
        """Closes the models."""
        self.models.close()
