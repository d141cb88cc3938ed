"""What learning should reach on each kind of suite."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from benchmarks import figures
from benchmarks.figures import BASE, INTERACTIVE, LEARNED, Row
from benchmarks.record import Target, against

Kind = Literal["lists", "columns", "composed"]
"""``columns`` stands for everyday, strings and tables."""


CPU = {"everyday": 0.7, "strings": 0.7, "lists": 0.9, "tables": 0.6, "composed": 0.15}
"""CPU seconds of learned over unlearned, in sum where both solve, by suite; 0.7 for others."""


def targets_of(rows: Sequence[Row], kind: Kind, *, generated: bool) -> list[Target]:
    """All targets of a suite of this kind.

    Args:
        rows: The rows of every arm.
        generated: Whether the suite ships with the package; those are large enough for distinct groups.
    """
    found = {"lists": _lists, "columns": _columns, "composed": _composed}[kind](rows)
    if kind == "lists" and generated:
        found.append(_count("distinct held-out groups", figures.arm_figures(rows, LEARNED).groups, 150))
    return [*found, *_everywhere(rows), *_in_seconds(rows)]


def _lists(rows: Sequence[Row]) -> list[Target]:
    ratio = figures.candidate_ratio(rows, BASE, LEARNED)
    early = figures.relative_solved(rows, BASE, LEARNED, at=INTERACTIVE)
    whole = figures.relative_solved(rows, BASE, LEARNED)
    return [
        against("candidates, learned / unlearned", ratio, "<=", 1 / 5),
        against("candidates, learned / unlearned, upper bound", ratio, "high <=", 1 / 4),
        against(f"solved at {INTERACTIVE} candidates, learned / unlearned", early, ">=", 1.8),
        against("solved, learned / unlearned", whole, ">=", 1.15),
        _count("held-out rows", figures.arm_figures(rows, LEARNED).tasks, 150),
        _count("splits", figures.splits_of(rows), 3),
    ]


def _columns(rows: Sequence[Row]) -> list[Target]:
    whole = figures.relative_solved(rows, BASE, LEARNED)
    return [
        against("candidates, learned / unlearned", figures.candidate_ratio(rows, BASE, LEARNED), "<=", 1 / 2),
        against("share solved, learned - unlearned", figures.solved_gain(rows, BASE, LEARNED), ">=", 0.0),
        against("solved, learned / unlearned (aim)", whole, ">=", 1.1),
    ]


def _composed(rows: Sequence[Row]) -> list[Target]:
    return [
        against("solved, learned / unlearned", figures.relative_solved(rows, BASE, LEARNED), ">=", 3.0),
        against("share solved, learned - unlearned", figures.solved_gain(rows, BASE, LEARNED), ">=", 0.2),
    ]


def _everywhere(rows: Sequence[Row]) -> list[Target]:
    wrong = figures.wrong_share(rows, LEARNED)
    saved = "doublings of effort saved by learned over"
    return [
        against(f"{saved} placebo", figures.doublings_saved(rows, "placebo", LEARNED), "low >", 0.0),
        against(f"{saved} dreams-only", figures.doublings_saved(rows, "dreams-only", LEARNED), "low >", 0.0),
        against("share solved, unlearned - plain", figures.solved_gain(rows, "plain", BASE), ">=", 0.0),
        against(
            "doublings of effort saved, unlearned over plain", figures.doublings_saved(rows, "plain", BASE), ">=", 0
        ),
        against("wrong share of claimed answers", wrong, "<=", 0.03),
        against("wrong share of claimed answers, upper bound", wrong, "high <=", 0.05),
        _count("claimed answers checked", wrong.n, 300),
        against("claimed / solved", figures.claimed_over_solved(rows, LEARNED), ">=", 0.8),
    ]


def _in_seconds(rows: Sequence[Row]) -> list[Target]:
    """What a person waits for, beside what can be counted."""
    suite = next((str(row["suite"]) for row in rows), "")
    each = figures.cpu_per_candidate(rows, BASE, LEARNED)
    ratio = "CPU seconds, learned / unlearned"
    return [
        against(
            f"{ratio}, where both solve", figures.cpu_ratio(rows, BASE, LEARNED, both=True), "<=", CPU.get(suite, 0.7)
        ),
        against(f"{ratio}, over all tasks", figures.cpu_ratio(rows, BASE, LEARNED, both=False), "<=", 1.0),
        Target(name=f"{ratio}, of one candidate", op="<=", target=1.1, value=each),
        against("error of work units against CPU seconds, median", figures.work_error(rows), "<=", 0.2),
    ]


def _count(name: str, value: int, least: int) -> Target:
    return Target(name=name, op=">=", target=least, value=value, n=value)
