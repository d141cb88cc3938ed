"""Learned functions as typed ones with Google docstrings, and as tools with a JSON schema; both say the same."""

from __future__ import annotations

import ast
import json
import re
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from evolve.core.episodes import Json, Row
from evolve.skills import modules_used
from evolve.skills.export.description import is_short, kind_in_words, may_stand
from evolve.skills.export.leaving import ExportedSkill
from evolve.skills.signatures import names_of, types_of

_HEAD = '''"""The functions, typed; see ``learned`` for what they compute."""

from typing import Any

from ._calls import call as _call
'''
_TYPED_DICT = """
try:  # pydantic takes this one alone before Python 3.12
    from typing_extensions import TypedDict
except ImportError:
    from typing import TypedDict
"""
_PLAIN = {"str": "string", "int": "integer", "float": "number", "bool": "boolean", "None": "null"}
_MOST_KEYS = 40


@dataclass(frozen=True, kw_only=True)
class _Record:
    """What a row of a table holds.

    Attributes:
        keys: Type by column.
        required: Columns that every row had.
    """

    keys: tuple[tuple[str, str], ...]
    required: frozenset[str]


def functions_source(skills: Sequence[ExportedSkill]) -> str:
    """Source of a module with one typed function for each skill."""
    parts, records = [], False
    for one in skills:
        record = _record(one.judged.rows)
        name = "".join(word.capitalize() for word in one.skill.entry.split("_")) + "Row"
        if record is not None and "row" in one.skill.signature:
            keys = "".join(
                f"        {json.dumps(key)}: {_annotation(kind, '')},\n"
                for key, kind in record.keys
                if key in record.required
            )
            parts.append(f'{name} = TypedDict(\n    "{name}",\n    {{\n{keys}    }},\n)\n')
            records = True
        else:
            name = ""
        parts.append(_function(one, name))
    return _HEAD + (_TYPED_DICT if records else "") + "".join(f"\n\n{part}" for part in parts)


def _function(one: ExportedSkill, record: str) -> str:
    skill = one.skill
    names, (takes, gives) = names_of(skill.signature), types_of(skill.signature)
    typed = ", ".join(f"{name}: {_annotation(kind, record)}" for name, kind in zip(names, takes, strict=True))
    # Only a text can also say what was wrong: who reads the hint must not count on another type.
    result = gives if gives in ("str", "str | None") else "Any"
    given = ", ".join(f'"{name}": {name}' for name in names)
    first, _, rest = one.description.partition(". ")
    lines = [first.rstrip(".") + ".", *(["", *textwrap.wrap(rest, 100)] if rest else []), ""]
    if names:
        lines += ["Args:", *(f"    {name}: {told}" for name, told in _told_arguments(one))]
    lines += [
        "",
        "Returns:",
        f"    {kind_in_words(gives).capitalize()}; a text where an argument is wrong, or unlike all that was verified.",
    ]
    if one.example_calls:
        lines += ["", "Example:", f"    {_example(skill.entry, one.example_calls[0])}"]
    text = "\n".join(f"    {line}".rstrip() for line in lines).replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    body = f'    """{text.strip()}\n    """\n    return _call("{skill.entry}", {{{given}}})\n'
    return f"def {skill.entry}({typed}) -> {result}:\n{body}"


def tool_of(one: ExportedSkill) -> dict[str, Json]:
    """Name, description, schema and conditions of the arguments, and whether it needs a time limit."""
    skill = one.skill
    record = _record(one.judged.rows)
    takes, _ = types_of(skill.signature)
    properties = {
        name: {**_schema(kind, record), "description": told}
        for kind, (name, told) in zip(takes, _told_arguments(one), strict=True)
    }
    schema = {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}
    told = {"name": skill.entry, "description": one.description, "inputSchema": schema}
    return {**told, "mayHang": _may_hang(skill.code), "needs": one.needs}


def _may_hang(code: str) -> bool:
    """Whether a source may run on without end: it loops on a condition, calls itself, or uses powers or patterns."""
    tree = ast.parse(code)
    places = {node.name: node.lineno for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    for node in ast.walk(tree):
        if isinstance(node, ast.While) or (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow | ast.LShift)):
            return True
        # Who only calls what stands above is in no circle.
        if isinstance(node, ast.Name) and (node.id in _ENDLESS or places.get(node.id, 0) > _above(tree, node)):
            return True
    return any(name in _ENDLESS for name in modules_used(code))


_ENDLESS = frozenset({"range", "pow", "re", "itertools", "math"})


def _above(tree: ast.Module, name: ast.Name) -> int:
    """The line before the definition at the top that a name stands in."""
    starts = [node.lineno for node in tree.body if node.lineno <= name.lineno <= (node.end_lineno or node.lineno)]
    return starts[-1] - 1 if starts else name.lineno


def _annotation(kind: str, record: str) -> str:
    text = re.sub(r"\brow\b", record or "dict[str, Any]", kind)
    return re.sub(r"\bany\b", "Any", text)


def _schema(kind: str, record: _Record | None) -> dict[str, Json]:
    kind = kind.strip()
    if kind.endswith("| None"):
        return {"anyOf": [_schema(kind.removesuffix("| None"), record), {"type": "null"}]}
    if inner := re.fullmatch(r"list\[(.+)\]", kind):
        return {"type": "array", "items": _schema(inner[1], record)}
    if inner := re.fullmatch(r"dict\[str, (.+)\]", kind):
        return {"type": "object", "additionalProperties": _schema(inner[1], record)}
    if kind == "row":
        known = () if record is None else record.keys
        columns = {key: _schema(each, None) for key, each in known}
        return {"type": "object", "properties": columns, "required": sorted(record.required) if record else []}
    return {"type": _PLAIN[kind]} if kind in _PLAIN else {}


def _told_arguments(one: ExportedSkill) -> list[tuple[str, str]]:
    names, (takes, _) = names_of(one.skill.signature), types_of(one.skill.signature)
    told = []
    for place, (name, kind) in enumerate(zip(names, takes, strict=True)):
        values = [
            row.input[place] for row in one.example_calls if place < len(row.input) and is_short(row.input[place])
        ]
        text = kind_in_words(kind).capitalize()
        told.append((name, f"{text}, such as {json.dumps(values[0])}." if values else f"{text}."))
    return told


def _example(entry: str, row: Row) -> str:
    call = f"{entry}({', '.join(map(repr, row.input))}) gives {row.output!r}"
    return call if len(call) <= 300 else f"{call[:300]} ..."


def _record(rows: Sequence[Row]) -> _Record | None:
    """The columns of the rows that calls hold; None where there are none, or a label may not leave."""
    found = [row for call in rows for value in call.input for row in _records(value)]
    kinds: dict[str, str] = {}
    for row in found:
        for key, value in row.items():
            kind = type(value).__name__ if isinstance(value, str | bool | int | float) else "any"
            known = kinds.setdefault(key, kind)
            if known != kind:
                kinds[key] = "float" if {known, kind} == {"int", "float"} else "any"
    if not kinds or len(kinds) > _MOST_KEYS or not all(map(may_stand, kinds)):
        return None
    return _Record(keys=tuple(kinds.items()), required=frozenset(kinds).intersection(*(row.keys() for row in found)))


def _records(value: Json) -> Iterator[dict[str, Json]]:
    if isinstance(value, dict):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from _records(item)
