"""The arms of this project, with and without memory.

A module beside the frozen ones, as it has to know the agent. It gives :func:`arms`; until it does, the arms named here
cannot be asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from benchmarks.agent.measure import Arm

NAMES = ("evolve", "evolve with memory")


def arms(workspace: Path) -> Mapping[str, Callable[[], Arm]]:
    """How to make the arm of each name in :data:`NAMES`.

    An arm has a ``name`` and ``solve(task, endpoint) -> Solved``: it asks the model at ``endpoint.base_url``, works on
    ``task.instruction`` with ``task.shown`` or a copy of ``task.files`` and ``task.check``, and hands in
    ``HandedIn(function=...)``, ``HandedIn(files=...)`` with all files of the folder, or ``HandedIn(answer=...)``.
    The tasks come in the order of ``load_tasks``, so that those to practise on stand before the unseen ones.

    Args:
        workspace: An empty folder for what is kept from one task to the next.
    """
    return {}
