"""Figures of trials in worlds, made from the rows alone: means over variations, paired differences, curves, a table."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean
from typing import Any

from benchmarks.record import Target, against
from benchmarks.results_trust import PUBLISHED
from benchmarks.worlds_arms import ARMS
from evolve.trials.gate import ConfidenceInterval

WITHOUT = ("no skills", "no transitions")
"""As ``gen-adapt``, but of practice only what moves do is brought along, and no plan of another variation, or the plans
alone."""
RESAMPLES = 4000
Row = Mapping[str, Any]


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


def interval(values: Mapping[tuple[str, int], float]) -> ConfidenceInterval:
    """The mean over tasks, with the 95 % interval of a bootstrap over pairs of task and variation."""
    draw, own = random.Random(0), list(values.values())
    means = sorted(fmean(draw.choices(own, k=len(own))) for _ in range(RESAMPLES)) if own else [0.0]
    low, high = means[int(0.025 * len(means))], means[int(0.975 * len(means)) - 1]
    return ConfidenceInterval(value=fmean(own) if own else 0.0, low=low, high=high, n=len(own))


def paired(one: Mapping[tuple[str, int], float], other: Mapping[tuple[str, int], float]) -> ConfidenceInterval:
    """The mean difference on the variations that both played, in a fixed order: the bootstrap's draws follow it."""
    return interval({key: one[key] - other[key] for key in sorted(one.keys() & other.keys())})


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
        if len(by_trial(rows, arm)) > 1:
            told[f"{arm}, last trial"] = ends(rows, arm, last=True)
    for arm in ARMS:
        told[f"{arm}, mean"] = averages(rows, arm, fmean)
        told[f"{arm}, best of all"] = averages(rows, arm, max)
    return {name: one for name, one in told.items() if one}


def targets_of(rows: Sequence[Row]) -> list[Target]:
    """The figures that were promised, and memory against none and against hints."""
    told = series(rows)
    made = [
        against(name, interval(told[name]), ">=", target)
        for name, target in (("adapt, last trial", 38), ("gen-env (first trial)", 42), ("gen-adapt, last trial", 55))
        if name in told
    ]
    # The last trial of these arms may have been cut short when as many moves were done, so their mean is compared.
    for arm in ("no memory", "hints", "placebo"):
        if f"{arm}, mean" in told:
            less = paired(told["adapt, last trial"], told[f"{arm}, mean"])
            made.append(against(f"adapt, last trial, minus {arm}, mean", less, "low >", 0))
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
    told += [f"{arm} by trial {by_trial(rows, arm)}" for arm in ("adapt", "gen-adapt", *WITHOUT)]
    told += [f"{arm} by 100 moves {by_steps(rows, arm)}" for arm in ("adapt", "gen-adapt", *ARMS)]
    told.append(PUBLISHED)
    told += [
        f"{one.name}: {one.value:.1f} ({'met' if one.met else 'missed'}: {one.op} {one.target})"
        for one in targets_of(rows)
    ]
    return "\n".join(told)


def _shown(one: ConfidenceInterval) -> str:
    return f"{one.value:5.1f}  [{one.low:5.1f}, {one.high:5.1f}]  n={one.n}"


def table(rows: Sequence[Row]) -> Iterator[tuple[Any, ...]]:
    """For the page of results: each line of :func:`series` over all variations and by task, then the curves."""
    tasks = list(dict.fromkeys(row["task"] for row in rows))
    yield ("arm", "mean", "n", *tasks)
    for name, one in series(rows).items():
        whole = interval(one)
        cells = [[score for (task, _), score in one.items() if task == own] for own in tasks]
        yield (
            name,
            f"{whole.value:.1f} [{whole.low:.1f}, {whole.high:.1f}]",
            whole.n,
            *(f"{fmean(own):.0f}" if own else "" for own in cells),
        )
    for arm in ("adapt", "gen-adapt"):
        if any(row["arm"] == arm for row in rows):
            yield (f"{arm}, trial by trial", " ".join(f"{one:.0f}" for one in by_trial(rows, arm)), "")
