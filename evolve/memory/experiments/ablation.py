"""Which actions of a sequence its effect needs, what would replace them, and which other ones would have prevented it.

All that is thought to be spare is taken out at once, and halved where that breaks the effect: adaptive group testing
(Dorfman 1943; Hwang 1972), which delta debugging (Zeller and Hildebrandt 2002) does with changes of a program. What
hinders or replaces is found the same way by putting actions in. One play tells of every effect, so the same question
about another effect of the same sequence costs nothing.

All of it raises :class:`~evolve.memory.experiments.replays.OutOfEpisodes` where the answer needs more than are left.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from evolve.memory.experiments.replays import Replays


def shortest(replays: Replays, actions: Sequence[str], effect: str, *, last: Collection[str] = ()) -> list[str] | None:
    """A part of a sequence that reaches an effect and of which nothing can be taken away; None if it is not steady.

    Args:
        last: Actions that are taken out last, as they are known to be needed.
    """
    plan = list(actions)
    doubtful = list(dict.fromkeys(one for one in plan if one not in last))
    for chunk in (doubtful, [one for one in dict.fromkeys(plan) if one in last]):
        plan = _reduced(chunk, plan, lambda rest: replays.reaches(rest, effect))
    return plan if replays.surely(plan, effect) else None


def take_out(replays: Replays, plan: Sequence[str], effect: str, action: str, *, expected: bool = False) -> bool:
    """Whether a plan that reaches an effect misses an action.

    Args:
        expected: Other problems say so; then it is the opposite that must be seen again.
    """
    rest = [one for one in plan if one != action]
    doubt = replays.doubt
    return not replays.reaches(rest, effect, if_so=doubt if expected else 1, if_not=1 if expected else doubt)


def put_in(
    replays: Replays, plan: Sequence[str], effect: str, others: Sequence[str], *, expected: bool = False
) -> frozenset[str]:
    """Which of other actions prevent the effect of a plan when they come before it."""

    def prevent(chunk: Sequence[str], yes: int, no: int) -> bool:
        return not replays.reaches([*chunk, *plan], effect, if_so=no, if_not=yes)

    return _doing(others, prevent, replays.doubt, alone=1 if expected else replays.doubt)


def replace_with(
    replays: Replays, plan: Sequence[str], effect: str, action: str, others: Sequence[str], *, expected: bool = False
) -> frozenset[str]:
    """Which of other actions do in the place of one that the plan misses; none where it takes several of them."""
    place = list(plan).index(action)
    before, after = [one for one in plan[:place] if one != action], [one for one in plan[place:] if one != action]

    def replace(chunk: Sequence[str], yes: int, no: int) -> bool:
        return replays.reaches([*before, *chunk, *after], effect, if_so=yes, if_not=no)

    return _doing(others, replace, replays.doubt, alone=1 if expected else replays.doubt)


def _doing(
    chunk: Sequence[str], does: Callable[[Sequence[str], int, int], bool], doubt: int, *, alone: int, no: int = 1
) -> frozenset[str]:
    """Which actions of a chunk do it alone.

    Args:
        does: Whether a chunk does it, given the leads that yes and no need; see :class:`Replays`.
        doubt: The lead where plays contradict each other.
        alone: The lead that is needed to say that a single action does it.
        no: The lead that is needed to say that it does not.
    """
    if not chunk or not does(chunk, alone if len(chunk) == 1 else 1, no):
        return frozenset()
    if len(chunk) == 1:
        return frozenset(chunk)
    halves = chunk[: len(chunk) // 2], chunk[len(chunk) // 2 :]
    found = [_doing(half, does, doubt, alone=alone, no=no) for half in halves]
    if not any(found) and no < doubt and does(chunk, doubt, doubt):  # something was misreported
        found = [_doing(half, does, doubt, alone=alone, no=doubt) for half in halves]
    return found[0] | found[1]


def _reduced(
    chunk: Sequence[str], plan: Sequence[str], holds: Callable[[Sequence[str]], bool], *, breaks: bool = False
) -> list[str]:
    """The plan without those actions of a chunk that it does without, taken out together where that goes.

    Args:
        breaks: It is known that the plan does not do without the whole chunk.
    """
    rest = [one for one in plan if one not in chunk]
    if not chunk or (not breaks and holds(rest)):
        return rest
    if len(chunk) == 1:
        return list(plan)
    half = len(chunk) // 2
    left = _reduced(chunk[:half], plan, holds)
    # Without the whole first half it still holds, so the second one is what breaks it.
    return _reduced(chunk[half:], left, holds, breaks=not set(chunk[:half]) & set(left))
