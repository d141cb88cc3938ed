"""The budget of one run and its ledger, and fixed parts of a budget with ledgers of their own.

Who spends from a part cannot see what others spend. A budget in seconds counts from when the command was typed, so the
clock is that of the process.
"""

from __future__ import annotations

import os
import re
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Protocol

from evolve.core.errors import UsageError

_STARTED = 19
"""Place of the start, in clock ticks since boot, among what ``/proc/self/stat`` says after the program's name."""


def process_seconds() -> float:
    """Wall seconds since this process was started; where the system does not tell, its CPU seconds, which are fewer."""
    used = time.process_time()
    try:
        started = int(Path("/proc/self/stat").read_text("utf-8").rpartition(")")[2].split()[_STARTED])
        return max(used, time.clock_gettime(time.CLOCK_BOOTTIME) - started / os.sysconf("SC_CLK_TCK"))
    except (OSError, ValueError, IndexError, AttributeError):  # no Linux
        return used


KINDS = ("candidates", "tokens", "calls", "money", "seconds")
"""What is counted, and may be bounded."""

_DETAILS = ("completion", "cached")
"""Told of the tokens, and not bounded."""

_BILLIONTHS = ("money", "seconds")
_SCALE = {"": 1, "k": 1_000, "m": 1_000_000, "g": 1_000_000_000, "b": 1_000_000_000}
_SECONDS = {"s": 1, "m": 60, "min": 60, "h": 3_600, "d": 86_400}
_TIME = re.compile(r"(?P<number>\d+(?:\.\d+)?)(?P<unit>s|min|m|h|d)\Z", re.ASCII)
_COUNT = re.compile(
    r"(?P<number>\d+(?:\.\d+)?)(?P<scale>[kmgb]?)-(?P<kind>candidates?|tokens?|calls?)\Z", re.IGNORECASE | re.ASCII
)
_MONEY = re.compile(r"\$(?P<number>\d+(?:\.\d+)?)\Z", re.ASCII)
_LARGEST = 1e15


@dataclass(frozen=True, kw_only=True)
class Budget:
    """Upper bounds of a run; None means no bound of that kind. The first one reached stops the run."""

    seconds: float | None = None
    """Wall-clock seconds from the start of the run, by a monotonic clock."""
    candidates: int | None = None
    tokens: int | None = None
    money: float | None = None
    """US dollars."""
    calls: int | None = None
    """Requests to model endpoints."""

    @property
    def unlimited(self) -> bool:
        """True when nothing is bounded."""
        return all(getattr(self, item.name) is None for item in fields(self))


@dataclass(frozen=True, kw_only=True)
class Spent:
    """What a run has spent so far. ``seconds`` is wall time, not the sum over workers.

    Attributes:
        completion: Those of ``tokens`` that a model wrote.
        cached: Those of ``tokens`` that were sent and that an endpoint had in its cache.
    """

    seconds: float = 0.0
    candidates: int = 0
    tokens: int = 0
    money: float = 0.0
    calls: int = 0
    completion: int = 0
    cached: int = 0


class CostAmount(Protocol):
    """Anything that states a cost, such as an episode's cost or :class:`Spent`."""

    @property
    def candidates(self) -> int: ...
    @property
    def seconds(self) -> float: ...
    @property
    def tokens(self) -> int: ...
    @property
    def money(self) -> float: ...
    @property
    def calls(self) -> int: ...
    @property
    def completion(self) -> int: ...
    @property
    def cached(self) -> int: ...


def to_exact(amount: CostAmount | Budget) -> dict[str, Any]:
    """Amounts, or bounds, by kind; money and seconds in billionths, so that sums are exact and none is passed by
    rounding."""
    found = {kind: getattr(amount, kind) for kind in KINDS}
    return {
        kind: value if value is None or kind not in _BILLIONTHS else round(value * 1_000_000_000)
        for kind, value in found.items()
    }


def from_exact(counts: Mapping[str, int | None]) -> dict[str, Any]:
    """The other way round: what :class:`Spent` and :class:`Budget` are made with."""
    return {
        kind: count if count is None or kind not in _BILLIONTHS else count / 1_000_000_000
        for kind, count in counts.items()
    }


def _budget_overshoot(budget: Budget, spent: CostAmount) -> Spent:
    """How far counts and money went past the bounds of a budget; nothing of time, which passes by itself."""
    used = _counts(spent)
    over = {kind: 0 if bound is None else max(0, used[kind] - bound) for kind, bound in _counts(budget).items()}
    return Spent(**from_exact(over))


