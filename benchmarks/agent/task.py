"""The sixty tasks as values, read from ``tasks``.

An arm is given an :class:`AgentTask`. What the double knows about it, with the reference solution, is apart in
:class:`Knowledge`, which no arm gets.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

TASKS = Path(__file__).with_name("tasks")
Kind = Literal["rows", "folder", "words", "family"]
Shape = Literal["rows", "folder", "words"]


@dataclass(frozen=True, kw_only=True)
class Row:
    """Arguments of a call and what it has to give."""

    input: Sequence[Any]
    output: Any


@dataclass(frozen=True, kw_only=True)
class AgentTask:
    """One task as a person would set it.

    Attributes:
        role: ``practise`` or ``unseen`` for a task of a family, else "".
        shape: What it is about: rows, a folder with a check, or a question in words on the files of a folder.
        entry: Name of the function that is wanted, of rows.
        shown: Rows an agent may see and run its function on.
        hidden: Rows only the judge reads; an agent that refuses answers by itself may be given some of them to do so.
        files: Path to content, of a folder.
        check: Command that an agent may run in the folder.
        hidden_files: Tests that only the judge puts into a copy of the folder.
        hidden_check: Command that runs them.
    """

    id: str
    kind: Kind
    family: str
    role: str
    instruction: str
    shape: Shape
    entry: str = ""
    shown: tuple[Row, ...] = ()
    hidden: tuple[Row, ...] = ()
    files: Mapping[str, str] = field(default_factory=dict)
    check: str = ""
    hidden_files: Mapping[str, str] = field(default_factory=dict)
    hidden_check: str = ""


@dataclass(frozen=True, kw_only=True)
class Knowledge:
    """What the double is able to do on one task, and what it has to see before it does.

    Attributes:
        right: The reference: source of the function or the program, or the changed files of a folder.
        guess: What it writes where it believes it knows; empty where it knows or looks.
        second: Source of a second wrong guess, after one comparison where ``clues`` are more.
        at_sight: Whether seeing ``needs_rows`` is enough to be right at once.
        clues: How many wrong rows, each with what came out and what was wanted, show what is meant.
        needs: Lines of the folder without which it cannot begin.
        reads: Files it looks into, group after group.
        knows: Texts of the folder that keep it from the wrong guess.
        shows: Texts of a failed check that say what was wrong with the guess.
        label: What its program prints before the answer, of words.
        rule: The house rule of the family in one sentence, or "".
        terms: Groups of words; a line with one of each group states the rule.
    """

    task: AgentTask
    right: Any
    guess: Any
    second: str
    at_sight: bool
    clues: int
    needs_rows: Sequence[int]
    needs: Sequence[str]
    reads: Sequence[Sequence[str]]
    knows: Sequence[str]
    shows: Sequence[str]
    label: str
    expected: str
    rule: str
    terms: Sequence[Sequence[str]]


@lru_cache(maxsize=1)
def knowledge() -> Mapping[str, Knowledge]:
    """Everything in ``tasks``, by task id, kinds together and families in the order in which they are practised."""
    rules = json.loads((TASKS / "rules.json").read_text(encoding="utf-8"))
    lines = [*_lines("rows.jsonl"), *_lines("families_rows.jsonl")]
    trees = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(TASKS.glob("*/*.json"))]
    found = [_read(record, rules) for record in (*lines, *trees)]
    order = ("rows", "folder", "words", "family")
    roles = ("", "practise", "unseen")
    found.sort(key=lambda known: (order.index(known.task.kind), roles.index(known.task.role)))
    return {known.task.id: known for known in found}


def load_tasks() -> tuple[AgentTask, ...]:
    """The tasks without the answers."""
    return tuple(known.task for known in knowledge().values())


def expected_of(task: AgentTask) -> str:
    """The answer to a question in words; for the judge."""
    return knowledge()[task.id].expected


def _lines(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (TASKS / name).read_text(encoding="utf-8").splitlines()]


def _read(record: Mapping[str, Any], rules: Mapping[str, Any]) -> Knowledge:
    shape: Shape = "rows" if "shown" in record else "words" if record["kind"] == "words" else "folder"
    rule = rules.get(record["family"], {"rule": "", "terms": []})
    task = AgentTask(
        **{name: record[name] for name in ("id", "kind", "family", "role", "instruction")},
        shape=shape,
        entry=record.get("entry", ""),
        shown=_rows(record.get("shown", ())),
        hidden=_rows(record.get("hidden", ())),
        files=_tree(record.get("files", {})),
        check=record.get("check", ""),
        hidden_files=_tree(record.get("hidden_files", {})),
        hidden_check=record.get("hidden_check", ""),
    )
    folder = shape == "folder"
    return Knowledge(
        task=task,
        right=_tree(record["right"]) if folder else record["right"],
        guess=_tree(record["guess"]) if folder else record["guess"],
        second=record.get("second", ""),
        at_sight=record.get("at_sight", False),
        clues=record.get("clues", 1) if shape == "rows" else 1,
        needs_rows=record.get("needs_rows", ()),
        needs=record.get("needs", ()),
        reads=record.get("reads", ()),
        knows=record.get("knows", ()),
        shows=record.get("clues", ()) if folder else (),
        label=record.get("label", ""),
        expected=record.get("expected", ""),
        rule=rule["rule"],
        terms=rule["terms"],
    )


def _rows(rows: Sequence[Mapping[str, Any]]) -> tuple[Row, ...]:
    return tuple(Row(input=row["input"], output=row["output"]) for row in rows)


def _tree(tree: Mapping[str, Sequence[str]]) -> dict[str, str]:
    return {path: "\n".join(lines) for path, lines in tree.items()}
