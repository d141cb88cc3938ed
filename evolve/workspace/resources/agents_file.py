"""Preferences, facts and notes as a block of AGENTS.md or CLAUDE.md, which is renewed between its marks alone."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from evolve.core.errors import UsageError
from evolve.core.files import read_text, replace_file
from evolve.core.redaction import Scanner

BEGIN, END = "<!-- evolve begin: renewed by evolve memory export -->", "<!-- evolve end -->"
_BYTE_ORDER = b"\xef\xbb\xbf"
_BLOCK = re.compile(rf"{re.escape(BEGIN)}.*?{re.escape(END)}", re.DOTALL)


def agents_block(parts: Mapping[str, Sequence[str]], scanner: Scanner) -> str:
    """The block, with a heading for each part that has sentences.

    Raises:
        UsageError: A sentence holds a known secret.
    """
    lines = [BEGIN]
    for heading, sentences in parts.items():
        if sentences:
            lines += ["", f"## {heading}", "", *(f"- {_one_line(sentence)}" for sentence in sentences)]
    for number, line in enumerate(lines, 1):
        for secret in scanner.find(line):
            raise UsageError(
                f"line {number} of the block contains {secret.kind}",
                hint="evolve memory list names what you can change or forget",
            )
    return "\n".join([*lines, "", END])


def write_block(path: Path, block: str) -> None:
    """Puts the block in the place of the one that is there, or behind all else; nothing else in the file changes.

    Raises:
        UsageError: The file is no text, or its marks do not come in one pair.
        WorkspaceError: It cannot be written.
    """
    link, path = path, path.resolve()  # CLAUDE.md is often a link to AGENTS.md
    if link.is_symlink() and path.suffix.lower() != ".md":  # in a folder of somebody else's it may lead anywhere
        raise UsageError(f"{link} is a link to {path}, which is no .md file", hint="delete the link")
    if path.exists() and not path.is_file():
        raise UsageError(f"{path}: not a file")
    text = read_text(path) if path.exists() else ""
    if "\r\n" in text:
        block = block.replace("\n", "\r\n")
    if (text.count(BEGIN), text.count(END)) == (1, 1) and _BLOCK.search(text):
        whole = _BLOCK.sub(lambda _: block, text)
    elif BEGIN in text or END in text:
        raise UsageError(f"{path}: the marks of evolve do not come in one pair", hint=f"delete {BEGIN} and {END} there")
    else:
        end = "\r\n" if "\r\n" in text else "\n"
        between = "" if not text else end if text.endswith("\n") else end * 2
        whole = f"{text}{between}{block}{end}"
    mark = _BYTE_ORDER if path.exists() and path.read_bytes().startswith(_BYTE_ORDER) else b""
    with replace_file(path, mode=path.stat().st_mode & 0o777 if path.exists() else 0o644) as stream:
        stream.write(mark + whole.encode("utf-8"))


def _one_line(sentence: str) -> str:
    return " ".join(sentence.split()).replace("<!--", "< !--").replace("-->", "-- >")
