"""The outcome of one pair of episodes: the same task and seed under two variants."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from evolve.core.episodes import Cost, EpisodeRecord
from evolve.trials.gate.jobs import T

Outcome = Literal["win", "tie", "loss", "void", "withheld"]
Unit = Literal["tokens", "work units", "candidates"]

CHEAPER = 0.8
"""A solution is cheaper when it costs at most this share of the other: 20 % less."""
OVERHEAD = 200_000
"""Work units of what an answer costs besides the search for it: the episode around it, and running and recording it
take some 20 ms of CPU (``python -m benchmarks.speed``). Milliseconds that are saved or lost beside that move no one."""
LEAST = 20_000
"""Work units of reading the rows and finding an answer among the first ones that are tried. Of 117 tasks of the suite
``everyday`` that the search solved without learning, the quickest took 24,000."""


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
    return cost_outcome(parent.cost, variant.cost)


def has_headroom(parent: EpisodeRecord) -> bool:
    """Whether a variant could win a pair with this record of its parent, were it to find the answer at once."""
    at_once = Cost(work=LEAST if parent.cost.work else 0)
    return is_informative(parent) and (not is_verified(parent) or cost_outcome(parent.cost, at_once) == "win")


def is_informative(record: EpisodeRecord) -> bool:
    """False for episodes that the environment or a person cut short."""
    return record.status not in ("fault", "interrupted")


def is_verified(record: EpisodeRecord) -> bool:
    """Whether the episode solved its task by the gate's meaning of solved."""
    return record.solved and record.verified


def cost_outcome(parent: Cost, variant: Cost) -> Literal["win", "tie", "loss"]:
    """Whether the variant's cost is lower by at least 20 %, or the parent's is."""
    old, new = comparable_costs((parent, variant))
    if new <= CHEAPER * old and new < old:
        return "win"
    if old <= CHEAPER * new and old < new:
        return "loss"
    return "tie"


def cost_unit(costs: Iterable[Cost]) -> Unit:
    """What attempts are compared by: tokens as soon as a model was asked in one, else work units of the search.

    Candidates where one of them was searched for by an earlier version, which counted no work.
    """
    counted = [cost for cost in costs if cost.tokens or cost.work or cost.candidates]
    if any(cost.tokens for cost in counted):
        return "tokens"
    return "work units" if all(cost.work for cost in counted) else "candidates"


def comparable_costs(costs: Sequence[Cost]) -> list[float]:
    """What each attempt cost, all in the :func:`cost_unit` of them; work units with :data:`OVERHEAD`.

    Whatever shows or compares what attempts cost goes by this. Seconds are not compared: they depend on what else the
    machine does.
    """
    unit = cost_unit(costs)
    if unit == "work units":
        return [float(cost.work + OVERHEAD) for cost in costs]
    return [float(cost.tokens if unit == "tokens" else cost.candidates) for cost in costs]


def one_per_group(tasks: Iterable[T]) -> list[T]:
    """The first task by id of each group, ordered by group.

    A deterministic policy gives one independent observation per group, so further tasks of
    a group or further seeds would only repeat it.
    """
    first: dict[str, T] = {}
    for task in sorted(tasks, key=lambda task: task.id):
        first.setdefault(task.group, task)
    return [first[group] for group in sorted(first)]
