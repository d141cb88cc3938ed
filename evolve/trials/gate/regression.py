"""Keeps the tasks that once worked and that a promoted variant may not lose, and tries them again.

A task enters after it was solved in ``required`` of ``required`` fresh tries, and counts as
regressed only when ``required`` of ``required`` tries fail at twice the budget it first needed.
One try is enough for a deterministic policy, three for a language model. Only budgets are kept,
never answers, and a try that did no work is not a try.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from evolve.core.episodes import EpisodeRecord, Limits
from evolve.core.files import canonical_json, digest
from evolve.core.store import Database, value_of
from evolve.trials.gate.integrity import is_fresh
from evolve.trials.gate.outcome import is_informative, is_verified

SLACK = 2
"""A regression try may spend this many times what the task first needed."""


@dataclass(frozen=True, kw_only=True)
class RegressionTask:
    """One task of the suite.

    Attributes:
        stratum: What samples are balanced over, such as the task's family.
        tries: r: successes it took to enter, and failures it takes to regress.
        candidates, tokens: The most that any entering try needed.
        variant: The variant that first solved it.
    """

    suite: str
    task: str
    group: str
    stratum: str
    tries: int
    candidates: int
    tokens: int
    variant: str

    def limits(self, base: Limits) -> Limits:
        """``base`` with the candidates of a regression try, twice what was first needed."""
        return replace(
            base,
            candidates=SLACK * self.candidates if self.candidates else base.candidates,
            tokens=SLACK * self.tokens if self.tokens and base.tokens else base.tokens,
        )


Retry = Callable[[RegressionTask, int], EpisodeRecord]
"""``retry(task, number)`` runs a fresh episode under the variant in question, numbers from 0."""


@dataclass(frozen=True, kw_only=True)
class RegressionReport:
    """What a check found.

    Attributes:
        regressed: Ids of tasks that failed every try.
        unclear: Ids of tasks whose tries ended in faults; they neither passed nor failed.
    """

    checked: int
    regressed: tuple[str, ...]
    unclear: tuple[str, ...]


class RegressionSuite:
    """The tasks that must keep working.

    Args:
        db: The record.
        required: r; 1 for a deterministic policy, 3 for a language model.
        clock: Seconds since the epoch.
    """

    def __init__(self, db: Database, *, required: int = 1, clock: Callable[[], float] = time.time) -> None:
        if required < 1:
            raise ValueError("required must be at least 1")
        self._db = db
        self._required = required
        self._clock = clock

    def admit(self, tries: Sequence[EpisodeRecord], *, stratum: str, required: int | None = None) -> bool:
        """Takes a task in if these are ``required`` fresh, different tries that all solved it.

        Args:
            required: r for this task, by default the suite's.

        Returns:
            True when the task is in the suite now and was not before.

        Raises:
            ValueError: The tries are of different tasks or variants.
        """
        if len({(record.suite, record.task, record.variant) for record in tries}) > 1:
            raise ValueError("tries of one task under one variant are wanted")
        different = {record.episode: record for record in tries if is_fresh(record)}.values()
        needed = required or self._required
        if len(different) < needed or len(different) < len(tries):
            return False
        if not all(is_verified(record) for record in different):
            return False
        first = tries[0]
        row: dict[str, Any] = {
            "key": digest(canonical_json([first.suite, first.task])),
            "suite": first.suite,
            "task": first.task,
            "problem": first.group,
            "stratum": stratum,
            "tries": needed,
            "candidates": max(record.cost.candidates for record in tries),
            "tokens": max(record.cost.tokens for record in tries),
            "variant": first.variant,
            "at": self._clock(),
        }
        return self._db.insert("gate_regression", row, key="key")

    def tasks(self, suite: str | None = None) -> list[RegressionTask]:
        """The suite's tasks in order of entry; ``suite`` names the task suite they come from."""
        rows = self._db.rows("gate_regression", {} if suite is None else {"suite": suite})
        return [value_of(RegressionTask, row, group=row["problem"]) for row in rows]

    def check(self, tasks: Iterable[RegressionTask], retry: Retry) -> RegressionReport:
        """Tries each task again, up to as many times as it took to enter, until one try solves it."""
        checked, regressed, unclear = 0, [], []
        for task in tasks:
            checked += 1
            verdict = _try_again(task, retry)
            if verdict is None:
                unclear.append(task.task)
            elif not verdict:
                regressed.append(task.task)
        return RegressionReport(checked=checked, regressed=tuple(regressed), unclear=tuple(unclear))

    def override(self, variant: str, tasks: Sequence[str], *, person: str, reason: str) -> None:
        """Logs that a person lets a variant through in spite of these regressed tasks.

        Raises:
            ValueError: Nobody is named, or no reason is given.
        """
        if not person.strip() or not reason.strip():
            raise ValueError("an override names a person and a reason")
        row: dict[str, Any] = {
            "variant": variant,
            "tasks": canonical_json(sorted(tasks)),
            "person": person,
            "reason": reason,
            "at": self._clock(),
        }
        self._db.insert("gate_overrides", row)

    def overrides(self, variant: str) -> list[Mapping[str, Any]]:
        """The overrides logged for a variant, oldest first."""
        return list(self._db.rows("gate_overrides", {"variant": variant}))


def _try_again(task: RegressionTask, retry: Retry) -> bool | None:
    """True solved, False failed every try, None when faults left it open."""
    failures, episodes = 0, set()
    for number in range(task.tries):
        record = retry(task, number)
        # An answer that is played back from the record is no try of the variant.
        if record.episode in episodes or (is_verified(record) and not is_fresh(record)):
            continue
        episodes.add(record.episode)
        if is_verified(record) and _within_budget(task, record):
            return True
        failures += is_informative(record)
    return False if failures == task.tries else None


def _within_budget(task: RegressionTask, record: EpisodeRecord) -> bool:
    used = ((task.candidates, record.cost.candidates), (task.tokens, record.cost.tokens))
    # An axis on which the task cost nothing when it entered has no budget to exceed.
    return all(now <= SLACK * first for first, now in used if first)
