"""Runs arms on the tasks, judges what they hand in, and compares."""

from __future__ import annotations

import random
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field, replace
from statistics import fmean
from typing import Any, Protocol

from benchmarks.agent.endpoint import MeteredEndpoint
from benchmarks.agent.judge import judged
from benchmarks.agent.relay import Relay
from benchmarks.agent.task import AgentTask
from benchmarks.record import Target

KINDS = ("rows", "folder", "words", "family")
MOST_UNCACHED = {"folder": 1.1, "rows": 1.5}
"""Uncached prompt tokens against the plain loop's, by kind of task."""
_RESAMPLES = 4000


@dataclass(frozen=True, kw_only=True)
class HandedIn:
    """What an arm hands in: the source of the function, all files of the folder, or the answer to a question."""

    function: str = ""
    files: Mapping[str, str] = field(default_factory=dict)
    answer: str = ""


@dataclass(frozen=True, kw_only=True)
class Solved:
    """What came of one task.

    Attributes:
        handed_in: What is judged; None where the arm gave up.
        calls: Requests to the endpoint. This and what follows is written by :func:`measured` from the books of the
            endpoint, the same way for every arm; an arm need not give it.
        first_answer_right: Whether the first answer that the double wrote in the task was the right one.
    """

    handed_in: HandedIn | None
    calls: int = 0
    prompt_tokens: int = 0
    cached_tokens: int = 0
    completion_tokens: int = 0
    first_answer_right: bool = False
    seconds: float = 0.0
    note: str = ""


class Arm(Protocol):
    """One agent. It is made anew for each run, and may keep what it likes from one task to the next."""

    name: str

    def solve(self, task: AgentTask, endpoint: MeteredEndpoint) -> Solved:
        """Works on a task with the model behind the endpoint; of ``hidden`` it may use rows to refuse an answer."""
        ...

    def close(self) -> None:
        """Gives back what the arm holds, at the end of a run."""
        ...


@dataclass(frozen=True, kw_only=True)
class Result:
    """One row of the figures."""

    arm: str
    task: str
    kind: str
    family: str
    role: str
    solved: bool
    calls: int
    prompt_tokens: int
    cached_tokens: int
    completion_tokens: int
    first_answer_right: bool
    seconds: float
    draw: int = 0
    note: str = ""

    @property
    def uncached(self) -> int:
        """Prompt tokens that no earlier request of the run began with."""
        return self.prompt_tokens - self.cached_tokens

    def to_json(self) -> dict[str, Any]:
        """As it stands in the file."""
        return asdict(self)


def measured(arm: Arm, tasks: Sequence[AgentTask], draw: int = 0, behind: str = "") -> Iterable[Result]:
    """Each task in turn, behind one endpoint for the whole run of the arm; a draw says where the double slips.

    Args:
        behind: A real model's server, ``http://host/v1#model``, in place of the double.
    """
    endpoint = Relay(behind) if behind else MeteredEndpoint(draw)
    with endpoint, closing(arm):
        for task in tasks:
            before, started = len(endpoint.calls), time.monotonic()
            solved = arm.solve(task, endpoint)
            solved = _from_the_books(solved, endpoint, before, time.monotonic() - started)
            right = solved.handed_in is not None and judged(task, solved.handed_in)
            counts = {name: value for name, value in asdict(solved).items() if name != "handed_in"}
            about = {"task": task.id, "kind": task.kind, "family": task.family, "role": task.role}
            yield Result(arm=arm.name, draw=draw, solved=right, **about, **counts)


def _from_the_books(solved: Solved, endpoint: MeteredEndpoint, before: int, seconds: float) -> Solved:
    calls = endpoint.calls[before:]
    first = next((call.version for call in calls if call.version), "")
    return replace(
        solved,
        calls=len(calls),
        prompt_tokens=sum(call.prompt_tokens for call in calls),
        cached_tokens=sum(call.cached_tokens for call in calls),
        completion_tokens=sum(call.completion_tokens for call in calls),
        first_answer_right=first == "right",
        seconds=round(seconds, 3),
    )


def summary(results: Sequence[Result]) -> list[dict[str, Any]]:
    """One row for each arm and kind; calls and tokens of all tasks, those that failed too, for each solved one."""
    rows = []
    for arm in dict.fromkeys(result.arm for result in results):
        for kind in KINDS:
            part = [result for result in results if result.arm == arm and result.kind == kind]
            if part:
                rows.append({"arm": arm, "kind": kind, "tasks": len(part), **_sums(part)})
    return rows


