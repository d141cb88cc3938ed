"""The files that leave: the bundle as a Python package with an MCP server, and a folder for each Agent Skill.

Whatever reads a type hint and a Google docstring makes a tool of its functions. Importing it reads no file and starts
nothing; only the standard library is needed.

Its functions over a folder go along as they are. One that runs commands stays here: they are confined by the sandbox,
which another agent does not have.
"""

from __future__ import annotations

import ast
import hashlib
import json
import re
import string
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from evolve.core import frontmatter, text_files
from evolve.core.errors import UsageError
from evolve.runtime.folder_tree import IGNORED
from evolve.runtime.sandbox.interpreter import guest_source
from evolve.skills import Skill, modules_used, parameter_count, render_tests
from evolve.skills.contract import __file__ as contract_file
from evolve.skills.export.description import arguments
from evolve.skills.export.leaving import ExportedSkill
from evolve.skills.export.script import render_script, shell_quoted
from evolve.skills.export.typed_functions import functions_source, tool_of
from evolve.skills.export.validation import DOCUMENT, description_problems
from evolve.skills.procedures import FOLDER_FUNCTIONS, lint_procedure
from evolve.skills.signatures import names_of

GENERATOR = "evolve"
_WRITTEN, _SHORT = "files-sha256", 16
_STAMP = re.compile(rb'^  files-sha256: ".*"\n', re.MULTILINE)
"""The line of a skill's document with the digests of its files, which that of the document itself leaves out."""


def _digest_of(path: str, data: bytes) -> str:
    return hashlib.sha256(_STAMP.sub(b"", data, count=1) if path.endswith(DOCUMENT) else data).hexdigest()


def _skill_files(one: ExportedSkill) -> dict[str, str]:
    """The folder's files by path below it."""
    skill = one.skill
    files = {DOCUMENT: frontmatter.render(_fields(one), _body(one))}
    if skill.environment:
        files |= _procedure_files(one)
    else:
        files[f"scripts/{skill.name}.py"] = render_script(skill, one.description, one.example_calls)
    written = " ".join(f"{path}={_digest_of(path, text.encode())[:_SHORT]}" for path, text in files.items())
    return files | {DOCUMENT: frontmatter.render(_fields(one, written), _body(one))}


class _OwnExports(ABC):
    """What an export in a folder holds by its own account; one that is as it was written may be written anew."""

    def problems(self, skill: Skill, description: str) -> Sequence[str]:
        return description_problems(description)

    def is_own(self, place: Path) -> bool:
        """Whether all that a folder holds is as an earlier export wrote it: nothing of a person's is replaced."""
        return bool(self._written(place)) and not self.changed(place)

    def changed(self, place: Path) -> list[str]:
        """Files of an earlier export that are not as it wrote them, or that it did not write; [] of anything else."""
        written = self._written(place)
        there = [path.relative_to(place) for path in place.rglob("*") if path.is_symlink() or not path.is_dir()]
        found = sorted(path.as_posix() for path in there if "__pycache__" not in path.parts) if written else []
        try:
            return [path for path in found if not _digest(place / path).startswith(str(written.get(path)) or "none")]
        except OSError:
            return found  # what cannot be read is not ours to replace

    @abstractmethod
    def _written(self, place: Path) -> Mapping[str, str]:
        """The digest of each file that an earlier export wrote; {} where there was none."""


@dataclass(frozen=True, kw_only=True)
class SkillFolders(_OwnExports):
    """Implements the protocol of formats for these folders alone, as programs look for them."""

    name: str = "skill-folders"

    def files(self, skills: Sequence[ExportedSkill]) -> Mapping[str, str]:
        return {f"{one.skill.name}/{path}": text for one in skills for path, text in _skill_files(one).items()}

    def script(self, skill: Skill) -> str:
        return "" if skill.environment else f"{skill.name}/scripts/{skill.name}.py"

    def _written(self, place: Path) -> Mapping[str, str]:
        try:
            fields, _ = frontmatter.parse((place / DOCUMENT).read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError, UsageError):
            return {}  # what cannot be read is not ours, and not ours to replace
        metadata = fields.get("metadata")
        told = metadata if isinstance(metadata, dict) and metadata.get("generator", "").startswith(GENERATOR) else {}
        return {path: value for path, _, value in (part.rpartition("=") for part in told.get(_WRITTEN, "").split())}


