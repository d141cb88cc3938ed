"""Measures what two texts share; the only place that cuts texts into runs of words and characters.

How long a run has to be before it counts as copied is for the caller to say, who knows what a false alarm costs. Runs
are digests, so whoever holds those of a held-out task holds none of its text. Method: n-gram overlap, as in Brown et
al., "Language models are few-shot learners" (2020), appendix C, which finds test data in training data.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from hashlib import blake2b


def one_line(text: str) -> str:
    """One line in small letters and one form, so that case, spacing and lookalikes hide no copy."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def word_run_digests(text: str, words: int, characters: int = 0) -> frozenset[bytes]:
    """Digests of every run of so many words of a text and, where ``characters`` is not 0, of so many characters."""
    return frozenset(_runs(one_line(text), words, characters))


def repeats(text: str, other: str, *, words: int = 6, share: float = 0.5) -> bool:
    """Whether at least this share of a text's runs of words stand in another text too; never of a text of fewer words
    than 24, as a short one says little."""
    own = word_run_digests(text, words)
    return len(own) + words > 24 and len(own & word_run_digests(other, words)) >= share * len(own)


def line_digest(text: str) -> bytes:
    """The digest of a piece of text that is in one line already."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12).digest()


def _runs(line: str, words: int, characters: int) -> Iterator[bytes]:
    listed = re.findall(r"[^\W_]+", line)
    for at in range(len(listed) - words + 1):
        yield line_digest(" ".join(listed[at : at + words]))
    for at in range(len(line) - characters + 1 if characters else 0):
        yield line_digest(line[at : at + characters])
