"""By what two tasks are known to be one problem, or two columns of one table, so that they are not counted twice."""

from __future__ import annotations

from evolve.core.episodes import Row
from evolve.core.files import canonical_json, digest
from evolve.tasks.model import Task, row_json, row_key, suite_digest
from evolve.tasks.reading.labels import is_uninformative

_ROWS = 64
"""Most rows by which a task is known again: those of the smallest digests, which tasks that share rows share."""
TELLING = 12
"""Characters of an input, as JSON, from which on it hardly comes twice by chance."""


def problem_traits(task: Task) -> frozenset[str]:
    """What tasks of one problem share: its group, a row, or the instruction."""
    traits = [f"problem {task.group}", *row_traits(task)]
    if not is_uninformative(task.instruction):
        traits.append(f"words {digest(' '.join(task.instruction.casefold().split()))[:16]}")
    return frozenset(traits)


def row_traits(task: Task) -> frozenset[str]:
    """The rows by which a task is known again under another name and in other words."""
    rows = sorted({digest(canonical_json(row_json(row)))[:16] for row in _rows(task)})
    return frozenset(f"row {one}" for one in rows[:_ROWS])


def _table_traits(task: Task) -> frozenset[str]:
    """What columns of one table share: the place that it is read from, or inputs that hardly come twice by chance."""
    # In whichever order the columns stand.
    cells = [sorted(map(canonical_json, row.input)) for row in _rows(task) if len(row_key(row)) >= TELLING]
    inputs = sorted(digest(canonical_json(row))[:16] for row in cells)
    traits = [f"input {one}" for one in inputs[:_ROWS]]
    place, _, content = task.source.partition(" ")
    # A file of many tasks is no table; one that held this task alone is.
    if content and content == suite_digest((task,))[:16]:
        traits.append(f"table {place}")
    return frozenset(traits)


def every_trait(task: Task) -> frozenset[str]:
    """All by which a task that was learned from is known again."""
    return problem_traits(task) | _table_traits(task)


def _rows(task: Task) -> tuple[Row, ...]:
    return (*task.examples, *task.verify, *task.hidden)
