"""A setting played with its trials on disk: what was played is not played again, and a stopped run goes on."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from evolve.episodes import Claim, Evidence, Scope
from evolve.files import canonical_json, digest, write_atomic
from evolve.policies.experience.learner import Experience, TrialResult
from evolve.policies.experience.trials import Schedule, practised, tried
from evolve.worlds import World

_PRACTICE = "practice.json"


def run(world: World, schedule: Schedule, folder: Path) -> Iterator[TrialResult]:
    """The trials of a schedule, those of the folder first.

    A variation of which some trials are missing is played from its first trial on, as the rest builds on them; the same
    moves lead to the same scenes, so nothing comes out differently. Where the world's version or what is practised
    differs, all is played anew. Practice is not among the results; its moves stand in ``practice.json``.

    Raises:
        UsageError: There is no such task or variation.
        WorldFault: The world failed; what was whole stays in the folder.
    """
    folder.mkdir(parents=True, exist_ok=True)
    same = digest(canonical_json({"version": world.version, **asdict(replace(schedule, variations=(), trials=0))}))
    experience = _practice(world, schedule, folder / _PRACTICE, same)
    for variation in schedule.variations:
        path = folder / f"{schedule.task}.{variation}.json"
        wanted = schedule.trials if "adapt" in schedule.setting else 1
        kept = [_result(one) for one in _read(path, same).get("trials", [])]
        if len(kept) >= wanted:
            yield from kept[:wanted]
            continue
        kept = []
        for one in tried(world, replace(schedule, variations=[variation]), experience):
            kept.append(one)
            _write(path, {"of": same, "trials": [asdict(each) for each in kept]})
            yield one


def practice_steps(folder: Path) -> int:
    """Steps of the practice that a folder keeps."""
    path = folder / _PRACTICE
    return int(json.loads(path.read_text(encoding="utf-8"))["steps"]) if path.exists() else 0


def _practice(world: World, schedule: Schedule, path: Path, same: str) -> Experience:
    known = _read(path, same)
    if known:
        return Experience.from_data(known["experience"])
    experience, steps = Experience(), 0
    for grown, one in practised(world, schedule):
        experience, steps = grown, steps + one.steps
    _write(path, {"of": same, "steps": steps, "experience": experience.as_data()})
    return experience


def _read(path: Path, same: str) -> Mapping[str, Any]:
    """What a file holds of the same schedule; nothing where it is missing or of another one."""
    if not path.exists():
        return {}
    data = json.loads(path.read_text(encoding="utf-8"))
    return dict(data) if data["of"] == same else {}


def _write(path: Path, data: Mapping[str, Any]) -> None:
    write_atomic(path, json.dumps(data, sort_keys=True).encode())


def _result(data: Mapping[str, Any]) -> TrialResult:
    return TrialResult(**{**data, "played": tuple(data["played"]), "claims": tuple(map(_claim, data["claims"]))})


def _claim(data: Mapping[str, Any]) -> Claim:
    scope = Scope(**{**data["scope"], "preconditions": tuple(data["scope"]["preconditions"])})
    evidence = tuple(Evidence(**{**one, "features": tuple(one["features"])}) for one in data["evidence"])
    return Claim(**{**data, "scope": scope, "evidence": evidence})
