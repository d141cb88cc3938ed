"""What a person said and did, in words: without what they only quote, an edit described, and a short answer understood.

A comment often carries what a program printed or a page said. That is material, and nobody's wish.
"""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Callable, Sequence
from typing import Literal

from evolve.files import clean_text

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


Screen = Callable[[str], str]
"""Why a text that may come from elsewhere must not be repeated as a statement, or ""."""

LEFT_OUT = "…"
LONGEST = 400
"""Most characters of a description."""

_BLOCKS = re.compile(
    r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)|<data\b.*?(?:</data\b[^>]*>|\Z)|^[ \t]*>[^\n]*$", re.DOTALL | re.MULTILINE
)
_REPORTED = re.compile(
    r"(?:\A|(?<=[.!?;\n]))[^.!?;\n]*(?<!\bI )\b"  # "I told you: ..." is no report
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


_LONGEST_PIECE = 48
_MOST_PIECES = 3


def edit_in_words(before: str, after: str, screen: Screen) -> str:
    """What an edit changed, in one sentence; "" where nothing changed.

    Short pieces are named. Longer ones, and such as could be read as orders, are only counted.
    """
    if " ".join(before.split()) == " ".join(after.split()):
        return "" if before == after else "Such an answer was edited: only spaces and line breaks changed."
    # The words would be the same on both sides, so the case is what to tell.
    if before.casefold() == after.casefold():
        case = "upper" if after.isupper() else "lower" if after.islower() else "other"
        return f"Such an answer was edited: letters in {case} case."
    pieces = _pieces(before, after, screen)
    if pieces:
        return "Such an answer was edited: " + ", ".join(pieces) + "."
    fewer, more = len(before.split()), len(after.split())
    size = f"; {fewer} words became {more}" if more != fewer else ""
    changed = sum(line[:1] in "+-" for line in edit_lines(before, after))
    return f"Such an answer was edited: {changed} lines differ{size}."


def edit_lines(before: str, after: str) -> list[str]:
    """The lines of a unified difference, without its header."""
    return list(difflib.unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=1))[2:]


def _pieces(before: str, after: str, screen: Screen) -> list[str]:
    """What was added, removed or replaced; [] where that is too long, too much, or could be read as an order."""
    old, new = re.findall(r"\S+", before), re.findall(r"\S+", after)
    # Autojunk would pass over words that are frequent in longer texts.
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    changes: list[str] = []
    for what, a, b, c, d in matcher.get_opcodes():
        if what == "equal":
            continue
        removed, added = " ".join(old[a:b]), " ".join(new[c:d])
        short = all(
            len(piece) <= _LONGEST_PIECE and '"' not in piece and harmless_quote(piece, screen)
            for piece in (removed, added)
            if piece
        )
        # One harmful piece silences all: what is left would tell half of the edit.
        if not short:
            return []
        place = f'"{added}" in place of "{removed}"'
        changes.append(place if removed and added else f'"{added}" added' if added else f'without "{removed}"')
    return list(dict.fromkeys(changes)) if len(set(changes)) <= _MOST_PIECES else []
