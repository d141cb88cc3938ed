"""Sequences of actions played again from the same beginning, each outcome remembered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from evolve_worlds.experiments import Allowance


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What came of a sequence of actions.

    Attributes:
        reached: The effects that were there at some time, each with the number of actions after which it came.
        fault: What went wrong that is not the actions' doing, such as a time-out; then ``reached`` says nothing.
    """

    reached: Mapping[str, int] = field(default_factory=dict)
    fault: str = ""


@dataclass(frozen=True, kw_only=True)
class Trace:
    """A sequence of actions that was played once.

    Attributes:
        group: The problem, or the beginning, in which it was; independence is counted in groups.
    """

    group: str
    actions: tuple[str, ...]
    outcome: Outcome

    def before(self, effect: str) -> tuple[str, ...]:
        """The actions up to the one at which an effect came.

        Raises:
            KeyError: It did not come.
        """
        return self.actions[: self.outcome.reached[effect]]


class Replayable(Protocol):
    """What actions act on, where a problem can be begun again."""

    def play(self, group: str, actions: Sequence[str]) -> Outcome:
        """Plays actions from the beginning of a problem; ones that are impossible there do nothing."""
        ...


@dataclass(kw_only=True)
class Replays:
    """What one problem's sequences of actions came to, played as often as an answer needs.

    A world may misreport without saying so. An outcome is believed when it was seen ``lead`` times more often than its
    opposite, the stopping rule of the sequential probability ratio test (Wald 1945): where an outcome is wrong with
    probability q, the rule errs with q^lead / (q^lead + (1-q)^lead), .0028 for q = .05 and a lead of two.

    Attributes:
        doubt: The lead for what must not be wrong; 1 for a world that is deterministic.
    """

    world: Replayable
    group: str
    allowance: Allowance
    doubt: int = 2
    _seen: dict[tuple[str, ...], Counter[frozenset[str]]] = field(default_factory=dict)

    def reaches(self, actions: Sequence[str], effect: str, *, if_so: int = 1, if_not: int = 1) -> bool:
        """Whether actions reach an effect; one play tells it of every effect.

        Args:
            if_so, if_not: The lead that either answer needs.

        Raises:
            OutOfEpisodes: Not known, and no episode is left.
        """
        key = tuple(actions)
        while True:
            seen = self._seen.setdefault(key, Counter())
            lead = sum(count if effect in reached else -count for reached, count in seen.items())
            if lead >= if_so or -lead >= if_not:
                return lead > 0
            self.again(key)

    def surely(self, actions: Sequence[str], effect: str) -> bool:
        """The same with the lead that doubt asks for on both sides."""
        return self.reaches(actions, effect, if_so=self.doubt, if_not=self.doubt)

    def again(self, actions: Sequence[str]) -> Mapping[str, int]:
        """Plays actions until nothing goes wrong that is not their doing; gives when each effect came.

        Raises:
            OutOfEpisodes: No episode is left.
        """
        while True:
            self.allowance.take()
            outcome = self.world.play(self.group, actions)
            if not outcome.fault:
                self._seen.setdefault(tuple(actions), Counter())[frozenset(outcome.reached)] += 1
                return outcome.reached
