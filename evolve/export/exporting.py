"""What leaves a workspace, and how: skills in a format that other agents load.

Nothing is written unless every skill of the call passes every rule: its status, its name, the format's own rules,
secrets, that its code does nothing but define, and that what leaves gives the answers that its skill was checked to
give.
"""

from __future__ import annotations

import ast
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, Protocol, runtime_checkable

from evolve.episodes import Row
from evolve.errors import UsageError
from evolve.export.description import describe, exported_name
from evolve.export.script_check import difference
from evolve.export.validation import name_problems
from evolve.extensions import BUILT_IN, find, names, refused
from evolve.failpoints import hit
from evolve.redaction import Finding, Scanner, known_secrets
from evolve.redaction.scanner import LONGEST_NUMBER
from evolve.sandbox import Sandbox
from evolve.skills import KEPT, Skill, parameter_count
from evolve.skills.folder import replace_folder
from evolve.skills.lint import lint


@runtime_checkable
class ExportFormat(Protocol):
    """One format, as one value. It says what the files hold; whether they may leave is not its to say."""

    @property
    def name(self) -> str:
        """Name on the command line."""
        ...

    def problems(self, skill: Skill, description: str) -> Sequence[str]:
        """Why the format cannot hold the skill with this description; empty when it can."""
        ...

    def files(self, skill: Skill, description: str, judged: Skill) -> Mapping[str, str]:
        """Texts by path below the skill's folder.

        Args:
            skill: The skill as it leaves: its name is that of its folder, its rows are those that may leave.
            judged: The skill as it was judged, for its digest and how often it was right.
        """
        ...

    def script(self, skill: Skill) -> str:
        """The path among the files of a program that is tried before it leaves; "" where there is none.

        It is run with ``--batch`` and reads one JSON list of arguments per line, and prints one line for each: a JSON
        object with ``output``, or with ``error``.
        """
        ...

    def is_own(self, folder: Path) -> bool:
        """Whether an existing folder is an earlier export in this format, which may be replaced."""
        ...


@dataclass(frozen=True, kw_only=True)
class ExportRules:
    """What may leave, and how.

    Attributes:
        scanner: Knows the secrets; by default those of the environment.
        evals: ``all`` rows are examples and evaluation cases; ``clean`` leaves out those that hold a secret, ``none``
            leaves out all.
        description: A person's own words for the one skill of the call, or "".
        sandbox: Where the scripts are tried; without one they are not.
    """

    scanner: Scanner | None = None
    evals: Literal["all", "clean", "none"] = "all"
    description: str = ""
    sandbox: Sandbox | None = None


def export_format(name: str) -> ExportFormat:
    """The format with this name.

    Raises:
        UsageError: Nobody offers it.
    """
    form: ExportFormat | None = find("formats", name, ExportFormat)
    if form is None:
        raise UsageError(f"no export format {name!r}", hint=f"--to {', --to '.join(names('formats'))}")
    return form


def export(
    skills: Sequence[Skill], out: Path, rules: ExportRules | None = None, *, to: str = "agent-skills"
) -> list[Path]:
    """Writes one folder per skill into ``out``; gives their paths.

    A folder that an earlier export made is replaced; any other is left alone. The description is made from the
    contract, unless a person owns the skill or gives one.

    Args:
        to: Name of the format.

    Raises:
        UsageError: Nobody offers the format, or a skill must not leave (its status, name, a secret, a script that
            answers otherwise than it did), or the place is taken.
        SandboxUnavailable: The sandbox failed.
        WorkspaceError: When it cannot be written.
    """
    if out.exists() and not out.is_dir():
        raise UsageError(f"{out}: not a folder")
    form, rules = export_format(to), rules or ExportRules()
    scanner = Scanner(known_secrets(os.environ)) if rules.scanner is None else rules.scanner
    if rules.description and len(skills) != 1:
        raise UsageError("a description is of one skill", hint="export the skills one by one")
    # all are checked before the first is written, so that a refusal leaves nothing behind
    prepared: dict[Path, dict[str, str]] = {}
    for whole in skills:
        _check_skill(whole)
        skill = replace(whole, name=exported_name(whole), rows=_rows(whole, rules, scanner))
        description = describe(skill, rules.description)
        _refuse(whole, form.problems(skill, description), hint="rename or mend the skill first")
        files = _files(form, skill, description, whole)
        _check_texts(whole, files, scanner)
        target = out / skill.name
        if target in prepared:
            raise UsageError(f"the skill {whole.name} is named twice")
        if os.path.lexists(target) and not _may_go(form, target, files):
            raise UsageError(f"{target} exists and is not an earlier export", hint="choose another --out folder")
        if rules.sandbox is not None and form.script(skill):
            program = files[form.script(skill)]
            # with all its rows: also those that are withheld say what the script must answer
            differs = difference(rules.sandbox, replace(whole, name=skill.name), program)
            _refuse(whole, [differs] if differs else [])
        prepared[target] = files
    for target, files in prepared.items():
        hit("export.before")
        replace_folder(target, files)
        hit("export.after")
    return list(prepared)


