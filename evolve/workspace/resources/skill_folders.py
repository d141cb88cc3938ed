"""Skills as files: those in ``skills/`` that no run uses, and admitted ones as tools of another program."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from evolve.core.episodes import Json
from evolve.core.errors import SandboxUnavailable, UsageError
from evolve.runtime.functions.json_values import argument_problem
from evolve.runtime.sandbox import Program, Sandbox, SandboxLimits
from evolve.skills.export.description import describe
from evolve.skills.folder import folder_changes
from evolve.skills.parameters import read_arguments_alone
from evolve.skills.signatures import names_of
from evolve.tasks.signature import SignatureError, TypeExpr, is_plain_name, parse_signature

if TYPE_CHECKING:
    from evolve.skills import Skill, SkillRepository


# Set aside by a repair, which said so.
_ASIDE = re.compile(r"\.damaged(-\d+)?\Z")
_LARGEST = 1 << 20


@dataclass(frozen=True, kw_only=True)
class UnusedFolder:
    """A folder of a skill that evolve does not use, or not as it is.

    Attributes:
        why: What evolve uses instead, in one sentence.
        fix: What a person can do about it, with the command.
    """

    name: str
    why: str
    fix: str


def unused_folders(library: SkillRepository | None, folder: Path) -> Iterator[UnusedFolder]:
    """Everything in ``skills/`` that nobody uses as it is, by name; reads, and runs nothing of it.

    Args:
        library: None where there is no record yet, so that no skill was learned.
    """
    skills = [] if library is None else library.list()
    known = {skill.name: skill for skill in skills}
    damaged = {} if library is None else library.quarantined
    found = list(folder.iterdir()) if folder.is_dir() else []
    names = sorted(path.name for path in found if path.is_dir() or (path.suffix == ".py" and path.is_file()))
    for name in names:
        if name in known:
            yield from _edited(known[name], folder / name)
        elif not (name.startswith(".") or _ASIDE.search(name) or name in damaged):
            yield _stranger(folder / name, skills)


def _edited(skill: Skill, folder: Path) -> Iterator[UnusedFolder]:
    files = ", ".join(folder_changes(skill, folder)[:5])
    if not files or skill.status in ("retired", "draft") or skill.is_hidden:
        return
    why = f"{files} in {folder} changed, and evolve uses {skill.name} as it was learned"
    if skill.owner == "user":
        learn = "evolve run --examples ROWS.csv, with rows that show the change, learns it as another skill"
        fix = f"evolve skills show {skill.name} shows the code in use; {learn}"
    else:
        fix = f"evolve skills own {skill.name} keeps your files; evolve status --repair writes them anew"
    yield UnusedFolder(name=skill.name, why=why, fix=fix)


def _stranger(folder: Path, skills: list[Skill]) -> UnusedFolder:
    file = folder if folder.suffix == ".py" else folder / "skill.py"
    # Nothing is read where it is no plain file of a plain folder.
    plain = not folder.is_symlink() and not file.is_symlink() and file.is_file() and file.stat().st_size <= _LARGEST
    code = file.read_bytes() if plain else b""
    twin = next((skill for skill in skills if code and skill.code.encode() == code), None)
    if twin is not None:
        why = f"{folder} is a copy of the skill {twin.name}, and evolve uses that one"
        fix = f"evolve skills own {twin.name} makes that one yours; remove the copy"
    else:
        why = f"evolve did not learn the skill in {folder}, so no run uses it"
        learn = "evolve run --examples ROWS.csv, with rows that show what it does, learns a skill and admits it"
        if code:
            fix = (
                f"evolve fill TABLE --function {shlex.quote(str(file))} applies it; {learn}, then remove {folder.name}"
            )
        else:
            fix = f"{learn}; evolve memory note TEXT keeps an instruction"
    return UnusedFolder(name=folder.name, why=why, fix=fix)


_SCALARS = {"int": "integer", "float": "number", "bool": "boolean", "str": "string", "None": "null"}


def argument_schemas(signature: str, rows: Sequence[Sequence[Json]] = ()) -> tuple[dict[str, Json], dict[str, Json]]:
    """JSON Schemas of the arguments, of which those that may be None may be left out, and of ``{"result": value}``.

    ``rows`` are arguments of calls, from which the keys of rows are known. What is no signature is a SignatureError.
    """
    parsed, columns = parse_signature(signature), list(zip(*rows, strict=False))
    takes = {one.name: _schema(one.type, *columns[at : at + 1]) for at, one in enumerate(parsed.parameters)}
    needed = [one.name for one in parsed.parameters if one.type.name != "optional"]
    result = {"type": "object", "properties": {"result": _schema(parsed.result)}, "required": ["result"]}
    return {"type": "object", "properties": takes, "required": needed, "additionalProperties": False}, result


def _schema(kind: TypeExpr, cells: Iterable[Json] = ()) -> dict[str, Json]:
    match kind.name:
        case "optional":
            return {"anyOf": [_schema(kind.args[0], cells), {"type": "null"}]}
        case "list":
            return {"type": "array", "items": _schema(kind.args[0])}
        case "dict":
            return {"type": "object", "additionalProperties": _schema(kind.args[0])}
        case "row":
            keys = {key for cell in cells if isinstance(cell, dict) for key in cell if is_plain_name(key)}
            return {"type": "object", "properties": {key: {} for key in sorted(keys)}}
    return {"type": _SCALARS[kind.name]} if kind.name in _SCALARS else {}


def order_arguments(signature: str, arguments: Mapping[str, Json]) -> list[Json]:
    """The arguments in order, None for what is left out; a UsageError names one that is missing, unknown or wrong."""
    takes, _ = argument_schemas(signature)
    if problem := argument_problem(takes)(arguments):
        raise UsageError(f"the arguments do not fit {signature}: {problem}")
    return [arguments.get(name) for name in takes["properties"]]


def skill_tools(skills: Sequence[Skill], reserved: Collection[str]) -> dict[str, dict[str, Json]]:
    """See :meth:`evolve.workspace.runs.skills.Skills.tools`."""
    taken = Counter([*(skill.entry for skill in skills), *reserved])
    tools: dict[str, dict[str, Json]] = {}
    for skill in sorted(skills, key=lambda one: (-len(one.tasks), one.status == "idle", one.name)):
        # Of several functions with one name none has it, so that a name goes on meaning the same.
        own = skill.entry if taken[skill.entry] == 1 and len(skill.entry) <= 64 else ""
        others = (skill.name.replace("-", "_"), f"skill_{skill.digest[:12]}")
        name = own or next(one for one in others if one.isidentifier() and one not in taken)
        with suppress(SignatureError):
            read = read_arguments_alone(skill)[0]
            takes, gives = argument_schemas(read.signature, [row.input for row in read.rows])
            both = {"inputSchema": takes, "outputSchema": gives}
            tools[skill.name] = {"name": name, "description": describe(skill), **both}
    return tools


def call_skill(skill: Skill, arguments: Mapping[str, Json], sandbox: Sandbox, seconds: float) -> Json:
    """See :meth:`evolve.workspace.runs.skills.Skills.call`."""
    known, (skill, _) = names_of(skill.signature), read_arguments_alone(skill)
    unread = {*known} - {*names_of(skill.signature)}  # whoever knows the whole function may go on giving them
    try:
        given = {name: value for name, value in arguments.items() if name not in unread}
        row, limits = order_arguments(skill.signature, given), SandboxLimits(wall_s=seconds)
        if (abstained := skill.abstention_for(row)) is not None:
            raise UsageError(f"{skill.name} abstains: {abstained.reason}")
        result = sandbox.run_programs([Program(source=skill.code, entry=skill.entry)], [row], limits)
    except ValueError as error:  # as of a number that JSON does not know
        raise UsageError(f"{skill.name} cannot be called like that: {error}") from error
    if result.fault:
        raise SandboxUnavailable(f"{skill.name} could not be called: {result.fault}", hint="evolve status")
    (ran,) = result.programs
    problem = f"it took longer than {seconds:g} s" if result.timed_out else ran.error or ran.outputs[0].error
    value = None if problem else ran.outputs[0].value
    if problem := problem or argument_problem(argument_schemas(skill.signature)[1])({"result": value}):
        raise UsageError(f"{skill.name} gives nothing of use for these arguments: {problem}")
    return value
