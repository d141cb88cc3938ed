"""What of a sequence of moves its score needs: the sequence played again without some of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

SAME = 0.0005
"""By how much two scores may differ that are the same."""


@dataclass(frozen=True, kw_only=True)
class Play:
    """What came of moves that were made from the beginning.

    Attributes:
        scores: After each move, 0.0 to 1.0; fewer than moves where the trial was over before. After a move that lost
            the trial, the score before it.
        start: The score at the beginning, which no move reached.
        lost: The last of them lost the trial.
        fault: What went wrong that is not the moves' doing; then nothing follows.
    """

    scores: tuple[float, ...] = ()
    start: float = 0.0
    lost: bool = False
    fault: str = ""

    @property
    def best(self) -> float:
        """The best score that was there at some time."""
        return max(self.start, *self.scores) if self.scores else self.start

    @property
    def rises(self) -> dict[float, int]:
        """The scores that were reached for the first time, in order, each with the number of its move from 1."""
        found: dict[float, int] = {}
        top = self.start
        for number, score in enumerate(self.scores, 1):
            if score > top:
                top = score
                found[score] = number
        return found


@dataclass(frozen=True, kw_only=True)
class Found:
    """What leaving out moves showed.

    Attributes:
        least: Places, from 0, of the moves of the shortest sequence with the same score, in order.
        play: What came of these alone.
        without: For each place of these whose move was left out alone and missed, the best score without it.
        spare: Places of moves that were left out and not missed, nor in the way.
    """

    least: tuple[int, ...] = ()
    play: Play = Play()
    without: dict[int, float] = field(default_factory=dict)
    spare: frozenset[int] = frozenset()


@dataclass(kw_only=True)
class _Standing:
    """How far it came: places that are left, the score that is enough, what is known of single ones."""

    left: list[int]
    enough: float
    without: dict[int, float] = field(default_factory=dict)
    harmful: set[int] = field(default_factory=set)


class OutOfEpisodes(Exception):
    """The episodes that experiments may take are used up; what was found stays."""


@dataclass(kw_only=True)
class Allowance:
    """Replays that experiments may still make, those that end in a fault included."""

    left: int
    taken: int = 0

    def take(self) -> None:
        """Counts one replay.

        Raises:
            OutOfEpisodes: None is left.
        """
        if self.left <= 0:
            raise OutOfEpisodes
        self.left -= 1
        self.taken += 1


@dataclass(kw_only=True)
class Ablation:
    """Leaves out of a sequence what its score does not need, in ever smaller parts (Zeller and Hildebrandt 2002).

    Attributes:
        play: Plays moves from the beginning.
        allowance: Replays that may be made.
        moves: Moves that may be made in all replays together; None for any number.
    """

    play: Callable[[tuple[str, ...]], Play]
    allowance: Allowance
    moves: int | None = None
    _known: dict[tuple[str, ...], Play] = field(default_factory=dict)
    _steady: bool = True

    def found(self, actions: Sequence[str], whole: Play, guesses: Sequence[Sequence[int]] = ()) -> Found:
        """The shortest sequence that was found, and what was seen on the way, as far as the allowance goes.

        Nothing was found where two plays that begin with the same moves came to other scores by them.

        Args:
            actions: What was played, up to its best score.
            whole: What came of it.
            guesses: Places that may be enough, the fewest first.
        """
        now = _Standing(left=list(range(len(actions))), enough=whole.best - SAME)
        rises = {number - 1 for number in whole.rises.values()}
        self._known[tuple(actions)] = whole
        try:
            for guess in guesses:
                if len(guess) < len(now.left) and self._reached(actions, guess) >= now.enough:
                    now.left = list(guess)
                    break
            size = max(1, len(now.left) // 2)
            while self._shortened(actions, now, size, rises) or size > 1:
                size = max(1, size // 2)
        except OutOfEpisodes:  # what was found until then stands
            pass
        spare = frozenset(range(len(actions))) - set(now.left) - now.harmful
        alone = self._known[tuple(actions[place] for place in now.left)]
        without = {at: score for at, score in now.without.items() if self._is_known(actions, now.left, at)}
        return Found(least=tuple(now.left), play=alone, without=without, spare=spare) if self._steady else Found()

    def _shortened(self, actions: Sequence[str], now: _Standing, size: int, rises: AbstractSet[int]) -> bool:
        """Leaves out parts of a size from the end on; whether any was not missed."""
        before = len(now.left)
        for end in range(before, 0, -size):
            part = now.left[max(0, end - size) : end]
            if size > 1 and not rises.isdisjoint(part):
                continue
            rest = [one for one in now.left if one not in part]
            reached = self._reached(actions, rest)
            if reached >= now.enough:
                now.left = rest
                if reached > now.enough + 2 * SAME:  # it was in the way
                    now.harmful.update(part)
                    now.enough = reached - SAME
            elif size == 1:
                now.without[part[0]] = reached
        return len(now.left) < before

    def _is_known(self, actions: Sequence[str], left: Sequence[int], place: int) -> bool:
        """Whether it was seen what comes of a sequence without one of its moves."""
        return place in left and tuple(actions[one] for one in left if one != place) in self._known

    def _reached(self, actions: Sequence[str], places: Sequence[int]) -> float:
        """The best score of some of the moves.

        Raises:
            OutOfEpisodes: It is not known, and no replay is left, or one ended in a fault or contradicts another.
        """
        key = tuple(actions[place] for place in places)
        if key not in self._known:
            if self.moves is not None and self.moves < len(key):
                raise OutOfEpisodes
            self.allowance.take()
            played = self.play(key)
            if played.fault:
                raise OutOfEpisodes
            self.moves = None if self.moves is None else self.moves - len(key)
            if any(_contradict(key, played, *known) for known in self._known.items()):
                self._steady = False
                raise OutOfEpisodes
            self._known[key] = played
        return self._known[key].best


def _contradict(made: Sequence[str], play: Play, others: Sequence[str], other: Play) -> bool:
    """Whether the moves with which two sequences begin alike came to other scores."""
    same = next((at for at, pair in enumerate(zip(made, others, strict=False)) if pair[0] != pair[1]), None)
    same = min(len(made), len(others)) if same is None else same
    return (play.start, *play.scores[:same]) != (other.start, *other.scores[:same])
