"""Which actions prevent an effect when they come before it.

All that may do so is put in at once, and halved where the effect does not come: adaptive group testing (Dorfman 1943;
Hwang 1972), which delta debugging (Zeller and Hildebrandt 2002) does with changes of a program. One play tells of every
effect, so the same question about another effect of the same sequence costs nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.experiments.replays import Replays


def put_in(replays: Replays, plan: Sequence[str], effect: str, others: Sequence[str], *, lead: int) -> frozenset[str]:
    """Which of other actions prevent the effect of a plan when they come before it.

    Args:
        lead: What an outcome needs to be believed; see :class:`Replays`. That several actions prevent something is
            believed at once, as each of their halves is asked next.

    Raises:
        OutOfEpisodes: The answer needs more than are left.
    """
    alone = len(others) == 1
    if not others or replays.reaches([*others, *plan], effect, if_so=lead, if_not=lead if alone else 1):
        return frozenset()
    if alone:
        return frozenset(others)
    half = len(others) // 2
    return frozenset().union(
        *(put_in(replays, plan, effect, part, lead=lead) for part in (others[:half], others[half:]))
    )
