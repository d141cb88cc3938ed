"""One skill as it leaves."""

from __future__ import annotations

from dataclasses import dataclass

from evolve.episodes import Row
from evolve.skills import Skill

_MOST_SHOWN = 5


@dataclass(frozen=True, kw_only=True)
class Leaving:
    """One skill that leaves.

    Attributes:
        skill: As it leaves: its name is that of its files and of its function, its rows are those that may leave.
        description: What it is for, in a sentence.
        judged: As it was judged, for its digest and how often it was right.
        examples: Calls that were made up, with what it gives.
        evidence: What it was verified on, by what and when; no row stands in it.
    """

    skill: Skill
    description: str
    judged: Skill
    examples: tuple[Row, ...] = ()
    evidence: tuple[tuple[str, object], ...] = ()

    @property
    def shown(self) -> tuple[Row, ...]:
        """A few calls to look at: made-up ones first."""
        return (*self.examples, *self.skill.rows)[:_MOST_SHOWN]
