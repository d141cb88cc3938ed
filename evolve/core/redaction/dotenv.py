"""Reads ``.env`` files as the programs do that use them, and where these differ, in both ways."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

_MOST_BYTES = 256 * 1024
_PAIR = re.compile(r"\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_.-]*)\s*(?:=|:\s)\s*(.*?)\s*\Z", re.DOTALL)
_PIECE = re.compile(r"""\$?'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`[^`]*`|(?:\\.|[^\s'"`])+""", re.DOTALL)
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(.))", re.DOTALL)
_REFERENCE = re.compile(r"\$(?:\{(\w+)(?::?-[^}]*)?\}|([A-Za-z_]\w*))")
_SIGNS = {"n": "\n", "r": "\r", "t": "\t"}


def read_dotenv(path: Path) -> list[tuple[str, str]]:
    """The pairs of a ``.env`` file, read leniently; [] for what is no readable file.

    A value that programs read in different ways stands there twice: as it is written, and with escapes, quotes and
    names of earlier values resolved.
    """
    try:
        # A pipe or a device of that name would be read without end.
        if not path.is_file():
            return []
        with path.open("rb") as stream:
            data = stream.read(_MOST_BYTES)
    except OSError:
        return []
    # Windows PowerShell writes UTF-16 when output is sent into a file.
    text = data.decode("utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig", "replace")
    pairs: list[tuple[str, str]] = []
    values: dict[str, str] = {}
    lines = iter(re.split(r"\r\n|\r|\n", text))
    for line in lines:
        match = _PAIR.match(line)
        if match is None or line.lstrip().startswith("#"):
            continue
        name, written = match[1], _with_quoted_lines(match[2], lines)
        values[name] = _resolved(written, values)
        # Which of the readings a program takes nobody knows here, so either counts as the secret.
        pairs += [(name, value) for value in dict.fromkeys((values[name], _unquoted(written)))]
    return pairs


def _with_quoted_lines(text: str, lines: Iterator[str]) -> str:
    """A value with the lines behind it that its quotes span."""
    quote = text[:1]
    while quote in ("'", '"', "`") and not _is_closed(text):
        more = next(lines, None)
        if more is None:
            break
        text = f"{text}\n{more}"
    return text


def _is_closed(text: str) -> bool:
    # Only double quotes know escapes, so only there an escaped quote does not close.
    inside = text[1:] if text[0] != '"' else re.sub(r"\\.", "", text[1:], flags=re.DOTALL)
    return text[0] in inside


def _unquoted(text: str) -> str:
    """A value without its quotes, and nothing else resolved, or without the comment behind it."""
    if text[:1] in ("'", '"', "`"):
        end = next((at for at in range(1, len(text)) if text[at] == text[0] and text[at - 1] != "\\"), len(text))
        return text[1:end]
    return re.split(r"\s#", text, maxsplit=1)[0].strip()


def _resolved(text: str, values: Mapping[str, str]) -> str:
    """A value as a shell reads it: quoted pieces side by side, escapes, and names of values before it."""
    if text[:1] not in ("'", '"', "`", "$"):
        text = re.split(r"\s#", text, maxsplit=1)[0].strip()
    result, at = "", 0
    while piece := _PIECE.match(text, at):
        result += _piece(piece[0], values)
        at = piece.end()
        if text[at : at + 1].isspace() and text[:1] not in ("'", '"', "`", "$"):
            result, at = result + text[at], at + 1  # an unquoted value may have blanks
    return result or _unquoted(text)


def _piece(text: str, values: Mapping[str, str]) -> str:
    if text.startswith("$'"):
        return _ESCAPE.sub(_unescaped, text[2:-1])
    if text[0] in "'`":
        return text[1:-1]
    inner = text[1:-1] if text[0] == '"' else text
    inner = _REFERENCE.sub(lambda match: values.get(match[1] or match[2], match[0]), inner)
    return _ESCAPE.sub(_unescaped, inner) if text[0] == '"' else inner


def _unescaped(match: re.Match[str]) -> str:
    if match[1] or match[2]:
        return chr(int(match[1] or match[2], 16))
    return _SIGNS.get(match[3], match[3])
