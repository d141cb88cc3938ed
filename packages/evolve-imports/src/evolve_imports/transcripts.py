"""What a person said in sessions of other agents, and what these wrote down, read from their files.

Of a session only what the person typed counts; what a model or a tool said is kept apart, to know what merely repeats
it. Formats: transcripts of Claude Code and rollouts of Codex (JSON lines), ``CLAUDE.md`` and ``AGENTS.md``, memory
files of Hermes (entries between section signs) and exports of mem0 (JSON).
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evolve.errors import UsageError
from evolve.files import read_text

_RULES, _HERMES = ("CLAUDE.md", "CLAUDE.local.md", "AGENTS.md"), ("MEMORY.md", "USER.md")
_MOST_FILES, _MOST_SHOWN = 5_000, 40
_AGENT_HOMES = (".claude", ".codex", ".hermes")
_TYPED = re.compile(r"<bash-input>(.*?)</bash-input>|<user_shell_command>\s*<command>(.*?)</command>", re.DOTALL)
_INJECTED = re.compile(r"<([a-zA-Z][\w-]*)\b[^>]*>.*?(?:</\1\s*>|\Z)", re.DOTALL)
_NOT_TYPED = ("This session is being continued from", "[Request interrupted", "# AGENTS.md instructions", "Caveat: ")
_BULLET = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+(.+)$")
_TEXT_KEYS = ("memory", "text", "content", "fact", "value")
_LIST_KEYS = ("results", "memories", "entries", "data", "user", "items")


@dataclass(frozen=True, kw_only=True)
class Session:
    """One session, or one file of rules or memories.

    Attributes:
        source: Name of the file.
        folder: Where it was worked; "" for everywhere.
        said: What the person typed, in order, each with what was shown before it; of a file what is written there.
        commands: Commands that the person typed.
        typed: It is a session, in which the person spoke; else a file that somebody wrote.
    """

    source: str
    folder: str = ""
    said: tuple[tuple[str, tuple[str, ...]], ...] = ()
    commands: tuple[str, ...] = ()
    typed: bool = True


def read_sessions(path: Path) -> Iterator[Session]:
    """Every session and file of rules or memories in a file or folder; a file of another kind is passed over.

    Raises:
        UsageError: There is nothing at the path, or the one file that is named cannot be read.
    """
    if path.is_file():
        yield from _read(path)
    elif not path.is_dir():
        raise UsageError(f"{path}: no such file or folder", hint="evolve learn ~/.claude/projects")
    else:
        names = (Path(place, name) for place, _, files in os.walk(path) for name in sorted(files))
        for number, file in enumerate(names):
            if number >= _MOST_FILES:
                return
            if not file.is_symlink():
                try:
                    yield from _read(file)
                except UsageError:
                    continue


def _read(file: Path) -> Iterator[Session]:
    name = file.name
    home = next((up for up in file.resolve().parents if up.name in _AGENT_HOMES), None)
    folder = "" if home is not None else str(file.resolve().parent)
    if name.endswith(".jsonl"):
        yield from _session(name, [_parsed(line) for line in read_text(file).splitlines()])
    elif name in _RULES:
        yield Session(source=name, folder=folder, said=_plain(_lines(read_text(file))), typed=False)
    elif name in _HERMES:
        entries = re.split(r"^\s*§\s*$|\s§\s", read_text(file), flags=re.MULTILINE)
        yield Session(source=name, said=_plain(entries), typed=False)
    elif name.endswith(".json"):
        yield Session(source=name, said=_plain(_memories(_parsed(read_text(file)))), typed=False)


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _plain(texts: Sequence[str]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    return tuple((" ".join(text.split()), ()) for text in texts if text.strip())


def _lines(text: str) -> list[str]:
    """The points of a file of rules, without headings, code and text that Markdown hides."""
    text = re.sub(r"```.*?(?:```|\Z)|<!--.*?(?:-->|\Z)", "", text, flags=re.DOTALL)
    points: list[str] = []
    for line in text.splitlines():
        bullet = _BULLET.match(line)
        if bullet or not line.strip() or line.startswith(("#", "|", "@")) or not points:
            points.append(bullet[1] if bullet else "" if line.startswith(("#", "|", "@")) else line)
        else:
            points[-1] += f" {line.strip()}"
    return points


def _memories(value: Any) -> list[str]:
    """The texts of an export: a list, or an object that holds one."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, list):
        return [text for one in value for text in _memories(one)]
    if isinstance(value, Mapping):
        own = next((value[key] for key in _TEXT_KEYS if isinstance(value.get(key), str)), None)
        inside = [text for key in _LIST_KEYS if isinstance(value.get(key), list) for text in _memories(value[key])]
        return [own] if own else inside
    return []


