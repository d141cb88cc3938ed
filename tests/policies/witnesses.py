"""Tasks whose answers show what each operation is good for, kept so that a test runs these and not every task.

``python -m tests.policies.witnesses`` solves every shipped task and writes ``witnesses.json`` anew: for each operation
the names of a few tasks of two families or more, those that serve many operations first.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from evolve.policies.search.programs.operations import vocabulary
from tests.policies.solving import Solution, shipped, solve_all, uses

BUDGETS = {**dict.fromkeys(("everyday", "examples", "lists", "strings", "tables"), 40_000), "composed": 10_000}
"""Candidates per task; composed tasks wait for what is learned from earlier ones, so little is spent on them."""
FEWEST_TASKS, FEWEST_FAMILIES = 3, 2

_FILE = Path(__file__).with_suffix(".json")


def witnesses() -> Sequence[str]:
    """The tasks to solve, each as ``SUITE/TASK``."""
    kept: Sequence[str] = json.loads(_FILE.read_text("utf-8"))
    return kept


def counted(solutions: Sequence[Solution]) -> Mapping[str, tuple[int, int]]:
    """For each operation, how many tasks and how many families its answers serve."""
    found = uses(solutions)
    names = [operation.name for operation in vocabulary()]
    return {name: (len(found[name]), len({family for family, _ in found[name]})) for name in names}


def is_rare(count: tuple[int, int]) -> bool:
    """Whether an operation serves too few."""
    return count[0] < FEWEST_TASKS or count[1] < FEWEST_FAMILIES


def chosen(solutions: Sequence[Solution]) -> list[Solution]:
    """Solutions that are enough to see that an operation is not rare, as far as there are any."""
    left = sorted(
        (one for one in solutions if one.solved), key=lambda one: (-len(one.operations), one.family, one.task)
    )
    taken: list[Solution] = []
    for solution in left:
        counts = counted(taken)
        families = {name: {family for family, _ in of} for name, of in uses(taken).items()}
        if any(
            counts[name][0] < FEWEST_TASKS
            or (counts[name][1] < FEWEST_FAMILIES and solution.family not in families[name])
            for name in solution.operations
            if name in counts
        ):
            taken.append(solution)
    return taken


def main() -> None:
    """Writes the file anew, and says which operations are rare."""
    solutions = solve_all(shipped(), BUDGETS)
    taken = chosen(solutions)
    _FILE.write_text(json.dumps(sorted(f"{one.family[0]}/{one.task}" for one in taken), indent=0) + "\n", "utf-8")
    counts = counted(solutions)
    print(len(taken), "tasks; rare:", *(name for name in counts if is_rare(counts[name])))


if __name__ == "__main__":
    main()
