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
from evolve.export.script import without_words
from evolve.export.script_check import difference
from evolve.export.validation import name_problems
from evolve.extensions import BUILT_IN, find, names, refused
from evolve.failpoints import hit
from evolve.files import write_atomic
from evolve.redaction import Finding, Scanner, known_secrets
from evolve.redaction.scanner import LONGEST_NUMBER
from evolve.sandbox import Sandbox
from evolve.skills import KEPT, Skill, parameter_count
from evolve.skills.folder import replace_folder
from evolve.skills.lint import lint


@dataclass(frozen=True, kw_only=True)
class Leaving:
    """One skill that leaves.

    Attributes:
        skill: As it leaves: its name is that of its files, its rows are those that may leave.
        description: What it is for, in a sentence.
        judged: As it was judged, for its digest and how often it was right.
    """

    skill: Skill
    description: str
    judged: Skill


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

    def files(self, skills: Sequence[Leaving]) -> Mapping[str, str]:
        """Texts by path, of all skills of a call. What lies in a folder is replaced as a whole the next time."""
        ...

    def script(self, skill: Skill) -> str:
        """The path among the files of a program that is tried before it leaves; "" where there is none.

        It is run with ``--batch`` and reads one JSON list of arguments per line, and prints one line for each: a JSON
        object with ``output``, or with ``error``.
        """
        ...

    def is_own(self, place: Path) -> bool:
        """Whether a folder or file that is there is an earlier export in this format, which may be replaced."""
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
    """Writes skills into ``out``, in a format's files; gives the folders and files that stand there now.

    What an earlier export made is replaced; anything else is left alone. The description is made from the
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
    leaving = [_leaving(form, whole, rules, scanner) for whole in skills]
    exported = [one.skill.name for one in leaving]
    for one in leaving:
        if exported.count(one.skill.name) > 1:
            raise UsageError(f"the skill {one.judged.name} is named twice")
    files = _files(form, leaving)
    _check_texts(leaving, files, scanner)
    places = _by_place(files)
    for name, texts in places.items():
        if os.path.lexists(out / name) and not _may_go(form, out / name, texts):
            raise UsageError(f"{out / name} exists and is not an earlier export", hint="choose another --out folder")
    if rules.sandbox is not None:
        _try_scripts(form, leaving, files, rules.sandbox)
    for name, texts in places.items():
        hit("export.before")
        if "" in texts:
            write_atomic(out / name, texts[""].encode("utf-8"))
        else:
            replace_folder(out / name, texts)
        hit("export.after")
    return [out / name for name in places]


def _leaving(form: ExportFormat, whole: Skill, rules: ExportRules, scanner: Scanner) -> Leaving:
    """A skill as it leaves.

    Raises:
        UsageError: It must not, or the format cannot hold it.
    """
    _check_skill(whole)
    # In comments and docstrings a model could speak to whoever reads the code, in whichever format.
    code = whole.code if whole.owner == "user" else without_words(whole.code)
    skill = replace(whole, name=exported_name(whole), code=code, rows=_rows(whole, rules, scanner))
    description = describe(skill, rules.description)
    _refuse(whole.name, form.problems(skill, description), hint="rename or mend the skill first")
    return Leaving(skill=replace(skill, description=description), description=description, judged=whole)


def _files(form: ExportFormat, leaving: Sequence[Leaving]) -> dict[str, str]:
    files = form.files(leaving)
    texts = isinstance(files, Mapping) and all(isinstance(part, str) for item in files.items() for part in item)
    if not (texts and files) or any("\0" in path for path in files) or not _is_text(files):
        raise refused("formats", form.name, "gave no texts by path")
    for script in (form.script(one.skill) for one in leaving):
        if script and script not in files:
            raise refused("formats", form.name, f"names the program {script}, which is not among its files")
    for path in (path for path in files if path.endswith(".py")):
        try:
            ast.parse(files[path])
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            raise refused("formats", form.name, f"has {path}, which is no Python ({error})") from error
    both = next((path for path in files if any(other.startswith(f"{path}/") for other in files)), "")
    if both:
        raise refused("formats", form.name, f"has {both} both as a file and as a folder")
    return dict(files)


def _is_text(files: Mapping[str, str]) -> bool:
    try:
        "".join(part for item in files.items() for part in item).encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _try_scripts(form: ExportFormat, leaving: Sequence[Leaving], files: Mapping[str, str], sandbox: Sandbox) -> None:
    for one in leaving:
        if form.script(one.skill):
            # with all its rows: also those that are withheld say what the script must answer
            differs = difference(sandbox, replace(one.judged, name=one.skill.name), files[form.script(one.skill)])
            _refuse(one.judged.name, [differs] if differs else [])


def _by_place(files: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """The texts of each folder by their paths in it; that of a file beside the folders stands under ""."""
    places: dict[str, dict[str, str]] = {}
    for path, text in files.items():
        place, _, rest = path.partition("/")
        places.setdefault(place, {})[rest] = text
    return places


def _may_go(form: ExportFormat, place: Path, texts: Mapping[str, str]) -> bool:
    """Whether a place may be written anew: a package's word is not enough where it holds files of another name."""
    if place.is_symlink() or place.is_dir() == ("" in texts) or not form.is_own(place):
        return False
    there = {path.relative_to(place).as_posix() for path in place.rglob("*") if not path.is_dir()}
    return form.name in BUILT_IN["formats"] or there <= texts.keys()


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
    _refuse(skill.name, problems, hint="rename or mend the skill first")


def _refuse(name: str, problems: Sequence[str], *, hint: str = "mend the skill first") -> None:
    if problems:
        raise UsageError(f"{name} cannot be exported: {problems[0]}", hint=hint)


def _check_texts(leaving: Sequence[Leaving], files: Mapping[str, str], scanner: Scanner) -> None:
    every = {one.skill.name: one.judged.name for one in leaving}
    for path, text in files.items():
        folder, _, name = path.partition("/")
        name, whose = (name, every[folder]) if folder in every and name else (path, ", ".join(every.values()))
        problems = [f"a path contains {secret.kind}" for secret in scanner.find(path)]
        parts = Path(path).parts
        if Path(path).is_absolute() or ".." in parts or not parts or Path(path).as_posix() != path:
            problems.append(f"{name} is no path below its folder")
        problems += [f"{name} contains {secret}" for secret in scanner.find(text)]
        if name.endswith(".py"):
            problems += [f"{name} contains {secret}" for secret in _in_constants(text, scanner)]
        _refuse(whose, problems)
    for one in leaving:  # a text that is no program may hold its code too
        _refuse(one.judged.name, [f"its code contains {secret}" for secret in _in_constants(one.skill.code, scanner)])


def _in_constants(code: str, scanner: Scanner) -> Iterator[Finding]:
    """Secrets in what the literals of a program mean, used or not: their text may be written with escapes."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str | bytes | int):
            # a secret may stand in bytes or as a number as well
            value = node.value.decode("utf-8", "replace") if isinstance(node.value, bytes) else node.value
            if isinstance(value, str) or abs(value) < LONGEST_NUMBER:
                yield from (replace(finding, line=node.lineno) for finding in scanner.find(str(value)))
