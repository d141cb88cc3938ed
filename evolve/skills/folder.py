"""A skill as a folder in Agent Skills layout: ``SKILL.md``, ``skill.py``, ``test_skill.py`` and the tree, if any."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from evolve.core import frontmatter
from evolve.core.episodes import Json, Row
from evolve.core.errors import UsageError
from evolve.core.failpoints import hit_failpoint
from evolve.core.files import canonical_json, read_text, sync_folder, write_atomic, write_failure
from evolve.skills.skill import Skill, check_name

_SKILL, _CODE, _TESTS, _ROWS, _TREE = "SKILL.md", "skill.py", "test_skill.py", "examples.json", "tree.json"
_NEEDS = "needs.json"
_LARGEST = 1 << 20


def write_folder(skill: Skill, parent: Path) -> Path:
    """Writes ``parent/<name>`` whole or not at all, replacing a folder of that name; gives its path.

    Raises:
        WorkspaceError: When the place cannot be written or the disk is full.
    """
    target = parent / check_name(skill.name)
    replace_folder(target, folder_files(skill))
    return target


def replace_folder(target: Path, files: Mapping[str, str]) -> None:
    """Puts a folder with these files (relative path to text) in place, whole or not at all.

    Raises:
        WorkspaceError: When the place cannot be written or the disk is full.
    """
    try:
        hit_failpoint("folder.begin")
        target.parent.mkdir(parents=True, exist_ok=True)
        # Beside the target, because a folder can be renamed into place only within its file system.
        fresh = Path(tempfile.mkdtemp(prefix=f".{target.name}.", dir=target.parent))
    except OSError as error:
        raise write_failure(target, error) from error
    try:
        for name, text in files.items():
            write_atomic(fresh / name, text.encode("utf-8"))
            hit_failpoint("folder.file")
        # mkdtemp lets only its owner in; the folder is for people and other tools as well.
        fresh.chmod(0o755)
        old = fresh.with_name(fresh.name + ".old")
        # A rename cannot replace a folder that is not empty, so the old one steps aside first.
        if os.path.lexists(target):
            target.rename(old)
            hit_failpoint("folder.moved")
        fresh.rename(target)
        if old.is_symlink():
            old.unlink()
        else:
            shutil.rmtree(old, ignore_errors=True)
        # A rename lasts only once the folder around it is on disk.
        sync_folder(target.parent)
        hit_failpoint("folder.kept")
    except OSError as error:
        raise write_failure(target, error) from error
    finally:
        shutil.rmtree(fresh, ignore_errors=True)


def folder_files(skill: Skill) -> dict[str, str]:
    """The folder's files by name."""
    files = {_SKILL: skill_document(skill), _CODE: skill.code, _TESTS: skill.test_code}
    files[_ROWS] = "".join(canonical_json({"input": list(r.input), "output": r.output}) + "\n" for r in skill.rows)
    if skill.tree is not None:
        files[_TREE] = canonical_json(skill.tree) + "\n"
    if skill.needs:
        files[_NEEDS] = canonical_json(list(skill.needs)) + "\n"
    return files


def skill_document(skill: Skill, rows: int = 3) -> str:
    """The text of its ``SKILL.md``, with so many rows as examples."""
    fields: dict[str, str | Mapping[str, str]] = {
        "name": skill.name,
        # Readers of the format split the file at the first two "---", wherever these stand.
        "description": " ".join(skill.description.replace("---", "-").split()),
        "metadata": {
            "entry": skill.entry,
            "signature": skill.signature,
            "content-sha256": skill.digest,
            "source": skill.source.replace("---", "-"),
            **({"environment": skill.environment} if skill.environment else {}),
        },
    }
    # With keys in the order in which the record has them, so that a folder can be compared with it.
    read = [json.loads(canonical_json([list(row.input), row.output])) for row in skill.rows[:rows]]
    calls = [(f"{skill.entry}({', '.join(map(repr, arguments))})", out) for arguments, out in read]
    told = [call if skill.environment else f"{call} == {out!r}" for call, out in calls]
    shown = "\n".join(f"    {line}"[:160] for line in told)
    body = f"# {skill.name}\n\nCall `{skill.entry}{skill.signature}` from `{_CODE}`.\n\n{shown}\n"
    return frontmatter.render(fields, body)


