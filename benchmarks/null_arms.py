"""Learned arms that are known to be no better: searches with prices moved by chance, each task's two outcomes swapped.

Each arm is the product's search under a guide that was fitted to nothing: the price of every operation and literal is
its static one, moved up or down by chance. An arm is run on a pool of distinct problems once, and so is the search
without a guide; whatever is drawn from the pool later has outcomes that are known beforehand.

Which of the two episodes of a task counts as the learned one is then decided by a coin, and some more are exchanged, at
random, until over the whole pool the arm wins no more pairs than it loses. So the effect of every arm is nought (or one
pair below), while the single outcomes are those of real searches: as many ties, and gains of solving and of cost of the
sizes that occur.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from evolve.core.episodes import EpisodeRecord, Json, Limits
from evolve.policies.search import Guide, SearchPolicy
from evolve.policies.search.guide import MAX_PRICE
from evolve.runtime.sandbox import open_sandbox
from evolve.tasks import Task, load_suite
from evolve.tasks.problem_traits import every_trait
from evolve.tasks.reading.labels import labels_after_rows
from evolve.trials.gate import one_per_group, paired_outcome
from evolve.trials.jobs import EpisodeJob, WorkerSetup
from evolve.trials.learned_state import LearnedState
from evolve.trials.workers import LocalWorkers
from evolve.workspace.learners import SearchLearner
from evolve.workspace.opening import cache_folder

SUITE = "everyday"
STRENGTHS = (1, 2, 4)
"""Most by which a price is moved; static prices are whole numbers of bits, most of them from 2 to 8."""

open_own_sandbox = partial(open_sandbox, cache_dir=cache_folder())

Sides = tuple[EpisodeRecord, EpisodeRecord]
"""The episodes of one task that count as unlearned and as learned."""


@dataclass(frozen=True, kw_only=True)
class NullArm:
    """One arm over the whole pool.

    Attributes:
        name: Of the strength and the draw; it is what a learner keeps in place of a guide.
        sides: Per task, after the exchange.
        raw: Wins and losses of the searches themselves, before anything was exchanged.
    """

    name: str
    sides: Mapping[str, Sides]
    raw: tuple[int, int]

    @property
    def outcomes(self) -> tuple[int, int, int]:
        """Wins, losses and ties over the pool."""
        return counted(self.sides.values())


@dataclass(frozen=True, kw_only=True)
class NullPool:
    """Distinct problems, and what the arms make of them.

    Attributes:
        practised: Per task the unlearned episode that is learned from.
    """

    tasks: tuple[Task, ...]
    arms: Mapping[str, NullArm]
    practised: Mapping[str, EpisodeRecord]


def distinct_tasks(suite: str = SUITE) -> list[Task]:
    """One task per problem, none with a row, a table or an instruction in common with one before it.

    An instruction that all tasks of a suite share tells nothing of any, and is put as it is where rows alone are given.
    """
    met: set[str] = set()
    chosen = []
    tasks = one_per_group(load_suite(suite).tasks)
    if len({task.instruction for task in tasks}) == 1:
        tasks = [replace(task, instruction=labels_after_rows(suite)) for task in tasks]
    for task in tasks:
        traits = every_trait(task)
        if not (traits & met or task.cannot_be_verified):
            chosen.append(task)
        met |= traits
    return chosen


def drawn_pool(tasks: int, arms: int, candidates: int, seed: int = 0) -> NullPool:
    """A pool and its arms, every search run once.

    Args:
        tasks: Problems of the pool.
        arms: Arms per strength.
        candidates: Most that one search may try.
    """
    pool = tuple(random.Random(f"pool {seed}").sample(distinct_tasks(), tasks))
    limits = Limits(candidates=candidates, seconds=None)
    setup = WorkerSetup(learner=SearchLearner(), sandbox=open_own_sandbox, run="pool", suite=SUITE)
    workers = LocalWorkers(setup)
    try:
        learned_from = _episodes(workers, pool, LearnedState(), "train", limits)
        unlearned = _episodes(workers, pool, LearnedState(), "gate", limits)
        made = []
        for strength in STRENGTHS:
            for number in range(arms):
                name = f"{strength} bits, {seed}.{number}"
                guide = jittered_guide(strength, name)
                learned = _episodes(workers, pool, LearnedState(variant=name, guide=guide), "gate", limits)
                pairs = {task.id: (unlearned[task.id], learned[task.id]) for task in pool}
                made.append(_null_arm(name, pairs))
    finally:
        workers.close()
    # A guide acts only where something was learned. One claim of a task is enough for that, and quicker to keep.
    practised = {task: replace(record, claims=record.claims[:1], drafts=()) for task, record in learned_from.items()}
    return NullPool(tasks=pool, arms={arm.name: arm for arm in made}, practised=practised)


def _episodes(
    workers: LocalWorkers, tasks: Sequence[Task], arm: LearnedState, split: str, limits: Limits
) -> dict[str, EpisodeRecord]:
    workers.announce(arm.variant, arm)
    jobs = [
        EpisodeJob(task=task, arm=arm.variant, variant=arm.variant, split=split, seed=0, limits=limits)
        for task in tasks
    ]
    return {attempt.record.task: attempt.record for attempt in workers.run(jobs)}


def jittered_guide(strength: int, name: str) -> Json:
    """A guide under which every price is about the static one, moved by at most ``strength``.

    It says the same of every task. About, because what a guide says is pooled with static prices, and literals share
    one place; that does not matter here, where an arm only has to be some search of the product.
    """
    policy, rng = SearchPolicy(), random.Random(f"jitter {name}")
    static = policy.vocabulary.static
    names = tuple(sorted(static))
    moved = [min(max(static[one] + rng.uniform(-strength, strength), 1.0), float(MAX_PRICE)) for one in names]
    chances = [2.0**-bits for bits in moved]
    bias = tuple(math.log(chance / (1.0 - chance)) for chance in chances)
    width = len(policy.features(load_suite(SUITE).tasks[0].view()))
    return Guide(names=names, weights=(*(((0.0,) * len(names),) * width), bias), rows=1).to_json()


def _null_arm(name: str, pairs: Mapping[str, Sides]) -> NullArm:
    wins, losses, _ = counted(pairs.values())
    sides = without_gain(pairs, random.Random(f"sides {name}"))
    return NullArm(name=name, sides=sides, raw=(wins, losses))


def counted(pairs: Iterable[Sides]) -> tuple[int, int, int]:
    """Wins, losses and others."""
    found = [paired_outcome(*pair) for pair in pairs]
    wins, losses = found.count("win"), found.count("loss")
    return wins, losses, len(found) - wins - losses


def without_gain(pairs: Mapping[str, Sides], rng: random.Random) -> dict[str, Sides]:
    """The pairs with sides exchanged by coin, then more at random until no more are won than lost.

    Of an even number of decided pairs half are won then, of an odd one half of all but one.
    """
    sides = {task: pair[::-1] if rng.random() < 0.5 else pair for task, pair in pairs.items()}
    outcomes = {task: paired_outcome(*pair) for task, pair in sides.items()}
    won, lost = ([task for task, outcome in outcomes.items() if outcome == one] for one in ("win", "loss"))
    excess = len(won) - len(lost)
    for task in rng.sample(won if excess > 0 else lost, (excess + 1) // 2 if excess > 0 else -excess // 2):
        sides[task] = sides[task][::-1]
    return sides
