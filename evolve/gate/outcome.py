"""The outcome of one pair of episodes: the same task and seed under two variants."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from evolve.episodes import Cost, EpisodeRecord
from evolve.gate.jobs import T

Outcome = Literal["win", "tie", "loss", "void", "withheld"]

CHEAPER = 0.8
"""A solution is cheaper when it costs at most this share of the other: 20 % less."""
OVERHEAD = 200_000
"""Work units of what an answer costs besides the search for it: the episode around it, and running and recording it
take some 20 ms of CPU (``python -m benchmarks.speed``). Milliseconds that are saved or lost beside that move no one."""


def paired_outcome(parent: EpisodeRecord, variant: EpisodeRecord) -> Outcome:
    """Who did better, seen from the variant.

    Solving decides first, and solved means verified on rows the policy never saw. Where
    both solve, the one that is cheaper by at least 20 % wins. A pair in which the parent's
    episode ended in a fault or was interrupted is ``void``: it says nothing of the arms. Where
    only the variant's did, the pair is ``withheld``: no evidence against it, nor room for it to
    fail where it would have lost.

    Raises:
        ValueError: the two records are not of one task and seed.
    """
    if (parent.task, parent.seed) != (variant.task, variant.seed):
        raise ValueError(f"records of {parent.task!r} and {variant.task!r} are not a pair")
    if not is_informative(parent):
        return "void"
    if not is_informative(variant):
        return "withheld"
    before, after = is_verified(parent), is_verified(variant)
    if before != after:
        return "win" if after else "loss"
    if not after:
        return "tie"
    old, new = comparable_cost(parent.cost, variant.cost)
    if new <= CHEAPER * old and new < old:
        return "win"
    if old <= CHEAPER * new and old < new:
        return "loss"
    return "tie"


def is_informative(record: EpisodeRecord) -> bool:
    """False for episodes that the environment or a person cut short."""
    return record.status not in ("fault", "interrupted")


def is_verified(record: EpisodeRecord) -> bool:
    """Whether the episode solved its task by the gate's meaning of solved."""
    return record.solved and record.verified


def comparable_cost(parent: Cost, variant: Cost) -> tuple[float, float]:
    """Both costs in the first unit that was counted: work units with :data:`OVERHEAD`, else candidates, else tokens.

    Seconds are not compared: they depend on what else the machine does. Records of earlier versions have no work units.
    """
    # What cost nothing, such as an answer that was known, has no work to show either.
    if any(cost.work for cost in (parent, variant)) and not any(_is_uncounted(cost) for cost in (parent, variant)):
        return float(parent.work + OVERHEAD), float(variant.work + OVERHEAD)
    if parent.candidates or variant.candidates:
        return float(parent.candidates), float(variant.candidates)
    return float(parent.tokens), float(variant.tokens)


def _is_uncounted(cost: Cost) -> bool:
    """Whether it was spent before work was counted, or on a model."""
    return not cost.work and bool(cost.candidates or cost.tokens)


def one_per_group(tasks: Iterable[T]) -> list[T]:
    """The first task by id of each group, ordered by group.

    A deterministic policy gives one independent observation per group, so further tasks of
    a group or further seeds would only repeat it.
    """
    first: dict[str, T] = {}
    for task in sorted(tasks, key=lambda task: task.id):
        first.setdefault(task.group, task)
    return [first[group] for group in sorted(first)]
