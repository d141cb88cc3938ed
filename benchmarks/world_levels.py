"""Does experience with other variations of a level help in the first trial of a new one?

An episode is one trial of another train variation, and what it taught is carried to the next one. After some numbers of
episodes the first trial on variations that were held out is scored: whether the goal was reached, by how many moves and
steps of the world (a move such as "go to the red ball" takes many). Nothing that a held-out variation teaches reaches
another one. Arms without experience are given as much: each held-out variation's share of the moves that practice took,
replays included, in ``best of n``. Differences are paired over variations, with bootstrap intervals.

    python -m benchmarks.world_levels --env minigrid --levels GoTo Pickup Open PutNext Unlock --episodes 100 --json
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from statistics import fmean
from typing import Any

from benchmarks.record import Outcome, Target, against, common_options, progress, publish
from benchmarks.worlds_figures import interval, paired
from evolve_worlds import Move, Scene, Split, Trial, World, open_world
from evolve_worlds.experience import Experience, Learner, Limits, Player, TransitionMemory, VariationNotes
from evolve_worlds.experience.learner import copied
from evolve_worlds.experience.wording import Goal

LEVELS = ("GoTo", "Pickup", "Open", "PutNext", "Unlock")
AFTER = (0, 10, 25, 50, 100)
CLEAR = 0.8
"""How well a move's words have to match the goal for ``matching`` to do it."""
Row = Mapping[str, Any]


@dataclass(kw_only=True)
class Metered:
    """A world whose moves and steps are counted, whoever plays."""

    inner: World
    moves: int = 0
    steps: int = 0

    @property
    def name(self) -> str:
        return self.inner.name

    @property
    def version(self) -> str:
        return self.inner.version

    def tasks(self) -> Sequence[str]:
        return self.inner.tasks()

    def variations(self, task: str, split: Split) -> Sequence[int]:
        return self.inner.variations(task, split)

    def start(self, task: str, variation: int) -> Trial:
        return _MeteredTrial(self, self.inner.start(task, variation))

    def close(self) -> None:
        self.inner.close()


class _MeteredTrial:
    def __init__(self, world: Metered, inner: Trial) -> None:
        self._world, self._inner, self.goal = world, inner, inner.goal

    @property
    def scene(self) -> Scene:
        return self._inner.scene

    def moves(self) -> Sequence[Move]:
        return self._inner.moves()

    def do(self, move: str) -> Scene:
        scene = self._inner.do(move)
        self._world.moves += 1
        self._world.steps += scene.steps
        return scene


@dataclass(frozen=True, kw_only=True)
class Held:
    """A variation that was held out, and what an arm may use.

    Attributes:
        experience: A copy of what practice taught, for this variation alone.
        tips: Moves of practice after which the score rose.
        spare: Moves of practice that fall to this variation.
    """

    world: World
    level: str
    variation: int
    experience: Experience
    tips: frozenset[str]
    spare: int
    limits: Limits

    @property
    def rng(self) -> Random:
        return Random(f"{self.level}:{self.variation}")


@dataclass(kw_only=True)
class _Advised(Player):
    """Plays with tips: moves that are said to help, without when or why."""

    tips: frozenset[str] = field(default_factory=frozenset)

    def _worth(self, move: Move) -> float:
        return super()._worth(move) + (1.0 if move.text in self.tips else 0.0)


def _played(held: Held, experience: Experience) -> float:
    learner = Learner(world=held.world, experience=experience, limits=replace(held.limits, replays=0))
    return learner.play(held.level, held.variation, VariationNotes()).score


def learned(held: Held) -> float:
    """With all that practice taught."""
    return _played(held, held.experience)


def no_memory(held: Held) -> float:
    """With plans of other variations, and an empty transition memory."""
    return _played(held, Experience(plans=held.experience.plans))


def no_skills(held: Held) -> float:
    """With the transition memory, and no plan."""
    return _played(held, Experience(memory=held.experience.memory))


def placebo(held: Held) -> float:
    """With as much memory, each schema's under another one."""
    return _played(held, replace(held.experience, memory=held.experience.memory.shuffled(held.rng)))


