"""Finds held-out text in what a variant would put before a policy.

A variant that quotes the tasks it is judged on wins on them and on nothing else. What it shares with tasks that may
be learned from is no sign of that and is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from evolve.files import canonical_json
from evolve.tasks import Task

WORDS = 13
"""Words in a row that two texts do not share by chance (the n-gram of Brown et al., "Language models are few-shot
learners", 2020, appendix C, which is used to find test data in training data)."""
CHARACTERS = 16
"""Least length of a row's input, as JSON without spaces, that says whose it is."""


@dataclass(frozen=True, kw_only=True)
class Copy:
    """A piece of a held-out task found in a text of the variant."""

    text: str
    task: str
    piece: str


def copies(texts: Mapping[str, str], held_out: Iterable[Task], known: Iterable[Task]) -> list[Copy]:
    """The first copied piece of every held-out task, by name of the text it stands in.

    Args:
        texts: Everything a variant would put before a policy, by name.
        held_out: Tasks of the splits ``gate`` and ``test``.
        known: Tasks of ``train``; what they share with held-out ones is nobody's secret.
    """
    free = {piece for task in known for piece in _pieces(task)}
    tight = {name: (_without_spaces(text), _words(text)) for name, text in texts.items()}
    found = []
    for task in held_out:
        own = [piece for piece in dict.fromkeys(_pieces(task)) if piece not in free]
        hit = next(
            (
                Copy(text=name, task=task.id, piece=piece.strip())
                for name, (rows, words) in tight.items()
                for piece in own
                if piece in (words if piece.startswith(" ") else rows)
            ),
            None,
        )
        if hit is not None:
            found.append(hit)
    return found


def _pieces(task: Task) -> Iterator[str]:
    """Row inputs without spaces, and runs of words between spaces."""
    for row in (*task.examples, *task.verify, *task.hidden):
        piece = _without_spaces(canonical_json(list(row.input)))[1:-1]
        if len(piece) >= CHARACTERS:
            yield piece
    words = _words(f"{task.instruction} {task.tests}").split()
    for start in range(len(words) - WORDS + 1):
        yield f" {' '.join(words[start : start + WORDS])} "


def _without_spaces(text: str) -> str:
    return re.sub(r"\s+", "", text).replace("'", '"').replace("(", "[").replace(")", "]")


def _words(text: str) -> str:
    return f" {' '.join(re.findall(r'[a-z0-9]+', text.lower()))} "