def overshoot_text(budget: Budget, spent: CostAmount) -> str:
    """How far a budget was passed, and why, in a sentence for people; "" where it was not."""
    over = _budget_overshoot(budget, spent)
    parts = [f"{getattr(over, kind):,} {kind}" for kind in ("candidates", "tokens", "calls") if getattr(over, kind)]
    parts += [f"${over.money:.4f}"] if over.money else []
    if not parts:
        return ""
    return f"the budget was passed by {' and '.join(parts)}: a call took more than was set aside for it"


def parse_budget(texts: Sequence[str]) -> Budget:
    """Reads budget options: ``60s``, ``5m``, ``2h``, ``200k-candidates``, ``2M-tokens``, ``500-calls``, ``$2``.

    A kind given twice keeps its smaller bound.

    Raises:
        UsageError: For text of another form and for a bound of zero.
    """
    # A single text is a sequence as well, of its letters.
    if not isinstance(texts, list | tuple) or not all(isinstance(text, str) for text in texts):
        raise UsageError(f"a budget is made of texts, not {texts!r}"[:120], hint="such as '60s' or ['2h', '500-calls']")
    bounds: dict[str, float] = {}
    for text in texts:
        kind, value = _parse_one(text)
        if value <= 0:
            raise UsageError(f"--budget {text}: the budget must be more than nothing")
        if value > _LARGEST:
            raise UsageError(f"--budget {text[:40]}: more than can be counted", hint="leave it out for no bound")
        bounds[kind] = min(bounds.get(kind, value), value)
    counts = {kind: int(bounds[kind]) for kind in ("candidates", "tokens", "calls") if kind in bounds}
    return Budget(seconds=bounds.get("seconds"), money=bounds.get("money"), **counts)


def _parse_one(text: str) -> tuple[str, float]:
    stripped = text.strip()
    if match := _TIME.match(stripped):
        return "seconds", float(match["number"]) * _SECONDS[match["unit"]]
    if match := _COUNT.match(stripped):
        kind = match["kind"].lower().rstrip("s") + "s"
        # Cut off before it is rounded: hundreds of digits are infinity as a float.
        return kind, round(min(float(match["number"]) * _SCALE[match["scale"].lower()], 2 * _LARGEST))
    if match := _MONEY.match(stripped):
        return "money", float(match["number"])
    raise UsageError(
        f"--budget {text}: not a budget",
        hint="write 60s, 2h, 200k-candidates, 2M-tokens, 500-calls or $2; repeat the option",
    )


