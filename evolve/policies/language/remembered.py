"""Questions whose replies are kept, so that work that is set aside and goes on pays for none of them twice."""

from __future__ import annotations

from dataclasses import dataclass

from evolve.cancellation import Cancellation
from evolve.models import ChatModel, ModelLimits, ModelReply, ModelRequest, OnDelta
from evolve.policies.language.metering import EpisodeMeter
from evolve.policies.protocol import Once


@dataclass(kw_only=True)
class Remembered:
    """Models whose replies go through ``once``; implements :class:`evolve.models.ChatModel`.

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
        """Asks, or gives what is kept; see :meth:`evolve.models.ChatModel.complete`."""
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
        """How much fits; see :meth:`evolve.models.ChatModel.limits`."""
        return self.models.limits(role)

    def close(self) -> None:
        """Closes the models."""
        self.models.close()
