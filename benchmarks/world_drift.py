"""How fast is what was learned given up where a world changes, and how fast does success come back?

Episodes of a level of BabyAI are played with experience carried on; then its words or its dynamics change, and more
episodes follow. Counted are the moves of what was refuted (by the schema that helped before, with a thing that the goal
names, after which the score did not rise) until it is given up, and all of them, since what was given up may come to be
good for something else; and the episodes until success is back: from then on as many of five in a row reach the goal as
before the change, less one. Arms: with old counts set aside where a change is noticed, and not.

    python -m benchmarks.world_drift --json
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from benchmarks.doubles.drifting import Drift, Drifting
from benchmarks.record import Outcome, Target, against, common_options, progress, publish
from benchmarks.worlds_figures import interval
from evolve_worlds import World, open_world
from evolve_worlds.experience import Experience, Learner, Limits, TransitionMemory, VariationNotes
from evolve_worlds.experience.wording import Goal

GO, TAKE = "go to the {}", "pick up the {}"
ROW = 5
Row = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Case:
    """A level, what changes there, and the name of the schema that is refuted by it."""

    level: str
    drift: Drift
    refuted: str


CASES: Mapping[str, Case] = {
    "a move is called otherwise": Case(level="Pickup", drift=Drift(called={TAKE: "lift {}"}), refuted=TAKE),
    "two moves swap names": Case(level="Pickup", drift=Drift(called={TAKE: GO, GO: TAKE}), refuted=TAKE),
    "a move does nothing": Case(level="GoTo", drift=Drift(idle=frozenset([GO])), refuted=GO),
    "a move loses": Case(level="GoTo", drift=Drift(losing=frozenset([GO])), refuted=GO),
}
"""In the last two the goal can still be reached: other moves walk to a thing too."""


def play(world: World, name: str, seed: int, forgets: bool, before: int, after: int) -> Row:
    """One run over a change."""
    case, experience = CASES[name], Experience(memory=TransitionMemory(forgets=forgets))
    changes, earlier = experience.memory.changes, 0
    drifting = Drifting(inner=world, noticed=lambda: any(one.schema == case.refuted for one in changes[earlier:]))
    learner = Learner(world=drifting, experience=experience, limits=Limits(moves=60, replays=4), seed=seed)
    known = drifting.variations(case.level, "train")[seed * (before + after) :][: before + after]
    scores = []
    failures: list[tuple[int, int]] = []
    for number, variation in enumerate(known):
        if number == before:
            drifting.drift, earlier = case.drift, len(changes)
        drifting.done.clear()
        goal = Goal(drifting.start(case.level, variation).goal)
        scores.append(learner.play(case.level, variation, VariationNotes()).score)
        failed = [
            noticed
            for one, gain, noticed in drifting.done
            if one.schema == case.refuted and gain <= 0 and goal.names(one.objects[0])
        ]
        failures.append((len(failed), failed.count(False)))
    old = fmean(scores[before - 2 * ROW : before])
    return {
        "case": name,
        "arm": "forgetting" if forgets else "no forgetting",
        "seed": seed,
        "before": 100 * old,
        "after": [100 * one for one in scores[before:]],
        "failures": [every for every, _ in failures[before:]],
        "refuted_moves": sum(until for _, until in failures[before:]),
        "all_refuted_moves": sum(every for every, _ in failures[before:]),
        "back_after": _back(scores[before:], old),
        "told": [one.text for one in experience.memory.changes],
    }


def _back(scores: Sequence[float], old: float) -> int:
    """Episodes before as many of five in a row reach the goal as before, less one; all of them, where none do."""
    for number in range(len(scores) - ROW + 1):
        if sum(scores[number : number + ROW]) >= round(ROW * old) - 1:
            return number
    return len(scores)


def targets_of(rows: Sequence[Row]) -> list[Target]:
    """What was promised, of the arm that forgets."""
    made = []
    for case in dict.fromkeys(row["case"] for row in rows):
        own = [row for row in rows if (row["case"], row["arm"]) == (case, "forgetting")]
        for what, name, limit in (("refuted_moves", "failing moves", 3), ("back_after", "episodes until back", 10)):
            told = {(case, row["seed"]): float(row[what]) for row in own}
            made.append(against(f"{case}: {name}", interval(told), "<=", limit))
    return made


def text(rows: Sequence[Row]) -> str:
    """For a terminal."""
    told = []
    for case, arm in dict.fromkeys((row["case"], row["arm"]) for row in rows):
        own = [row for row in rows if (row["case"], row["arm"]) == (case, arm)]
        by = [round(fmean(row["after"][at] for row in own)) for at in range(len(own[0]["after"]))]
        changes = sum(len(row["told"]) for row in own)
        told.append(
            f"{case}, {arm}: success before {fmean(row['before'] for row in own):.0f} %, after by episode {by}, "
            f"failing moves {fmean(row['refuted_moves'] for row in own):.1f} until given up, "
            f"{fmean(row['all_refuted_moves'] for row in own):.1f} in all, back after "
            f"{fmean(row['back_after'] for row in own):.1f} episodes, told of {changes} changes, n={len(own)}"
        )
    told += [
        f"{one.name}: {one.value:.1f} ({'met' if one.met else 'missed'}: {one.op} {one.target})"
        for one in targets_of(rows)
    ]
    return "\n".join(told)


def rows_of(world: World, cases: Sequence[str], seeds: int, before: int, after: int) -> Iterator[Row]:
    """Every run."""
    for case in cases:
        for seed in range(seeds):
            progress(f"{case} {seed}")
            for forgets in (True, False):
                yield play(world, case, seed, forgets, before, after)


def main(argv: Sequence[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.world_drift", description=__doc__.split("\n")[0])
    common_options(parser, seeds=10)
    parser.add_argument("--before", type=int, default=20, help="episodes before the change")
    parser.add_argument("--after", type=int, default=15)
    options = parser.parse_args(argv)
    quick, began, world = options.quick, time.process_time(), open_world("minigrid")
    cases = list(CASES)[:1] if quick else list(CASES)
    rows = list(rows_of(world, cases, 1 if quick else options.seeds, 10 if quick else options.before, options.after))
    settings = {"env": world.version, "before": options.before, "after": options.after}
    settings |= {"cpu_s": round(time.process_time() - began)}
    outcome = Outcome(
        benchmark="world_drift",
        seeds=options.seeds,
        quick=quick,
        rows=rows,
        targets=targets_of(rows),
        settings=settings,
    )
    publish(outcome, options, text(rows))


if __name__ == "__main__":
    main()
