"""How much speaks for a move that may lose the trial: the goal, what such moves came to, and where its things are."""

from __future__ import annotations

from evolve_worlds import Move
from evolve_worlds.experience.meaning import Meaning
from evolve_worlds.experience.notes import VariationNotes
from evolve_worlds.experience.transitions import TransitionMemory
from evolve_worlds.experience.wording import Goal

MEANT = 1.0
"""What a thing counts that is nearer in meaning to what the goal is about than others, by one standard deviation."""


def promise(
    move: Move,
    goal: Goal,
    topic: str,
    memory: TransitionMemory,
    notes: VariationNotes,
    meaning: Meaning | None,
) -> float:
    """A number to compare moves by.

    Args:
        topic: The thing that pronouns of the goal stand for now.
    """
    value, at = goal.wants(move, topic)
    told = value + 2 * gains(move, goal, memory)
    places = {one for thing in move.objects for one in notes.places.found.get(thing, ())}
    told += 0.4 * (notes.rose_at in places) - 0.3 * min(4, max(0, len(places) - 1))
    told -= 0.15 * max((notes.lost_in[one] for one in places), default=0)
    told += 0.8 * any(goal.told_before(thing, at) for one in places for thing in notes.places.towards(one))
    near = meaning.near(goal, move.schema, memory, notes.places.found) if meaning else {}
    told += MEANT * max((near.get(one, 0.0) for one in move.objects), default=0.0)
    ways = {thing for way in notes.places.leads for thing in way.objects}
    told -= 0.5 * any(one in ways for one in move.objects)
    lost = sum(count for (text, _), count in notes.lost.items() if text == move.text)
    return told - 0.5 * lost


def gains(move: Move, goal: Goal, memory: TransitionMemory) -> float:
    """The expected share of such moves that raise the score."""
    return memory.rate(goal, move, "gained", prior=0.2)
