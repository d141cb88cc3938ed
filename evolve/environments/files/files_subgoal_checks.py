"""Runs the checks of a plan's subgoals, each on a copy of the folder of its own.

A copy, because a check that writes files would spoil the work if it ran where that goes on, and because it is how the
check of the task runs. Copies of a large folder take long, and the bound on all of them ends that.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Mapping, Sequence

from evolve.core.episodes import Subgoal, SubgoalCheck
from evolve.runtime.sandbox.protocol import Sandbox
from evolve.tasks.verification.checks import Checked, run_check

CHECK_S = 20.0
"""Wall seconds of one check."""

_TOGETHER_S = 60.0
"""Wall seconds after which no further check is begun."""


def run_subgoal_checks(
    sandbox: Sandbox, subgoals: Sequence[Subgoal], tree: Mapping[str, bytes], executable: Collection[str]
) -> Iterator[SubgoalCheck]:
    """What the checks give on the tree, as far as time allows; where the sandbox fails, no more of them."""
    started = time.monotonic()
    for subgoal in subgoals:
        if time.monotonic() - started > _TOGETHER_S:
            return
        checked = run_check(sandbox, subgoal.check, tree, executable, CHECK_S)
        if checked.fault:
            return
        ran_out = checked.exit is None and bool(checked.error)
        yield SubgoalCheck(
            id=subgoal.id, held=None if ran_out else checked.ok, told="" if checked.ok else _why(checked)
        )


def _why(checked: Checked) -> str:
    """Why it did not hold: how it ended, and the last line that it printed."""
    said = checked.summary if checked.error or checked.tail.strip() else ""
    return ": ".join(filter(None, ["" if checked.exit is None else f"exit {checked.exit}", said]))
