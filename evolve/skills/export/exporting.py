"""What leaves a workspace, and how: skills in a format that other agents load.

Nothing is written unless every skill of the call passes every rule: its status, its name, the format's own rules,
secrets, that its code does nothing but define, and that what leaves gives the answers that its skill was checked to
give.
"""

from __future__ import annotations

import ast
import json
import keyword
import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from typing import Protocol, runtime_checkable

from evolve.core.episodes import Row
from evolve.core.errors import UsageError
from evolve.core.extensions import extension_error, extension_names, find
from evolve.core.failpoints import hit_failpoint
from evolve.core.files import write_atomic
from evolve.core.redaction import Scanner, SecretMatch, known_secrets
from evolve.core.redaction.scanner import LONGEST_NUMBER
from evolve.runtime.sandbox import Sandbox
from evolve.skills import KEPT, Skill, parameter_count
from evolve.skills.export.description import describe, exported_name, may_stand
from evolve.skills.export.examples import made_up_examples
from evolve.skills.export.formats import SKILL_FOLDERS, Bundle, SkillFolders, procedure_problems
from evolve.skills.export.leaving import ExportedSkill
from evolve.skills.export.row_literals import holds_rows
from evolve.skills.export.script import argument_count, script_difference, without_words
from evolve.skills.export.validation import name_problems
from evolve.skills.folder import replace_folder
from evolve.skills.lint import lint
from evolve.skills.naming import function_name, rename_function
from evolve.skills.parameters import read_arguments_alone
from evolve.skills.signatures import names_of, types_of


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

    def files(self, skills: Sequence[ExportedSkill]) -> Mapping[str, str]:
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
        with_rows: Whether the rows of a person leave, as further examples and tests.
        description: A person's own words for the one skill of the call, or "".
        sandbox: Where the scripts are tried and examples are made up; without one neither is.
        evidence: By digest, what a skill was verified on, by what and when.
        seen: By digest, what the runs that it came from were given, as JSON: no text of it is made up.
    """

    scanner: Scanner | None = None
    with_rows: bool = False
    description: str = ""
    sandbox: Sandbox | None = None
    evidence: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    seen: Mapping[str, str] = field(default_factory=dict)


def export_format(name: str) -> ExportFormat:
    """The format with this name.

    Raises:
        UsageError: Nobody offers it.
    """
    form: ExportFormat | None = find("formats", name, ExportFormat)
    if form is None:
        raise UsageError(
            f"no export format {name!r}", hint=f"--format {', --format '.join(extension_names('formats'))}"
        )
    return form


@dataclass(frozen=True, kw_only=True)
class PreparedExport:
    """Files that passed every rule.

    Attributes:
        leaving: The skills.
        files: Texts by path below ``out``; None where they go to other folders alone.
    """

    form: ExportFormat
    leaving: Sequence[ExportedSkill]
    files: Mapping[str, str]
    out: Path | None

    def write(self, skill_folders: Sequence[Path] = ()) -> list[Path]:
        """Writes the files, and an Agent Skills folder for each skill into each of ``skill_folders``; gives the places.

        Raises:
            UsageError: Something is there that no earlier export made; then nothing is written.
            WorkspaceError: It cannot be written.
        """
        wanted = [] if self.out is None else [(self.form, self.out, self.files)]
        wanted += [(SKILL_FOLDERS, folder, SKILL_FOLDERS.files(self.leaving)) for folder in skill_folders]
        places = [(form, out / name, texts) for form, out, files in wanted for name, texts in _by_place(files).items()]
        for form, place, texts in places:
            if os.path.lexists(place) and not _may_go(form, place, texts):
                ours = form if isinstance(form, Bundle | SkillFolders) and not place.is_symlink() else None
                changed = [] if ours is None else ours.changed(place)
                why = (
                    f": you changed {changed[0]} since it was exported"
                    if changed
                    else " exists and is not an earlier export"
                )
                way = f"--to ANOTHER_FOLDER, or delete {place}" if changed else "choose another folder, or move it"
                raise UsageError(f"{place}{why}", hint=way)
        for _, place, texts in places:
            hit_failpoint("export.before")
            if "" in texts:
                write_atomic(place, texts[""].encode("utf-8"))
            else:
                replace_folder(place, texts)
            hit_failpoint("export.after")
        return [place for _, place, _ in places]


def prepare_export(
    skills: Sequence[Skill], rules: ExportRules, *, to: Path | None, format: str = "bundle"
) -> PreparedExport:
    """The files of skills in a format, once all of them passed every rule; nothing is written.

    The bundle is one folder, ``to`` itself; another format writes below it.

    Raises:
        UsageError: Nobody offers the format, a skill must not leave (its status, name, a secret, a script that answers
            otherwise than it did), or the place cannot be one.
        SandboxUnavailable: The sandbox failed.
    """
    form, out = export_format(format), to
    if to is not None and to.exists() and not to.is_dir():
        raise UsageError(f"{to}: not a folder")
    if isinstance(form, Bundle) and to is not None:
        form, out = replace(form, package=_package(to)), to.absolute().parent
    scanner = Scanner(known_secrets(os.environ)) if rules.scanner is None else rules.scanner
    if rules.description and len(skills) != 1:
        raise UsageError("a description is of one skill", hint="export the skills one by one")
    twice = next((skill for skill in skills if sum(other.digest == skill.digest for other in skills) > 1), None)
    if twice is not None:
        raise UsageError(f"the skill {twice.name} is named twice")
    # all are checked before the first is written, so that a refusal leaves nothing behind
    leaving = [_leaving(form, whole, name, rules, scanner) for whole, name in zip(skills, _names(skills), strict=True)]
    files = _files(form, leaving)
    _check_texts(leaving, files, scanner)
    if rules.sandbox is not None:
        _try_scripts(form, leaving, files, rules.sandbox)
    return PreparedExport(form=form, leaving=leaving, files=files, out=out)


def _package(to: Path) -> str:
    name = to.absolute().name
    if name.isidentifier() and not keyword.iskeyword(name) and name not in sys.stdlib_module_names:
        return name
    plain = re.sub(r"\W+", "_", name, flags=re.ASCII).strip("_") or "my"
    told = plain if plain != name and plain.isidentifier() else f"skills_{plain}"
    raise UsageError(f"{name!r} cannot name a Python package", hint=f"--to {to.parent / told}")


def _names(skills: Sequence[Skill]) -> list[str]:
    """The names that skills leave under, all of them different."""
    names: dict[str, None] = {}
    for skill in skills:
        own = name = exported_name(skill)
        numbers = count(2)
        while name in names:
            name = f"{own[:60].rstrip('-')}-{next(numbers)}"
        names[name] = None
    return list(names)


def _leaving(form: ExportFormat, whole: Skill, name: str, rules: ExportRules, scanner: Scanner) -> ExportedSkill:
    """A skill as it leaves.

    Raises:
        UsageError: It must not, or the format cannot hold it.
        SandboxUnavailable: The sandbox failed.
    """
    _check_skill(whole)
    # In comments and docstrings a model could speak to whoever reads the code, in whichever format.
    code = whole.code if whole.owner == "user" else without_words(whole.code)
    skill, places = read_arguments_alone(
        rename_function(replace(whole, code=code, signature=_plain_signature(whole)), name)
    )
    if skill.entry != function_name(name):
        _refuse(whole.name, [f"its function cannot be called {function_name(name)}"])
    told = "" if rules.with_rows or whole.environment else holds_rows(whole, rules.seen.get(whole.digest, ""))
    _refuse(whole.name, [told] if told else [], hint="--with-rows lets your rows leave")
    if whole.environment and not isinstance(form, Bundle):
        _refuse(whole.name, [f"it is a procedure, which the format {form.name} cannot hold"])
    rows = () if whole.environment else skill.rows  # the one of a procedure is a call, and no value
    examples = made_up_examples(replace(skill, rows=rows), rules.sandbox, rules.seen.get(whole.digest, ""))
    skill = replace(skill, rows=_rows(skill, scanner) if rules.with_rows and rows else ())
    description = describe(replace(whole, name=name), rules.description, examples)
    _refuse(whole.name, form.problems(skill, description), hint="rename or mend the skill first")
    return ExportedSkill(
        skill=replace(skill, description=description),
        description=description,
        judged=whole,
        examples=examples,
        places=places,
        evidence=tuple(rules.evidence.get(whole.digest, {}).items()),
    )


def _plain_signature(skill: Skill) -> str:
    """The signature as it was judged, with numbered arguments for labels that may not leave."""
    count, (kinds, gives) = argument_count(skill), types_of(skill.signature)
    given = names_of(skill.signature)
    if len(given) != count:
        given, kinds = ("",) * count, ("any",) * count
    named = [
        name if skill.owner == "user" or may_stand(name) else f"argument_{place}" for place, name in enumerate(given, 1)
    ]
    return f"({', '.join(f'{name}: {kind}' for name, kind in zip(named, kinds, strict=True))}) -> {gives}"


def _files(form: ExportFormat, leaving: Sequence[ExportedSkill]) -> dict[str, str]:
    files = form.files(leaving)
    texts = isinstance(files, Mapping) and all(isinstance(part, str) for item in files.items() for part in item)
    if not (texts and files) or any("\0" in path for path in files) or not _is_text(files):
        raise extension_error("formats", form.name, "gave no texts by path")
    for script in (form.script(one.skill) for one in leaving):
        if script and script not in files:
            raise extension_error("formats", form.name, f"names the program {script}, which is not among its files")
    for path in (path for path in files if path.endswith(".py")):
        try:
            ast.parse(files[path])
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            raise extension_error("formats", form.name, f"has {path}, which is no Python ({error})") from error
    both = next((path for path in files if any(other.startswith(f"{path}/") for other in files)), "")
    if both:
        raise extension_error("formats", form.name, f"has {both} both as a file and as a folder")
    return dict(files)


def _is_text(files: Mapping[str, str]) -> bool:
    try:
        "".join(part for item in files.items() for part in item).encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _try_scripts(
    form: ExportFormat, leaving: Sequence[ExportedSkill], files: Mapping[str, str], sandbox: Sandbox
) -> None:
    for one in leaving:
        if form.script(one.skill):
            # with all its rows: also those that are withheld say what the script must answer
            rows, _ = read_arguments_alone(one.judged)
            differs = script_difference(sandbox, replace(rows, name=one.skill.name), files[form.script(one.skill)])
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
    return isinstance(form, Bundle) or {path for path in there if "__pycache__" not in path.split("/")} <= texts.keys()


def _rows(skill: Skill, scanner: Scanner) -> tuple[Row, ...]:
    """The rows, where they may leave.

    Raises:
        UsageError: A row holds a secret.
    """
    for number, row in enumerate(skill.rows, 1):
        secrets = scanner.find(json.dumps([list(row.input), row.output], ensure_ascii=False))
        if secrets:
            raise UsageError(
                f"{skill.name} cannot be exported: row {number} of its examples holds {secrets[0].kind}",
                hint="without --with-rows no row leaves",
            )
    return skill.rows


def _check_skill(skill: Skill) -> None:
    problems = name_problems(skill.name)
    if skill.status not in KEPT:
        problems.append(f"its status is {skill.status}; only {', '.join(KEPT)} skills leave the workspace")
    if skill.environment:
        problems += procedure_problems(skill)
    else:
        problems += lint(skill.code, skill.entry, parameter_count(skill.signature))
    _refuse(skill.name, problems, hint="rename or mend the skill first")


def _refuse(name: str, problems: Sequence[str], *, hint: str = "mend the skill first") -> None:
    if problems:
        raise UsageError(f"{name} cannot be exported: {problems[0]}", hint=hint)


def _check_texts(leaving: Sequence[ExportedSkill], files: Mapping[str, str], scanner: Scanner) -> None:
    every = {one.skill.name: one.judged.name for one in leaving} | {one.skill.entry: one.judged.name for one in leaving}
    for path, text in files.items():
        named = [every[part] for part in (*Path(path).parts, Path(path).stem) if part in every]
        name, whose = path, named[0] if named else ", ".join(dict.fromkeys(every.values()))
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


def _in_constants(code: str, scanner: Scanner) -> Iterator[SecretMatch]:
    """Secrets in what the literals of a program mean, used or not: their text may be written with escapes."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str | bytes | int):
            # a secret may stand in bytes or as a number as well
            value = node.value.decode("utf-8", "replace") if isinstance(node.value, bytes) else node.value
            if isinstance(value, str) or abs(value) < LONGEST_NUMBER:
                yield from (replace(finding, line=node.lineno) for finding in scanner.find(str(value)))
