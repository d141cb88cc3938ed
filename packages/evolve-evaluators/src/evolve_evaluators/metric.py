"""The remarks in comments, and the metrics that gather remarks of one meaning."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from evolve.workspace.resources.evaluators import Criterion


@dataclass(frozen=True, kw_only=True)
class Remark:
    """One thing that a comment says.

    Attributes:
        comment: Id of the comment.
        sign: +1 praise, -1 complaint, 0 where the words do not tell.
    """

    id: str
    comment: str
    run: str
    text: str
    sign: Literal[-1, 0, 1]


@dataclass(frozen=True, kw_only=True)
class Metric(Criterion):
    """What several comments speak of.

    It says what a person cares about and can be a target to search for. It is no evidence, and the gate knows nothing
    of it: what is accepted there is counted in verified solves.

    Attributes:
        edited: The person named or defined it; else its name are key terms.
        examples: Remarks that it was induced from, oldest first.
    """

    edited: bool = False
    examples: tuple[Remark, ...] = ()

    @property
    def comments(self) -> frozenset[str]:
        """Ids of the comments that its remarks are from."""
        return frozenset(remark.comment for remark in self.examples)

    def scores(self) -> dict[str, float]:
        """For each run that was spoken of, the mean of what was said, in [-1, 1]."""
        by_run: dict[str, list[int]] = {}
        for remark in self.examples:
            if remark.sign:
                by_run.setdefault(remark.run, []).append(remark.sign)
        return {run: sum(signs) / len(signs) for run, signs in by_run.items()}

    @property
    def rubric(self) -> str:
        """The metric as a question for a judge."""
        praised = [remark.text for remark in self.examples if remark.sign > 0][-2:]
        blamed = [remark.text for remark in self.examples if remark.sign < 0][-2:]
        lines = [f"{self.name}: {self.definition}"]
        lines += [f'Of a good answer a person said: "{text}"' for text in praised]
        lines += [f'Of a bad answer a person said: "{text}"' for text in blamed]
        return "\n".join(lines)


@dataclass(frozen=True, kw_only=True)
class Overlap:
    """How much two metrics say the same.

    Attributes:
        correlation: Pearson's, of their scores over the runs that both have one for; None below three such runs, or
            where one of them does not vary.
        runs: How many runs that are.
    """

    one: str
    other: str
    correlation: float | None
    runs: int


@dataclass(frozen=True, kw_only=True)
class MetricsReport:
    """What the metrics explain.

    Attributes:
        comments: Comments with words of the person's own.
        explained: Those of them of which some remark belongs to a metric.
        overlaps: Every pair of metrics.
    """

    comments: int
    explained: int
    overlaps: tuple[Overlap, ...] = ()

    @property
    def coverage(self) -> float | None:
        """The share of comments explained; None without comments."""
        return self.explained / self.comments if self.comments else None


def overlap(first: Metric, second: Metric) -> Overlap:
    """Compares two metrics over the runs that both have a score for."""
    mine, theirs = first.scores(), second.scores()
    runs = sorted(mine.keys() & theirs.keys())
    value = _pearson([mine[run] for run in runs], [theirs[run] for run in runs])
    return Overlap(one=first.name, other=second.name, correlation=value, runs=len(runs))


def _pearson(left: Sequence[float], right: Sequence[float]) -> float | None:
    # Two points always lie on a line.
    if len(left) < 3:
        return None
    spread = math.sqrt(_product(left, left) * _product(right, right))
    # Bounded, because rounding can carry it past 1.
    return None if spread == 0.0 else max(-1.0, min(1.0, _product(left, right) / spread))


def _product(left: Sequence[float], right: Sequence[float]) -> float:
    first, second = sum(left) / len(left), sum(right) / len(right)
    return sum((x - first) * (y - second) for x, y in zip(left, right, strict=True))


def report(metrics: Sequence[Metric], remarks: Mapping[str, Sequence[str]]) -> MetricsReport:
    """Reports which share of the comments the metrics explain, and how much any two say the same.

    Args:
        remarks: For each comment with words of its own, the ids of the metrics that its remarks belong to.
    """
    pairs = [overlap(metric, other) for place, metric in enumerate(metrics) for other in metrics[place + 1 :]]
    ids = {metric.id for metric in metrics}
    explained = sum(any(name in ids for name in names) for names in remarks.values())
    return MetricsReport(comments=len(remarks), explained=explained, overlaps=tuple(pairs))