def hints(held: Held) -> float:
    """With nothing but tips."""
    trial = held.world.start(held.level, held.variation)
    player = _Advised(
        trial=trial,
        memory=TransitionMemory(),
        notes=VariationNotes(),
        rng=held.rng,
        limit=held.limits.moves,
        tips=held.tips,
    )
    player.play()
    return player.score


def matching(held: Held) -> float:
    """The move whose words match the goal best, where one does and was not done yet; else what was done least."""
    trial, rng = held.world.start(held.level, held.variation), held.rng
    goal, often = Goal(trial.goal), dict[str, int]()
    for _ in range(held.limits.moves):
        moves = trial.moves()
        if not moves or trial.scene.over:
            break
        best = max(moves, key=lambda one: (goal.wants(one)[0] - often.get(one.text, 0), rng.random()))
        if goal.wants(best)[0] - often.get(best.text, 0) < CLEAR:
            best = min(moves, key=lambda one: (often.get(one.text, 0), rng.random()))
        trial.do(best.text)
        often[best.text] = often.get(best.text, 0) + 1
    return trial.scene.score


def chance(held: Held, rng: Random | None = None, moves: int = 0) -> float:
    """Any move."""
    trial, rng = held.world.start(held.level, held.variation), rng or held.rng
    for _ in range(moves or held.limits.moves):
        offered = trial.moves()
        if not offered or trial.scene.over:
            break
        trial.do(rng.choice(offered).text)
    return 0.0 if trial.scene.lost else trial.scene.score


def best_of(held: Held) -> float:
    """The best of random trials with as many moves as fell to the variation in practice, and one trial's more."""
    world, rng, best = Metered(inner=held.world), held.rng, 0.0
    while world.moves < held.spare + held.limits.moves and best < 1.0:
        begun = world.moves
        best = max(best, chance(replace(held, world=world), rng, held.limits.moves))
        if world.moves == begun:
            break
    return best