def _session(name: str, lines: Sequence[Any]) -> Iterator[Session]:
    entries = [line for line in lines if isinstance(line, dict)]
    is_codex = any(isinstance(one.get("payload"), dict) for one in entries)
    turns = list(_codex_turns(entries) if is_codex else _claude_turns(entries))
    folder = next((place for one in entries for place in (_place(one),) if place), "")
    said: list[tuple[str, tuple[str, ...]]] = []
    commands: list[str] = []
    shown: list[str] = []
    for is_person, text in turns:
        if not is_person:
            shown.append(text[:4_000])
            continue
        commands += [" ".join((a or b).split()) for a, b in _TYPED.findall(text)]
        own = _INJECTED.sub("", text).strip()
        if own and not own.startswith(_NOT_TYPED) and not (said and said[-1][0] == own):
            said.append((own, tuple(shown[-_MOST_SHOWN:])))
    if said or commands:
        yield Session(source=name, folder=folder, said=tuple(said), commands=tuple(commands))


def _place(entry: Mapping[str, Any]) -> str:
    payload = entry.get("payload")
    place = payload.get("cwd") if isinstance(payload, dict) else entry.get("cwd")
    return place if isinstance(place, str) and os.path.isabs(place) else ""


def _texts(content: Any) -> str:
    """The text of a message: a string, or blocks with text."""
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, list) else []
    texts = [one.get("text", one.get("content", "")) for one in blocks if isinstance(one, dict)]
    return "\n".join(text if isinstance(text, str) else _texts(text) for text in texts)


def _claude_turns(entries: Sequence[Mapping[str, Any]]) -> Iterator[tuple[bool, str]]:
    for one in entries:
        inner = one.get("message")
        message: Mapping[str, Any] = inner if isinstance(inner, dict) else one
        role, content = message.get("role"), message.get("content")
        blocks = content if isinstance(content, list) else []
        is_result = any(isinstance(block, dict) and block.get("type") == "tool_result" for block in blocks)
        odd = any(one.get(mark) for mark in ("isMeta", "isSidechain", "isCompactSummary", "toolUseResult"))
        external = one.get("userType", "external") == "external"
        is_person = role == "user" and external and not (is_result or odd)
        if role in ("user", "assistant"):
            yield is_person, _texts(content)


def _codex_turns(entries: Sequence[Mapping[str, Any]]) -> Iterator[tuple[bool, str]]:
    payloads = [one["payload"] for one in entries if isinstance(one.get("payload"), dict)]
    if any(isinstance(one.get("source"), dict) for one in payloads):
        return  # another agent asked, and no person
    events = any(one.get("type") == "user_message" for one in payloads)
    for one in payloads:
        kind, role = one.get("type"), one.get("role")
        if kind == "user_message":
            yield True, str(one.get("message", ""))
        elif kind == "message" and role == "user":
            text = _texts(one.get("content"))
            # What is typed stands in an event too, and what the program adds does not.
            if not events or "<user_shell_command>" in text:
                yield True, text
        elif kind in ("function_call_output", "custom_tool_call_output", "agent_message", "message"):
            told = one.get("output", one.get("message", one.get("content", "")))
            yield False, _texts(told) or str(told)
