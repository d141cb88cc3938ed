"""Does a policy that learns causes get better in worlds that others wrote, and at once in new variations?

The settings of CLIN (Majumder et al. 2023): ``adapt`` (trials of one variation, from nothing), ``gen-env`` (the first
trial of a new variation, after practice on the task's train variations), ``gen-task`` (the same after practice on other
tasks), ``gen-adapt`` (on from there). A trial's score is the last one before it was lost. Every move counts, those of
replays included; arms without memory play until as many moves are done as the learner did in ``adapt``.

Results of every trial are written to a file as they come, and what is there is not played again: where it was stopped
it goes on. Variations are played in rounds, so that a run that is stopped has the same number for each task.

    python -m benchmarks.worlds --env scienceworld --tasks 8 --trials 12 --json
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

from benchmarks.record import Outcome, Target, against, common_options, progress, publish
from benchmarks.worlds_arms import ARMS, Played
from evolve.gate import Interval
from evolve.policies.experience import Experience, Limits, Schedule, TransitionMemory, practised, tried
from evolve.worlds import World, open_world

TASKS = (
    "lifespan-longest-lived",
    "find-living-thing",
    "find-plant",
    "use-thermometer",
    "chemistry-mix",
    "chemistry-mix-paint-secondary-color",
    "boil",
    "grow-plant",
)
"""The tasks for reporting. What was tuned was tuned on others."""
LEARNED = ("adapt", "gen-adapt", "gen-task")
WITHOUT = ("no skills", "no transitions")
"""As ``gen-adapt``, but of practice only what moves do is brought along, and no plan of another variation, or the plans
alone."""
RESAMPLES = 4000
Row = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What is played.

    Attributes:
        train: Train variations to practise on, for each task.
        split: Of the variations that are tried.
    """

    tasks: Sequence[str]
    variations: int
    trials: int
    train: int
    practice_trials: int
    arms: Sequence[str]
    split: Any
    limits: Limits


def play(world: World, plan: Plan, folder: Path) -> Iterator[Row]:
    """Every trial as a row; what the folder holds is taken from there."""
    book = _Book(folder)
    for number in range(plan.variations):
        for task in plan.tasks:
            known = world.variations(task, plan.split)
            if number < len(known):
                for arm in plan.arms:
                    progress(f"{task} {known[number]} {arm}")
                    yield from book.rows(
                        f"{task}.{known[number]}.{arm}", _rows(world, plan, book, task, known[number], arm)
                    )


