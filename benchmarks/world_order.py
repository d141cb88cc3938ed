"""Does the order in which a text tells the parts of a goal matter to whoever plays?

Levels of BabyAI with goals of several parts, some told in the order in which they count ("A, then B"), some the other
way round ("B after you A"); CompWoB (Furuta et al. 2024) found that policies fall from 94.0 to 24.9 % there. Scored is
the first trial on held-out variations: after practice, with nothing known, and without parts (a goal as one whole).

A world that does not punish the wrong order asks for the parts once more, so moves show it; ``minigrid:strict`` ends
such a trial as lost.

    python -m benchmarks.world_order --env minigrid:strict --json
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Mapping, Sequence
from random import Random
from statistics import fmean
from typing import Any

from benchmarks.record import Outcome, Target, against, common_options, progress, publish
from benchmarks.world_levels import Metered
from benchmarks.worlds_figures import interval
from evolve_worlds import Split, World, open_world
from evolve_worlds.experience import Experience, Learner, Limits, Player, VariationNotes
from evolve_worlds.experience.learner import copied

LEVELS = ("GoToSeqLocal", "GoToSeq", "SynthSeq")
TOLD = {"then": "as told", "after": "turned round"}
Row = Mapping[str, Any]


class _Whole(Player):
    """Takes a goal as one whole."""

    def _next_part(self) -> bool:
        return False


def play(world: World, level: str, episodes: int, variations: int, split: Split, moves: int) -> Iterator[Row]:
    """Every held-out trial of a level."""
    learner = Learner(world=world, limits=Limits(moves=moves, replays=4))
    for variation in world.variations(level, "train")[:episodes]:
        learner.play(level, variation, VariationNotes())
    progress(f"{level} {learner.experience.memory.orders.counts}")
    for variation in world.variations(level, split)[:variations]:
        for arm, known in (("learned", learner.experience), ("nothing known", Experience()), ("no parts", None)):
            metered, experience = Metered(inner=world), copied(known or learner.experience)
            trial = metered.start(level, variation)
            kind = Player if known else _Whole
            player = kind(
                trial=trial,
                memory=experience.memory,
                notes=VariationNotes(),
                rng=Random(f"{level}:{variation}"),
                limit=moves,
                plans=experience.plans_for(trial.goal),
            )
            player.play()
            yield {
                "level": level,
                "arm": arm,
                "variation": variation,
                "order": next((TOLD[one] for one in trial.goal.replace(",", "").split() if one in TOLD), "any"),
                "score": 100 * player.score,
                "moves": metered.moves,
                "steps": metered.steps,
                "orders": learner.experience.memory.orders.counts,
            }


def of(rows: Sequence[Row], level: str, arm: str, order: str, what: str = "score") -> dict[tuple[str, int], float]:
    """One figure by variation."""
    wanted = (level, arm, order)
    return {
        (level, row["variation"]): float(row[what])
        for row in rows
        if (row["level"], row["arm"], row["order"]) == wanted
    }


def targets_of(rows: Sequence[Row]) -> list[Target]:
    """What is turned round should not cost: at most ten points less than what is told in order."""
    made = []
    for level in dict.fromkeys(row["level"] for row in rows):
        told, turned = (of(rows, level, "learned", order) for order in ("as told", "turned round"))
        if told and turned:
            floor = fmean(told.values()) - 10
            made.append(against(f"{level}, turned round", interval(turned), ">=", floor))
    return made


def text(rows: Sequence[Row]) -> str:
    """For a terminal."""
    told = []
    for level, arm, order in sorted({(row["level"], row["arm"], row["order"]) for row in rows}):
        score, moves = interval(of(rows, level, arm, order)), of(rows, level, arm, order, "moves")
        told.append(
            f"{level}, {arm}, {order}: {score.value:.0f} % [{score.low:.0f}, {score.high:.0f}], "
            f"{fmean(moves.values()):.1f} moves, n={score.n}"
        )
    told += [
        f"{one.name}: {one.value:.0f} ({'met' if one.met else 'missed'}: {one.op} {one.target:.0f})"
        for one in targets_of(rows)
    ]
    return "\n".join(told)


def main(argv: Sequence[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.world_order", description=__doc__.split("\n")[0])
    common_options(parser, seeds=1)
    parser.add_argument("--env", default="minigrid")
    parser.add_argument("--levels", nargs="*", default=list(LEVELS))
    parser.add_argument("--episodes", type=int, default=40)
    parser.add_argument("--variations", type=int, default=60)
    parser.add_argument("--moves", type=int, default=100)
    parser.add_argument("--split", default="test", choices=["dev", "test"])
    options = parser.parse_args(argv)
    quick, began, world = options.quick, time.process_time(), open_world(options.env)
    size = (4, 6, "dev") if quick else (options.episodes, options.variations, options.split)
    levels = options.levels[:1] if quick else options.levels
    rows = [row for level in levels for row in play(world, level, *size, options.moves)]
    settings = {"env": world.version, "levels": levels, "episodes": size[0], "moves": options.moves}
    settings |= {"split": size[2], "cpu_s": round(time.process_time() - began)}
    outcome = Outcome(
        benchmark="world_order", seeds=1, quick=quick, rows=rows, targets=targets_of(rows), settings=settings
    )
    publish(outcome, options, text(rows))


if __name__ == "__main__":
    main()
