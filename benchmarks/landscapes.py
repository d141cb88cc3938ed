"""Two landscapes over workflows, one that deceives and one that does not; fixed before any search ran on them.

A workflow is read as 21 bits, so that the search moves through the real mutations and every point it visits is a
workflow that compiles. Eight knobs give two bits each: the value lies on a grid, and the grid's number modulo four is
Gray-coded, so that a step to a neighbour on the grid turns exactly one bit. One more knob, the presence of three
optional stages and one route give a bit each. Per seed the bits are turned by a random mask and dealt to blocks in a
random order, so no landscape favours the workflow that the search starts from, or neighbours in the file.

*Deceptive*: seven concatenated traps of order three (Deb and Goldberg, "Analyzing deception in trap functions",
Foundations of Genetic Algorithms 2, 1993). A block with ``u`` of its bits right scores 3 for ``u = 3``, else ``2 - u``,
out of 3: every single right step makes it worse until the last. *Smooth*: a block scores ``u`` out of 3. A block plays
the part of a task, so a search sees seven scores, as it sees one per task of a suite.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from evolve.workflow import Knobs, Workflow

ORDER = 3
BLOCKS = 7
BITS = ORDER * BLOCKS
SEEDS = 50
DECEPTIVE_BUDGET = 5_000
"""Workflows that may be scored on the deceptive landscape: a quarter of a per cent of all bit strings."""
SMOOTH_BUDGET = 300

DOUBLED = {"steps": 1.0, "candidates": 1.0, "seconds": 0.1, "samples": 1.0, "tokens": 1_000.0, "branches": 1.0}
"""Knobs whose grid doubles from number to number, with the value of number 0."""
EVEN = {"recall_k": 8.0, "withhold": 0.05}
"""Knobs whose grid is even, with its spacing."""
OPTIONAL = ("recall", "reflect", "distill")

Kind = Literal["deceptive", "smooth"]


def bits(workflow: Workflow) -> tuple[int, ...]:
    """The 21 bits of a workflow; stages and knobs that are not named here do not count."""
    found: list[int] = []
    for name, first in DOUBLED.items():
        found += _gray(_exponent(float(getattr(workflow.knobs, name)) / first))
    for name, spacing in EVEN.items():
        found += _gray(math.floor(float(getattr(workflow.knobs, name)) / spacing + 1e-9))
    found.append((workflow.knobs.submissions - 1) % 2)
    found += [int(stage in workflow.stages) for stage in OPTIONAL]
    found.append(int(workflow.routes.get("judge", {}).get("again") == "act"))
    return tuple(found)


@dataclass(frozen=True, kw_only=True)
class Landscape:
    """One landscape of one seed."""

    kind: Kind
    seed: int

    @property
    def budget(self) -> int:
        """Workflows that may be scored."""
        return DECEPTIVE_BUDGET if self.kind == "deceptive" else SMOOTH_BUDGET

    @property
    def start(self) -> Workflow:
        """Where every search begins."""
        return Workflow(knobs=Knobs())

    def scores(self, workflow: Workflow) -> tuple[float, ...]:
        """One score in [0, 1] per block; all are 1 at the optimum and nowhere else."""
        mask, order = self._drawn
        turned = [bit ^ other for bit, other in zip(bits(workflow), mask, strict=True)]
        right = [sum(turned[place] for place in order[start : start + ORDER]) for start in range(0, BITS, ORDER)]
        return tuple(self._block(one) / ORDER for one in right)

    @cached_property
    def _drawn(self) -> tuple[list[int], list[int]]:
        drawn = random.Random(f"landscape:{self.seed}")
        return [drawn.randrange(2) for _ in range(BITS)], drawn.sample(range(BITS), BITS)

    def _block(self, right: int) -> int:
        if self.kind == "smooth" or right == ORDER:
            return right
        return ORDER - 1 - right


def is_optimal(scores: Sequence[float]) -> bool:
    """Whether every block has all of its bits right."""
    return min(scores) == 1.0


def _exponent(value: float) -> int:
    return math.floor(math.log2(value) + 1e-9)


def _gray(number: int) -> list[int]:
    code = (number % 4) ^ ((number % 4) >> 1)
    return [code >> 1, code & 1]
