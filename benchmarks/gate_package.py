"""Loops through the ``gepa`` package itself, with its default rules, on tasks where no proposal is better.

A task is open or settled, and stays so: of a hundred, 60 are solved with probability 1/2 in every fresh try, 20 always
and 20 never. So two candidates of the same worth differ as a null pair of :mod:`benchmarks.gate_simulation` does: 15
of 100 tasks are won and 15 lost. Nothing is asked of a model: a proposal is a new text that is worth what the old one
is. Beside every decision of the package stands what :func:`written` says of the same scores.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from importlib import metadata
from typing import Any

from benchmarks.gate_simulation import GROUPS, MINIBATCH, OPEN, PROPOSALS, SETTLED_RIGHT
from evolve.improve.optimizer.gepa_engine import VERSION, load_gepa


def installed() -> str:
    """Version of the package, or "" where it is not installed; it is an extra."""
    try:
        return metadata.version("gepa")
    except metadata.PackageNotFoundError:
        return ""


def written(before: float, after: float, kept: float | None, best: float) -> tuple[bool, bool]:
    """The package's default rules as they are written down here: whether a proposal is kept, and whether it leads.

    Kept is what is strictly better on the minibatch; of what is kept, the highest score on the validation tasks leads,
    the earlier one among equals. Every candidate's validation score is drawn once and stands from then on.

    Args:
        before: The parent's sum on the minibatch.
        after: The proposal's.
        kept: Its mean on the validation tasks; None where it was not measured.
        best: The highest mean before.
    """
    return after > before, kept is not None and kept > best


class NullTasks:
    """What the package wants of an adapter: scores of tasks, and proposals that are worth as much as their parent."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(f"gate:{seed}")
        self.proposed = 0

    def evaluate(self, batch: Sequence[int], candidate: Mapping[str, str], capture_traces: bool = False) -> Any:
        """A fresh try of every task, whoever the candidate is."""
        from gepa.core.adapter import EvaluationBatch

        scores = [self._score(task) for task in batch]
        found: EvaluationBatch[Any, Any] = EvaluationBatch(outputs=scores, scores=scores, trajectories=list(batch))
        return found

    def _score(self, task: int) -> float:
        place = task % GROUPS
        if place < OPEN:
            return float(self._random.random() < 0.5)
        return float(place < OPEN + SETTLED_RIGHT)

    def make_reflective_dataset(
        self, candidate: Mapping[str, str], eval_batch: Any, components_to_update: Sequence[str]
    ) -> dict[str, list[dict[str, Any]]]:
        """Nothing to reflect on."""
        return {name: [{"Feedback": "none"}] for name in components_to_update}

    def propose_new_texts(
        self, candidate: Mapping[str, str], reflective_dataset: Any, components_to_update: Sequence[str]
    ) -> dict[str, str]:
        """Another text."""
        self.proposed += 1
        return dict.fromkeys(components_to_update, f"text {self.proposed}")


class _Decisions:
    """What the package says it does, as it does it, beside what the written rule says of the same scores."""

    def __init__(self) -> None:
        self.kept = self.led = self.agreed = 0
        self.first = self.best = 0.0
        self._scores: tuple[float, float] = (0.0, 0.0)
        self._valued: tuple[float, bool] | None = None

    def on_valset_evaluated(self, event: Mapping[str, Any]) -> None:
        if event["iteration"] == 0:
            self.first = self.best = event["average_score"]
        else:
            self._valued = (event["average_score"], event["is_best_program"])

    def on_evaluation_end(self, event: Mapping[str, Any]) -> None:
        total = sum(event["scores"])
        self._scores = (self._scores[0], total) if event["candidate_idx"] is None else (total, 0.0)

    def on_candidate_accepted(self, event: Mapping[str, Any]) -> None:
        assert self._valued is not None
        mean, leads = self._valued
        self.agreed += written(*self._scores, mean, self.best) == (True, leads)
        self.kept += 1
        self.led += leads
        self.best = max(self.best, mean)

    def on_candidate_rejected(self, event: Mapping[str, Any]) -> None:
        self.agreed += written(*self._scores, None, self.best) == (False, False)


class _Silent:
    def log(self, message: str) -> None:
        """Writes nothing."""


def package_loop(loop: int) -> dict[str, Any]:
    """One loop of :data:`~benchmarks.gate_simulation.PROPOSALS` proposals; every acceptance in it is false."""
    tasks, decisions = NullTasks(loop), _Decisions()
    train, validation = list(range(GROUPS)), list(range(GROUPS, 2 * GROUPS))
    result = load_gepa().optimize(
        seed_candidate={"prompt": "text 0"},
        trainset=train,
        valset=validation,
        adapter=tasks,
        stop_callbacks=lambda state: tasks.proposed >= PROPOSALS,
        callbacks=[decisions],
        logger=_Silent(),
        seed=loop,
    )
    gain = result.val_aggregate_scores[result.best_idx] - result.val_aggregate_scores[0]
    return {
        "measure": "package",
        "version": installed(),
        "loop": loop,
        "minibatch": MINIBATCH,
        "proposals": tasks.proposed,
        "kept": decisions.kept,
        "led": decisions.led,
        "gain": gain,
        "agreed": decisions.agreed,
    }


def package_loops(count: int) -> Iterator[dict[str, Any]]:
    """Rows of so many loops; one row that says so where the package is missing or another version."""
    if installed() != VERSION:
        yield {"measure": "package", "version": installed(), "missing": f"gepa {VERSION} is not installed"}
        return
    for loop in range(count):
        yield package_loop(loop)
