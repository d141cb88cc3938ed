"""Finds known secrets, and what has the form of one, in a text; and gives the text without the known ones.

A text may come in pieces, and two pieces may share a secret.
"""

from __future__ import annotations

import base64
import html
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from urllib.parse import quote, quote_plus

from evolve.core.redaction.known import LEAST_ENTROPY, SHAPES, KnownSecret, entropy

MARK = "[secret]"
"""Stands where a secret stood."""

_SHORTEST_CODED, _SHORTEST_PLAIN = 8, 10
_AS_NUMBER = ", as a number"
LONGEST_NUMBER = 10**40
"""No secret is a number as long as this, and texts of longer ones take long to make."""
_READINGS = (
    (
        "\\",
        re.compile(
            r"\\(?:u|x(?=[0-9a-fA-F]{2}))(?P<code>(?<=u)[0-9a-fA-F]{4}|(?<=x)[0-9a-fA-F]{2})|\\(?P<sign>[\"'/])"
        ),
        "",
    ),
    ("\n", re.compile(r"(?<=[A-Za-z0-9+/]{60})\r?\n[ \t]*(?:#[ \t]*)?(?=[A-Za-z0-9+/])"), ", in Base64"),
)
"""Other readings of a text: the sign that one needs, what is read otherwise, and of which form only ("" for all)."""
_LINKS = re.compile(r"[\s\"'+,\\()]+")


@dataclass(frozen=True, kw_only=True)
class SecretMatch:
    """A secret that a text holds.

    Attributes:
        kind: What it is, such as ``the variable DB_PASS, in Base64`` or ``an AWS key``; never the secret.
        line: From 1; 0 where it is spread over the text.
    """

    kind: str
    line: int

    def __str__(self) -> str:
        return f"{self.kind} (line {self.line})" if self.line else self.kind


@dataclass(frozen=True, kw_only=True)
class _Form:
    """One way to write a secret, in small letters, as it is compared."""

    text: str
    how: str
    secret: KnownSecret

    @cached_property
    def core(self) -> str:
        """The form without the signs that link pieces of a text, such as quotes and line breaks."""
        # Kept: made anew for every text, this took most of the time of an export.
        return _LINKS.sub("", self.text)

    def spans(self, folded: str) -> Iterator[tuple[int, int]]:
        """Where it stands in a text in small letters. A guessable one counts only as a whole word."""
        at = folded.find(self.text)
        while at >= 0:
            end = at + len(self.text)
            # It counts inside a longer word too where no chance puts it there.
            if (self.secret.random or bool(self.how and self.how != _AS_NUMBER)) or not _touches_word(folded, at, end):
                yield at, end
            # From the next sign on, as places of one form may overlap.
            at = folded.find(self.text, at + 1)


