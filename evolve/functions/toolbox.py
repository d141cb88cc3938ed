"""What an agent may call in its runs, as one value."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from evolve.episodes import Json
from evolve.functions.calls import CallGate, CallLimits, CallRecord
from evolve.functions.function import Function, FunctionSource
from evolve.functions.permission import AskConsent, Grant, Permission


def ask_for_all(function: Function) -> Grant:
    """The grant of whoever said nothing beforehand."""
    return "ask"


@dataclass(frozen=True, kw_only=True)
class Toolbox:
    """The functions that code actions may call, and under which conditions.

    Attributes:
        grant_of: What a person said of a function beforehand.
        ask: Puts a question to the person; None where nobody is there.
        limits: Of the calls of one episode.
    """

    sources: Sequence[FunctionSource] = ()
    grant_of: Callable[[Function], Grant] = ask_for_all
    ask: AskConsent | None = None
    limits: CallLimits = field(default_factory=CallLimits)

    def gate(
        self, record: CallRecord, *, clean: Callable[[Json], Json], more: Sequence[FunctionSource] = ()
    ) -> CallGate:
        """The gate of one episode.

        Args:
            clean: See :class:`CallGate`.
            more: What the episode itself offers besides.
        """
        leave = Permission(self.grant_of, self.ask)
        return CallGate([*self.sources, *more], record, leave, self.limits, clean=clean)
