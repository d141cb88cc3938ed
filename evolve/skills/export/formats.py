"""The bundle: a Python package of typed functions that is also an MCP server and holds Agent Skills folders.

Whatever reads a type hint and a Google docstring makes a tool of its functions. Importing it reads no file and starts
nothing; only the standard library is needed.
"""

from __future__ import annotations

import hashlib
import json
import string
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from evolve.skills import Skill, render_tests
from evolve.skills.contract import __file__ as contract_file
from evolve.skills.export.leaving import ExportedSkill
from evolve.skills.export.export_skill_folder import GENERATOR, skill_files
from evolve.skills.export.typed_functions import functions_source, tool_of
from evolve.skills.export.validation import description_problems

_EVIDENCE = "evidence.json"


@dataclass(frozen=True, kw_only=True)
class Bundle:
    """Implements the protocol of formats.

    Attributes:
        package: Name of the package, which is that of its folder.
    """

    name: str = "bundle"
    package: str = "skills_of_mine"

    def problems(self, skill: Skill, description: str) -> Sequence[str]:
        return description_problems(description)

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
            files |= {f"skills/{one.skill.name}/{path}": text for path, text in skill_files(one).items()}
        for one in functions:
            files[f"learned/{one.skill.entry}.py"] = one.skill.code
            if rows := (*one.examples, *one.skill.rows):
                tests = render_tests(one.skill.entry, rows).replace("from skill import", "from .. import", 1)
                files[f"tests/test_{one.skill.entry}.py"] = tests
        files[_EVIDENCE] = _evidence(skills, files)
        return {f"{self.package}/{path}": text for path, text in files.items()}

    def script(self, skill: Skill) -> str:
        return "" if skill.environment else f"{self.package}/skills/{skill.name}/scripts/{skill.name}.py"

    def is_own(self, place: Path) -> bool:
        """Whether all that a folder holds is as an earlier export wrote it: nothing of a person's is replaced."""
        try:
            evidence = json.loads((place / _EVIDENCE).read_text(encoding="utf-8"))
            written = dict(evidence["files"]) if evidence["generator"] == GENERATOR else {}
            there = {path.relative_to(place) for path in place.rglob("*") if path.is_symlink() or not path.is_dir()}
            found = {path.as_posix() for path in there if "__pycache__" not in path.parts} - {_EVIDENCE}
            is_plain = bool(written) and not (place / _EVIDENCE).is_symlink()
            return is_plain and all(written.get(path) == _digest(place / path) for path in found)
        except (OSError, ValueError, KeyError, TypeError):
            return False


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() and not path.is_symlink() else ""


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
    written = {path: hashlib.sha256(files[path].encode()).hexdigest() for path in sorted(files)}
    return json.dumps({"generator": GENERATOR, "skills": entries, "files": written}, indent=1) + "\n"
