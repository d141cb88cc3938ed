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
from typing import Any, Literal

from evolve.core.errors import UsageError
from evolve.core.files import read_text

_RULES, _HERMES = ("CLAUDE.md", "CLAUDE.local.md", "AGENTS.md"), ("MEMORY.md", "USER.md")
_MOST_FILES, _MOST_SHOWN = 5_000, 40
_AGENT_HOMES = (".claude", ".codex", ".hermes")
_TYPED = re.compile(r"<bash-input>(.*?)</bash-input>|<user_shell_command>\s*<command>(.*?)</command>", re.DOTALL)
_INJECTED = re.compile(r"<([a-zA-Z][\w-]*)\b[^>]*>.*?(?:</\1\s*>|\Z)", re.DOTALL)
_NOT_TYPED = ("This session is being continued from", "[Request interrupted", "# AGENTS.md instructions", "Caveat: ")
_REFUSED = re.compile(
    r"The user doesn't want to proceed with this tool use\..*?the user said:\s*"
    r"(?!The user wants to clarify)(.+?)(?:\n\nNote: |\Z)",
    re.DOTALL,
)
"""How Claude Code tells the agent that the person refused a call, and why: in the place of the tool's result."""
_BULLET = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+(.+)$")
_TEXT_KEYS = ("memory", "text", "content", "fact", "value")
_SHELLS = ("bash", "sh", "zsh", "/bin/bash", "/bin/sh")
_LIST_KEYS = ("results", "memories", "entries", "data", "user", "items")


Speaker = Literal["person", "agent", "command", "output"]
"""Who a turn is of: also a command that the agent ran, and what a tool gave."""


@dataclass(frozen=True, kw_only=True)
class Message:
    """What a person typed, or an entry of a file.

    Attributes:
        shown: What was shown before it.
        answer: The words of the agent that it replies to.
        did: Commands that the agent ran since the message before.
    """

    text: str
    shown: tuple[str, ...] = ()
    answer: str = ""
    did: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Session:
    """One session, or one file of rules or memories.

    Attributes:
        source: Name of the file.
        folder: Where it was worked; "" for everywhere.
        said: What the person typed, in order; of a file what is written there.
        commands: Commands that the person typed.
        typed: It is a session, in which the person spoke; else a file that somebody wrote.
    """

    source: str
    folder: str = ""
    said: tuple[Message, ...] = ()
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


def _plain(texts: Sequence[str]) -> tuple[Message, ...]:
    return tuple(Message(text=" ".join(text.split())) for text in texts if text.strip())


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
    said: list[Message] = []
    commands: list[str] = []
    shown: list[str] = []
    did: list[str] = []
    answer = ""
    for speaker, text in turns:
        if speaker == "command":
            did.append(text)
        elif speaker != "person":
            shown.append(text[:4_000])
            answer = " ".join(shown[-1].split()) if speaker == "agent" and text.strip() else answer
        else:
            commands += [" ".join((a or b).split()) for a, b in _TYPED.findall(text)]
            own = _INJECTED.sub("", text).strip()
            if own and not own.startswith(_NOT_TYPED) and (did or answer or not (said and said[-1].text == own)):
                said.append(Message(text=own, shown=tuple(shown[-_MOST_SHOWN:]), answer=answer, did=tuple(did)))
                did, answer = [], ""
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


def _claude_turns(entries: Sequence[Mapping[str, Any]]) -> Iterator[tuple[Speaker, str]]:
    for one in entries:
        inner = one.get("message")
        message: Mapping[str, Any] = inner if isinstance(inner, dict) else one
        role, content = message.get("role"), message.get("content")
        blocks = [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []
        is_result = any(block.get("type") == "tool_result" for block in blocks)
        odd = any(one.get(mark) for mark in ("isMeta", "isSidechain", "isCompactSummary", "toolUseResult"))
        external = one.get("userType", "external") == "external"
        if role == "assistant" and not odd:
            for block in blocks:
                yield from _command(block.get("input"))
            yield "agent", _texts(content)
        elif role in ("user", "assistant"):
            refusals = [_REFUSED.match(_texts([block])) for block in blocks if block.get("is_error") is True]
            if external and not one.get("isSidechain"):
                yield from (("person", refusal[1]) for refusal in refusals if refusal)
            yield "person" if role == "user" and external and not (is_result or odd) else "output", _texts(content)


def _command(call: Any) -> Iterator[tuple[Speaker, str]]:
    """The command that a call of a tool runs in a shell, if it does."""
    call = _parsed(call) if isinstance(call, str) else call
    found = call.get("command", call.get("cmd")) if isinstance(call, dict) else None
    if isinstance(found, list) and found:
        found = found[-1] if found[0] in _SHELLS else " ".join(map(str, found))
    if isinstance(found, str) and found.strip():
        yield "command", " ".join(found.split())


def _codex_turns(entries: Sequence[Mapping[str, Any]]) -> Iterator[tuple[Speaker, str]]:
    payloads = [one["payload"] for one in entries if isinstance(one.get("payload"), dict)]
    if any(isinstance(one.get("source"), dict) for one in payloads):
        return  # another agent asked, and no person
    events = any(one.get("type") == "user_message" for one in payloads)
    for one in payloads:
        kind, role = one.get("type"), one.get("role")
        if kind == "user_message":
            yield "person", str(one.get("message", ""))
        elif kind == "message" and role == "user":
            text = _texts(one.get("content"))
            # What is typed stands in an event too, and what the program adds does not.
            if not events or "<user_shell_command>" in text:
                yield "person", text
        elif kind == "function_call":
            yield from _command(one.get("arguments"))
        elif kind in ("function_call_output", "custom_tool_call_output", "agent_message", "message"):
            told = one.get("output", one.get("message", one.get("content", "")))
            yield "agent" if kind in ("agent_message", "message") else "output", _texts(told) or str(told)
