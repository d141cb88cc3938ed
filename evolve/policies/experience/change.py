"""Whether a kind of move still does what it did: a sum of surprise, after which old counts are set aside and told.

The test is a cumulative sum (Page 1954, Continuous inspection schemes): what was observed is worth minus the logarithm
of its predicted probability, less what that is on average, so that a coin adds nothing and a sure thing that fails adds
much. It was chosen over forgetting at a constant rate, which would also forget what is rare and still true, and over
the Page-Hinkley test of errors, which takes a fair coin for as surprising as a sure thing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

SLACK = 0.2
"""How much more surprise than expected each move may bring, in nats."""
ALARM = 6.2
"""From which sum on things are taken to have changed: three failures in a row of what hardly ever failed."""
SUREST = 0.95
"""No prediction is taken for surer, so that two failures are never enough."""
KNOWN = 6
"""From how many examples on a prediction is watched."""


@dataclass(frozen=True, kw_only=True)
class Change:
    """What was set aside.

    Attributes:
        schema: The kind of move that does otherwise than it did.
        tried: Transitions that its counts held.
        kept: Of these, those since the change, which are kept.
    """

    schema: str
    tried: int
    kept: int

    @property
    def text(self) -> str:
        """As it is told to people."""
        return f"{self.schema!r} does otherwise than before: {self.tried - self.kept} observations are set aside"


@dataclass(kw_only=True)
class Watch:
    """Sums of surprise by schema.

    Attributes:
        sums: The sum, and over how many moves it has not come back to next to nothing.
    """

    sums: dict[str, tuple[float, int]] = field(default_factory=dict)

    def changed(self, schema: str, expected: float, came: bool) -> int:
        """Notes what came of a move.

        Args:
            expected: The probability that was predicted, above 0 and below 1.

        Returns:
            For how many moves things have been otherwise; 0 where they are not.
        """
        expected = min(SUREST, max(1.0 - SUREST, expected))
        surprise = -math.log(expected if came else 1.0 - expected)
        usual = -expected * math.log(expected) - (1.0 - expected) * math.log(1.0 - expected)
        told, moves = self.sums.get(schema, (0.0, 0))
        told = max(0.0, told + surprise - usual - SLACK)
        moves = moves + 1 if told >= SLACK else 0
        self.sums[schema] = (told, moves)
        if told < ALARM:
            return 0
        del self.sums[schema]
        return moves
