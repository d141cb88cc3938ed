"""What of a sequence of moves its score needs: the sequence played again without some of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from evolve.memory.experiments import Allowance, Outcome, OutOfEpisodes, Replays
from evolve.policies.experience.notes import Step
from evolve.worlds import Trial


@dataclass(frozen=True, kw_only=True)
class Replayed:
    """A variation as experiments see it: an effect is a score, or a better one, that was there at some time.

    Attributes:
        begin: Begins a trial.
    """

    begin: Callable[[], Trial]

    def play(self, group: str, actions: Sequence[str]) -> Outcome:
        trial = self.begin()
        reached: dict[str, int] = {}
        for number, action in enumerate(actions, 1):
            scene = trial.do(action)
            if not scene.lost:
                reached.setdefault(effect_of(scene.score), number)
            if scene.over:
                break
        return Outcome(reached=reached)


def effect_of(score: float) -> str:
    """How a score is called as an effect."""
    return f"score {100 * score:.0f}"


@dataclass(kw_only=True)
class Ablation:
    """Leaves out of a plan what its score does not need, in ever smaller parts (Zeller and Hildebrandt 2002).

    Attributes:
        needed, spare: Moves without which the score was not reached, and was.
    """

    replays: Replays
    score: float
    needed: set[str]
    spare: set[str]

    def least(self, steps: Sequence[Step]) -> tuple[Step, ...]:
        """A plan with the same score of which no part that was tried can be left out; the best so far where the
        allowance ends."""
        left = list(steps)
        try:
            for guess in _guesses(left):
                if len(guess) < len(left) and self._holds(guess):
                    self.spare.update(one.move.text for one in left if one not in guess)
                    left = guess
                    break
            size = max(1, len(left) // 2)
            while True:
                left = self._without(left, size)
                if size == 1:
                    break
                size = max(1, size // 2)
        except OutOfEpisodes as end:
            left = list(end.args[0]) if end.args else left
        return tuple(left)

    def _without(self, steps: list[Step], size: int) -> list[Step]:
        left = steps
        for end in range(len(steps), 0, -size):
            start = max(0, end - size)
            part, rest = left[start:end], left[:start] + left[end:]
            if any(one.gain > 0 for one in part) and size > 1:
                continue
            try:
                holds = self._holds(rest)
            except OutOfEpisodes:
                raise OutOfEpisodes(left) from None
            if holds:
                left = rest
                self.spare.update(one.move.text for one in part)
            elif size == 1:
                self.needed.add(part[0].move.text)
        return left

    def _holds(self, steps: Sequence[Step]) -> bool:
        return self.replays.reaches([one.move.text for one in steps], effect_of(self.score))


def ablated(
    begin: Callable[[], Trial], steps: Sequence[Step], score: float, *, group: str, episodes: int
) -> tuple[tuple[Step, ...], Ablation]:
    """A plan without what it does not need, and what was found.

    Args:
        episodes: How many replays it may take.
    """
    replays = Replays(world=Replayed(begin=begin), group=group, allowance=Allowance(left=episodes), doubt=1)
    made = Ablation(replays=replays, score=score, needed=set(), spare=set())
    return made.least(steps), made


def _guesses(steps: Sequence[Step]) -> list[list[Step]]:
    """What may be enough, the least first: rises of the score, the last ways to there, what was done there."""
    wanted = {number for number, one in enumerate(steps) if one.gain > 0}
    things = {thing for number in wanted for thing in steps[number].move.objects}
    ways = {max((at for at in range(number) if steps[at].moved), default=number) for number in wanted}
    near = {number for number, one in enumerate(steps) if things.intersection(one.move.objects)}
    changing = {number for number, one in enumerate(steps) if one.changed}
    kept = [wanted, wanted | ways, wanted | ways | near, wanted | changing]
    return [[steps[at] for at in sorted(own)] for own in kept]
