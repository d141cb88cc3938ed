"""One skill as it leaves."""

from __future__ import annotations

from dataclasses import dataclass

from evolve.core.episodes import Json, Row
from evolve.skills import Skill
from evolve.skills.export.description import may_stand

_MOST_SHOWN = 5


@dataclass(frozen=True, kw_only=True)
class ExportedSkill:
    """One skill that leaves.

    Attributes:
        skill: As it leaves: its name is that of its files and of its function, its rows are those that may leave; it
            has no argument that its code does not read.
        description: What it is for, in a sentence.
        judged: As it was judged, for its digest and how often it was right.
        examples: Calls that were made up, with what it gives.
        places: Of its arguments among those that it had.
        evidence: What it was verified on, by what and when; no row stands in it.
    """

    skill: Skill
    description: str
    judged: Skill
    examples: tuple[Row, ...] = ()
    places: tuple[int, ...] = ()
    evidence: tuple[tuple[str, object], ...] = ()

    @property
    def example_calls(self) -> tuple[Row, ...]:
        """A few calls to look at: made-up ones first."""
        return (*self.examples, *self.skill.rows)[:_MOST_SHOWN]

    @property
    def needs(self) -> list[dict[str, Json]]:
        """What its arguments have to be (:mod:`evolve.skills.contract`), without a label that must not leave."""
        found = [dict(self.judged.contract[place]) for place in self.places if place < len(self.judged.contract)]
        for part in [*found, *(one["items"] for one in found if isinstance(one.get("items"), dict))]:
            if not all(map(may_stand, map(str, part.get("keys", ())))):
                del part["keys"]
        return found
