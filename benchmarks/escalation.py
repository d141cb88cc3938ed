"""What does it save to ask a cheap model first and a dear one after a failed verification?

A model double is right on a share of tasks, the dear one on a larger share; both come behind evolve's own routing,
ledger and prices, and a verifier outside tells right from wrong. Whether a model can do a task is drawn once for
``hard`` tasks, so that asking it again gives the same, and anew at every try for ``unsteady`` ones. Of the hard ones
the dear model can do all that the cheap one can. Prompts grow with what was refused, as they do in an episode.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from benchmarks.figures import grouped_bootstrap
from benchmarks.record import Outcome, Target, against, common_options, progress, publish
from evolve.core.ledger import Budget, Ledger
from evolve.runtime.models import Message, ModelPool, ModelRequest, ModelSetup, open_models
from evolve.testing import LocalWire, prompt_of
from evolve.testing.endpoint_faults import chat_completion_body
from evolve.trials.gate import ConfidenceInterval

RIGHT = {"cheap": 0.60, "dear": 0.95}
PRICES = {"cheap": (0.20, 0.80), "dear": (3.00, 12.00)}
"""Dollars for a million tokens, in and out: 1 to 15."""

ARMS = ("cheap", "dear", "cheap,dear")
KINDS = ("hard", "unsteady")
TRIES = 3
_ADDRESS = "https://double.example/v1"
_TASK = "Task {number}. " + "What has to be done is told at length, with examples and a check. " * 100
_REFUSED = "Refused: " + "the check failed on a row that is shown here. " * 20
_WRITTEN = 400


class Skilled:
    """Answers ``right`` or ``wrong``, by its model's share of tasks that it can do.

    Args:
        seed: Of the draws.
        kind: Whether it is drawn once for a task, or at every try.
    """

    def __init__(self, seed: int, kind: str) -> None:
        self._seed, self._kind = seed, kind

    def answer(self, body: Mapping[str, Any]) -> Mapping[str, Any]:
        """A body of the Chat Completions protocol, with counts of some four letters for a token."""
        prompt, name = prompt_of(body), str(body["model"])
        number = prompt.partition(".")[0]
        again = f"{name} {prompt.count('Refused:')}" if self._kind == "unsteady" else ""
        right = Random(f"{self._seed} {number} {again}").random() < RIGHT[name]
        usage = {"prompt_tokens": len(prompt) // 4, "completion_tokens": _WRITTEN}
        return chat_completion_body("right" if right else "wrong", usage=usage, model=name)


def measured(arm: str, kind: str, seed: int, tasks: int, prices: Path) -> Iterator[dict[str, Any]]:
    """A row for each task that an arm was given."""
    double = Skilled(seed, kind)
    meter = Ledger(Budget())
    names = ",".join(f"{_ADDRESS}#{name}" for name in arm.split(","))
    setup = ModelSetup(
        model=names, meter=meter, prices=prices, environ={}, wire=lambda endpoint: LocalWire(double.answer)
    )
    with open_models(setup) as models:
        for number in range(tasks):
            before = meter.spent
            solved, asked = _solve(models, number)
            spent = meter.spent
            yield {
                "arm": arm,
                "kind": kind,
                "seed": seed,
                "task": f"{seed}-{number}",
                "solved": solved,
                "calls": spent.calls - before.calls,
                "dear": asked.count("dear"),
                "money": spent.money - before.money,
            }


def _solve(models: ModelPool, number: int) -> tuple[bool, list[str]]:
    """Asks until the verifier accepts, a few times; gives also who was asked."""
    request = ModelRequest(messages=[Message(role="user", text=_TASK.format(number=number))], max_tokens=1_000)
    asked = []
    for refused in range(TRIES):
        # How often the work was refused is all that the routing is told.
        reply = models.complete(replace(request, refused=refused))
        asked.append(reply.model)
        if reply.text == "right":
            return True, asked
        request = request.with_messages(reply.as_message(), Message(role="user", text=_REFUSED))
    return False, asked


def money_for_one(rows: Sequence[Mapping[str, Any]], arm: str) -> ConfidenceInterval:
    """Dollars of all tasks over the tasks that were solved."""
    mine = [row for row in rows if row["arm"] == arm]
    columns = [(row["money"], float(row["solved"])) for row in mine]
    return grouped_bootstrap([row["task"] for row in mine], columns, lambda sums: sums[:, 0] / sums[:, 1])


def saving(rows: Sequence[Mapping[str, Any]]) -> ConfidenceInterval:
    """Dollars for a solved task of cheap,dear over those of dear alone, on the same tasks."""
    by_arm = {arm: {row["task"]: row for row in rows if row["arm"] == arm} for arm in ARMS}
    names = sorted(by_arm["dear"])
    columns = [
        [float(by_arm[arm][name][key]) for arm in ("cheap,dear", "dear") for key in ("money", "solved")]
        for name in names
    ]

    def ratio(sums: np.ndarray) -> np.ndarray:
        return (sums[:, 0] / sums[:, 1]) / (sums[:, 2] / sums[:, 3])

    return grouped_bootstrap(names, columns, ratio)


def lost(rows: Sequence[Mapping[str, Any]]) -> ConfidenceInterval:
    """Share of tasks that cheap,dear solves, minus that of dear alone."""
    by_arm = {arm: {row["task"]: float(row["solved"]) for row in rows if row["arm"] == arm} for arm in ARMS}
    names = sorted(by_arm["dear"])
    columns = [(by_arm["cheap,dear"][name] - by_arm["dear"][name], 1.0) for name in names]
    return grouped_bootstrap(names, columns, lambda sums: sums[:, 0] / sums[:, 1])


def targets_of(rows: Sequence[Mapping[str, Any]]) -> list[Target]:
    """Each figure against what it should be."""
    targets = []
    for kind in KINDS:
        mine = [row for row in rows if row["kind"] == kind]
        targets.append(against(f"{kind}: money per solved task, cheap,dear / dear", saving(mine), "high <=", 0.6))
        targets.append(against(f"{kind}: share solved, cheap,dear - dear", lost(mine), "low >=", -0.02))
    return targets


def table(rows: Sequence[Mapping[str, Any]]) -> Iterator[tuple[Any, ...]]:
    """A line for each arm, the head first."""
    yield (
        "tasks",
        "models",
        "tasks tried",
        "solved",
        "calls per solved task",
        "of them to the dear one",
        "$ per solved task",
    )
    for kind in KINDS:
        for arm in ARMS:
            mine = [row for row in rows if (row["kind"], row["arm"]) == (kind, arm)]
            solved, money = sum(row["solved"] for row in mine), money_for_one(mine, arm)
            yield (
                *(kind, arm, len(mine), solved),
                f"{sum(row['calls'] for row in mine) / solved:.2f}",
                f"{sum(row['dear'] for row in mine) / solved:.2f}",
                f"{money.value:.5f} [{money.low:.5f}, {money.high:.5f}]",
            )


def main(argv: Sequence[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.escalation", description=(__doc__ or "").split("\n")[0])
    common_options(parser, seeds=4)
    options = parser.parse_args(argv)
    tasks = 100 if options.quick else 500
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as folder:
        prices = Path(folder) / "prices.toml"
        lines = [f'"{_ADDRESS}#{name}" = {{ input = {p[0]}, output = {p[1]} }}' for name, p in PRICES.items()]
        prices.write_text("[models]\n" + "\n".join(lines) + "\n", encoding="utf-8")
        for kind in KINDS:
            for arm in ARMS:
                progress(f"{kind}: {arm}")
                for seed in range(1 if options.quick else options.seeds):
                    rows += measured(arm, kind, seed, tasks, prices)
    settings = {"right": RIGHT, "prices": PRICES, "tries": TRIES}
    outcome = Outcome(
        benchmark="escalation",
        seeds=options.seeds,
        quick=options.quick,
        rows=rows,
        targets=targets_of(rows),
        settings=settings,
    )
    lines = [" | ".join(map(str, line)) for line in table(rows)]
    lines += [f"{one.name}: {one.value:.3f} [{one.low:.3f}, {one.high:.3f}]" for one in outcome.targets if one.value]
    publish(outcome, options, "\n".join(lines))


if __name__ == "__main__":
    main()
