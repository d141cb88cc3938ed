"""Which sentences may become insights: short statements of fact, and nothing that reads like an order or like code."""

from __future__ import annotations

import re
import unicodedata

from evolve.policies.language.objections import hidden_sign, is_sentence, mixes_alphabets, objection

_LONGEST = 240


def unfit(text: str) -> str:
    """Why a sentence cannot be an insight, or "".

    It must be one line of at most 240 plain characters, state something rather than demand it, hold no address and no
    code, and speak of the task rather than of the machine.
    """
    # Full-width and other compatible letters would pass the patterns.
    flat = unicodedata.normalize("NFKC", text)
    if not text.strip():
        return "it says nothing"
    if len(text) > _LONGEST or "\n" in text.strip():
        return f"it is longer than one line of {_LONGEST} characters"
    if hidden_sign(text) or hidden_sign(flat):
        return "it holds invisible characters"
    if not is_sentence(flat):
        return "it is no sentence"
    return "it mixes alphabets within a word" if mixes_alphabets(flat) else objection(flat)


def as_key(text: str) -> str:
    """The sentence without case, punctuation and spacing, by which equal claims meet."""
    return " ".join(re.findall(r"[^\W_]+", unicodedata.normalize("NFKC", text).lower()))
