"""The person at the other end of a run: who answers, what needs leave and may be learned, how to say stop."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, get_args

from evolve.core.cancellation import Cancellation
from evolve.core.episodes import Respond
from evolve.core.errors import UsageError
from evolve.core.settings import LearnMode as LearnMode

if TYPE_CHECKING:
    from evolve.runtime.functions import AskConsent
    from evolve.workspace.runs.result import Result

Approve = Literal["ask", "auto", "never"]


@dataclass(frozen=True, kw_only=True)
class Person:
    """Who is there while a run goes on; by default nobody.

    Attributes:
        respond: Called in this process with each question. Without it, or where it gives None, the run is left
            waiting: its result has the status ``waiting`` and the question.
        before_approval: Called in this process with the result whose change is asked about next. The question then
            comes without the difference.
        approve: What happens before anything that cannot be taken back easily, such as changing a person's folder:
            ``ask`` puts the question, ``auto`` gives leave for what was checked, ``never`` leaves it undone.
        consent: Called in this process before a call of a function that needs leave, while the code that makes it
            waits. Without it, or with an ``approve`` that is not ``ask``, such calls are refused.
        cancellation: Ends the action going on; the result then has the status ``interrupted``, and the same call
            goes on from there.
        learn: What is learned from the run: nothing (``off``), claims and skills, of which at most one is tried by
            asking a model again (``after``), or with all of them tried (``full``); None leaves it to the setting.
        streams: Tell the workspace's events what a model writes while it writes it: kind ``text``, with ``stage``,
            ``field`` of its reply, ``piece`` of text and ``call``, which counts replies. They are in no log.
        vouches: The rows of the task are theirs. Else the run uses what is known, and is evidence for and against
            nothing.
    """

    respond: Respond | None = None
    before_approval: Callable[[Result], None] | None = None
    approve: Approve = "ask"
    consent: AskConsent | None = None
    cancellation: Cancellation = field(default_factory=Cancellation)
    learn: LearnMode | None = None
    streams: bool = False
    vouches: bool = True

    def __post_init__(self) -> None:
        if self.learn is not None and self.learn not in get_args(LearnMode):
            modes = ", ".join(get_args(LearnMode))
            raise UsageError(
                f"learn: {self.learn!r} is none of {modes}", hint="--set learn=after, or Person(learn='after')"
            )
