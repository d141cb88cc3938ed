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
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.record import Outcome, common_options, progress, publish
from benchmarks.worlds_arms import ARMS, Played
from benchmarks.worlds_figures import WITHOUT, Row, by_trial, targets_of, text
from evolve.core.settings import Settings
from evolve.workspace.opening import open_embedder
from evolve_worlds import World, open_world
from evolve_worlds.experience import Experience, Limits, Meaning, Schedule, TransitionMemory, practised, tried

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


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What is played.

    Attributes:
        train: Train variations to practise on, for each task.
        split: Of the variations that are tried.
        meaning: By an encoder of texts, for all arms that play by the policy.
    """

    tasks: Sequence[str]
    variations: int
    trials: int
    train: int
    practice_trials: int
    arms: Sequence[str]
    split: Any
    limits: Limits
    meaning: Meaning | None


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
        for one in tried(world, schedule, experience, plan.meaning):
            told = [claim.text for claim in one.claims]
            yield _row(arm, Played(score=one.score, steps=one.steps), task, variation, one.number, told)
        return
    learner = json.loads((book.folder / f"{task}.{variation}.adapt.json").read_text(encoding="utf-8"))
    steps = sum(row["steps"] for row in learner)
    for number, played in enumerate(ARMS[arm](world, task, variation, steps, plan.limits, plan.meaning)):
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
        for known, one in practised(world, schedule, meaning=plan.meaning):
            experience, steps = known, steps + one.steps
            scores[one.variation] = max(one.score, scores.get(one.variation, 0.0))
        path.write_text(
            json.dumps({"experience": experience.as_data(), "steps": steps, "scores": scores}), encoding="utf-8"
        )
    return Experience.from_data(json.loads(path.read_text(encoding="utf-8"))["experience"])


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
    parser.add_argument("--meaning", action="store_true", help="with the encoder minilm, which has to be installed")
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
        meaning=Meaning(encoder=open_embedder(Settings(encoder="minilm"))) if options.meaning else None,
    )
    began, world = time.process_time(), open_world(options.env)
    with tempfile.TemporaryDirectory() as folder:
        try:
            rows = list(play(world, plan, options.folder or Path(folder)))
        finally:
            world.close()
    settings = {
        "suite": f"{options.env}, names likened by minilm" if plan.meaning else options.env,
        "env": world.version,
        "tasks": list(plan.tasks),
        "variations": plan.variations,
        "trials": plan.trials,
        "meaning": plan.meaning.encoder.name if plan.meaning else "",
    }
    settings |= {"train": plan.train, "practice_trials": plan.practice_trials, "moves": plan.limits.moves}
    settings |= {
        "by_trial": {arm: by_trial(rows, arm) for arm in plan.arms},
        "cpu_s": round(time.process_time() - began),
    }
    outcome = Outcome(benchmark="worlds", seeds=1, quick=quick, rows=rows, targets=targets_of(rows), settings=settings)
    publish(outcome, options, text(rows))


if __name__ == "__main__":
    main()
