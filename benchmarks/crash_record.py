"""What a workspace holds, without times, so that two can be compared; and what was acknowledged."""

from __future__ import annotations

import json
import re
import shutil
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evolve.core.paths import WorkspacePaths
from evolve.core.schema import MIGRATIONS
from evolve.core.store import Database
from evolve.skills.folder import folder_digest
from evolve.workspace.opening import workspace_identity

_TIMES = frozenset({"at", "started", "seconds", "fingerprint", "checksum"})
"""Columns and keys that differ from one undisturbed run to the next."""

_PLACED = ("memory_sources", "episode_lessons")
"""Sources in their rows begin with a digest of the place of a task file, and every trial has a folder of its own."""

Content = Mapping[str, Counter[str]]
"""How often each row, object reference and skill folder is there, by table."""


def content(root: Path) -> Content:
    """Everything that a workspace keeps for good.

    Raises:
        EvolveError: The record cannot be read, or is damaged.
    """
    paths = WorkspacePaths(root)
    found: dict[str, Counter[str]] = {}
    with Database(paths.db, MIGRATIONS, read_only=True) as db:
        problems = db.check()
        for table in _tables(db):
            found[table] = Counter(_text(_anywhere(row) if table in _PLACED else row) for row in db.rows(table))
        # Drawn at random; what counts is that record and store agree.
        found["meta"] = Counter(text.replace(workspace_identity(paths) or "?", "ITS NUMBER") for text in found["meta"])
        if "skills" in found:
            found["skill folders"] = Counter(_folder(paths, str(row["name"])) for row in db.rows("skills"))
    found["damage"] = Counter(problems)
    return found


def _tables(db: Database) -> list[str]:
    sql = "SELECT m.name FROM sqlite_master AS m, pragma_table_info(m.name) AS c WHERE m.type = 'table'"
    return sorted(str(row["name"]) for row in db.query(sql + " AND c.name = 'checksum'"))


def _folder(paths: WorkspacePaths, name: str) -> str:
    return f"{name} {folder_digest(paths.skills / name)}"


def _anywhere(row: Mapping[str, Any]) -> Mapping[str, Any]:
    """The row with what the tasks were, and not where they lay."""
    return {**row, "source": str(row["source"]).rpartition(" ")[2]}


def _text(row: Mapping[str, Any]) -> str:
    return json.dumps(_timeless(row), sort_keys=True)


def _timeless(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _timeless(item) for key, item in value.items() if key not in _TIMES}
    if isinstance(value, str) and value[:1] in ("{", "["):
        try:
            return _timeless(json.loads(value))
        except ValueError:
            return value
    return [_timeless(item) for item in value] if isinstance(value, list | tuple) else value


@dataclass(frozen=True, kw_only=True)
class Difference:
    """How a workspace differs from the one of an undisturbed run."""

    lost: int
    extra: int
    first: str


def compare(found: Content, wanted: Content) -> Difference:
    """Rows that are missing, and rows too many: repeated ones and ones that should not be."""
    lost = extra = 0
    first = ""
    for table in sorted({*found, *wanted}):
        here, there = found.get(table, Counter()), wanted.get(table, Counter())
        missing, surplus = there - here, here - there
        lost, extra = lost + missing.total(), extra + surplus.total()
        if (missing or surplus) and not first:
            first = f"{table}: {_apart(sorted(missing), sorted(surplus))}"
    return Difference(lost=lost, extra=extra, first=first)


def _apart(missing: Sequence[str], surplus: Sequence[str]) -> str:
    """Where the first missing row and the surplus row most like it part; the row where there is none to compare."""
    if not missing or not surplus:
        return "".join(f"{sign} {rows[0][:200]}" for sign, rows in (("-", missing), ("+", surplus)) if rows)
    wanted = missing[0]
    found = max(surplus, key=lambda row: _shared(row, wanted))
    begin = max(0, _shared(found, wanted) - 80)
    return f"wanted ...{wanted[begin : begin + 240]} but found ...{found[begin : begin + 240]}"


def _shared(one: str, other: str) -> int:
    """Letters with which both begin."""
    return next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


_PRACTICE = re.compile(r"Practising.*: (\d+) of \d+ tasks?, \d+ solved, (\d+) new skills?")
_VARIANT = re.compile(r"Learned from practice: version (\w+)")
_SKILL = re.compile(r"learned  skill (\S+)")
_JUDGED = re.compile(r"Compared: (\w+) after")
_VERDICTS = {"accepted": "accept", "refused": "reject"}
"""What is stored, by the word that a person reads."""


def unkept(root: Path, said: str, shown: str) -> list[str]:
    """What a process said was done and the record does not hold.

    The record is looked at in a copy, as the process left it: log and all.

    Args:
        said: What the process wrote to stderr before it ended.
        shown: What it wrote to stdout.
    """
    claims = _claims(said, shown)
    if not claims or not (root / "memory_store" / "memory.db").exists():
        return [claim for claim, _ in claims]
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "memory.db"
        for file in (root / "memory_store").glob("memory.db*"):
            if not file.name.endswith("-shm"):
                shutil.copyfile(file, copy.with_name(file.name))
        with Database(copy, read_only=True) as db:
            return [claim for claim, sql in claims if not db.query(sql)]


def _claims(said: str, shown: str) -> list[tuple[str, str]]:
    """Each claim with a query that gives a row where it is true."""
    claims: list[tuple[str, str]] = []
    for match in _PRACTICE.finditer(said):
        count = f"SELECT 1 WHERE (SELECT count(*) FROM episodes WHERE split = 'train') >= {match[1]}"
        claims.append((match[0], f"{count} AND (SELECT count(*) FROM skills) >= {match[2]}"))
    claims += [(m[0], f"SELECT 1 FROM variants WHERE id LIKE '{m[1]}%'") for m in _VARIANT.finditer(said)]
    claims += [(m[0], f"SELECT 1 FROM skills WHERE name = '{m[1]}'") for m in _SKILL.finditer(said)]
    claims += [
        (m[0], f"SELECT 1 FROM gate_decisions WHERE verdict = '{_VERDICTS.get(m[1], m[1])}'")
        for m in _JUDGED.finditer(said)
    ]
    return claims + _results(shown)


def _results(shown: str) -> list[tuple[str, str]]:
    try:
        result = json.loads(shown)
    except ValueError:
        return []  # nothing, or not all of it: then nothing was acknowledged yet
    if not isinstance(result, dict):
        return []
    tables: Sequence[tuple[str, str, str]] = (
        ("episode_id", "episodes", "id"),
        ("finish_reason", "reports", "run"),
        ("author", "memory_statements", "id"),
    )
    for key, table, column in tables:
        if key in result:
            value = result["run"] if key == "finish_reason" else result["id" if key == "author" else key]
            return [(f"{table} {value}", f"SELECT 1 FROM {table} WHERE {column} = '{value}'")]
    return []