def _sums(part: Sequence[Result]) -> dict[str, Any]:
    solved = sum(result.solved for result in part)
    return {
        "solved": solved,
        "first_right": sum(result.first_answer_right for result in part),
        "calls": sum(result.calls for result in part),
        "calls_per_solved": round(sum(result.calls for result in part) / solved, 3) if solved else None,
        "uncached": sum(result.uncached for result in part),
        "prompt_tokens": sum(result.prompt_tokens for result in part),
        "completion_tokens": sum(result.completion_tokens for result in part),
        "seconds": round(sum(result.seconds for result in part), 1),
    }


def table(results: Sequence[Result]) -> str:
    """The summary for people."""
    lines = [
        f"{'arm':<22}{'kind':<8}{'solved':>8}{'first':>7}{'calls':>7}{'per solved':>12}{'uncached':>10}{'prompt':>9}"
    ]
    for row in summary(results):
        share = f"{row['solved']}/{row['tasks']}"
        per = "-" if row["calls_per_solved"] is None else f"{row['calls_per_solved']:.2f}"
        lines.append(
            f"{row['arm']:<22}{row['kind']:<8}{share:>8}{row['first_right']:>7}{row['calls']:>7}{per:>12}"
            f"{row['uncached']:>10,}{row['prompt_tokens']:>9,}"
        )
    return "\n".join(lines)


def against_plain(results: Sequence[Result], arm: str, plain: str = "plain") -> list[Target]:
    """What an arm without memory should reach beside the plain loop, kind by kind."""
    by = {(row["arm"], row["kind"]): row for row in summary(results)}
    found = []
    for kind in KINDS:
        mine, other = by.get((arm, kind)), by.get((plain, kind))
        if mine is None or other is None:
            continue
        solved = {"value": mine["solved"] / max(1, other["solved"]), "n": mine["tasks"]}
        found.append(Target(name=f"solved, {arm} / {plain}, {kind}", op=">=", target=1.0, **solved))
        for figure, most in (("calls_per_solved", 1.0), ("uncached", MOST_UNCACHED.get(kind))):
            if most is not None:
                value = mine[figure] / other[figure] if mine[figure] and other[figure] else None
                name = f"{figure.replace('_', ' ')}, {arm} / {plain}, {kind}"
                found.append(Target(name=name, op="<=", target=most, value=value, n=mine["tasks"]))
    return found


def of_memory(results: Sequence[Result], without: str, with_memory: str) -> list[Target]:
    """What memory should save on the unseen tasks of the families; intervals over families."""
    unseen = [result for result in results if result.role == "unseen"]
    pairs: dict[str, list[tuple[Result, Result]]] = {}
    by = {(result.arm, result.task, result.draw): result for result in unseen}
    for result in unseen:
        if result.arm == without and (other := (with_memory, result.task, result.draw)) in by:
            pairs.setdefault(result.family, []).append((result, by[other]))
    listed = list(pairs.values())
    if not listed:
        return []
    saved = over_families(listed, _calls_saved)
    first = over_families(listed, lambda part: fmean(b.first_answer_right - a.first_answer_right for a, b in part))
    name = f"{with_memory} over {without}, unseen tasks of families"
    return [
        Target(name=f"share of calls saved, {name}", op=">=", target=0.3, **saved),
        Target(name=f"share of calls saved, lower bound, {name}", op="low >", target=0.0, **saved),
        Target(name=f"first answers right, gain, lower bound, {name}", op="low >", target=0.0, **first),
    ]


def _calls_saved(part: Sequence[tuple[Result, Result]]) -> float:
    return 1 - sum(b.calls for _, b in part) / max(1, sum(a.calls for a, _ in part))


def over_families(families: Sequence[Sequence[tuple[Result, Result]]], figure: Any, seed: int = 0) -> dict[str, Any]:
    """A figure of all pairs with a 95 % percentile bootstrap over families (Davison and Hinkley 1997, section 5.3)."""
    chance = random.Random(seed)
    drawn = sorted(
        figure([pair for part in chance.choices(families, k=len(families)) for pair in part]) for _ in range(_RESAMPLES)
    )
    value = figure([pair for part in families for pair in part])
    low, high = drawn[int(0.025 * _RESAMPLES)], drawn[int(0.975 * _RESAMPLES) - 1]
    return {"value": value, "low": low, "high": high, "n": len(families)}
