"""Takes out of a text what the person said, without what the text only quotes.

A comment often carries what a program printed or a page said. That is material, and nobody's wish.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence

from evolve.files import clean_text

Screen = Callable[[str], str]
"""Why a text that may come from elsewhere must not be repeated as a statement, or ""."""

LEFT_OUT = "…"
LONGEST = 400
"""Most characters of a description."""

_BLOCKS = re.compile(
    r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)|<data\b.*?(?:</data\b[^>]*>|\Z)|^[ \t]*>[^\n]*$", re.DOTALL | re.MULTILINE
)
_REPORTED = re.compile(
    r"[^.!?;\n]*(?<!\bI )\b"  # "I told you: ..." is no report
    r"(?:says?|said|prints|printed|reads|shows?|showed|tells?|told|wrote|writes|replied|error|message|log)\b[^.:\n]{0,40}:(?=\s)[^\n]*",
    re.IGNORECASE,
)
_INLINE = re.compile(r"\"([^\"\n]*)\"|“([^”\n]*)”|«([^»\n]*)»|„([^“”\n]*)[“”]|`([^`\n]*)`|(?<!\w)'([^'\n]*)'(?!\w)")
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n+")
_REPLY = re.compile(
    r"(?:no|nope|nah|wrong|yes|ok|okay|well|hm+|sorry|nein|nee|falsch|ja|non|oui|mais|but|aber|pero)\b\s*[,.;:!–—-]+\s*"
    r"(?:(?:but|aber|mais|pero)\s+)?",
    re.IGNORECASE,
)
"""Words that only reply, told from a negation ("no imports") by the punctuation behind them."""
_SENTENCE_WORDS = 3
"""Words from which a quotation is a sentence that can say something of its own."""


def own_words(text: str, screen: Screen, *, material: Sequence[str] = (), longest: int = LONGEST) -> str:
    """The person's own words in one line, cut off at ``longest`` characters; "" where there are none.

    Blocks of code, marked data, lines that begin with ``>`` and what follows "it printed:" are quotations. So are
    words between quotation marks, unless they are few and harmless, as in: write "EUR" behind amounts. And so is
    every sentence that stands word for word in the material.

    Args:
        screen: Judges what stands between quotation marks.
        material: What the person had been shown, such as the output of the programs of an episode.
    """
    # Invisible signs make a quotation suspect, so they stay until quotations have been looked at.
    unquoted = _without_quotations(clean_text(text), screen)
    cleaned = "".join(sign for sign in unquoted if sign == "\n" or unicodedata.category(sign)[0] != "C")
    cleaned = _REPORTED.sub(LEFT_OUT, _BLOCKS.sub(f"\n{LEFT_OUT}\n", cleaned))
    # A second time: taking out signs and blocks can bring quotation marks together.
    cleaned = _without_quotations(cleaned, screen)
    shown = "\n".join(_flat(item) for item in material)
    sentences = [
        sentence.strip()
        for sentence in _SENTENCE.split(cleaned)
        if re.search(r"[^\W_]", sentence) and not _is_repeated(sentence, shown)
    ]
    ended = [
        *(sentence if sentence[-1] in ".!?;:," else f"{sentence}." for sentence in sentences[:-1]),
        *sentences[-1:],
    ]
    line = " ".join(" ".join(ended).split())
    return line if len(line) <= longest else line[: longest - 1].rstrip() + LEFT_OUT


def without_reply(words: str) -> str:
    """A person's words without those before them that only reply: of "no, always day first" the wish is what follows.

    Words that do nothing but reply stay as they are.
    """
    rest = words
    while match := _REPLY.match(rest):
        rest = rest[match.end() :]
    return rest or words


def harmless_quote(text: str, screen: Screen) -> bool:
    """Whether a short text may be repeated between quotation marks."""
    return "\n" not in text and _harmless(text, screen)


def _without_quotations(text: str, screen: Screen) -> str:
    return _INLINE.sub(lambda match: match[0] if _harmless(_inner(match), screen) else LEFT_OUT, text)


def _inner(match: re.Match[str]) -> str:
    return next((group for group in match.groups() if group is not None), "")


def _harmless(text: str, screen: Screen) -> bool:
    count = len(text.split())
    if count < _SENTENCE_WORDS:  # too short to be a sentence, so it is looked at inside one
        return not screen(f"It says {text} there")
    return count <= 12 and not screen(text)


def _is_repeated(sentence: str, shown: str) -> bool:
    flat = _flat(sentence)
    # A few words may agree by chance.
    return len(flat.split()) > _SENTENCE_WORDS and flat in shown


def _flat(text: str) -> str:
    return " ".join(re.findall(r"[^\W_]+", unicodedata.normalize("NFKC", text).casefold()))
