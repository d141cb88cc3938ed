"""What of a plan its score needs: it is played again without some of its moves, the likeliest to be enough first."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from evolve_worlds import Trial
from evolve_worlds.experience.notes import Step
from evolve_worlds.experiments import Ablation, Allowance, Found, Play, played


def ablated(begin: Callable[[], Trial], steps: Sequence[Step], whole: Play, *, replays: int) -> Found:
    """What leaving out moves of a plan showed; nothing where the plan comes to something else when it is played again.

    Args:
        whole: What came of the plan.
        replays: How many there may be; with any, one more where nothing could be left out.
    """
    if not replays:
        return Found()
    ablation = Ablation(play=lambda moves: played(begin(), moves), allowance=Allowance(left=replays))
    made = [one.move.text for one in steps]
    found = ablation.found(made, whole, _guesses(steps))
    if len(found.least) == len(made) and played(begin(), made).scores != whole.scores:
        return Found()
    return found


def _guesses(steps: Sequence[Step]) -> list[list[int]]:
    """What may be enough, the least first: rises of the score, the last ways to there, what was done there."""
    wanted = {number for number, one in enumerate(steps) if one.gain > 0}
    things = {thing for number in wanted for thing in steps[number].move.objects}
    ways = {max((at for at in range(number) if steps[at].moved), default=number) for number in wanted}
    near = {number for number, one in enumerate(steps) if things.intersection(one.move.objects)}
    changing = {number for number, one in enumerate(steps) if one.changed}
    return [sorted(own) for own in (wanted, wanted | ways, wanted | ways | near, wanted | changing)]
