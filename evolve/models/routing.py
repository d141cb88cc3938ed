"""Chooses the model for a request: by its role, and the cheap one first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from evolve.cancellation import Cancellation
from evolve.errors import UsageError
from evolve.models.protocol import ChatModel, ModelLimits, ModelReply, ModelRequest, OnDelta

ROLES = ("act", "reflect", "judge", "rewrite")


class Models:
    """The models of a workspace, by role, each a list from cheap to dear.

    It is itself a :class:`evolve.models.ChatModel` that answers by the first model of the request's role.
    ``escalate`` gives the same with the next model of each list; the lists end at their dearest.

    Args:
        default: For roles without a list of their own.
        roles: Lists for some of ``act``, ``reflect``, ``judge`` and ``rewrite``.
        level: How often the work was escalated already.

    Raises:
        UsageError: For an empty list or an unknown role.
    """

    def __init__(
        self, default: Sequence[ChatModel], roles: Mapping[str, Sequence[ChatModel]] | None = None, level: int = 0
    ) -> None:
        self._lists = {role: tuple((roles or {}).get(role) or default) for role in ROLES}
        unknown = sorted(set(roles or {}) - set(ROLES))
        if unknown:
            raise UsageError(f"no role {unknown[0]!r} for a model; roles are {', '.join(ROLES)}")
        if not all(self._lists.values()):
            raise UsageError("no model is named", hint="evolve models default NAME, or --model NAME")
        self.level = level
        self.name = self.of("act").name

    def of(self, role: str) -> ChatModel:
        """The model that plays a role at this level.

        Raises:
            UsageError: For an unknown role.
        """
        if role not in self._lists:
            raise UsageError(f"no role {role!r} for a model; roles are {', '.join(ROLES)}")
        models = self._lists[role]
        return models[min(self.level, len(models) - 1)]

    @property
    def levels(self) -> int:
        """How many levels differ, at least one."""
        return max(len(models) for models in self._lists.values())

    def escalate(self, level: int) -> Models:
        """The models for work that failed verification ``level`` times."""
        return Models(self._lists["act"], self._lists, min(max(level, 0), self.levels - 1))

    def limits(self, role: str = "act") -> ModelLimits:
        """The least of what the models of a role take: failed work goes from one to the next with its history."""
        self.of(role)
        every = [model.limits(role) for model in self._lists[role][self.level :] or self._lists[role][-1:]]
        return ModelLimits(
            window=min(limits.window for limits in every),
            reply=min(limits.reply for limits in every),
            known=all(limits.known for limits in every),
        )

    def complete(
        self, request: ModelRequest, on_delta: OnDelta | None = None, cancellation: Cancellation | None = None
    ) -> ModelReply:
        """Asks the model of the request's role, one further up its list for each answer that was refused."""
        model = self.escalate(self.level + request.refused).of(request.role)
        return model.complete(request, on_delta, cancellation)

    def close(self) -> None:
        """Closes every model; they are shared by all levels."""
        # By identity: one model may stand in several lists.
        for model in {id(model): model for models in self._lists.values() for model in models}.values():
            model.close()

    def __enter__(self) -> Models:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()