def _files(form: ExportFormat, skill: Skill, description: str, judged: Skill) -> dict[str, str]:
    files = form.files(skill, description, judged)
    if not isinstance(files, Mapping) or not all(isinstance(part, str) for item in files.items() for part in item):
        raise refused("formats", form.name, "gave no texts by path")
    if form.script(skill) and form.script(skill) not in files:
        raise refused("formats", form.name, f"names the program {form.script(skill)}, which is not among its files")
    return dict(files)


def _may_go(form: ExportFormat, folder: Path, files: Mapping[str, str]) -> bool:
    """Whether a folder may be replaced: a package's word is not enough where it holds files of another name."""
    if folder.is_symlink() or not form.is_own(folder):
        return False
    there = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if not path.is_dir()}
    return form.name in BUILT_IN["formats"] or there <= files.keys()


def _rows(skill: Skill, rules: ExportRules, scanner: Scanner) -> tuple[Row, ...]:
    """The rows that may leave.

    Raises:
        UsageError: A row holds a secret, and is not to be left out.
    """
    if rules.evals == "none":
        return ()
    findings = [scanner.find(json.dumps([list(row.input), row.output], ensure_ascii=False)) for row in skill.rows]
    if rules.evals == "clean":
        return tuple(row for row, secrets in zip(skill.rows, findings, strict=True) if not secrets)
    for number, secrets in enumerate(findings, 1):
        if secrets:
            raise UsageError(
                f"{skill.name} cannot be exported: row {number} of its examples holds {secrets[0].kind}",
                hint="--withhold-rows leaves out such rows, --without-evals all of them",
            )
    return skill.rows


def _check_skill(skill: Skill) -> None:
    problems = name_problems(skill.name)
    if skill.status not in KEPT:
        problems.append(f"its status is {skill.status}; only {', '.join(KEPT)} skills leave the workspace")
    problems += lint(skill.code, skill.entry, parameter_count(skill.signature))
    _refuse(skill, problems, hint="rename or mend the skill first")


def _refuse(skill: Skill, problems: Sequence[str], *, hint: str = "mend the skill first") -> None:
    if problems:
        raise UsageError(f"{skill.name} cannot be exported: {problems[0]}", hint=hint)


def _check_texts(skill: Skill, files: Mapping[str, str], scanner: Scanner) -> None:
    problems = []
    for name, text in files.items():
        if Path(name).is_absolute() or ".." in Path(name).parts:
            problems.append(f"{name} is no path below its folder")
        problems += [f"{name} contains {secret}" for secret in scanner.find(text)]
        if name.endswith(".py"):
            problems += [f"{name} contains {secret}" for secret in _in_constants(text, scanner)]
    _refuse(skill, problems)


def _in_constants(code: str, scanner: Scanner) -> Iterator[Finding]:
    """Secrets in what the literals of a program mean, used or not: their text may be written with escapes."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str | bytes | int):
            # a secret may stand in bytes or as a number as well
            value = node.value.decode("utf-8", "replace") if isinstance(node.value, bytes) else node.value
            if isinstance(value, str) or abs(value) < LONGEST_NUMBER:
                yield from (replace(finding, line=node.lineno) for finding in scanner.find(str(value)))