class Ledger:
    """Keeps one run inside its budget: :meth:`reserve`, do the work, :meth:`settle`.

    Reserved seconds are not added up, because pieces of work run side by side: a reservation fits
    when the clock plus its own seconds does. Counts and money are added up. Threads may share a ledger.

    Args:
        budget: The bounds.
        spent: What earlier processes of the same run have spent.
        clock: Monotonic seconds.
    """

    def __init__(
        self, budget: Budget, *, spent: Spent | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        before = spent or Spent()
        self.budget = budget
        self._clock = clock
        # A run that goes on has used the time of its earlier processes.
        self._started = clock() - before.seconds
        self._spent = _counts(before)
        self._details = {name: getattr(before, name) for name in _DETAILS}
        self._reserved = _counts(Spent())
        self._ended = ""
        # Reentrant: share asks for what is left, which takes it as well.
        self._guard = threading.RLock()

    def reserve(self, cost: CostAmount) -> bool:
        """Sets the most some work can cost aside; False, and nothing set aside, when it does not fit.

        Once a bound has been reached nothing fits, not even work that costs nothing.
        """
        counts = _counts(cost)
        with self._guard:
            if self.exhausted_bound or not self._fits(counts, cost.seconds):
                return False
            self._reserved = _combined(self._reserved, counts, 1)
            return True

    def settle(self, reserved: CostAmount, actual: CostAmount) -> None:
        """Returns a reservation and books what the work really cost.

        Work that cost more than it reserved is booked in full: the ledger tells the truth.

        Raises:
            ValueError: When more is returned than is set aside.
        """
        with self._guard:
            remaining = _combined(self._reserved, _counts(reserved), -1)
            if min(remaining.values()) < 0:
                raise ValueError("settled more than was reserved")
            self._reserved = remaining
            self._spent = _combined(self._spent, _counts(actual), 1)
            self._details = {name: count + getattr(actual, name) for name, count in self._details.items()}

    def share_of_remaining(self, among: int) -> Budget:
        """The part of what is left that one of ``among`` pieces of work may set aside, which run side by side.

        Reserved one after the other, each asking for its part of the rest, they get the same but for rounding. Of what
        cannot be divided so often, the first get one each.
        """
        with self._guard:
            left = self.remaining
        counts = _counts(left).items()
        parts = {kind: None if count is None else max(count // among, min(count, 1)) for kind, count in counts}
        return Budget(seconds=left.seconds, **from_exact(parts))

    def exclude_wait(self, seconds: float) -> None:
        """Leaves time out in which nothing was done, since a person was asked."""
        self._started += seconds

    def end(self, reason: str) -> None:
        """Ends the budget although something is left, because that buys nothing more; nothing fits from now on."""
        self._ended = reason

    @property
    def spent(self) -> Spent:
        """Booked counts and money, and wall seconds since the start."""
        return Spent(seconds=max(0.0, self._clock() - self._started), **from_exact(self._spent), **self._details)

    @property
    def run_seconds(self) -> float:
        """Wall seconds since the start of the run."""
        return self.spent.seconds

    @property
    def overshoot(self) -> Spent:
        """How far counts and money went past their bounds, because work cost more than was set aside for it."""
        return _budget_overshoot(self.budget, self.spent)

    @property
    def overshoot_told(self) -> str:
        """The same in a sentence for people, or ""."""
        return overshoot_text(self.budget, self.spent)

    @property
    def remaining(self) -> Budget:
        """What is neither spent nor set aside, never below zero; None where there is no bound."""
        with self._guard:
            used = _combined(self._spent, self._reserved, 1)
        bounds, seconds = _counts(self.budget), self.budget.seconds
        rest = {kind: None if bound is None else max(0, bound - used[kind]) for kind, bound in bounds.items()}
        return Budget(seconds=None if seconds is None else max(0.0, seconds - self.spent.seconds), **from_exact(rest))

    @property
    def exhausted_bound(self) -> str:
        """Which bound has been reached, in one phrase for people, or ""."""
        spent = self.spent
        if self.budget.seconds is not None and spent.seconds >= self.budget.seconds:
            return f"time budget of {self.budget.seconds:g} s reached"
        for kind, bound in _counts(self.budget).items():
            if bound is not None and self._spent[kind] >= bound:
                shown = f"${self.budget.money:g}" if kind == "money" else f"{bound:,} {kind}"
                return f"budget of {shown} reached"
        return self._ended

    def _fits(self, counts: dict[str, int], seconds: float) -> bool:
        if self.budget.seconds is not None and self.spent.seconds + seconds > self.budget.seconds:
            return False
        after = _combined(_combined(self._spent, self._reserved, 1), counts, 1)
        return all(bound is None or after[kind] <= bound for kind, bound in _counts(self.budget).items())


def _counts(amount: CostAmount | Budget) -> dict[str, Any]:
    """All that is added up; seconds are not."""
    return {kind: count for kind, count in to_exact(amount).items() if kind != "seconds"}


def _combined(left: dict[str, int], right: dict[str, int], sign: int) -> dict[str, int]:
    return {kind: left[kind] + sign * right[kind] for kind in left}


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
        bounds = {
            kind: None if most is None else max(1, int(most * share)) for kind, most in to_exact(of.budget).items()
        }
        super().__init__(Budget(**from_exact(bounds)), spent=spent, clock=self._time)

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
    def exhausted_bound(self) -> str:
        """Which bound has been reached, in one phrase for people, or ""."""
        own = super().exhausted_bound
        if own and own != self._ended:
            own = f"the part of the budget that is for {self._name} is spent"
        return own or self._of.exhausted_bound

    def reserve(self, cost: CostAmount) -> bool:
        """Sets the most some work can cost aside, here and in the whole; see :meth:`Ledger.reserve`."""
        with self._guard:
            if not super().reserve(cost):
                return False
            if self._of.reserve(cost):
                return True
            super().settle(cost, Spent())
            return False

    def settle(self, reserved: CostAmount, actual: CostAmount) -> None:
        """Returns a reservation and books what the work cost, here and in the whole; see :meth:`Ledger.settle`."""
        with self._guard:
            super().settle(reserved, actual)
            self._of.settle(reserved, actual)
