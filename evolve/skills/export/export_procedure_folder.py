"""A procedure as an Agent Skills folder: instructions and a script that changes the folder in which it is run.

Its functions over a folder go along as they are. One that runs commands stays here: they are confined by the sandbox,
which another agent does not have.
"""

from __future__ import annotations

import ast
import string
from pathlib import Path

from evolve.core import text_files
from evolve.runtime.folder_tree import IGNORED
from evolve.runtime.sandbox.interpreter import guest_source
from evolve.skills import Skill, parameter_count
from evolve.skills.export.leaving import ExportedSkill
from evolve.skills.export.script import shell_quoted
from evolve.skills.procedures import FOLDER_FUNCTIONS, lint_procedure
from evolve.skills.signatures import names_of


def procedure_problems(skill: Skill) -> list[str]:
    """Why a procedure cannot run outside of evolve; [] when it can."""
    problems = lint_procedure(skill.code, skill.entry, parameter_count(skill.signature))
    imported = [node for node in ast.parse(skill.code).body if isinstance(node, ast.ImportFrom)]
    if any(alias.name == "run" for node in imported if node.module == FOLDER_FUNCTIONS for alias in node.names):
        problems.append("it runs commands, which evolve's sandbox confines and another agent does not")
    return problems


def procedure_files(one: ExportedSkill) -> dict[str, str]:
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


def procedure_use(skill: Skill) -> list[str]:
    """How it is used, as lines of Markdown."""
    return [
        "Run the script in the folder that is to be changed, with the arguments as one JSON list. It reads and edits",
        "text files below that folder and nothing else. Look at the difference before you keep it.",
        "",
        f"    python path/to/scripts/{skill.name}.py {shell_quoted(_arguments(skill))}",
    ]


def _arguments(skill: Skill) -> str:
    return "[" + ", ".join(f'"{name.upper()}"' for name in names_of(skill.signature)) + "]"