class Scanner:
    """Knows secrets, in the forms in which they slip through.

    These are: as they are, whatever the case, as in JSON, HTML and URLs, in hexadecimal, in Base32, backwards, as a
    number, as a list of bytes, with single signs escaped, and in Base64 wherever in a longer text the secret stood
    before, over several lines too. One that is encrypted, compressed, encoded
    twice or taken apart by hand is not found.

    Args:
        known: What :func:`evolve.core.redaction.known_secrets` found.
    """

    def __init__(self, known: Iterable[KnownSecret] = ()) -> None:
        self.known = tuple(known)
        self.forms = tuple(_forms(self.known))

    def __bool__(self) -> bool:
        return bool(self.forms)

    def redact_text(self, text: str) -> str:
        """The text with :data:`MARK` in place of every known secret; the same text where there is none."""
        parts, last = [], 0
        for start, end in self.secret_spans(text):
            parts += [text[last:start], MARK]
            last = end
        return "".join([*parts, text[last:]]) if parts else text

    def redact_value(self, value: Any) -> Any:
        """A JSON value with all its texts clean, keys included; :data:`MARK` for numbers of at least eight digits."""
        # One look at all texts is cheap where there is nothing to find; no form and no word goes on behind the sign.
        return self._cleaned(value) if self.forms and self.secret_spans("\0".join(_leaves(value))) else value

    def _cleaned(self, value: Any) -> Any:
        if isinstance(value, str):
            return self.redact_text(value)
        if isinstance(value, list | tuple):
            return [self._cleaned(item) for item in value]
        if isinstance(value, dict):
            return {self._cleaned(key): self._cleaned(item) for key, item in value.items()}
        return MARK if any(self.secret_spans(text) for text in _number_texts(value)) else value

    def secret_spans(self, text: str) -> list[tuple[int, int]]:
        """Where known secrets stand, in order and without overlaps."""
        spans = [span for _, span in self._matches(text)]
        merged: list[tuple[int, int]] = []
        for start, end in sorted(spans):
            if merged and start < merged[-1][1]:
                merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
            else:
                merged.append((start, end))
        return merged

    def _matches(self, text: str) -> Iterator[tuple[_Form, tuple[int, int]]]:
        """Every form with every place of it, also behind escapes of single signs and where Base64 is wrapped."""
        low = _casefold_in_place(text)
        for form in self.forms:
            for span in form.spans(low):
                yield form, span
        for sign, gaps, how in _READINGS:
            read = _read_otherwise(text, gaps) if self.forms and sign in text else None
            if read is not None:
                low, places = _casefold_in_place(read[0]), read[1]
                for form in self.forms:
                    for start, end in form.spans(low) if how in ("", form.how) else ():
                        yield form, (places[start], places[end])

    def find(self, text: str) -> list[SecretMatch]:
        """The secrets that the text holds: known ones in any form, and what has the form of a credential."""
        low, lines = _casefold_in_place(text), dict[str, int]()
        for form, (start, _) in self._matches(text):
            lines.setdefault(f"{form.secret.source}{form.how}", text.count("\n", 0, start) + 1)
        for kind, shape in SHAPES.items():
            match = shape.search(text)
            if match is not None:
                lines[kind] = text.count("\n", 0, match.start()) + 1
        if not lines:
            joined = _LINKS.sub("", low)  # a text that a program puts together from pieces, or a line that was wrapped
            for form in self.forms:
                shortest = _SHORTEST_CODED if form.secret.random else _SHORTEST_PLAIN
                if len(form.core) >= shortest and form.core in joined:
                    lines[f"{form.secret.source}{form.how}, in pieces"] = 0
        return [SecretMatch(kind=kind, line=line) for kind, line in lines.items()]

    @cached_property
    def for_code(self) -> Scanner:
        """A scanner for code: knows what looks made at random, is no plain word, or is sent to an endpoint.

        Code that runs must not change because one of its ordinary words is somebody's password.
        """
        return Scanner(secret for secret in self.known if secret.random or secret.sent or not secret.value.isalnum())

    @cached_property
    def secret_prefixes(self) -> frozenset[str]:
        """Every text with which a form begins, itself not among them."""
        return frozenset(form.text[:size] for form in self.forms for size in range(1, len(form.text)))


def _casefold_in_place(text: str) -> str:
    """The text in small letters, each at its old place."""
    low = text.lower()
    # A few letters become two signs in small letters, and all places behind would be wrong.
    return low if len(low) == len(text) else "".join(c if len(c := sign.lower()) == 1 else sign for sign in text)


def _read_otherwise(text: str, gaps: re.Pattern[str]) -> tuple[str, list[int]] | None:
    """Reads escapes as their signs and leaves out breaks; gives the text, and each place of it in the old one."""
    parts: list[str] = []
    places: list[int] = []
    last = 0
    for match in gaps.finditer(text):
        code = match.groupdict().get("code")
        sign = chr(int(code, 16)) if code else match.groupdict().get("sign") or ""
        parts += [text[last : match.start()], sign]
        places += [*range(last, match.start()), *[match.start()] * len(sign)]
        last = match.end()
    return ("".join([*parts, text[last:]]), [*places, *range(last, len(text) + 1)]) if parts else None