ARMS: Mapping[str, Callable[[Held], float]] = {
    "learned": learned,
    "no memory": no_memory,
    "no skills": no_skills,
    "hints": hints,
    "placebo": placebo,
    "matching": matching,
    "random": chance,
    "best of n": best_of,
}


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What is played, on each level."""

    episodes: int
    variations: int
    split: Split
    arms: Sequence[str]
    limits: Limits


def play(world: World, level: str, plan: Plan) -> Iterator[Row]:
    """Every held-out trial of a level as a row."""
    train = Metered(inner=world)
    learner, tips = Learner(world=train, limits=plan.limits), set[str]()
    known = world.variations(level, plan.split)[: plan.variations]
    stops = sorted({one for one in AFTER if one < plan.episodes} | {plan.episodes})
    done = 0
    for stop in stops:
        for variation in world.variations(level, "train")[done:stop]:
            learner.play(level, variation, VariationNotes())
            tips.update(_helped(learner.experience, variation))
        done = stop
        progress(f"{level} after {stop} episodes, {train.moves} moves")
        for arm in plan.arms if stop == plan.episodes else ["learned"]:
            for variation in known:
                metered = Metered(inner=world)
                held = Held(
                    world=metered,
                    level=level,
                    variation=variation,
                    experience=copied(learner.experience),
                    tips=frozenset(tips),
                    spare=train.moves // len(known),
                    limits=plan.limits,
                )
                score = ARMS[arm](held)
                yield _row(level, arm, stop, variation, score, metered, train, learner.experience.memory)


def _helped(experience: Experience, variation: int) -> Iterator[str]:
    for plan in experience.plans:
        if plan.variation == variation:
            yield from (step.move.text for step in plan.steps if step.gain > 0)


def _row(
    level: str, arm: str, episodes: int, variation: int, score: float, held: Metered, train: Metered, memory: Any
) -> Row:
    return {
        "level": level,
        "arm": arm,
        "episodes": episodes,
        "variation": variation,
        "score": 100 * score,
        "moves": held.moves,
        "steps": held.steps,
        "practice_moves": train.moves,
        "practice_steps": train.steps,
        "changed_right": round(memory.right / max(1, memory.guessed), 3),
        "effects_right": round(memory.came / max(1, memory.foreseen), 3),
        "set_aside": [one.text for one in memory.changes],
    }


def of(rows: Sequence[Row], level: str, arm: str, episodes: int, what: str) -> dict[tuple[str, int], float]:
    """One figure by variation."""
    return {
        (level, row["variation"]): float(row[what])
        for row in rows
        if (row["level"], row["arm"], row["episodes"]) == (level, arm, episodes)
    }


def targets_of(rows: Sequence[Row]) -> list[Target]:
    """What was promised."""
    made, last = [], max(row["episodes"] for row in rows)
    for level in dict.fromkeys(row["level"] for row in rows):
        own = of(rows, level, "learned", last, "score")
        if level in ("GoTo", "Pickup"):
            made.append(against(f"{level}, success after {last} episodes", interval(own), ">=", 90))
            continue
        for arm in ("no memory", "no skills", "hints", "placebo", "matching", "best of n"):
            other = of(rows, level, arm, last, "score")
            if own and other:
                made.append(against(f"{level}, learned minus {arm}, success", paired(own, other), "low >", 0))
    return made


def text(rows: Sequence[Row]) -> str:
    """For a terminal."""
    told = []
    for level in dict.fromkeys(row["level"] for row in rows):
        told.append(level)
        for arm, after in dict.fromkeys((row["arm"], row["episodes"]) for row in rows if row["level"] == level):
            score = interval(of(rows, level, arm, after, "score"))
            moves = fmean(of(rows, level, arm, after, "moves").values())
            steps = fmean(of(rows, level, arm, after, "steps").values())
            told.append(
                f"  {arm:10} after {after:3}: {score.value:5.1f} % [{score.low:5.1f}, {score.high:5.1f}], "
                f"{moves:6.1f} moves, {steps:7.1f} steps, n={score.n}"
            )
        row = [row for row in rows if row["level"] == level][-1]
        told.append(
            f"  practice {row['practice_moves']} moves, {row['practice_steps']} steps; predicted right: change "
            f"{row['changed_right']:.0%}, effects {row['effects_right']:.0%}; set aside {len(row['set_aside'])}"
        )
    told += [
        f"{one.name}: {one.value:.1f} [{one.low:.1f}, {one.high:.1f}] ({'met' if one.met else 'missed'}: {one.op} "
        f"{one.target})"
        for one in targets_of(rows)
    ]
    return "\n".join(told)


def main(argv: Sequence[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.world_levels", description=__doc__.split("\n")[0])
    common_options(parser, seeds=1)
    parser.add_argument("--env", default="minigrid")
    parser.add_argument("--levels", nargs="*", default=[])
    parser.add_argument("--episodes", type=int, default=100)
    parser.add_argument("--variations", type=int, default=40)
    parser.add_argument("--moves", type=int, default=100, help="moves of a trial at most")
    parser.add_argument("--split", default="test", choices=["dev", "test"])
    parser.add_argument("--arms", nargs="*", default=list(ARMS), choices=list(ARMS))
    options = parser.parse_args(argv)
    quick, began, world = options.quick, time.process_time(), open_world(options.env)
    levels = options.levels or (LEVELS if options.env == "minigrid" else world.tasks())
    plan = Plan(
        episodes=5 if quick else options.episodes,
        variations=4 if quick else options.variations,
        split="dev" if quick else options.split,
        arms=options.arms,
        limits=Limits(moves=options.moves),
    )
    try:
        rows = [row for level in (levels[:1] if quick else levels) for row in play(world, level, plan)]
    finally:
        world.close()
    settings = {"suite": options.env, "env": world.version, "levels": list(levels), "episodes": plan.episodes}
    settings |= {"moves": options.moves, "split": plan.split, "cpu_s": round(time.process_time() - began)}
    outcome = Outcome(
        benchmark="world_levels", seeds=1, quick=quick, rows=rows, targets=targets_of(rows), settings=settings
    )
    publish(outcome, options, text(rows))


if __name__ == "__main__":
    main()
