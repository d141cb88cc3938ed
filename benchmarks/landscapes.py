"""Three landscapes over workflows: smooth, deceptive and sparse; each was fixed before any search ran on it.

A workflow is read as 21 bits, so that the search moves through the real mutations and every point it visits is a
workflow that compiles. Eight knobs give two bits each: the value lies on a grid, and the grid's number modulo four is
Gray-coded, so that a step to a neighbour on the grid turns exactly one bit. One more knob, the presence of three
optional stages and one route give a bit each. Per seed the bits are turned by a random mask and dealt to blocks in a
random order, so no landscape favours the workflow that the search starts from, or neighbours in the file.

*Deceptive*: seven concatenated traps of order three (Deb and Goldberg, "Analyzing deception in trap functions",
Foundations of Genetic Algorithms 2, 1993). A block with ``u`` of its bits right scores 3 for ``u = 3``, else ``2 - u``,
out of 3: every single right step makes it worse until the last. *Smooth*: a block scores ``u`` out of 3. *Sparse*: a
block is solved where all of its bits are right, and else says nothing, as tasks mostly do; and every bit is dealt to
two blocks, so what solves one task may undo another. A block plays the part of a task, so a search sees seven scores
(fourteen on the sparse landscape), as it sees one per task of a suite.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from evolve.agent.workflow import Knobs, Workflow

Kind = Literal["smooth", "deceptive", "sparse"]

ORDER = 3
BITS = 21
SEEDS = 10
BUDGETS: dict[Kind, int] = {"smooth": 300, "deceptive": 500, "sparse": 300}
"""Workflows that may be scored: five hundred are one in four thousand of all bit strings."""

DOUBLED = {"steps": 1.0, "candidates": 1.0, "seconds": 0.1, "samples": 1.0, "tokens": 1_000.0, "branches": 1.0}
"""Knobs whose grid doubles from number to number, with the value of number 0."""
EVEN = {"recall_k": 8.0, "withhold": 0.05}
"""Knobs whose grid is even, with its spacing."""
OPTIONAL = ("recall", "reflect", "distill")


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
        return BUDGETS[self.kind]

    @property
    def blocks(self) -> int:
        """Number of scores."""
        return len(self._drawn[1]) // ORDER

    @property
    def start(self) -> Workflow:
        """Where every search begins."""
        return Workflow(knobs=Knobs())

    def scores(self, workflow: Workflow) -> tuple[float, ...]:
        """One score in [0, 1] per block; all are 1 at the optimum and nowhere else."""
        mask, order = self._drawn
        turned = [bit ^ other for bit, other in zip(bits(workflow), mask, strict=True)]
        right = [sum(turned[place] for place in order[start : start + ORDER]) for start in range(0, len(order), ORDER)]
        return tuple(self._block(one) / ORDER for one in right)

    @cached_property
    def _drawn(self) -> tuple[list[int], list[int]]:
        drawn = random.Random(f"landscape:{self.seed}")
        mask = [drawn.randrange(2) for _ in range(BITS)]
        deals = 2 if self.kind == "sparse" else 1
        return mask, [place for _ in range(deals) for place in drawn.sample(range(BITS), BITS)]

    def _block(self, right: int) -> int:
        if self.kind == "smooth" or right == ORDER:
            return right
        return 0 if self.kind == "sparse" else ORDER - 1 - right


def is_optimal(scores: Sequence[float]) -> bool:
    """Whether every block has all of its bits right."""
    return min(scores) == 1.0


def _exponent(value: float) -> int:
    return math.floor(math.log2(value) + 1e-9)


def _gray(number: int) -> list[int]:
    code = (number % 4) ^ ((number % 4) >> 1)
    return [code >> 1, code & 1]
