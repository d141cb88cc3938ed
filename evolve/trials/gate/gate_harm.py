"""Whether what was learned does harm by now, where a stream of pairs shows that learning has helped.

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

from collections.abc import Sequence

from evolve.trials.gate.outcome import is_informative, is_verified
from evolve.trials.gate.paired_runner import Pair

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
