"""A model for conversations: it edits files, adds numbers, and understands "the same" only where it is told of what."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from evolve.testing.doubles import prompt_of, schema_of

_TASK = re.compile(r"^Task: (.*?)(?:^A change is |^No check |^Define |^<data|\Z)", re.MULTILINE | re.DOTALL)
_REPLACE = re.compile(r"replace (\w+) by (\w+)(?:\s+in (\S+\.\w+))?", re.IGNORECASE)
_SAME = re.compile(r"the same (?:in|for) (\S+\.\w+)", re.IGNORECASE)
_ADD = re.compile(r"\badd (-?\d+) and (-?\d+)", re.IGNORECASE)
_ANSWERED = re.compile(r"(\w+\.\w+)")


@dataclass(frozen=True)
class ConversingDouble:
    """Answers by its prompt alone; implements :class:`~evolve.testing.doubles.Double`.

    It knows two kinds of request. ``replace A by B in FILE`` edits a file; ``the same in FILE`` does so only if an
    earlier request stands in the prompt; without a file it asks which. ``add N and M`` computes, with ``the same``
    referring to the sum before it. Whatever else it is asked for it gives up.
    """

    def answer(self, body: Mapping[str, Any]) -> str:
        """The reply to a prompt."""
        prompt = prompt_of(body)
        schema = schema_of(body, prompt) or {}
        asked = _TASK.findall(prompt)
        task = asked[-1].strip() if asked else ""
        title = schema.get("title")
        if title == "plan" or "subgoals" in schema.get("properties", {}):
            return json.dumps({"goal": task or "nothing", "subgoals": []})
        if "claims" in schema.get("properties", {}):
            return json.dumps({"claims": []})
        if "memories" in schema.get("properties", {}):
            return json.dumps({"memories": []})
        if not schema or "kind" in schema.get("properties", {}):
            return _reply(_action(task, prompt))
        return json.dumps({"name": "an-answer", "description": task or "nothing"})


def _reply(said: dict[str, Any]) -> str:
    """A reply in words and blocks; work in a folder is done with its one change."""
    if said["kind"] != "code":
        return json.dumps(said)
    done = "" if said["code"].startswith("def ") else "```done\n```\n"
    return f"{said['text']}\n\n```python\n{said['code']}```\n{done}"


def _action(task: str, prompt: str) -> dict[str, Any]:
    earlier = prompt.partition("Task: ")[0]
    if found := _ADD.search(task):
        return _said("code", f"def solve():\n    return {found[1]} + {found[2]}\n", "add the two numbers")
    edit, file = _edit(task, earlier), _file(task, prompt)
    if edit is None:
        return _said("finish", "", "I do not know what is meant")
    if not file:
        return _said("ask_user", "", "In which file?")
    old, new = edit
    code = (
        "from pathlib import Path\n"
        f"path = Path({file!r})\n"
        f"path.write_text(path.read_text().replace({old!r}, {new!r}))\n"
    )
    return _said("code", code, f"replace {old} by {new} in {file}")


def _edit(task: str, earlier: str) -> tuple[str, str] | None:
    """What to replace by what: as the task says, or for "the same" as the latest request before it."""
    found = _REPLACE.search(task)
    if found is None and _SAME.search(task):
        told = _REPLACE.findall(earlier)
        return (told[-1][0], told[-1][1]) if told else None
    return (found[1], found[2]) if found is not None else None


def _file(task: str, prompt: str) -> str:
    """Where: as the task says, else as the person answered when asked."""
    named = _SAME.search(task)
    if named is not None:
        return named[1]
    found = _REPLACE.search(task)
    if found is not None and found[3]:
        return found[3]
    told = prompt.rpartition("In which file?")[2] if "In which file?" in prompt else ""
    said = _ANSWERED.search(told)
    return said[1] if said is not None else ""


def _said(kind: str, code: str, text: str) -> dict[str, Any]:
    return {"thought": text, "kind": kind, "code": code, "answer": True, "text": text, "cites": [], "subgoal": 0}
