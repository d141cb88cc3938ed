"""What a model at an endpoint works with, and when a failed call is tried again or nobody is asked for a while."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from evolve.core.ledger import Budget, Ledger
from evolve.core.redaction import Scanner
from evolve.runtime.models.abilities import AbilityStore
from evolve.runtime.models.costs import Price
from evolve.runtime.models.protocol import ModelMeter
from evolve.runtime.models.requests import SchemaPrompts
from evolve.runtime.models.wire import Deadlines, ExchangeFailure, Wire


@dataclass(frozen=True, kw_only=True)
class RetryRules:
    """How patient a model is with its endpoint.

    Attributes:
        attempts: Most calls for one reply because of trouble; repairs are counted apart.
        late: Of these where a deadline passed: what took all the time that was given takes it again.
        first_wait: Seconds before the second attempt; doubled each time, and drawn between half and the whole.
        longest_wait: Most seconds of one wait that nobody asked for.
        longest_asked: Most seconds of one wait that the endpoint asked for.
    """

    attempts: int = 5
    late: int = 2
    first_wait: float = 1.0
    longest_wait: float = 60.0
    longest_asked: float = 300.0

    def max_calls(self, failure: ExchangeFailure) -> int:
        """Most calls for one reply where the last one failed so."""
        return min(self.attempts, self.late) if failure.kind == "timeout" else self.attempts

    def wait(self, failures: int, failure: ExchangeFailure, rng: random.Random) -> float:
        """Seconds to wait after this many failures in a row (capped exponential backoff with jitter)."""
        if failure.retry_after is not None:
            # Never less than was asked, up to the cap; a little more, so that not all come back at once.
            return min(failure.retry_after, self.longest_asked) * (1 + rng.random() / 10)
        # A random half, so that clients that failed together do not come back together.
        return min(self.longest_wait, self.first_wait * 2.0 ** (failures - 1)) * (1 + rng.random()) / 2


class Breaker:
    """Stops asking an endpoint that fails all the time; one for all models behind one address.

    After ``limit`` failures in a row it is open for ``pause`` seconds. Then one call is let through: it closes the
    breaker or opens it again.

    Args:
        limit: Failures in a row.
        pause: Seconds.
        clock: Monotonic seconds.
    """

    def __init__(self, clock: Callable[[], float], *, limit: int = 8, pause: float = 60.0) -> None:
        self._clock, self._limit, self._pause = clock, limit, pause
        self._failures = 0
        self._open_until = 0.0
        self._guard = threading.Lock()

    def wait(self) -> float:
        """Seconds until an attempt is allowed; 0 lets this one through."""
        with self._guard:
            now = self._clock()
            if self._failures < self._limit:
                return 0.0
            if now < self._open_until:
                return self._open_until - now
            self._open_until = now + self._pause  # the others wait for what this one finds
            return 0.0

    def record_attempt(self, failure: ExchangeFailure | None) -> None:
        """Takes in how an attempt ended; being told to slow down is no failure."""
        with self._guard:
            if failure is None or not failure.is_retryable or failure.kind == "limit":
                self._failures = 0  # somebody is there and answers
                return
            self._failures += 1
            if self._failures >= self._limit:
                self._open_until = self._clock() + self._pause


@dataclass(frozen=True, kw_only=True)
class ModelClientSetup:
    """What an :class:`evolve.runtime.models.EndpointModel` works with; every default is usable.

    Attributes:
        meter: The ledger of the run; by default nothing is bounded.
        price: None where it is not known; then money cannot be limited.
        window: Tokens that a list of models says fit, or None.
        repairs: How often a model is told what is wrong with its reply before that counts as its mistake.
        sleep: Waits; replaced where nobody wants to.
        scanner: Knows the secrets that are in no prompt and no reply; the wire cleans what comes whole.
        clock: Monotonic seconds.
        rng: Source of jitter.
    """

    wire: Wire
    wording: SchemaPrompts
    meter: ModelMeter = field(default_factory=lambda: Ledger(Budget()))
    price: Price | None = None
    window: int | None = None
    abilities: AbilityStore = field(default_factory=AbilityStore)
    rules: RetryRules = field(default_factory=RetryRules)
    deadlines: Deadlines = field(default_factory=Deadlines)
    breaker: Breaker = field(default_factory=lambda: Breaker(time.monotonic))
    rng: random.Random = field(default_factory=lambda: random.Random(0))
    repairs: int = 2
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    scanner: Scanner = field(default_factory=Scanner)
