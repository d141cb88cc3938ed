"""Whether a kind of move still does what it did: a sum of surprise, after which old counts are set aside and told.

A wrong alarm is little harm: what was set aside is kept, predicts beside what is learned anew, and comes back where it
is right. The test is a cumulative sum (Page 1954, Continuous inspection schemes): what was observed is worth minus the
logarithm of its predicted probability, less what that is on average, so that a coin adds nothing and a sure thing that
fails adds much. It was chosen over forgetting at a constant rate, which would also forget what is rare and still true,
and over the Page-Hinkley test of errors, which takes a fair coin for as surprising as a sure thing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

SLACK = 0.2
"""How much more surprise than expected each move may bring, in nats."""
ALARM = 5.3
"""From which sum on things are taken to have changed: three failures in a row of what failed one time in ten."""
SUREST = 0.95
"""No prediction is taken for surer, so that two failures are never enough."""
KNOWN = 6
"""From how many examples on a prediction is watched."""
DOUBTED = 2
"""How many failures are kept of what was set aside: so few that it is tried once more."""
BACK = 0.5
"""From which sum of evidence on, in nats against a coin, what was set aside is back: where what was sure comes once."""
GONE = -3.0
"""Up to which sum it is gone for good: where that fails twice more."""


@dataclass(frozen=True, kw_only=True)
class Change:
    """What was set aside, or came back.

    Attributes:
        schema: The kind of move that does otherwise than it did.
        tried: Transitions that its counts held.
        kept: Of these, those since the change, which are kept.
        back: It does again what it did, and its counts hold that again.
    """

    schema: str
    tried: int
    kept: int
    back: bool = False

    @property
    def text(self) -> str:
        """As it is told to people."""
        if self.back:
            return f"{self.schema!r} does again what it did: {self.tried} observations are back"
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


def evidence(expected: float, came: bool) -> float:
    """What an outcome says for who predicted it, against a coin, in nats.

    Args:
        expected: The probability that was predicted.
    """
    expected = min(SUREST, max(1.0 - SUREST, expected))
    return math.log(2 * (expected if came else 1.0 - expected))
