"""Text files as they are written: encoding, byte order mark and the end of each line, so that a change keeps the rest.

Sent as source into the sandbox beside what edits files there, so it imports nothing but the standard library; where
charset-normalizer is missing, only encodings that need no guess are told.
"""

from __future__ import annotations

import codecs
import io
import itertools
import re
from collections import Counter
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
GUESSED = ("cp1252", "cp1250", "cp1251", "cp1253", "cp1254", "cp1257", "cp932", "gb18030", "big5", "cp949", "mac_roman")
"""Encodings in which office programs and editors save; only among these is guessed."""

UNREADABLE = "\ufffd"
"""Stands for a byte that is no text in the file's encoding."""

_SAMPLE = 1 << 16
_UNKNOWN = "ascii"
"""Encoding of a file in none that is known: bytes beyond ASCII are kept and cannot be read."""

_ESCAPED = re.compile("[\udc80-\udcff]")
_CONTROL = re.compile(r"[\x00-\x07\x0e-\x1a\x1c-\x1f]")
# PEP 263, as editors and other languages have it too; and the declaration of XML.
_COOKIE = re.compile(rb"[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
_XML = re.compile(rb"<\?xml[^>]*?\sencoding\s*=\s*[\"']([-\w.]+)[\"']")
_CRLF = "\r\n"
_ENDS = {"\r\n": "CRLF line ends", "\r": "CR line ends", "\n": ""}


class NotEncodable(ValueError):
    """The file cannot hold a text: it has a character that its encoding lacks, or bytes that are no text moved."""


@dataclass(frozen=True, kw_only=True)
class TextFile:
    """A file as text.

    Attributes:
        encoding: Python's name of it, without any byte order mark.
        bom: The byte order mark at the beginning, or nothing.
        lines: Each with its own end, as ``open`` with universal newlines finds them; the last one may have none. Bytes
            that are no text are lone surrogates (PEP 383).
    """

    encoding: str = "utf-8"
    bom: bytes = b""
    lines: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The text with plain line ends; :data:`UNREADABLE` for every byte that is no text."""
        return normalize_line_ends(replace_undecodable("".join(self.lines)))

    @property
    def data(self) -> bytes:
        """The bytes of the file.

        Raises:
            NotEncodable: A line holds what the encoding lacks; the message names the line.
        """
        return self.bom + b"".join(self._encoded(line, number) for number, line in enumerate(self.lines, 1))

    @property
    def _line_end(self) -> str:
        """The end that most lines have."""
        counts = Counter(_end(line) for line in self.lines)
        del counts[""]
        return counts.most_common(1)[0][0] if counts else "\n"

    @property
    def is_open(self) -> bool:
        """Whether the last line has no end."""
        return bool(self.lines) and not _end(self.lines[-1])

    @property
    def has_one_end(self) -> bool:
        """Whether all lines that have an end have the same."""
        return len({_end(line) for line in self.lines} - {""}) <= 1

    @property
    def form_text(self) -> str:
        """What is not plain about it, in words, such as ``latin-1, CRLF line ends``; "" for UTF-8 with plain ends."""
        escaped = sum(len(_ESCAPED.findall(line)) for line in self.lines)
        but = f" but for {escaped} byte{'s'[: escaped > 1]}" if escaped else ""
        name = "unknown encoding" if self.encoding == _UNKNOWN else f"{self.encoding}{but}"
        words = [name] if name != "utf-8" else []
        words += ["begins with a byte order mark"] if self.bom else []
        ends = {_end(line) for line in self.lines} - {""}
        words += ["mixed line ends"] if len(ends) > 1 else [_ENDS[end] for end in ends]
        return ", ".join(filter(None, words))

    def with_final_newline(self) -> TextFile:
        """The same with an end of its last line."""
        return replace(self, lines=(*self.lines[:-1], self.lines[-1] + self._line_end)) if self.is_open else self

    def without_final_newline(self) -> TextFile:
        """The same without the end of its last line."""
        return replace(self, lines=(*self.lines[:-1], _bare(self.lines[-1]))) if self.lines else self

    def with_replacement(self, place: int, length: int, new: str) -> TextFile:
        """The file with another text in the place of some characters of :attr:`text`; other lines stay byte by byte.

        Raises:
            NotEncodable: It puts bytes that are no text elsewhere.
        """
        text, new = self.text, normalize_line_ends(new)
        start, stop = text.rfind("\n", 0, place) + 1, place + length
        segment = text[start:place] + new
        if (segment and not segment.endswith("\n")) or (stop and text[stop - 1] != "\n"):
            end = text.find("\n", stop) + 1 or len(text)
            segment, stop = segment + text[stop:end], end
        first = text.count("\n", 0, start)
        return self.with_lines_replaced(first, first + len(split_lines(text[start:stop])), segment)

    def with_lines_replaced(self, first: int, last: int, text: str) -> TextFile:
        """The file with a text in the place of the lines from ``first`` up to ``last``, counted from 0.

        A line that stays keeps its bytes, a changed one the end of the line that it replaces, and a new one has the end
        of its neighbours. Bytes that are no text stay where the text has as many places for them as before.

        Raises:
            NotEncodable: It has other places for them.
        """
        usual, made = self._line_end, list[str]()
        old, new = self.lines[first:last], split_lines(normalize_line_ends(text))
        for same, (a, b), (c, d) in _alignment(old, new, usual):
            if same:
                kept = zip(old[a:b], new[c:d], strict=True)
                made += [_bare(line) + (_end(line) or usual if _end(other) else "") for line, other in kept]
                continue
            near = old[a:b] or self.lines[max(0, first + a - 1) : first + a] or self.lines[last : last + 1]
            ends = [_end(line) or usual for line in near] or [usual]
            made += [
                _bare(line) + ends[min(number, len(ends) - 1)] if _end(line) else line
                for number, line in enumerate(_with_bytes(old[a:b], new[c:d]))
            ]
        lines = [*self.lines[:first], *made, *self.lines[last:]]
        lines[:-1] = [line if _end(line) else line + usual for line in lines[:-1]]
        for number, line in enumerate(lines[max(1, first) : first + len(made) + 1], max(1, first)):
            if line == "\n" and lines[number - 1].endswith("\r"):
                lines[number - 1] += "\n"  # else both ends would be one
        return replace(self, lines=tuple(lines))

    def with_declared_encoding(self, before: TextFile) -> TextFile:
        """The same in the encoding that its first lines name, where those of the file before named another."""
        old, new = _declared(_first_lines(before)), _declared(_first_lines(self))
        return self if self.bom or old == new else replace(self, encoding=new or "utf-8")

    def _encoded(self, line: str, number: int) -> bytes:
        try:
            return line.encode(self.encoding, _errors(self.encoding))
        except UnicodeEncodeError as error:
            lacks = error.object[error.start]
            if _ESCAPED.match(lacks):
                raise NotEncodable(f"line {number} holds a byte that no other encoding has") from error
            held = "in an unknown encoding, so it takes ASCII alone" if self.encoding == _UNKNOWN else self.encoding
            raise NotEncodable(f"line {number} holds {lacks!r}, and the file is {held}") from error


def read_text_file(data: bytes, expected: str = "") -> TextFile | None:
    """A file as text; None where it is binary, which is what holds NUL and is no text of wide characters.

    Byte order marks tell the encoding, then what its first lines declare (PEP 263, XML), then UTF-8 where all of it or
    most beyond ASCII is that, then what it is guessed to be. The same bytes can always be made again. UTF-8 goes before
    an encoding of one byte for each character: text in such a one is hardly ever UTF-8 by chance, and a heading may
    speak of an encoding too.

    Args:
        expected: The encoding that it probably has, as it had it before; taken before any guess.
    """
    for bom, encoding in BYTE_ORDER_MARKS:
        if data.startswith(bom):
            text = _decoded(data[len(bom) :], encoding)
            if text is not None and "\0" not in text:
                return _file(text, encoding, bom)
    if b"\0" in data:
        encoding = guess_utf16(data[:_SAMPLE])
        text = _decoded(data, encoding) if encoding else None
        return None if text is None or _CONTROL.search(text) else _file(text, encoding)
    declared = _declared(data)
    first = "utf-8" if not data.isascii() and _has_single_bytes(declared) else ""
    for encoding in (first, declared, expected if data.isascii() else "", "utf-8", expected):
        text = _decoded(data, encoding, "strict") if encoding and _holds_ascii(encoding) else None
        if text is not None:
            return _file(text, encoding)
    return _guessed_file(data)


def text_of(data: bytes) -> str:
    """The text of a file for whoever only reads it; of a binary one what UTF-8 makes of it."""
    file = read_text_file(data)
    return data.decode("utf-8", "replace") if file is None else file.text


def replace_undecodable(text: str) -> str:
    """The text with :data:`UNREADABLE` for every byte that is no text."""
    return _ESCAPED.sub(UNREADABLE, text)


def normalize_line_ends(text: str) -> str:
    """The text with ``\\n`` at the end of each line."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def split_lines(text: str) -> list[str]:
    """The lines with their ends. No other character ends one, unlike with ``str.splitlines``."""
    return list(io.StringIO(text, newline=""))


def needs_encoding_guess(data: bytes) -> bool:
    """Whether only a guess tells the encoding of a text."""
    if data.isascii() or b"\0" in data or data.startswith(tuple(mark for mark, _ in BYTE_ORDER_MARKS)):
        return False
    return not any(each and _decoded(data, each, "strict") is not None for each in (_declared(data), "utf-8"))


def guess_utf16(head: bytes) -> str:
    """UTF-16 without a byte order mark: every second byte of ASCII text is zero; "" for everything else."""
    zeros = [head[start::2].count(0) * 4 > len(head) for start in (0, 1)]
    return "" if zeros[0] == zeros[1] else "utf-16-be" if zeros[0] else "utf-16-le"


def guess_encoding(letters: bytes, fits: Callable[[str], bool]) -> str:
    """The encoding that lines beyond ASCII are most likely in; "" where none of :data:`GUESSED` is.

    Args:
        fits: Whether all of the file is text of an encoding, from which the same bytes can be made again.
    """
    if len(letters) > _SAMPLE:  # at the end of a line, so that no character of several bytes is cut
        letters = letters[: letters.rfind(b"\n", 0, _SAMPLE)] if b"\n" in letters[:_SAMPLE] else letters[:_SAMPLE]
    if _is_western(letters) and fits("cp1252"):
        return "cp1252"
    try:
        from charset_normalizer import from_bytes
    except ImportError:
        return ""
    possible = [name for name in GUESSED if fits(name)]
    best = from_bytes(letters, cp_isolation=possible).best() if possible else None
    return "" if best is None else str(best.encoding)


def _is_western(letters: bytes) -> bool:
    """Whether the bytes are what letters and signs of Western Europe are in cp1252, each in a word of ASCII letters.

    Statistics of a few names tell less than this: such a text has some accents, and none of the many signs between.
    """
    text = letters.decode("cp1252", "replace")
    usual = "ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÑÒÓÔÕÖØÙÚÛÜßàáâãäåæçèéêëìíîïñòóôõöøùúûüÿŒœŠšŽž€£§°²³µ«»„“”‚‘’–—…·´©®½¼\u00a0"
    strange = sum(not sign.isascii() and sign not in usual for sign in text)
    foreign = sum(not sign.isascii() for sign in text)
    pairs = itertools.pairwise(text)
    runs = sum(not one.isascii() and not other.isascii() and other != "ß" for one, other in pairs)
    return not strange and runs * 4 <= foreign


def _guessed_file(data: bytes) -> TextFile:
    mostly = data.decode("utf-8", "surrogateescape")
    escaped = len(_ESCAPED.findall(mostly))
    if sum(not sign.isascii() for sign in mostly) >= 2 * escaped:
        return _file(mostly, "utf-8")
    letters = b"\n".join(line for line in data.split(b"\n") if not line.isascii())
    encoding = guess_encoding(letters, lambda name: _decoded(data, name) is not None)
    text = _decoded(data, encoding) if encoding else None
    return _file(data.decode(_UNKNOWN, "surrogateescape"), _UNKNOWN) if text is None else _file(text, encoding)


def _file(text: str, encoding: str, bom: bytes = b"") -> TextFile:
    return TextFile(encoding=encoding, bom=bom, lines=tuple(split_lines(text)))


def _decoded(data: bytes, encoding: str, errors: str = "") -> str | None:
    """The text; None where the same bytes could not be made of it again."""
    try:
        text = data.decode(encoding, errors or _errors(encoding))
        if encoding in ("utf-8", _UNKNOWN):
            return text
        text.encode()  # lone surrogates are no text, though some encodings have them
        return text if text.encode(encoding, errors or _errors(encoding)) == data else None
    except UnicodeError:
        return None


def _errors(encoding: str) -> str:
    return "surrogateescape" if encoding in ("utf-8", _UNKNOWN) else "strict"


def _declared(data: bytes) -> str:
    """The encoding that the first lines name; "" for none, and for one that does not exist or hold ASCII."""
    head = re.split(rb"\r\n|\r|\n", data[:2_000], maxsplit=2)[:2]
    found = _XML.match(data[:2_000]) or next(filter(None, map(_COOKIE.match, head)), None)
    name = found[1].decode("ascii").casefold() if found is not None and found[1].isascii() else ""
    return name if name and _holds_ascii(name) else ""


def _holds_ascii(encoding: str) -> bool:
    """Whether ASCII is the same bytes in it, and no byte depends on what stands before its line."""
    try:
        if codecs.lookup(encoding).name.startswith(("iso2022", "hz", "utf-7")):
            return False
        return "a#\n".encode(encoding) == b"a#\n" and b"a#\n".decode(encoding) == "a#\n"
    except (LookupError, UnicodeError, TypeError):
        return False


def _has_single_bytes(encoding: str) -> bool:
    return bool(encoding) and len(bytes(range(128, 256)).decode(encoding, "replace")) == 128


def _first_lines(file: TextFile) -> bytes:
    return "".join(file.lines[:2])[:2_000].encode("ascii", "replace")


def _end(line: str) -> str:
    return line[len(line.rstrip(_CRLF)) :]


def _bare(line: str) -> str:
    return line.rstrip(_CRLF)


_Stretch = tuple[bool, tuple[int, int], tuple[int, int]]


def _alignment(before: Sequence[str], after: Sequence[str], end: str) -> Iterator[_Stretch]:
    """Stretches of lines that are the same but for their ends, and between them those that are not, in order."""
    if not any(_ESCAPED.search(line) or _end(line) not in ("", end) for line in before):
        yield False, (0, len(before)), (0, len(after))  # nothing tells one line from another that reads like it
        return
    old, new = [replace_undecodable(_bare(line)) for line in before], [_bare(line) for line in after]
    head = sum(1 for _ in itertools.takewhile(_equal, zip(old, new, strict=False)))
    rest = zip(reversed(old[head:]), reversed(new[head:]), strict=False)
    tail = sum(1 for _ in itertools.takewhile(_equal, rest))
    yield True, (0, head), (0, head)
    matcher = SequenceMatcher(None, old[head : len(old) - tail], new[head : len(new) - tail])
    for kind, a, b, c, d in matcher.get_opcodes():
        yield kind == "equal", (head + a, head + b), (head + c, head + d)
    yield True, (len(old) - tail, len(old)), (len(new) - tail, len(new))


def _equal(pair: tuple[str, str]) -> bool:
    return pair[0] == pair[1]


def _with_bytes(old: Iterable[str], new: Sequence[str]) -> Iterable[str]:
    """New lines with the bytes that are no text in the old ones put back in their order."""
    was = "".join(old)
    held = [sign for sign in was if sign == UNREADABLE or _ESCAPED.match(sign)]
    if not any(map(_ESCAPED.match, held)) or not any(UNREADABLE in line for line in new):
        return new
    if sum(line.count(UNREADABLE) for line in new) != len(held):
        raise NotEncodable("the lines hold bytes that are no text; leave these lines as they stand")
    back = iter(held)
    return [re.sub(UNREADABLE, lambda _: next(back), line) for line in new]