def read_folder(folder: Path) -> Skill:
    """The skill in a folder, as a draft; nothing in it is run.

    Raises:
        UsageError: Naming the file that is missing, too large or malformed.
    """
    name = check_name(folder.name)
    fields, _ = frontmatter.parse(_text(folder / _SKILL))
    metadata = fields.get("metadata")
    if fields.get("name") != name or not isinstance(fields.get("description"), str):
        raise UsageError(f"{folder / _SKILL}: needs a description, and the name must be {name!r}")
    if not isinstance(metadata, Mapping) or not metadata.get("entry"):
        raise UsageError(f"{folder / _SKILL}: metadata needs entry and signature")
    return Skill(
        name=name,
        description=str(fields["description"]),
        entry=metadata["entry"],
        signature=metadata.get("signature", ""),
        code=_text(folder / _CODE),
        rows=_rows(folder / _ROWS),
        test_code=_text(folder / _TESTS),
        tree=_value(folder / _TREE),
        source=metadata.get("source", ""),
        environment=metadata.get("environment", ""),
        needs=_needs(folder / _NEEDS),
    )


def folder_changes(skill: Skill, folder: Path) -> tuple[str, ...]:
    """Names of files that are not as :func:`write_folder` left them: changed, missing, or put there since.

    What Python keeps when somebody imports the code is no change.
    """
    if folder.is_symlink() or not folder.is_dir():
        return (folder.name,)
    # Byte for byte, because the words of SKILL.md are in no digest and agents read them.
    written = {name: text.encode("utf-8") for name, text in folder_files(skill).items()}
    there = {path.relative_to(folder) for path in folder.rglob("*") if path.is_symlink() or not path.is_dir()}
    added = {path.as_posix() for path in there if "__pycache__" not in path.parts} - set(written)
    return tuple(sorted([*added, *(name for name, data in written.items() if not _holds(folder / name, data))]))


def _holds(path: Path, data: bytes) -> bool:
    try:
        plain = path.is_file() and not path.is_symlink()
        return plain and path.stat().st_size == len(data) and path.read_bytes() == data
    except OSError:
        return False


def folder_digest(folder: Path) -> str:
    """The content digest of the skill in a folder; "" when there is no readable skill."""
    try:
        return read_folder(folder).digest
    except UsageError:
        return ""


def _text(path: Path) -> str:
    if path.is_symlink() or not path.is_file():
        raise UsageError(f"{path}: missing, or not a plain file")
    if path.stat().st_size > _LARGEST:
        raise UsageError(f"{path}: larger than {_LARGEST >> 20} MiB")
    return read_text(path)


def _rows(path: Path) -> tuple[Row, ...]:
    if not path.exists():
        return ()
    rows = []
    for number, line in enumerate(_text(path).splitlines(), 1):
        value = _json(path, number, line)
        if not isinstance(value, dict) or set(value) != {"input", "output"} or not isinstance(value["input"], list):
            raise UsageError(f"{path}:{number}: expected an object with input (a list) and output")
        rows.append(Row(input=tuple(value["input"]), output=value["output"]))
    return tuple(rows)


def _needs(path: Path) -> tuple[Mapping[str, Json], ...]:
    found = _value(path) or []
    if not isinstance(found, list) or not all(isinstance(need, dict) for need in found):
        raise UsageError(f"{path}: expected a list with an object for each argument")
    return tuple(found)


def _value(path: Path) -> Json:
    return _json(path, 1, _text(path)) if path.exists() else None


def _json(path: Path, line: int, text: str) -> Json:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{path}:{line}: not JSON: {error}") from error
