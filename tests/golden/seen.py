"""What a person sees of a workspace, through the command line and ``evolve.open``, as one JSON value."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import evolve
from evolve.core.files import canonical_json, digest
from evolve.testing import question_of

_CLOCK = frozenset({"seconds", "at", "log_time", "made"})
"""Keys whose values are another time at every run."""

_BY_CODE = frozenset({"pins", "tokens", "completion", "cached"})
"""Keys that name the code itself, or hang on how long its prompts are; both are to change. Calls are counted."""

_BY_MACHINE = frozenset({"fingerprint"})
"""Keys that name what confines code here."""

_TIME = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(\+00:00|Z)?")
_DURATION = re.compile(r"\b\d+(\.\d+)? s\b")
_LONG = 40
"""Numbers in a row that are told by their digest."""

_DOCTOR = ("workspace", "settings", "record", "bodies", "spending")
_STEPS = re.compile(r"stage\.\w+\.before|attempt\.kept|practice\.kept|sandbox\.before")


@dataclass(frozen=True)
class Said:
    """What a command ended with and printed."""

    code: int
    out: str
    err: str


class Shell(Protocol):
    """Runs commands of ``evolve`` in a folder of its own, whose workspace is ``ws``."""

    folder: Path

    def __call__(self, *arguments: str, typed: str = "", **environ: str) -> Said:
        """Runs one command, with these lines on its standard input and these variables besides."""
        ...


Serving = Callable[[], AbstractContextManager[Any]]
"""Starts the endpoint that a golden with a model needs."""


def plain(value: Any) -> Any:
    """The value without what differs from run to run: times, durations, tokens, and what names code or machine."""
    if isinstance(value, dict):
        seen = {key: plain(one) for key, one in value.items() if key not in _CLOCK | _BY_CODE | _BY_MACHINE}
        return {**seen, "kept": "DAY"} if isinstance(seen.get("kept"), str) and seen["kept"] else seen
    if isinstance(value, list):
        if len(value) >= _LONG and all(isinstance(one, int | float) for one in value):
            return f"{len(value)} numbers, {digest(canonical_json([float(one) for one in value]))[:16]}"
        return [plain(one) for one in value]
    if isinstance(value, str):
        return _DURATION.sub("SOME s", _TIME.sub("TIME", value))
    return value


def told(shell: Shell, *arguments: str, **more: str) -> Any:
    """What a command prints as JSON; it must end well."""
    said = shell(*arguments, "--json", **more)
    assert said.code == 0, (arguments, said.code, said.err)
    return plain(json.loads(said.out))


def workspace(
    shell: Shell, episodes: Callable[[str], bool] = lambda task: True, *, sound: bool = True
) -> dict[str, Any]:
    """Everything that the commands list and show, and what a program finds.

    ``inner`` is what only the policy that wrote it reads: kept apart, because its form may change on purpose.

    Args:
        episodes: Which tasks' episodes are shown step by step.
        sound: Whether every row and every file is looked at for damage too.
    """
    runs = told(shell, "runs", "list")
    shown = {run["id"]: told(shell, "runs", "show", run["id"]) for run in runs}
    found: dict[str, Any] = {"runs": runs, "episodes": shown, "steps": {}, "inner": {}}
    for one in [one for rows in shown.values() for one in rows if episodes(one["task"])]:
        whole = told(shell, "why", one["episode"], "--steps")["steps"][0]
        found["inner"][one["episode"]] = [_inner(step) for step in whole["steps"]]
        found["steps"][one["episode"]] = whole
    memory = told(shell, "memory", "list")
    variants = told(shell, "lab", "variants", "list")
    return found | {
        "memory": memory,
        "evidence": {one["id"]: _of_insight(shell, one["id"]) for one in memory["insights"][:8]},
        "skills": told(shell, "skills", "list", "--all"),
        "preferences": told(shell, "memory", "preferences", "list"),
        "variants": variants,
        "made of": {
            one["digest"]: told(shell, "lab", "variants", "show", one["digest"]) for one in variants["variants"]
        },
        "verdicts": told(shell, "lab", "gate", "list"),
        "report": _report(shell),
        "doctor": {one["part"]: one["state"] for one in told(shell, "status")["checks"] if one["part"] in _DOCTOR}
        if sound
        else {},
        "python": from_python(shell.folder / "ws"),
    }


def _report(shell: Shell) -> Any:
    """The report, or how the command ended; what going on kept was kept on the day of the test."""
    said = shell("report", "--json")
    if said.code:
        return said.code
    report = plain(json.loads(said.out))
    for thing in report.get("kept", ()):
        del thing["kept"]
    return report


def _of_insight(shell: Shell, name: str) -> Any:
    """An insight with its evidence; the chains that end in it are made of the same."""
    return {key: value for key, value in told(shell, "why", name).items() if key not in ("kind", "chains")}


_ACTION = frozenset({"kind", "code", "text", "cost", "consumed"})
_OBSERVATION = frozenset({"ok", "outputs", "error", "denied", "fault", "text"})


def _inner(step: dict[str, Any]) -> Any:
    """Takes out of a step what only some actions and environments say, and gives it."""
    action, seen = step["action"], step["observation"]
    return [_taken(action, _ACTION), _taken(seen, _OBSERVATION) if seen else None]


def _taken(value: dict[str, Any], kept: frozenset[str]) -> dict[str, Any]:
    return {key: value.pop(key) for key in sorted(value.keys() - kept)}


def from_python(folder: Path) -> dict[str, Any]:
    """What a program finds in the same workspace."""
    with evolve.open(folder, read_only=True) as opened:
        return {
            "skills": {skill.name: skill.digest for skill in opened.skills.list()},
            "insights": {one.id: [one.text, one.status, one.evidence] for one in opened.memory.list()},
            "notes": [[one.author, one.text] for one in opened.memory.notes()],
            "preferences": [one.description for one in opened.preferences.list()],
            "active": opened.variants.active,
        }


def resumed(shell: Shell, *command: str, typed: str = "", code: int = 0, **environ: str) -> dict[str, Any]:
    """Goes on with an interrupted run by a command, and tells what it printed and what was still done for it.

    ``done`` counts the stages that began, attempts and batches that were kept, and programs that ran in the sandbox:
    what was done, and paid for, before the interruption is not among them.
    """
    trace = shell.folder / "points.txt"
    said = shell(*command, typed=typed, EVOLVE_FAULT=f">{trace}", **environ)
    assert said.code == code, (command, said.code, said.err)
    points = trace.read_text().split() if trace.exists() else []
    trace.unlink(missing_ok=True)
    return {
        "said": plain(json.loads(said.out)) if "--json" in command else plain(said.out.splitlines()),
        "done": dict(sorted(Counter(one for one in points if _STEPS.fullmatch(one)).items())),
    }


def asked(endpoint: Any) -> Sequence[str]:
    """What a scripted endpoint was asked for, in order."""
    return [question_of(body) for body in endpoint.requests]
