"""Loops and single tests in simulation, with the gate's own classes and with the rules of others.

The tasks are fresh for every proposal, as where a suite can draw them, and capital comes back; beside that stands what
is accepted where tasks are used again and a third is kept back. A pair is drawn as win, loss or tie, and after every
single pair the gate's wealth is held against its level: both come from the gate (``log_wealth`` as a table,
``ErrorBudget``; for thousands of pairs ``SequentialTest.wins_needed``, which a property test holds against ``judge``).
A part of the loops runs through the whole ``PairedRunner`` as well.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

from evolve.core.episodes import Action, Cost, EpisodeRecord, Judgement, Step
from evolve.trials.gate import (
    ErrorBudget,
    GateLevel,
    Job,
    PairedRunner,
    SequentialTest,
    error_level,
    log_wealth,
    sign_test_p,
)
from evolve.trials.gate.error_budget import SHARE

if TYPE_CHECKING:
    import numpy as np

PROPOSALS = 50
GROUPS = 100
"""Pairs a proposal may have: about the ``gate`` groups of a shipped suite."""
REAL_EFFECT, DISCORDANCE = 0.2, 0.3
MINIBATCH = 3
USED_AGAIN, KEPT_BACK = "gate, the same tasks again", "gate, the same tasks again, a third kept back"
GEPA_RULE = "gepa's default, as written down"
OPEN, SETTLED_RIGHT = 60, 20
"""Of :data:`GROUPS` tasks, those that a fresh try solves with probability 1/2, and those that every try solves; the
rest no try does. Two candidates of the same worth then win and lose as often as a null pair."""
ALPHA, POWER = 0.05, 0.8


def wins_needed(alpha: float, losses: int) -> list[int]:
    """Wins at acceptance beside 0, 1, ... ``losses`` losses."""
    test = SequentialTest(alpha=alpha)
    return [test.wins_needed(lost) for lost in range(losses + 1)]


def loops(scenario: str, count: int, seed: int) -> Iterator[dict[str, Any]]:
    """One row per simulated loop of :data:`PROPOSALS` proposals.

    Args:
        scenario: ``null``, where no proposal is better, or ``mixed``, where a fifth is.
    """
    import numpy as np

    rng = np.random.default_rng(seed)
    budget = ErrorBudget()
    real = rng.random((count, PROPOSALS)) < (0.2 if scenario == "mixed" else 0.0)
    wealth = np.array([[log_wealth(won, lost) for lost in range(GROUPS + 1)] for won in range(GROUPS + 1)])
    stakes: list[list[GateLevel]] = [[] for _ in range(count)]
    rules = ("gate", USED_AGAIN, KEPT_BACK, "gate at the end only", "greater than", GEPA_RULE)
    confirmed = np.zeros(count, dtype=int)
    false = {rule: np.zeros(count, dtype=int) for rule in rules}
    true = {rule: np.zeros(count, dtype=int) for rule in rules}
    other = _ByHighestScore(rng, count)
    for proposal in range(PROPOSALS):
        better = real[:, proposal]
        wins, losses = _counts(rng, np.where(better, REAL_EFFECT, 0.0), DISCORDANCE, GROUPS)
        levels = [budget.next_level(one) for one in stakes]
        bounds = -np.log(np.array(levels))
        reached = wealth[wins, losses] >= bounds[:, None]
        accepted = {
            "gate": reached.any(axis=1),
            USED_AGAIN: (wealth[wins, losses] >= -math.log(error_level(ALPHA, proposal + 1))).any(axis=1),
            KEPT_BACK: _on_used_groups(wealth, wins, losses, proposal + 1, confirmed),
            "gate at the end only": reached[:, -1],
            "greater than": wins[:, -1] > losses[:, -1],
            GEPA_RULE: other.leads(better),
        }
        ended = np.exp(wealth[wins[:, -1], losses[:, -1]])
        for loop in range(count):
            stakes[loop].append(
                GateLevel(level=levels[loop], wealth=float(ended[loop]), accepted=bool(accepted["gate"][loop]))
            )
        for rule in rules:
            false[rule] += accepted[rule] & ~better
            true[rule] += accepted[rule] & better
    for loop in range(count):
        yield {
            "measure": "loops",
            "scenario": scenario,
            "seed": seed,
            "loop": loop,
            "real": int(real[loop].sum()),
            "false": {rule: int(false[rule][loop]) for rule in rules},
            "true": {rule: int(true[rule][loop]) for rule in rules},
        }


def _on_used_groups(
    wealth: np.ndarray, wins: np.ndarray, losses: np.ndarray, number: int, confirmed: np.ndarray
) -> np.ndarray:
    """Proposals that are accepted on two thirds of the groups and confirmed on the others; counts confirmations."""
    import numpy as np

    judged = GROUPS - round(SHARE * GROUPS)
    bound = -math.log(error_level(ALPHA, number))
    accepted: np.ndarray = (wealth[wins[:, :judged], losses[:, :judged]] >= bound).any(axis=1)
    confirmed += accepted
    for at in np.flatnonzero(accepted):
        won, lost = (int(one[at, -1] - one[at, judged - 1]) for one in (wins, losses))
        accepted[at] = sign_test_p(won, lost) <= error_level(ALPHA, int(confirmed[at]))
    return accepted


class _ByHighestScore:
    """The default rules of ``gepa`` as :func:`benchmarks.gate_package.written` has them, for many loops at once.

    A parent that solves all of its minibatch is not worked on, so minibatches are drawn until one is not all solved. A
    validation score is drawn once; the leader's luck stands until it is beaten. The parent is taken to be the leader.
    """

    def __init__(self, rng: np.random.Generator, count: int) -> None:
        self._rng, self._worth = rng, rng.integers(0, 1, count)
        self._best = rng.binomial(OPEN, 0.5, count)

    def leads(self, better: np.ndarray) -> np.ndarray:
        """Of one proposal per loop, which ones take the lead."""
        import numpy as np

        rights, opens, parent = self._minibatch(len(better))
        chance = 0.5 + np.where(better, GROUPS * REAL_EFFECT / OPEN, 0.0)
        kept = rights + self._rng.binomial(opens, chance) > parent
        worth = self._worth + np.where(better, round(GROUPS * REAL_EFFECT), 0)
        score = worth + self._rng.binomial(OPEN, 0.5, len(better))
        leads: np.ndarray = kept & (score > self._best)
        self._worth, self._best = np.where(leads, worth, self._worth), np.where(leads, score, self._best)
        return leads

    def _minibatch(self, count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Settled tasks that are solved, open ones, and what the parent solves, where that is not all."""
        import numpy as np

        rights, opens, parent = (np.full(count, MINIBATCH), np.zeros(count, int), np.full(count, MINIBATCH))
        kinds = [SETTLED_RIGHT, OPEN, GROUPS - OPEN - SETTLED_RIGHT]
        while len(again := np.flatnonzero(parent == MINIBATCH)):
            drawn = self._rng.multivariate_hypergeometric(kinds, MINIBATCH, len(again))
            rights[again], opens[again] = drawn[:, 0], drawn[:, 1]
            parent[again] = rights[again] + self._rng.binomial(opens[again], 0.5)
        return rights, opens, parent


