"""A setting played with its trials on disk: what was played is not played again, and a stopped run goes on."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

from evolve.core.episodes import Claim, Evidence, Scope
from evolve.core.files import canonical_json, digest, write_atomic
from evolve_worlds import World
from evolve_worlds.experience.learner import Experience, TrialResult
from evolve_worlds.experience.meaning import Meaning
from evolve_worlds.experience.trials import Schedule, practised, tried

_PRACTICE = "practice.json"
_POLICY = 7  # raised where the policy plays otherwise than before, so that what is kept of it is played anew


@dataclass(frozen=True, kw_only=True)
class Observer:
    """Who is told while trials are played.

    Attributes:
        on_practice: Of each trial of practice that is played now; once more where it was cut off.
        on_trial: Of each other trial that is played now, before it is kept.
        is_late: Whether to stop; asked before each variation is practised on but the first one.
    """

    on_practice: Callable[[TrialResult], None] = lambda one: None
    on_trial: Callable[[TrialResult], None] = lambda one: None
    is_late: Callable[[], bool] = lambda: False


def run(
    world: World,
    schedule: Schedule,
    folder: Path,
    meaning: Meaning | None = None,
    observer: Observer = Observer(),
) -> Iterator[TrialResult]:
    """The trials of a schedule, those of the folder first.

    The trials that a variation has are given, and then made once more before its first missing one, as that builds on
    them; the same moves lead to the same scenes, so nothing comes out differently. Where the world's version, what is
    practised or the encoder differs, all is played anew. Practice is not among the results; its steps stand in
    ``practice.json``.

    Raises:
        UsageError: There is no such task or variation.
        WorldFault: The world failed; what was whole stays in the folder.
    """
    folder.mkdir(parents=True, exist_ok=True)
    played = {"version": world.version, "policy": _POLICY, **asdict(replace(schedule, variations=(), trials=0))}
    same = digest(canonical_json(played | ({"encoder": meaning.encoder.name} if meaning else {})))
    experience = Experience()
    for left, taught in _practice(world, schedule, folder / _PRACTICE, same, observer, meaning):
        experience = taught
        if left and observer.is_late():
            return
    for variation in schedule.variations:
        # A task's name is its world's, and may hold what no name of a file can.
        path = folder / f"{re.sub('[^A-Za-z0-9_-]+', '-', schedule.task)}.{variation}.json"
        wanted = schedule.trials_each
        own = f"{same} {schedule.task} {variation}"
        kept = [_result(one) for one in _read(path, own).get("trials", [])]
        yield from (replace(one, kept=True) for one in kept[:wanted])
        if len(kept) < wanted:
            going_on = tried(world, replace(schedule, variations=[variation]), experience, meaning)
            for one in islice(going_on, len(kept), None):
                observer.on_trial(one)
                kept.append(one)
                _write(path, {"of": own, "trials": [asdict(each) for each in kept]})
                yield one


def practice_steps(folder: Path) -> int:
    """Steps of the practice that a folder keeps."""
    return int(_read(folder / _PRACTICE).get("steps", 0))


def _practice(
    world: World,
    schedule: Schedule,
    path: Path,
    same: str,
    observer: Observer,
    meaning: Meaning | None,
) -> Iterator[tuple[int, Experience]]:
    """What practice teaches, kept after each of its variations, with how many of them are left."""
    known = _read(path, same)
    experience = Experience.from_data(known["experience"]) if known else Experience()
    steps, done = known.get("steps", 0), known.get("done", 0)
    yield 0, experience
    for number, place in enumerate(schedule.practice[done:], done + 1):
        for _, one in practised(world, replace(schedule, practice=[place]), experience, meaning):
            steps += one.steps
            observer.on_practice(one)
        taught = experience.as_data()
        _write(path, {"of": same, "steps": steps, "done": number, "experience": taught})
        experience = Experience.from_data(taught)  # what goes on at once and what goes on later are the same
        yield len(schedule.practice) - number, experience


def _read(path: Path, same: str | None = None) -> Mapping[str, Any]:
    """What a file holds; nothing where it is missing, damaged or of another schedule.

    Args:
        same: Which schedule; by default any.
    """
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        whole = same in (None, data["of"]) and data["sum"] == _sum(data)
    except (FileNotFoundError, ValueError, KeyError, TypeError):  # it is played again, which comes to the same
        return {}
    return dict(data) if whole else {}


def _write(path: Path, data: Mapping[str, Any]) -> None:
    write_atomic(path, json.dumps({**data, "sum": _sum(data)}, sort_keys=True).encode())


def _sum(data: Mapping[str, Any]) -> str:
    """A digest of all that a file holds, by which damage is seen."""
    return digest(json.dumps({name: value for name, value in data.items() if name != "sum"}, sort_keys=True).encode())


def _result(data: Mapping[str, Any]) -> TrialResult:
    return TrialResult(**{**data, "played": tuple(data["played"]), "claims": tuple(map(_claim, data["claims"]))})


def _claim(data: Mapping[str, Any]) -> Claim:
    scope = Scope(**{**data["scope"], "preconditions": tuple(data["scope"]["preconditions"])})
    evidence = tuple(Evidence(**{**one, "features": tuple(one["features"])}) for one in data["evidence"])
    return Claim(**{**data, "scope": scope, "evidence": evidence})
