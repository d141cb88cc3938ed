"""How a workspace is opened."""

from __future__ import annotations

from dataclasses import dataclass

from evolve.events import EventSink
from evolve.models import Recording
from evolve.policies.protocol import Policy
from evolve.record.arms import Learner
from evolve.workspace.arguments import checked


@checked()
@dataclass(frozen=True, kw_only=True)
class Options:
    """How a workspace is opened.

    Attributes:
        policy: A policy or learner to use instead of program search.
        model: A language model to use instead, or a recording of its exchanges; "" for none, None for that of the
            settings.
        events: Told what happens while it happens.
        read_only: Looks only; needs no lock and may run beside a writer.
        sandbox: A backend for this time only. ``none`` confines nothing and needs ``EVOLVE_UNSAFE=I_UNDERSTAND``.
    """

    policy: Policy | Learner | None = None
    model: str | Recording | None = None
    events: EventSink | None = None
    read_only: bool = False
    sandbox: str | None = None