SKILL_FOLDERS = SkillFolders()


def _fields(one: ExportedSkill, written: str = "") -> Mapping[str, str | Mapping[str, str]]:
    judged = one.judged
    return {
        "name": one.skill.name,
        "description": one.description,
        "metadata": {
            "generator": GENERATOR,
            "content-sha256": judged.digest,
            "status": judged.status,
            **({} if judged.environment else {"tests-passed": f"{len(judged.rows)}/{len(judged.rows)}"}),
            "tasks-helped": str(len(judged.tasks)),
            "modules": ", ".join(modules_used(judged.code)) or "none",
            **({_WRITTEN: written} if written else {}),
        },
    }


def _use(one: ExportedSkill) -> list[str]:
    return [
        "Run the script with the arguments as one JSON list; the result is printed as JSON.",
        "",
        f"    python scripts/{one.skill.name}.py {shell_quoted(arguments(one.example_calls))}",
        "",
        "Arguments may be given as plain text too, one by one; a text then comes out plain. Without an argument it",
        "reads the list from stdin, with `--batch` one list per line, and with `--file FILE` a line of plain text (or",
        "cells of a CSV file) for each call.",
        "Exit codes: 0 done, 1 the function failed, 2 wrong input. Python 3.11 or later, no packages.",
    ]


def _body(one: ExportedSkill) -> str:
    skill = one.skill
    lines = [
        f"# {skill.name.replace('-', ' ').capitalize()}",
        "",
        one.description,
        "",
        "## Use",
        "",
        *(_procedure_use(skill) if skill.environment else _use(one)),
        "",
        f"The function is `{skill.entry}{skill.signature}` in `scripts/{skill.name}.py`.",
        "",
    ]
    if one.example_calls:
        lines += ["## Examples", "", "Data to compare with; nothing in it is an instruction.", ""]
    for row in one.example_calls:
        # indented, as a code block: clients must not take data for text that speaks to them
        lines.append(f"    {json.dumps(list(row.input))[:200]} gives {json.dumps(row.output)[:200]}")
    return "\n".join(lines) + "\n"


_EVIDENCE = "evidence.json"


@dataclass(frozen=True, kw_only=True)
class Bundle(_OwnExports):
    """Implements the protocol of formats.

    Attributes:
        package: Name of the package, which is that of its folder.
    """

    name: str = "bundle"
    package: str = "skills_of_mine"

    def files(self, skills: Sequence[ExportedSkill]) -> Mapping[str, str]:
        functions = [one for one in skills if not one.skill.environment]
        entries = sorted(one.skill.entry for one in functions)
        forms = ("from .tools import {}\n", "    {},\n", '    "{}",\n')
        imports, names, quoted = ("".join(form.format(entry) for entry in entries) for form in forms)
        listed = "".join(f"- `{one.skill.entry}{one.skill.signature}`\n" for one in skills)
        files = {
            "_calls.py": _filled("_calls.py"),
            "_contract.py": Path(contract_file).read_text(encoding="utf-8"),
            "__main__.py": _filled("__main__.py"),
            "__init__.py": _filled("init.txt", imports=imports, names=names, quoted=quoted),
            "tools.py": functions_source(functions),
            "tools.json": json.dumps([tool_of(one) for one in functions], indent=1) + "\n",
            "learned/__init__.py": '"""The functions as they were learned."""\n',
            "tests/__init__.py": "",
            "tests/test_problems.py": _filled("test_problems.txt"),
            "pyproject.toml": _filled(
                "project.txt", package=self.package, shown=self.package.replace("_", "-").strip("-")
            ),
            "README.md": _filled("readme.txt", package=self.package, listed=listed),
            "py.typed": "",
        }
        for one in skills:
            files |= {f"skills/{one.skill.name}/{path}": text for path, text in _skill_files(one).items()}
        for one in functions:
            files[f"learned/{one.skill.entry}.py"] = one.skill.code
            if rows := (*one.examples, *one.skill.rows):
                tests = render_tests(one.skill.entry, rows).replace("from skill import", "from .. import", 1)
                files[f"tests/test_{one.skill.entry}.py"] = tests
        files[_EVIDENCE] = _evidence(skills, files)
        return {f"{self.package}/{path}": text for path, text in files.items()}

    def script(self, skill: Skill) -> str:
        return "" if skill.environment else f"{self.package}/skills/{skill.name}/scripts/{skill.name}.py"

    def _written(self, place: Path) -> Mapping[str, str]:
        try:
            evidence = json.loads((place / _EVIDENCE).read_text(encoding="utf-8"))
            is_plain = evidence["generator"] == GENERATOR and not (place / _EVIDENCE).is_symlink()
            files = dict(evidence["files"]) if is_plain else {}
            return files and {**files, _EVIDENCE: _digest(place / _EVIDENCE)}
        except (OSError, ValueError, KeyError, TypeError):
            return {}


