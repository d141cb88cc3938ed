"""Keeps the tasks that once worked and that a promoted variant may not lose, and tries them again.

A task enters after it was solved in ``required`` of ``required`` fresh tries, and counts as
regressed only when ``required`` of ``required`` tries fail at twice the budget it first needed.
One try is enough for a deterministic policy, three for a language model. Only budgets are kept,
never answers, and a try that did no work is not a try.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from evolve.core.episodes import EpisodeRecord, Limits
from evolve.trials.gate.integrity import judged_by_current_code
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


def entering_task(tries: Sequence[EpisodeRecord], *, stratum: str, required: int) -> RegressionTask | None:
    """The task of these tries, if they are ``required`` fresh, different ones that all solved it; else None.

    Raises:
        ValueError: The tries are of different tasks or variants.
    """
    if len({(record.suite, record.task, record.variant) for record in tries}) > 1:
        raise ValueError("tries of one task under one variant are wanted")
    different = {record.episode: record for record in tries if judged_by_current_code(record)}.values()
    if len(different) < max(required, len(tries)) or not all(is_verified(record) for record in different):
        return None
    first = tries[0]
    return RegressionTask(
        suite=first.suite,
        task=first.task,
        group=first.group,
        stratum=stratum,
        tries=required,
        candidates=max(record.cost.candidates for record in tries),
        tokens=max(record.cost.tokens for record in tries),
        variant=first.variant,
    )


def check_regression(tasks: Iterable[RegressionTask], retry: Retry) -> RegressionReport:
    """Tries each task again, up to as many times as it took to enter, until one try solves it."""
    verdicts = {task.task: _try_again(task, retry) for task in tasks}
    regressed = tuple(task for task, verdict in verdicts.items() if verdict is False)
    unclear = tuple(task for task, verdict in verdicts.items() if verdict is None)
    return RegressionReport(checked=len(verdicts), regressed=regressed, unclear=unclear)


def _try_again(task: RegressionTask, retry: Retry) -> bool | None:
    """True solved, False failed every try, None when faults left it open."""
    failures, episodes = 0, set()
    for number in range(task.tries):
        record = retry(task, number)
        # An answer that is played back from the record is no try of the variant.
        if record.episode in episodes or (is_verified(record) and not judged_by_current_code(record)):
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
