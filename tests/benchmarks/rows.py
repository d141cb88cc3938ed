"""Rows of a learning benchmark, made by hand."""

from __future__ import annotations

from typing import Any


def row(task: str, arm: str, candidates: int, **changes: Any) -> dict[str, Any]:
    """A solved and verified row; every task is its own group."""
    return {
        "suite": "small",
        "split": "test",
        "task": task,
        "group": f"g-{task}",
        "arm": arm,
        "seed": 0,
        "budget": 1000,
        "solved": True,
        "claimed_verified": True,
        "correct_unseen": True,
        "candidates": candidates,
        "cpu_s": candidates / 1000,
        "cost": candidates,
        "work": 100 * candidates,
        **changes,
    }


def unsolved(task: str, arm: str, **changes: Any) -> dict[str, Any]:
    """A row of an attempt that found nothing."""
    nothing = {"solved": False, "claimed_verified": False, "correct_unseen": False}
    return row(task, arm, 1000, **{**nothing, **changes})


def wrong(task: str, arm: str, candidates: int) -> dict[str, Any]:
    """A row of an answer that was verified and is wrong elsewhere."""
    return row(task, arm, candidates, solved=False, correct_unseen=False)
