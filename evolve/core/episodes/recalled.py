"""What was remembered and offered to an episode."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

PREFERENCE = "preference"
"""Kind of a recalled item that is an instruction of the person: it is neither cut off nor withheld."""

KEPT_FACT = "fact"
"""Status of what is kept as a preference and instructs nobody: a run showed it, and the person confirmed it."""

TRIAL = "trial"
"""Kind of what is recalled to be tried, with it and without it, and not to act on."""

FACT = "fact:"
"""How the cause of an insight begins that claims that knowing a fact helps: telling it or not is the intervention. Its
words come from a model; every other claim is composed of operations and kinds of values, and can say nothing else."""

QUOTED = f"{FACT}quoted:"
"""How it begins where a program, a file or a page had said the same before the model did. Whoever wrote that may have
wanted it said, so more trials have to agree before it acts."""

MOVE = "move:"
"""How the cause of an insight begins that experiments of a kind of environment found, such as a move, called by what
its things are in the goal. The environment said it itself: it holds whoever acts."""


@dataclass(frozen=True, kw_only=True)
class Recalled:
    """One remembered item offered to an episode.

    Attributes:
        id: The item's id in the record; logged as consumed.
        kind: ``insight``, ``note``, :data:`PREFERENCE` or :data:`TRIAL`.
        text: One sentence a person can read.
        score: Relevance, higher is better, comparable within one answer only.
        scores: The parts of ``score`` by source (``vector``, ``lexical``, ``evidence``).
        why: Why it was recalled, in one sentence.
        provenance: Who made it, where, and what speaks for it.
        cause: Of an insight, what the claim says matters, such as ``operation:sort``; then ``relation`` and ``effect``.
        direction: Of an insight, what the nearest episodes say of it: 1 helps, -1 harms, 0 neither.
        status: Of an insight, how far it is proven, such as ``supported``; of a note ``superseded`` where a later one
            replaced it, and ``older`` where a later one is about the same; of a preference :data:`KEPT_FACT` or "".
        author: Of a note or a preference, who said it.
        edit: Of a preference, the lines that an edit of the person took away and added.
        questions: Of a preference, the questions that it answered.
        goal: Of a plan that another variation of a task needed, what was to be reached there.
        way: Of such a plan, the trial that it was found in, with what it does without in brackets.
        date: Of a note, the day on which it was said, such as ``2026-03-31``.
    """

    id: str
    kind: str
    text: str
    score: float
    scores: Mapping[str, float] = field(default_factory=dict)
    why: str = ""
    provenance: str = ""
    cause: str = ""
    relation: str = ""
    effect: str = ""
    direction: int = 1
    status: str = ""
    author: str = ""
    edit: str = ""
    questions: tuple[str, ...] = ()
    goal: str = field(default="", metadata={"sparse": True})
    way: str = field(default="", metadata={"sparse": True})
    date: str = field(default="", metadata={"sparse": True})