def _counts(rng: np.random.Generator, effect: np.ndarray, discordance: float, pairs: int) -> tuple[Any, Any]:
    """Running wins and losses of shape (loops, pairs)."""
    import numpy as np

    drawn = rng.random((len(effect), pairs))
    won = drawn < ((discordance + effect) / 2)[:, None]
    lost = (drawn >= 1 - ((discordance - effect) / 2)[:, None]) & ~won
    return np.cumsum(won, axis=1), np.cumsum(lost, axis=1)


def fixed_pairs(effect: float, discordance: float) -> int:
    """Pairs of the one-sided fixed-sample paired test that knows both numbers, at :data:`ALPHA` and :data:`POWER`.

    Normal approximation to McNemar's test (Miettinen, "The matched pairs design in the case of all-or-none
    responses", Biometrics 24, 1968; Connor, Biometrics 43, 1987).
    """
    quantile = NormalDist().inv_cdf
    spread = quantile(1 - ALPHA) * math.sqrt(discordance) + quantile(POWER) * math.sqrt(discordance - effect**2)
    return math.ceil((spread / effect) ** 2)


def power(effect: float, discordance: float, runs: int, seed: int) -> dict[str, Any]:
    """How many pairs the sequential test takes, run by run; None where three times the fixed sample was too few."""
    import numpy as np

    fixed = fixed_pairs(effect, discordance)
    needed = np.array(wins_needed(ALPHA, 2 * fixed))
    rng = np.random.default_rng(seed)
    found: list[int | None] = []
    chunk = max(1, min(runs, 2_000_000 // (3 * fixed)))
    while len(found) < runs:
        wins, losses = _counts(rng, np.full(min(chunk, runs - len(found)), effect), discordance, 3 * fixed)
        reached = wins >= needed[np.minimum(losses, len(needed) - 1)]
        reached &= losses < len(needed)
        first = reached.argmax(axis=1) + 1
        found += [int(at) if hit else None for at, hit in zip(first, reached.any(axis=1), strict=True)]
    return {
        "measure": "power",
        "effect": effect,
        "discordance": discordance,
        "fixed": fixed,
        "seed": seed,
        "pairs": found,
    }


@dataclass(frozen=True)
class _Drawn:
    id: str
    group: str


def whole_loop(scenario: str, loop: int, seed: int) -> dict[str, Any]:
    """A loop through ``PairedRunner`` with all its rules; half of the decisive pairs are of cost."""
    import numpy as np

    rng = np.random.default_rng([seed, loop])
    budget = ErrorBudget()
    stakes: list[GateLevel] = []
    tasks = [_Drawn(f"t{number:03d}", f"g{number:03d}") for number in range(GROUPS)]
    counts = {"false": 0, "true": 0, "real": 0, "pairs": 0}
    for _ in range(PROPOSALS):
        better = scenario == "mixed" and rng.random() < 0.2
        effect = REAL_EFFECT if better else 0.0
        drawn, by_cost = rng.random(GROUPS), rng.random(GROUPS) < 0.5
        outcomes = np.where(drawn < (DISCORDANCE + effect) / 2, 1, np.where(drawn < DISCORDANCE, -1, 0))

        def run(
            jobs: Sequence[Job[_Drawn]], outcomes: np.ndarray = outcomes, by_cost: np.ndarray = by_cost
        ) -> list[EpisodeRecord]:
            return [
                _episode(job, int(outcomes[int(job.task.id[1:])]), bool(by_cost[int(job.task.id[1:])])) for job in jobs
            ]

        alpha = budget.next_level(stakes)
        runner: PairedRunner[_Drawn] = PairedRunner(run=run, test=SequentialTest(alpha=alpha))
        done = runner.compare(tasks, parent="old", variant="new")
        accepted = done.state.verdict == "accept"
        stakes.append(GateLevel(level=alpha, wealth=done.state.wealth, accepted=accepted))
        counts["false"] += accepted and not better
        counts["true"] += accepted and better
        counts["real"] += better
        counts["pairs"] += len(done.pairs)
    return {"measure": "whole", "scenario": scenario, "seed": seed, "loop": loop, **counts}


def _episode(job: Job[_Drawn], outcome: int, by_cost: bool) -> EpisodeRecord:
    better = outcome == (1 if job.arm == "variant" else -1)
    solved = outcome == 0 or by_cost or better
    judgement = Judgement(accepted=solved, verified=solved, rows=3)
    return EpisodeRecord(
        episode=f"{job.task.id}-{job.variant}",
        run="simulation",
        task=job.task.id,
        suite="simulation",
        group=job.task.group,
        split="gate",
        variant=job.variant,
        seed=job.seed,
        status="solved" if solved else "refused",
        verified=solved,
        answer="",
        steps=(Step(number=1, action=Action(kind="code"), judgement=judgement),),
        cost=Cost(candidates=50 if better and by_cost else 100),
    )
