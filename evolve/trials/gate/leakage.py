"""Finds held-out text in what a variant would put before a policy.

A variant that quotes the tasks it is judged on wins on them and on nothing else. What it shares with tasks that may
be learned from is no sign of that and is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from evolve.core.files import canonical_json
from evolve.runtime.retrieval.text_overlap import word_run_digests
from evolve.tasks import Task

WORDS = 13
"""Words in a row that two texts do not share by chance, by the same source as
:mod:`evolve.runtime.retrieval.text_overlap`. It is longer than what a proposed prompt may share: here a false alarm
throws away a whole variant, with skills and guide."""
CHARACTERS = 16
"""Least length of a row's whole input, as JSON without spaces, that says whose it is. Single values do not count: a
program may well need one."""


@dataclass(frozen=True, kw_only=True)
class CopiedPiece:
    """A held-out task of which a piece stands in a text of the variant."""

    text: str
    task: str


def copied_tasks(texts: Mapping[str, str], held_out: Iterable[Task], known: Iterable[Task]) -> list[CopiedPiece]:
    """Every held-out task that a text copies from, with the name of the first such text.

    Args:
        texts: Everything a variant would put before a policy, by name.
        held_out: Tasks of the splits ``gate`` and ``test``.
        known: Tasks of ``train``; what they share with held-out ones is nobody's secret.
    """
    if not texts:
        return []
    free_words, free_rows = set[bytes](), set[str]()
    for task in known:
        free_words |= _words(task)
        free_rows.update(_rows(task))
    looked_at = [(name, _without_spaces(text), word_run_digests(text, WORDS)) for name, text in texts.items()]
    copied = []
    for task in held_out:
        words, rows = _words(task) - free_words, set(_rows(task)) - free_rows
        for name, tight, pieces in looked_at:
            if words & pieces or any(row in tight for row in rows):
                copied.append(CopiedPiece(text=name, task=task.id))
                break
    return copied


def _words(task: Task) -> frozenset[bytes]:
    return word_run_digests(f"{task.instruction} {task.tests}", WORDS)


def _rows(task: Task) -> Iterator[str]:
    for row in (*task.examples, *task.verify, *task.hidden):
        piece = _without_spaces(canonical_json(list(row.input)))[1:-1]
        if len(piece) >= CHARACTERS:
            yield piece


def _without_spaces(text: str) -> str:
    # Rows stand in texts as Python writes them too: with single quotes, and tuples in place of lists.
    return re.sub(r"\s+", "", text).replace("'", '"').replace("(", "[").replace(")", "]")
