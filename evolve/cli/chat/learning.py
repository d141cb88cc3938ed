"""What a turn teaches, worked out once its result was shown: behind the prompt, while the person reads and types."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from evolve.cli.chat.screen import Screen
from evolve.cli.render.memory import dropped_line
from evolve.cli.render.output import shorten_line
from evolve.cli.render.views import KEPT_STEPS
from evolve.core.errors import EvolveError
from evolve.workspace import Cancellation, Person

if TYPE_CHECKING:
    from evolve.workspace import Budget, LearningResult, Workspace

Open = Callable[[], AbstractContextManager["Workspace"]]

_PATIENCE_S = 2.0
"""Seconds that somebody waits for an answer under way: once it is there it is kept, while one that is stopped was paid
for and brings nothing. Longer would be felt."""


class BackgroundLearner:
    """Learns in a thread of its own, with an opening of the workspace that nobody else uses.

    The record has one writer. So whoever is about to open the workspace calls :meth:`set_aside` first; what was not
    learned by then goes on with the next :meth:`begin`.

    Args:
        finished: Called in that thread once there is an outcome.
    """

    def __init__(self, finished: Callable[[], None] = lambda: None) -> None:
        self.finished = finished
        self._pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="evolve-learning")
        self._going_on: Future[tuple[LearningResult, ...]] | None = None
        self._stop = Cancellation()

    @property
    def is_busy(self) -> bool:
        """Whether it learns, or has an outcome that was not fetched."""
        return self._going_on is not None

    def begin(self, opened: Open, budget: Budget) -> None:
        """Learns what is on record and was not learned from yet; returns at once."""
        self._stop = Cancellation()
        person = Person(cancellation=self._stop)
        self._going_on = self._pool.submit(learn, opened, budget, person)
        self._going_on.add_done_callback(lambda done: self.finished())

    def set_aside(self) -> None:
        """Waits until nothing is going on: for the answer under way, and stops it where that takes long."""
        if self._going_on is None:
            return
        self._stop.wind_down()
        if not wait([self._going_on], _PATIENCE_S).done:
            self._stop.cancel()
            wait([self._going_on])

    def take_outcome(self, *, sound: bool = False) -> tuple[LearningResult, ...] | None:
        """What came of it, once; None while it goes on, and where nothing was begun.

        Args:
            sound: Leave what learning raised, unless it is an error that can be told, for the next call.

        Raises:
            EvolveError: It could not be learned; so does whatever else learning raised.
        """
        done = self._going_on
        if done is None or not done.done() or (sound and not isinstance(done.exception(), EvolveError | None)):
            return None
        self._going_on = None
        return done.result()

    def close(self) -> None:
        """Sets aside what goes on, for good."""
        self.set_aside()
        self._pool.shutdown()


def learn(opened: Open, budget: Budget, person: Person | None = None) -> tuple[LearningResult, ...]:
    """Learns what is on record and was not learned from yet."""
    with opened() as workspace:
        return workspace.learn(budget=budget, person=person)


def print_learning(screen: Screen, taught: Sequence[LearningResult]) -> None:
    """Says in a line what came of each run that was learned from."""
    for one in taught:
        told = [*one.told, *(f"the skill {skill}: /skills {skill}" for skill in one.skills)]
        told = told or ([KEPT_STEPS] if one.learned else [])
        if told and not (one.waits or one.stopped):
            more = f"  (and {len(told) - 1} more: /learn)" if len(told) > 1 else ""
            screen.print_line("learned", shorten_line(told[0], 90) + more)
    offered = [proposal for one in taught for proposal in one.proposals]
    for proposal in offered:
        screen.print_line("memory", f"to remember: {proposal.description}")
    for one in taught:
        if not one.proposals and set(one.dropped) - {"known"}:
            screen.print_line("hint", dropped_line(one.dropped))
    if offered:
        screen.print_line(
            "hint", "nothing of it is used until you keep it: /remember, or later evolve memory proposals"
        )