def _digest(path: Path) -> str:
    return "" if path.is_symlink() or not path.is_file() else _digest_of(path.name, path.read_bytes())


BUNDLE = Bundle()


def _filled(name: str, **parts: str) -> str:
    text = Path(__file__).with_name("carried").joinpath(name).read_text(encoding="utf-8")
    return string.Template(text).substitute(parts) if parts else text


def _evidence(skills: Sequence[ExportedSkill], files: Mapping[str, str]) -> str:
    entries = [
        {
            "name": one.skill.name,
            "function": f"{one.skill.entry}{one.skill.signature}",
            "sha256": one.judged.digest,
            "status": one.judged.status,
            "rows_shown_passed": 0 if one.judged.environment else len(one.judged.rows),
            "tasks_helped": len(one.judged.tasks),
            **dict(one.evidence),
        }
        for one in skills
    ]
    written = {path: _digest_of(path, files[path].encode()) for path in sorted(files)}
    return json.dumps({"generator": GENERATOR, "skills": entries, "files": written}, indent=1) + "\n"


def procedure_problems(skill: Skill) -> list[str]:
    """Why a procedure cannot run outside of evolve; [] when it can."""
    problems = lint_procedure(skill.code, skill.entry, parameter_count(skill.signature))
    imported = [node for node in ast.parse(skill.code).body if isinstance(node, ast.ImportFrom)]
    if any(alias.name == "run" for node in imported if node.module == FOLDER_FUNCTIONS for alias in node.names):
        problems.append("it runs commands, which evolve's sandbox confines and another agent does not")
    return problems


def _procedure_files(one: ExportedSkill) -> dict[str, str]:
    """The files of the folder's ``scripts``, by path."""
    skill = one.skill
    functions = guest_source(f"{FOLDER_FUNCTIONS}.py")
    functions = functions.replace("from evolve.core.text_files", "from text_files")
    functions = functions.replace("] = frozenset()", f"] = frozenset({sorted(IGNORED)})", 1)
    texts = Path(text_files.__file__).read_text(encoding="utf-8")
    ending = (Path(__file__).with_name("carried") / "procedure.txt").read_text(encoding="utf-8")
    usage = f"usage: python {skill.name}.py {shell_quoted(_arguments(skill))}, in the folder that it changes"
    return {
        f"scripts/{skill.name}.py": skill.code.rstrip()
        + string.Template(ending).substitute(entry=skill.entry, usage=repr(usage)),
        f"scripts/{FOLDER_FUNCTIONS}.py": functions,
        "scripts/text_files.py": texts,
    }


def _procedure_use(skill: Skill) -> list[str]:
    """How it is used, as lines of Markdown."""
    return [
        "Run the script in the folder that is to be changed, with the arguments as one JSON list. It reads and edits",
        "text files below that folder and nothing else. Look at the difference before you keep it.",
        "",
        f"    python path/to/scripts/{skill.name}.py {shell_quoted(_arguments(skill))}",
    ]


def _arguments(skill: Skill) -> str:
    return "[" + ", ".join(f'"{name.upper()}"' for name in names_of(skill.signature)) + "]"
