"""What a model at an endpoint works with."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from evolve.ledger import Budget, Ledger
from evolve.models.abilities import AbilityBook
from evolve.models.bodies import Wording
from evolve.models.costs import Price
from evolve.models.protocol import Meter
from evolve.models.retries import Breaker, RetryRules
from evolve.models.wire import Deadlines, Wire
from evolve.redaction import Scanner


@dataclass(frozen=True, kw_only=True)
class Services:
    """What an :class:`evolve.models.EndpointModel` works with; every default is usable.

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
    wording: Wording
    meter: Meter = field(default_factory=lambda: Ledger(Budget()))
    price: Price | None = None
    window: int | None = None
    abilities: AbilityBook = field(default_factory=AbilityBook)
    rules: RetryRules = field(default_factory=RetryRules)
    deadlines: Deadlines = field(default_factory=Deadlines)
    breaker: Breaker = field(default_factory=lambda: Breaker(time.monotonic))
    rng: random.Random = field(default_factory=lambda: random.Random(0))
    repairs: int = 2
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    scanner: Scanner = field(default_factory=Scanner)