class _Book:
    """What was played, in files."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder

    def rows(self, name: str, played: Iterator[Row]) -> list[Row]:
        """Rows of a file, or played and then written."""
        path = self.folder / f"{name}.json"
        if not path.exists():
            path.write_text(json.dumps(list(played)), encoding="utf-8")
        return list(json.loads(path.read_text(encoding="utf-8")))


def _rows(world: World, plan: Plan, book: _Book, task: str, variation: int, arm: str) -> Iterator[Row]:
    if arm in (*LEARNED, *WITHOUT):
        setting: Any = "gen-adapt" if arm in WITHOUT else arm
        experience = Experience() if arm == "adapt" else _experience(world, plan, book, task, arm)
        if arm == "no skills":
            experience.plans = []
        if arm == "no transitions":
            experience.memory = TransitionMemory()
        schedule = Schedule(setting=setting, task=task, variations=[variation], trials=plan.trials, limits=plan.limits)
        for one in tried(world, schedule, experience):
            told = [claim.text for claim in one.claims]
            yield _row(arm, Played(score=one.score, steps=one.steps), task, variation, one.number, told)
        return
    learner = json.loads((book.folder / f"{task}.{variation}.adapt.json").read_text(encoding="utf-8"))
    steps = sum(row["steps"] for row in learner)
    for number, played in enumerate(ARMS[arm](world, task, variation, steps, plan.limits)):
        yield _row(arm, played, task, variation, number, [])


def _row(arm: str, played: Played, task: str, variation: int, number: int, claims: list[str]) -> Row:
    return {
        "arm": arm,
        "task": task,
        "variation": variation,
        "trial": number,
        "score": round(100 * played.score, 2),
        "steps": played.steps,
        "claims": claims,
    }


def _experience(world: World, plan: Plan, book: _Book, task: str, arm: str) -> Experience:
    """What practice taught, played once for each task."""
    if arm == "gen-task":
        others = [one for one in plan.tasks if one != task][:3]
        taught = [_experience(world, plan, book, one, "gen-adapt") for one in others]
        return Experience.together(taught)
    path = book.folder / f"{task}.practice.json"
    if not path.exists():
        practice = [(task, one) for one in world.variations(task, "train")[: plan.train]]
        schedule = Schedule(
            setting="gen-env",
            task=task,
            variations=(),
            practice=practice,
            practice_trials=plan.practice_trials,
            limits=plan.limits,
        )
        experience, steps = Experience(), 0
        scores: dict[int, float] = {}
        for known, one in practised(world, schedule):
            experience, steps = known, steps + one.steps
            scores[one.variation] = max(one.score, scores.get(one.variation, 0.0))
        path.write_text(
            json.dumps({"experience": experience.as_data(), "steps": steps, "scores": scores}), encoding="utf-8"
        )
    return Experience.from_data(json.loads(path.read_text(encoding="utf-8"))["experience"])


def ends(rows: Sequence[Row], arm: str, *, last: bool) -> dict[tuple[str, int], float]:
    """The score of the first or the last trial, by task and variation."""
    found: dict[tuple[str, int], float] = {}
    for row in rows:
        if row["arm"] == arm and (last or row["trial"] == 0):
            found[row["task"], row["variation"]] = row["score"]
    return found


def averages(rows: Sequence[Row], arm: str, how: Any) -> dict[tuple[str, int], float]:
    """Mean or best over the trials, by task and variation."""
    found: dict[tuple[str, int], list[float]] = {}
    for row in rows:
        if row["arm"] == arm:
            found.setdefault((row["task"], row["variation"]), []).append(row["score"])
    return {key: how(scores) for key, scores in found.items()}


def interval(values: Mapping[tuple[str, int], float]) -> Interval:
    """The mean over tasks, with the 95 % interval of a bootstrap over pairs of task and variation."""
    draw, own = random.Random(0), list(values.values())
    means = sorted(fmean(draw.choices(own, k=len(own))) for _ in range(RESAMPLES)) if own else [0.0]
    low, high = means[int(0.025 * len(means))], means[int(0.975 * len(means)) - 1]
    return Interval(value=fmean(own) if own else 0.0, low=low, high=high, n=len(own))


def paired(one: Mapping[tuple[str, int], float], other: Mapping[tuple[str, int], float]) -> Interval:
    """The mean difference on the variations that both played."""
    return interval({key: one[key] - other[key] for key in one.keys() & other.keys()})


def series(rows: Sequence[Row]) -> dict[str, dict[tuple[str, int], float]]:
    """Every line of the table."""
    told = {
        "adapt, first trial": ends(rows, "adapt", last=False),
        "adapt, last trial": ends(rows, "adapt", last=True),
        "gen-env (first trial)": ends(rows, "gen-adapt", last=False),
        "gen-adapt, last trial": ends(rows, "gen-adapt", last=True),
        "gen-task (first trial)": ends(rows, "gen-task", last=False),
    }
    for arm in WITHOUT:
        told[f"{arm}, first trial"] = ends(rows, arm, last=False)
        told[f"{arm}, last trial"] = ends(rows, arm, last=True)
    for arm in ARMS:
        told[f"{arm}, mean"] = averages(rows, arm, fmean)
        told[f"{arm}, best of all"] = averages(rows, arm, max)
        told[f"{arm}, last trial"] = ends(rows, arm, last=True)
    return {name: one for name, one in told.items() if one}


def targets_of(rows: Sequence[Row]) -> list[Target]:
    """The figures that were promised, and memory against none and against hints."""
    told = series(rows)
    made = [
        against(name, interval(told[name]), ">=", target)
        for name, target in (("adapt, last trial", 38), ("gen-env (first trial)", 42), ("gen-adapt, last trial", 55))
        if name in told
    ]
    for arm in ("no memory", "hints", "placebo"):
        if f"{arm}, last trial" in told:
            less = paired(told["adapt, last trial"], told[f"{arm}, last trial"])
            made.append(against(f"adapt minus {arm}, last trial", less, "low >", 0))
    for arm in ("novelty", "no memory"):
        if f"{arm}, best of all" in told:
            less = paired(told["adapt, last trial"], told[f"{arm}, best of all"])
            made.append(against(f"adapt minus best of n, {arm}, at equal steps", less, "low >", 0))
    for arm in WITHOUT:
        if f"{arm}, first trial" in told:
            less = paired(told["gen-env (first trial)"], told[f"{arm}, first trial"])
            made.append(against(f"gen-env minus {arm}, first trial", less, "low >", 0))
    return made


def by_trial(rows: Sequence[Row], arm: str) -> list[float]:
    """Mean score of each trial; a variation that ended early keeps its last score."""
    kept: dict[tuple[str, int], list[float]] = {}
    for row in rows:
        if row["arm"] == arm:
            kept.setdefault((row["task"], row["variation"]), []).append(row["score"])
    longest = max(map(len, kept.values()), default=0)
    return [round(fmean(one[min(at, len(one) - 1)] for one in kept.values()), 1) for at in range(longest)]


def by_steps(rows: Sequence[Row], arm: str, every: int = 100) -> list[float]:
    """Mean of the best score so far, after so many moves."""
    kept: dict[tuple[str, int], list[tuple[int, float]]] = {}
    for row in rows:
        if row["arm"] == arm:
            own = kept.setdefault((row["task"], row["variation"]), [])
            done, best = own[-1] if own else (0, 0.0)
            own.append((done + row["steps"], max(best, row["score"])))
    longest = max((own[-1][0] for own in kept.values()), default=0)
    return [
        round(fmean(max((best for done, best in own if done <= limit), default=0.0) for own in kept.values()), 1)
        for limit in range(every, longest + every, every)
    ]


def text(rows: Sequence[Row]) -> str:
    """For a terminal."""
    told = [f"{name:34} {_shown(interval(one))}" for name, one in series(rows).items()]
    tasks = list(dict.fromkeys(row["task"] for row in rows))
    for task in tasks:
        own = series([row for row in rows if row["task"] == task])
        shown = "  ".join(f"{name} {fmean(one.values()):.1f}" for name, one in own.items() if "trial" in name)
        told.append(f"{task:36} {shown}")
    told += [f"{arm} by trial {by_trial(rows, arm)}" for arm in ("adapt", "gen-adapt", *ARMS)]
    told += [f"{arm} by 100 moves {by_steps(rows, arm)}" for arm in ("adapt", "gen-adapt", *ARMS)]
    told.append("CLIN, published, another policy and other trials: 48.6 base, 52.7 gen-env, 69.5 gen-adapt")
    told += [
        f"{one.name}: {one.value:.1f} ({'met' if one.met else 'missed'}: {one.op} {one.target})"
        for one in targets_of(rows)
    ]
    return "\n".join(told)


def _shown(one: Interval) -> str:
    return f"{one.value:5.1f}  [{one.low:5.1f}, {one.high:5.1f}]  n={one.n}"


def main(argv: Sequence[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.worlds", description=(__doc__ or "").split("\n")[0])
    common_options(parser, seeds=1)
    parser.add_argument("--env", default="scienceworld")
    parser.add_argument("--tasks", type=int, default=8)
    parser.add_argument("--only", nargs="*", default=[], help="names of tasks instead")
    parser.add_argument("--variations", type=int, default=5)
    parser.add_argument("--trials", type=int, default=12)
    parser.add_argument("--train", type=int, default=3, help="train variations to practise on")
    parser.add_argument("--practice-trials", type=int, default=6)
    parser.add_argument("--split", default="test", choices=["train", "dev", "test"])
    parser.add_argument("--arms", nargs="*", default=[*LEARNED, *WITHOUT, *ARMS])
    parser.add_argument("--folder", type=Path, help="where trials are kept, to go on later")
    options = parser.parse_args(argv)
    quick = options.quick
    plan = Plan(
        tasks=options.only or (["find-animal"] if quick else TASKS[: options.tasks]),
        variations=1 if quick else options.variations,
        trials=2 if quick else options.trials,
        train=1 if quick else options.train,
        practice_trials=2 if quick else options.practice_trials,
        arms=options.arms,
        split="dev" if quick else options.split,
        limits=Limits(moves=40, replays=4) if quick else Limits(),
    )
    began, world = time.process_time(), open_world(options.env)
    with tempfile.TemporaryDirectory() as folder:
        try:
            rows = list(play(world, plan, options.folder or Path(folder)))
        finally:
            world.close()
    settings = {"env": world.version, "tasks": list(plan.tasks), "variations": plan.variations, "trials": plan.trials}
    settings |= {"train": plan.train, "practice_trials": plan.practice_trials, "moves": plan.limits.moves}
    settings |= {
        "by_trial": {arm: by_trial(rows, arm) for arm in plan.arms},
        "cpu_s": round(time.process_time() - began),
    }
    outcome = Outcome(benchmark="worlds", seeds=1, quick=quick, rows=rows, targets=targets_of(rows), settings=settings)
    publish(outcome, options, text(rows))


if __name__ == "__main__":
    main()
