"""Ways to play a world without a learned memory, or with one that should not help, at as many moves as the learner."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from random import Random

from evolve_worlds import Move, World
from evolve_worlds.experience import Limits, Meaning, Player, TransitionMemory, VariationNotes


@dataclass(frozen=True, kw_only=True)
class Played:
    """One trial: its last score before it was lost, and its moves."""

    score: float
    steps: int


Arm = Callable[[World, str, int, int, Limits, Meaning | None], Iterator[Played]]


def chance(
    world: World, task: str, variation: int, steps: int, limits: Limits, meaning: Meaning | None
) -> Iterator[Played]:
    """Any move."""
    rng = Random(f"{task}:{variation}")
    while steps > 0:
        trial, done, score = world.start(task, variation), 0, 0.0
        while done < min(limits.moves, steps) and not trial.scene.over:
            moves = trial.moves()
            if not moves:
                break
            scene = trial.do(rng.choice(moves).text)
            done += 1
            score = score if scene.lost else scene.score
        steps -= max(1, done)
        yield Played(score=score, steps=done)


def novelty(
    world: World, task: str, variation: int, steps: int, limits: Limits, meaning: Meaning | None
) -> Iterator[Played]:
    """The move that was done least often, over all trials of a variation, what changed nothing last."""
    rng = Random(f"{task}:{variation}")
    often: dict[str, float] = {}
    while steps > 0:
        trial, done, score = world.start(task, variation), 0, 0.0
        while done < min(limits.moves, steps) and not trial.scene.over:
            moves = trial.moves()
            if not moves:
                break
            move, view = min(moves, key=lambda one: (often.get(one.text, 0.0), rng.random())), trial.scene.view
            scene = trial.do(move.text)
            done += 1
            often[move.text] = often.get(move.text, 0.0) + (1.0 if scene.view != view else 3.0)
            score = score if scene.lost else scene.score
        steps -= max(1, done)
        yield Played(score=score, steps=done)


@dataclass(kw_only=True)
class _Advised(Player):
    """Plays with tips: moves that are said to help, without when or why."""

    tips: frozenset[str] = field(default_factory=frozenset)

    def _worth(self, move: Move) -> float:
        return super()._worth(move) + (1.0 if move.text in self.tips else 0.0)


def _trials(
    world: World,
    task: str,
    variation: int,
    steps: int,
    limits: Limits,
    meaning: Meaning | None,
    make: Callable[[int, list[str]], tuple[TransitionMemory, frozenset[str]]],
) -> Iterator[Played]:
    helped: list[str] = []
    number = 0
    while steps > 0:
        memory, tips = make(number, helped)
        player = _Advised(
            trial=world.start(task, variation),
            memory=memory,
            notes=VariationNotes(),
            rng=Random(f"{task}:{variation}:{number}"),
            limit=min(limits.moves, steps),
            tips=tips,
            meaning=meaning,
        )
        player.play()
        helped += [one.move.text for one in player.played if one.gain > 0]
        steps -= max(1, len(player.played))
        number += 1
        yield Played(score=player.score, steps=len(player.played))


def no_memory(
    world: World, task: str, variation: int, steps: int, limits: Limits, meaning: Meaning | None
) -> Iterator[Played]:
    """The same policy, that forgets each trial."""
    return _trials(
        world, task, variation, steps, limits, meaning, lambda number, helped: (TransitionMemory(), frozenset())
    )


def hints(
    world: World, task: str, variation: int, steps: int, limits: Limits, meaning: Meaning | None
) -> Iterator[Played]:
    """The same policy, with the moves after which the score rose as tips."""
    return _trials(
        world, task, variation, steps, limits, meaning, lambda number, helped: (TransitionMemory(), frozenset(helped))
    )


def placebo(
    world: World, task: str, variation: int, steps: int, limits: Limits, meaning: Meaning | None
) -> Iterator[Played]:
    """The same policy, with as much memory, each tally under the schema of another move."""
    kept = TransitionMemory()

    def make(number: int, helped: list[str]) -> tuple[TransitionMemory, frozenset[str]]:
        nonlocal kept
        kept = kept.shuffled(Random(number))
        return kept, frozenset()

    return _trials(world, task, variation, steps, limits, meaning, make)


ARMS: Mapping[str, Arm] = {
    "random": chance,
    "novelty": novelty,
    "no memory": no_memory,
    "hints": hints,
    "placebo": placebo,
}
