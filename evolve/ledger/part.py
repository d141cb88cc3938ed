"""A fixed part of a budget with a ledger of its own, so that who spends from it cannot see what others spend."""

from __future__ import annotations

import time
from collections.abc import Callable

from evolve.ledger.run_ledger import Amount, Budget, Ledger, Spent, amounts, whole


class LedgerPart(Ledger):
    """Bounds work to a share of a ledger's budget; what it books is booked on the whole as well.

    Its clock goes from :meth:`go_on` to :meth:`pause`, so the time of a part is that of its own work.

    Args:
        of: The whole.
        share: In (0, 1].
        name: What the part is for, as a person is told when it is spent.
        spent: What earlier processes of the same run have spent from this part.
        clock: Monotonic seconds.
    """

    def __init__(
        self,
        of: Ledger,
        share: float,
        *,
        name: str,
        spent: Spent | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._of, self._name, self._real = of, name, clock
        self._ran, self._since = 0.0, -1.0
        bounds = {kind: None if most is None else max(1, int(most * share)) for kind, most in whole(of.budget).items()}
        super().__init__(Budget(**amounts(bounds)), spent=spent, clock=self._time)

    def go_on(self) -> None:
        """Lets the clock go."""
        self._since = self._real()

    def pause(self) -> None:
        """Stops the clock."""
        self._ran, self._since = self._time(), -1.0

    def _time(self) -> float:
        return self._ran if self._since < 0 else self._ran + self._real() - self._since

    @property
    def run_seconds(self) -> float:
        """Wall seconds of the whole."""
        return self._of.run_seconds

    @property
    def exhausted(self) -> str:
        """Which bound has been reached, in one phrase for people, or ""."""
        own = super().exhausted
        if own and own != self._ended:
            own = f"the part of the budget that is for {self._name} is spent"
        return own or self._of.exhausted

    def reserve(self, cost: Amount) -> bool:
        """Sets the most some work can cost aside, here and in the whole; see :meth:`Ledger.reserve`."""
        with self._guard:
            if not super().reserve(cost):
                return False
            if self._of.reserve(cost):
                return True
            super().settle(cost, Spent())
            return False

    def settle(self, reserved: Amount, actual: Amount) -> None:
        """Returns a reservation and books what the work cost, here and in the whole; see :meth:`Ledger.settle`."""
        with self._guard:
            super().settle(reserved, actual)
            self._of.settle(reserved, actual)
