"""Subgoals of a plan: what each is, what its check gave, and which of them a revised plan leaves as they were."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from evolve.core.files import canonical_json, digest

SPARSE = {"sparse": True}
"""Marks a field that is left out of JSON while it has its default, so that a record holds only what was said."""

Standing = Literal["open", "checked", "said"]
"""How far a subgoal has come: its check held, the model says that it is done, or neither."""


@dataclass(frozen=True, kw_only=True)
class Subgoal:
    """A node of the plan's DAG.

    Attributes:
        id: ``s1``, ``s2`` and so on, in the order of the plan.
        postcondition: What holds once it is done, in words.
        needs: Ids of earlier subgoals that it comes after.
        check: A command that ends with 0 in the folder once it is done; where the work is no folder, Python that is
            true or raises nothing. "" where nothing can check it.
    """

    id: str
    goal: str
    postcondition: str
    needs: tuple[str, ...] = ()
    check: str = field(default="", metadata=SPARSE)


@dataclass(frozen=True, kw_only=True)
class SubgoalCheck:
    """What the check of a subgoal gave. It is the policy's own, so it is no evidence and verifies nothing.

    Attributes:
        id: The subgoal's.
        held: None where it reached a limit, so that nothing is known and it is not run again.
        told: Why it did not hold, in one line.
    """

    id: str
    held: bool | None
    told: str = field(default="", metadata=SPARSE)


@dataclass(frozen=True, kw_only=True)
class SubgoalState:
    """A subgoal of the plan in force, and how far it has come.

    Attributes:
        held: What its check gave last; None where that says nothing.
        told: Why it did not hold.
        ran_out: Its check reached a limit.
    """

    subgoal: Subgoal
    finished: bool = False
    held: bool | None = None
    told: str = ""
    ran_out: bool = False

    @property
    def status(self) -> Standing:
        """A check decides where it tells anything; else the policy's word is shown as what it is."""
        if self.held is not None:
            return "checked" if self.held else "open"
        return "said" if self.finished else "open"


def kept_subgoals(before: Sequence[Subgoal], after: Sequence[Subgoal]) -> Mapping[str, str]:
    """Of each subgoal that a revised plan leaves as it was, its id in it and the id it had.

    It is what it was if its words, its check and all subgoals that it comes after, at whatever distance, are; its
    number does not count. So exactly what was changed, and what depends on that, is missing.
    """
    old: dict[str, list[str]] = defaultdict(list)
    for name, content in _contents(before).items():
        old[content].append(name)
    return {name: old[content].pop(0) for name, content in _contents(after).items() if old[content]}


def _contents(subgoals: Sequence[Subgoal]) -> dict[str, str]:
    """Digests that cover each subgoal with its ancestors, by id."""
    contents: dict[str, str] = {}
    for one in subgoals:
        above = sorted(contents[need] for need in one.needs if need in contents)
        contents[one.id] = digest(canonical_json([one.goal, one.postcondition, one.check, above]))
    return contents
