"""What a short answer to "keep it?" means, as people type it: ``nope``, ``no thanks``, ``yes please``, ``keep it``."""

from __future__ import annotations

import re
from typing import Literal

Answer = Literal["yes", "always", "no", "later", ""]

_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)?")
_POLITE = frozenset(["please", "thanks", "thank", "you", "it", "that", "this", "them", "one", "i", "for", "me", "just"])
_YES = frozenset(["y", "yes", "yep", "yeah", "yup", "sure", "ok", "okay", "k", "keep", "remember"])
_ALWAYS = frozenset(["always", "everywhere", "all"])
_NO = frozenset(["n", "no", "nope", "nah", "never", "skip", "drop", "forget", "stop"])
_NOT = frozenset(["not", "don't", "dont"])
_DO = frozenset(["do", "keep", "remember", "want", "need"])
_LATER = frozenset({"later", "not now", "not yet", "maybe later", "ask later", "not sure", "not sure yet"})


def parse_answer(text: str) -> Answer:
    """What an answer means; "" where it is no plain one, such as words of the person's own.

    Only what consists of such words alone is understood: who says more means something else.
    """
    said = _WORD.findall(text.casefold().replace("’", "'"))
    if not said:
        return "" if text.strip() else "later"
    words = [word for word in said if word not in _POLITE]
    known = set(words)
    if " ".join(words) in _LATER:
        return "later"
    if known and known <= _YES | _ALWAYS:
        return "always" if known & _ALWAYS else "yes"
    denied = bool(known & _NOT) or (bool(known & _NO) and not known & _YES)
    return "no" if denied and known <= _NO | _NOT | _DO else ""
