"""Sequences of actions of which one play tells much, by when each effect came.

What comes later in a sequence changes nothing that came before. So a sequence to which actions are added one at a time
tells of each effect what it waited for: the action with which it came first is missed before it. Found are thus

- what an effect needs, one action a play: the one with which it comes is put in front, until it comes in front. This is
  how minimal unsatisfiable sets are built up by their transition constraints (de Siqueira and Puget 1988; Marques-Silva
  and Lynce 2011), with a whole scan in one play and of every effect at once;
- whether an action is missed and what does in its place: it is left out, others are put in, and then it is put back.
  The effect that comes again is the experiment's own control, as in the withdrawal designs of single cases (Baer, Wolf
  and Risley 1968), so that an outcome that was misreported is seldom taken for a finding.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

ROUNDS = 2
"""How often actions are done that are taken for enough: one effect may have to be there before others can come."""


@dataclass(frozen=True, kw_only=True)
class Course:
    """A sequence in parts.

    Attributes:
        ends: What each part adds, with the number of actions at its end; "" is what stands in front.
    """

    actions: tuple[str, ...]
    ends: tuple[tuple[str, int], ...]

    def came_with(self, reached: Mapping[str, int], effect: str) -> str | None:
        """What was added when an effect came, "" if nothing was, None if it did not come."""
        place = reached.get(effect)
        return None if place is None else next((name for name, end in self.ends if place <= end), None)


def added(front: Sequence[str], others: Sequence[str]) -> Course:
    """What stands in front, and then others one at a time, with what stands in front again after each."""
    return _course([("", [*front] * ROUNDS), *((one, [one, *front]) for one in others)])


def withdrawn(front: Sequence[str], action: str, instead: Sequence[str] = ()) -> Course:
    """What stands in front without an action, others in its place one at a time, and then the action again."""
    course = added([one for one in front if one != action], instead)
    back = (action, *[*front] * ROUNDS)
    return Course(actions=(*course.actions, *back), ends=(*course.ends, (action, len(course.actions) + len(back))))


def _course(parts: Sequence[tuple[str, Sequence[str]]]) -> Course:
    actions: list[str] = []
    ends = []
    for name, own in parts:
        actions += own
        ends.append((name, len(actions)))
    return Course(actions=tuple(actions), ends=tuple(ends))
