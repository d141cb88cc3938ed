"""Whether something helps or harms: one test for both directions, and a watch on the last pairs of a stream.

It is the test of :mod:`evolve.trials.gate.eprocess`, asked both ways, each at half of the level. Its wealth against a
win rate of one half is that of the confidence sequence of :mod:`evolve.trials.gate.intervals` against a difference of
nothing, so the interval leaves nothing out exactly where the verdict is one. Both may be looked at after any number of
pairs.

The evidence is about the whole stream; what is promoted acts from its end on. So besides it the last pairs are looked
at. All that helped early and harms now would do so there, and what was lost by chance long ago is no reason to refuse
what won since. A pair counts the same whether it is decided by the cost or by the answer, so answers are looked at by
themselves as well: learning that gives up tasks and is cheaper on the rest wins pairs all the way.

How often this errs, exactly, by the binomial distribution:

- *Refused by chance*, by the last pairs: .006 where it wins 8 decisive pairs of 10, .047 at 7, .166 at 6. By answers:
  where as many tasks are gained as lost, .125 of streams with three such pairs, .172 of those with ten, .254 at most;
  where twice as many are gained, .046 at most. Thirty wins and six losses in a chance order: .0001.
- *Passed in spite of harm*, by the last pairs: .623 where it wins as many as it loses, .150 where it wins 3 of 10, .033
  at 2. By answers, where a tenth of the tasks is given up and none gained: .816 in a stream of 15 pairs, .592 of 23,
  .159 of 45; where a fifth is, .398, .133 and .003. What is cheaper on all the rest is then accepted, the evidence
  included, with .167, .133 and .003, and would be with .167, .501 and .901 if answers were not looked at.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from evolve.core.episodes import EpisodeRecord
from evolve.trials.gate.eprocess import SequentialTest, log_wealth
from evolve.trials.gate.intervals import NOTHING, ConfidenceInterval, mean_confidence_sequence
from evolve.trials.gate.outcome import Outcome, is_informative, is_verified
from evolve.trials.gate.paired_runner import Pair
from evolve.trials.gate.power import POWER

Effect = Literal["helps", "harms", "no difference shown", "too few tasks to tell"]
_MOST = 1_000


@dataclass(frozen=True, kw_only=True)
class PairSummary:
    """What pairs show.

    Attributes:
        wins: Pairs that were solved only with it.
        losses: Pairs that were solved only without it.
        void: Pairs of which one episode ended in a fault.
        difference: Share of tasks solved with it minus the share solved without it.
        error_level: Bound on the probability of a wrong ``helps`` or ``harms``.
    """

    verdict: Effect = "no difference shown"
    wins: int = 0
    losses: int = 0
    ties: int = 0
    void: int = 0
    difference: ConfidenceInterval = NOTHING
    error_level: float = 0.05

    @property
    def pairs(self) -> int:
        """Pairs with an outcome."""
        return self.wins + self.losses + self.ties


def solved_outcome(without: EpisodeRecord, with_it: EpisodeRecord) -> Outcome:
    """The outcome by solving alone, seen from the episode with it; also where a check said so and nothing verified."""
    if not is_informative(without):
        return "void"
    if not is_informative(with_it):
        return "withheld"
    if without.solved == with_it.solved:
        return "tie"
    return "win" if with_it.solved else "loss"


def summarise_pairs(outcomes: Sequence[Outcome], level: float) -> PairSummary:
    """What outcomes show, in their order. A fault of one side counts against whatever would be said in its favour."""
    bar, count, values = math.log(2.0 / level), Counter[str](), list[float]()
    verdict: Effect = "no difference shown"
    bounds: list[ConfidenceInterval] = []
    for outcome in outcomes:
        count[outcome] += 1
        if outcome in ("win", "loss", "tie"):
            values.append(float(outcome == "win") - float(outcome == "loss"))
        if not bounds and log_wealth(count["win"], count["loss"] + count["withheld"]) >= bar:
            verdict = "helps"
        elif not bounds and log_wealth(count["loss"], count["win"] + count["void"]) >= bar:
            verdict = "harms"
        if verdict != "no difference shown" and not bounds:  # bounds that held then hold from there on
            bounds.append(mean_confidence_sequence(values, level=1.0 - level))
    bounds.append(mean_confidence_sequence(values, level=1.0 - level))
    lows, highs = (
        [end for end in ends if end is not None] for ends in zip(*((b.low, b.high) for b in bounds), strict=True)
    )
    difference = replace(bounds[-1], low=max(lows, default=None), high=min(highs, default=None))
    void = count["void"] + count["withheld"]
    kinds = {"wins": count["win"], "losses": count["loss"], "ties": count["tie"], "void": void}
    if len(outcomes) < wins_needed(level):
        verdict = "too few tasks to tell"
    return PairSummary(verdict=verdict, difference=difference, error_level=level, **kinds)


def pairs_needed(effect: float, level: float) -> int | None:
    """The fewest pairs that show a difference of this size four times of five; None where :data:`_MOST` do not.

    The difference lies evenly about one half, and both sides come about independently.
    """
    return next((pairs for pairs, chance in enumerate(_chances(_MOST, effect, level), 1) if chance >= POWER), None)


def smallest_detectable(pairs: int, level: float) -> float | None:
    """The smallest difference, in steps of .05, that so many pairs show four times of five; None where none does."""
    steps = (step / 20 for step in range(1, 21))
    return next((effect for effect in steps if pairs and _chances(pairs, effect, level)[-1] >= POWER), None)


def wins_needed(level: float) -> int:
    """The fewest pairs, all won, that show anything at all."""
    return SequentialTest(alpha=level / 2).wins_needed(0)


@lru_cache(maxsize=64)
def _chances(pairs: int, effect: float, level: float) -> tuple[float, ...]:
    """The chance that a difference is shown after 1, 2, ... pairs, as far as it takes to reach :data:`POWER`."""
    import numpy as np

    won, lost = ((1 + effect) / 2) ** 2, ((1 - effect) / 2) ** 2
    test = SequentialTest(alpha=level / 2)
    needed, place = [test.wins_needed(0)], np.zeros((pairs + 1, pairs + 1))
    place[0, 0], shown, chances = 1.0, 0.0, list[float]()
    for done in range(1, pairs + 1):
        moved = place[: done + 1, : done + 1] * (1 - won - lost)  # wins down, losses across
        moved[1:] += place[:done, : done + 1] * won
        moved[:, 1:] += place[: done + 1, :done] * lost
        for losses in range(done):
            if losses == len(needed):
                needed.append(test.wins_needed(losses))
            if needed[losses] > done:
                break
            shown += float(moved[needed[losses] :, losses].sum())
            moved[needed[losses] :, losses] = 0.0
        place[: done + 1, : done + 1] = moved
        chances.append(shown)
        if shown >= POWER and pairs == _MOST:
            break
    return tuple(chances)


LAST = 10
"""Pairs at the end that are looked at."""
GIVEN_UP = 3
"""Tasks that must be given up among these, on balance, before that is called harm and no chance."""


def harm_test(pairs: Sequence[Pair]) -> str:
    """Why what was learned does harm by now, in a clause, or "".

    Of the last :data:`LAST` pairs that are no tie it loses more than it wins, or of the last :data:`LAST` that only one
    arm solved it loses :data:`GIVEN_UP` more. What it alone broke off counts as lost.
    """
    wins = [pair.outcome == "win" for pair in pairs if pair.outcome in ("win", "loss", "withheld")][-LAST:]
    lost = wins.count(False)
    if lost > wins.count(True):
        return f"it lost {lost} of the last {len(wins)} pairs that were no tie"
    answers = [gained for pair in pairs if (gained := _gained(pair))][-LAST:]
    if -sum(answers) >= GIVEN_UP:
        given_up = answers.count(-1)
        return f"of the last {len(answers)} tasks that one arm alone solved it gave up {given_up}"
    return ""


def _gained(pair: Pair) -> int:
    """1 for a task that what was learned alone solved, -1 for one that it alone did not, else 0."""
    if not is_informative(pair.parent):
        return 0
    solved = is_informative(pair.variant) and is_verified(pair.variant)
    return solved - is_verified(pair.parent)
