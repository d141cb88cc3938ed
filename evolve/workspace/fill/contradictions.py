"""Rows that repeat a filled one, such as the same status: their value is known also where no function is found."""

from __future__ import annotations

from collections.abc import Sequence

from evolve.core.episodes import Json
from evolve.runtime.sandbox import Program
from evolve.tasks import Task

UNKNOWN = "no filled row has the same values"
MOST = 1_000
"""Rows that are looked up; more are no list that a person reads."""


def check_contradictions(task: Task) -> Program | None:
    """A function that gives what a filled row gives for the same arguments, and fails for any others.

    It says nothing of rows that no filled one equals, so it is no answer to the task; None where no wanted row does.
    """
    rows = {row.input: row.output for row in (*task.examples, *task.verify, *task.hidden) if _is_plain(row.input)}
    if len(rows) > MOST or not any(_is_plain(one) and one in rows for one in task.unlabelled):
        return None
    names = [f"value_{place}" for place in range(1, len(task.examples[0].input) + 1)]
    known = "\n".join(f"        {inputs!r}: {output!r}," for inputs, output in rows.items())
    source = (
        f"def {task.entry}({', '.join(names)}):\n"
        f'    """What a filled row with the same values has."""\n'
        f"    known = {{\n{known}\n    }}\n"
        f"    if ({', '.join(names)},) not in known:\n"
        f'        raise LookupError("{UNKNOWN}")\n'
        f"    return known[{', '.join(names)},]\n"
    )
    return Program(source=source, entry=task.entry)


def _is_plain(values: Sequence[Json]) -> bool:
    return not any(isinstance(value, list | dict) for value in values)
