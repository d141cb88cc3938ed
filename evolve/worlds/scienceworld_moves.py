"""Moves of ScienceWorld by kinds of things: asking the simulator for all of a scene takes a twentieth of a second."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from evolve.worlds.world import Move

_NOT_OFFERED = frozenset({12, 24})  # "reset task" undoes the score, "task" repeats the goal
_TELEPORT = "teleport to "

Kinds = tuple[str, ...]


@dataclass(kw_only=True)
class MovesByKind:
    """Which schemas the simulator called valid with things of which kinds.

    It is asked only where two kinds are in reach together that never were before. So a move may be offered that is
    valid with things of this kind, but not with this one as it is now; the simulator then says so, and nothing changes.

    Attributes:
        known: Schemas by the kinds of their objects; pairs that were never together are missing.
        everywhere: Moves whose objects need not be in reach.
    """

    known: dict[Kinds, set[str]] = field(default_factory=dict)
    everywhere: set[Move] = field(default_factory=set)
    _schemas: dict[int, tuple[str, ...]] = field(default_factory=dict)

    def moves(self, server: Any) -> tuple[Move, ...]:
        """Moves with all that is within reach, in alphabetical order."""
        table = json.loads(server.getPossibleObjectReferentTypesLUTJSON())
        names = {number: name for one in table.values() for number, name in one.items() if number != "desc"}
        kinds = {number: kind for kind, one in table.items() for number in one if number != "desc"}
        often = Counter(kinds.values())
        pairs = [(one, other) for one, other in product(often, repeat=2) if one != other or often[one] > 1]
        if not self.known or any(pair not in self.known for pair in pairs):
            for own in [(), *((kind,) for kind in often), *pairs]:
                self.known.setdefault(own, set())
            self._ask(server, kinds)
        found = {Move(schema=schema) for schema in self.known[()]} | self.everywhere
        for one, name in names.items():
            found.update(Move(schema=schema, objects=(name,)) for schema in self.known[kinds[one],])
            for other, second in names.items():
                if one != other and name != second:
                    schemas = self.known[kinds[one], kinds[other]]
                    found.update(Move(schema=schema, objects=(name, second)) for schema in schemas)
        return tuple(sorted(found, key=lambda move: (move.schema, move.objects)))

    def _ask(self, server: Any, kinds: dict[str, str]) -> None:
        if not self._schemas:
            for one in json.loads(server.getPossibleActionsWithIDs()):
                number = one["template_id"]
                self._schemas[number] = (*self._schemas.get(number, ()), str(one["action_example"]))
        for one in json.loads(server.getValidActionObjectCombinationsJSON())["validActions"]:
            number, action, things = one["template_id"], str(one["action"]), [str(thing) for thing in one["obj_ids"]]
            if action.startswith(_TELEPORT):  # shares its number with "go", and leads out of sight too
                self.everywhere.add(Move(schema=_TELEPORT + "{}", objects=(action.removeprefix(_TELEPORT),)))
            elif number not in _NOT_OFFERED and all(thing in kinds for thing in things):
                own = tuple(kinds[thing] for thing in things)
                self.known.setdefault(own, set()).add(_schema(self._schemas.get(number, ()), action))


def _schema(examples: tuple[str, ...], action: str) -> str:
    """The words of an action with places for its objects.

    What is poured or dunked goes ``into`` another thing: ``in`` would also tell where the first one is.

    Args:
        examples: As the package shows the template, such as ``pour OBJ in OBJ``; empty for what answers a question.
    """
    if not examples:
        return action
    verb = action.split(" ", 1)[0]
    shown = next((one for one in examples if one.split(" ", 1)[0] == verb), examples[0])
    return shown.replace("OBJ", "{}").replace("{} in {}", "{} into {}")
