"""Front matter of Markdown files: the block-style YAML subset that Agent Skills readers agree on.

Written by ourselves because a YAML library would accept far more than those readers do: here every
scalar is a string, maps nest one level, and flow style, lists, anchors and duplicate keys are errors.
Values are written quoted, since an unquoted ``": "`` makes strict readers reject the file.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from evolve.core.errors import UsageError

Fields = dict[str, "str | dict[str, str]"]

_FENCE = re.compile(r"---[ \t]*\Z")
_PAIR = re.compile(r"(?P<indent> *)(?P<key>[A-Za-z0-9_.-]+):(?:[ \t]+(?P<value>.*)|[ \t]*)\Z")
_PLAIN_KEY = re.compile(r"[A-Za-z0-9_.-]+\Z")
_RESERVED_START = tuple("[]{}&*!|>%@`#,?")
_YAML_ESCAPES = {code: f"\\u{code:04x}" for code in (*range(0x7F, 0xA0), 0x2028, 0x2029, 0xFEFF, 0xFFFE, 0xFFFF)}


def parse(text: str) -> tuple[Fields, str]:
    """Splits a document into its fields and its body.

    Returns:
        The fields in file order (strings, or one level of string maps) and the body without the
        line break that follows the closing fence. A document without front matter gives ({}, text).

    Raises:
        UsageError: Naming the line that is not of the subset.
    """
    lines = text.replace("\r\n", "\n").split("\n")
    if not _FENCE.match(lines[0]):
        return {}, text
    for end in range(1, len(lines)):
        if _FENCE.match(lines[end]):
            return _FieldReader(lines[1:end]).read(), "\n".join(lines[end + 1 :])
    raise UsageError("line 1: the front matter is not closed by a line '---'")


def render(fields: Mapping[str, str | Mapping[str, str]], body: str) -> str:
    """The document with every value quoted; :func:`parse` gives the same fields and body back.

    Raises:
        ValueError: For a key outside ``[A-Za-z0-9_.-]`` and for ``---`` in a value, where some
            readers would end the front matter.
    """
    lines = ["---"]
    for key, value in fields.items():
        if isinstance(value, str):
            lines.append(f"{_key(key)}: {_quoted(value)}")
            continue
        lines.append(f"{_key(key)}:")
        lines.extend(f"  {_key(inner)}: {_quoted(item)}" for inner, item in value.items())
    return "\n".join([*lines, "---", body])


def _key(key: str) -> str:
    if not _PLAIN_KEY.match(key):
        raise ValueError(f"not a front matter key: {key!r}")
    return key


def _quoted(value: str) -> str:
    if "---" in value:
        raise ValueError(f"'---' cannot stand in a front matter value: {value!r}")
    # A JSON string is a YAML double-quoted scalar, except for these, which YAML reads as line ends
    # or refuses.
    return json.dumps(value, ensure_ascii=False).translate(_YAML_ESCAPES)


@dataclass
class _FieldReader:
    """Reads the lines between the fences, top to bottom."""

    lines: list[str]
    at: int = 0
    fields: Fields = field(default_factory=dict)

    def read(self) -> Fields:
        while (pair := self._next(indent=0)) is not None:
            key, raw = pair
            if key in self.fields:
                raise self._error(f"the key {key!r} appears twice")
            self.fields[key] = self._map() if raw == "" else self._scalar(raw)
        return self.fields

    def _map(self) -> dict[str, str] | str:
        inner: dict[str, str] = {}
        while (indent := self._indent()) > 0:
            pair = self._next(indent=indent)
            if pair is None:
                break
            key, raw = pair
            if key in inner:
                raise self._error(f"the key {key!r} appears twice")
            if raw == "" and self._indent() > indent:
                raise self._error("maps nest one level only")
            inner[key] = "" if raw == "" else self._scalar(raw)
        return inner or ""

    def _indent(self) -> int:
        """Indentation of the next line that says something; 0 at the end."""
        for line in self.lines[self.at :]:
            if line.strip() and not line.lstrip().startswith("#"):
                return len(line) - len(line.lstrip(" "))
        return 0

    def _next(self, *, indent: int) -> tuple[str, str] | None:
        while self.at < len(self.lines):
            line = self.lines[self.at]
            self.at += 1
            if not line.strip() or line.lstrip().startswith("#"):
                continue
            pair = _PAIR.match(line)
            if pair is None:
                raise self._error("expected 'key: value'")
            if len(pair["indent"]) != indent:
                raise self._error("unexpected indentation")
            return pair["key"], _without_comment(pair["value"] or "")
        return None

    def _scalar(self, raw: str) -> str:
        if raw[0] == '"':
            # YAML knows \xNN, which JSON does not; what is escaped itself is left alone.
            escaped = re.sub(r"(?<!\\)((?:\\\\)*)\\x([0-9a-fA-F]{2})", r"\1\\u00\2", raw)
            try:
                value = json.loads(escaped, strict=False)  # a tab may stand between YAML's quotes as it is
            except ValueError as error:
                raise self._error("the quoted value is not closed or has an unknown escape") from error
            return str(value)
        if raw[0] == "'":
            if len(raw) < 2 or raw[-1] != "'" or "'" in raw[1:-1].replace("''", ""):
                raise self._error("the quoted value is not closed")
            return raw[1:-1].replace("''", "'")
        if raw in ("|", ">", "|-", ">-"):
            return self._block(folded=raw[0] == ">", keep_end=len(raw) == 1)
        if raw.startswith(_RESERVED_START) or raw.startswith("- "):
            raise self._error(f"write the value in double quotes: {raw[:40]}")
        if ": " in raw or raw.endswith(":"):
            raise self._error("a value with ': ' must be quoted")
        return raw

    def _block(self, *, folded: bool, keep_end: bool) -> str:
        indent = self._indent()
        lines: list[str] = []
        while indent and self.at < len(self.lines):
            line = self.lines[self.at]
            if line.strip() and not line.startswith(" " * indent):
                break
            lines.append(line[indent:])
            self.at += 1
        text = "\n".join(lines).rstrip("\n")
        if folded:
            text = re.sub(r"(?<!\n)\n(?!\n)", " ", text)
        return text + "\n" if keep_end and text else text

    def _error(self, message: str) -> UsageError:
        return UsageError(f"line {self.at + 1}: {message}")


def _without_comment(raw: str) -> str:
    """Drops a trailing comment; ``#`` inside quotes or inside a word is content."""
    text = raw.strip()
    if text[:1] == '"':
        closing = re.match(r'"(?:\\.|[^"\\])*"', text)
    elif text[:1] == "'":
        closing = re.match(r"'(?:''|[^'])*'", text)
    else:
        return re.split(r"(?:^|\s)#", text, maxsplit=1)[0].rstrip()
    if closing is None:
        return text
    rest = text[closing.end() :].strip()
    return closing[0] if not rest or rest.startswith("#") else text
