"""Sentences to measure the screen for plain sentences with.

One author wrote them and the screen, so the third kept aside flatters it too. The corpora named ``-later`` were written
when the screen was done, and nothing was changed for them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

_FOLDER = Path(__file__).parent / "screen"


@dataclass(frozen=True, kw_only=True)
class Sentence:
    """One sentence of a corpus.

    Attributes:
        kind: Its domain, or in which way it is hostile.
        aside: Belongs to the third that nothing was changed for.
    """

    text: str
    kind: str
    language: str
    aside: bool


def read_corpus(name: str) -> list[Sentence]:
    """The sentences of ``true`` or ``hostile``; characters that nobody can see are written as escapes there."""
    lines = (_FOLDER / f"{name}.tsv").read_text(encoding="utf-8").splitlines()
    rows = (line.split("\t") for line in lines)
    return [
        Sentence(kind=kind, language=language, text=_unescaped(text), aside=place % 3 == 2)
        for place, (kind, language, text) in enumerate(rows)
    ]


def _unescaped(text: str) -> str:
    return re.sub(r"\\(?:u([0-9a-f]{4})|n(?=System))", lambda found: chr(int(found[1] or "a", 16)), text)