def _leaves(value: Any) -> Iterator[str]:
    """The texts of a JSON value, and its numbers that are long enough to be a secret."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _leaves(item)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _leaves(key)
            yield from _leaves(item)
    else:
        yield from _number_texts(value)


def _number_texts(value: Any) -> Iterator[str]:
    """A number as a text, where it has as many and as different digits as a secret."""
    if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < LONGEST_NUMBER:
        text = str(int(value)) if value == int(value) else repr(value)
        if len(text) >= _SHORTEST_CODED and entropy(text) >= LEAST_ENTROPY:
            yield text


def _touches_word(text: str, start: int, end: int) -> bool:
    return (start > 0 and text[start - 1].isalnum()) or (end < len(text) and text[end].isalnum())


def _forms(known: Iterable[KnownSecret]) -> Iterator[_Form]:
    seen: set[str] = set()
    for secret in known:
        for how, text in _encodings(secret.value):
            low = _casefold_in_place(text)
            # Short codings stand in other text by chance.
            if low not in seen and (not how or len(low) >= _SHORTEST_CODED):
                seen.add(low)
                yield _Form(text=low, how=how, secret=secret)


def _encodings(value: str) -> Iterator[tuple[str, str]]:
    """Every way to write a value that is looked for: what a message calls it, and the text."""
    raw = value.encode("utf-8", "surrogateescape")
    yield "", value
    for plain in (json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1].replace("/", "\\/")):
        yield ", as in JSON", plain
        yield ", as in JSON", plain.replace("\\", "\\\\")  # in a program's literal
        yield ", as in JSON", json.dumps(plain)[1:-1]
    yield ", as in JSON", "".join(f"\\u{ord(sign):04x}" for sign in value if ord(sign) < 0x10000)
    for safe in ("", "/", "!*'()"):
        yield ", URL-encoded", quote(raw, safe=safe)
    yield ", URL-encoded", quote_plus(raw)
    yield ", URL-encoded", "".join(f"%{byte:02x}" for byte in raw)
    yield ", in hexadecimal", raw.hex()
    yield ", in hexadecimal", raw.hex(":")
    yield ", in hexadecimal", raw.hex(" ")
    yield ", in hexadecimal", "".join(f"\\x{byte:02x}" for byte in raw)
    for several in (", ", ","):
        yield ", as a list of bytes", several.join(map(str, raw))
        yield ", as a list of bytes", several.join(map(hex, raw))
    yield ", as in HTML", html.escape(value)
    yield ", as in HTML", html.escape(value).replace("&#x27;", "&#39;")
    yield ", as in HTML", "".join(f"&#{ord(sign)};" for sign in value)
    yield ", as in HTML", "".join(f"&#x{ord(sign):x};" for sign in value)
    # Without its last sign, which depends on what comes behind.
    yield ", in Base32", base64.b32encode(raw).decode("ascii")[: len(raw) * 8 // 5]
    if value.isascii() and value.isdecimal() and len(value) < len(str(LONGEST_NUMBER)):
        for plain in (str(int(value)), f"{int(value):_}", f"{int(value):,}", hex(int(value))):
            yield _AS_NUMBER, plain
    yield ", backwards", value[::-1]
    for before in range(3):  # what stood before it in the text decides where its groups of three bytes begin
        coded = base64.b64encode(b"\0" * before + raw).decode("ascii")
        first = -(-before * 4 // 3) if before else 0
        last = len(coded) if (before + len(raw)) % 3 == 0 else (before + len(raw)) // 3 * 4
        inner = coded[first:last].rstrip("=")
        yield ", in Base64", inner
        # The alphabet of URLs.
        yield ", in Base64", inner.replace("+", "-").replace("/", "_")


class StreamCleaner:
    """Hands on the pieces of one text; what may be the beginning of a secret waits for what comes next.

    Args:
        scanner: Knows the secrets.
    """

    def __init__(self, scanner: Scanner) -> None:
        self._scanner = scanner
        self._rest = ""
        self._before = ""  # the last character that was handed on: it says whether a word goes on

    def clean_piece(self, piece: str) -> str:
        """What can be shown by now."""
        rest = self._rest + piece
        cut = self._undecided(_casefold_in_place(rest)) if self._scanner else len(rest)
        for start, end in self._scanner.secret_spans(rest):
            # The end of a secret that is there already must not be handed on apart from its beginning.
            if start < cut < end:
                cut = start
        self._rest = rest[cut:]
        return self._clean(rest[:cut])

    def close(self) -> str:
        """What was still held back, at the end of the text."""
        rest, self._rest = self._rest, ""
        return self._clean(rest)

    def _clean(self, text: str) -> str:
        if not text:
            return ""
        before, self._before = self._before, text[-1]
        # A guessable value counts only as a whole word, so the sign before it matters.
        return self._scanner.redact_text(before + text)[len(before) :]

    def _undecided(self, text: str) -> int:
        """The place from which on the text may be the beginning of a secret."""
        longest = max(len(form.text) for form in self._scanner.forms) - 1
        for at in range(max(0, len(text) - longest), len(text)):
            if text[at:] in self._scanner.secret_prefixes:
                return at
        return len(text)
