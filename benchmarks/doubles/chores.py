"""Chores that come again in one folder after another, and a double of a model that does them by its prompt alone."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evolve.tasks import Task
from evolve.tasks.reading.folder import folder_task
from evolve.testing.doubles import prompt_of, question_of

CHECK = "python3 test_app.py"
_SETTINGS = ("timeout", "retries", "page_size", "max_users", "log_level", "cache_days", "port_range", "batch_rows")
_MODULES = ("server", "worker", "mailer", "importer", "report", "backup", "search_page", "billing", "invites", "audit")
_RENAME = re.compile(r"^Task: Rename the setting (\w+) to (\w+)", re.MULTILINE)
_RELEASE = re.compile(r"^Task: Release version ([\d.]+)", re.MULTILINE)
_FOUND = re.compile(r"^\./(\S+?):\d+:(.*)$", re.MULTILINE)
_OFFERED = re.compile(r"from (skills\.\w+) import (\w+)")
_KNOWN = re.compile(r'<data \w+ kind=procedure of="([^"]+)">\n(.*?)</data', re.DOTALL)

_EARLIER = re.compile(r'<data \w+ kind=task of="([^"]+)">\n(.*?)\n</data', re.DOTALL)

RENAMES = """\
import re
from folder_functions import edit, read, search


def rename_setting(old, new):
    word = r"\\b" + re.escape(old) + r"\\b"
    before = search(new)
    for path in sorted({found[0] for found in search(word)}):
        text = read(path)
        edit(path, text, re.sub(word, new, text))
"""
RELEASES = """\
import re
from folder_functions import edit, read, search


def release_version(version):
    for path in sorted({found[0] for found in search(r"\\bversion\\b.*\\d+\\.\\d+\\.\\d+")}):
        text = read(path)
        edit(path, text, re.sub(r"(\\bversion\\b.*?)\\d+\\.\\d+\\.\\d+", r"\\g<1>" + version, text))
"""


@dataclass(frozen=True, kw_only=True)
class Chore:
    """A chore in one folder.

    Attributes:
        done: What the files hold once all of it is done, also what no check looks at.
    """

    kind: str
    task: Task
    done: Mapping[str, str]

    def is_done(self, folder: Path) -> bool:
        """Whether a folder holds what it should."""
        return all((folder / name).read_text() == text for name, text in self.done.items())


def chore(kind: str, seed: int, folder: Path) -> Chore:
    """Makes the folder of a chore: its files and names differ by seed, and it is too large to be seen at a glance."""
    draw = random.Random(f"{kind} {seed}")
    modules, setting = draw.sample(_MODULES, draw.randint(3, 5)), draw.choice(_SETTINGS)
    new, version = f"{setting}_{draw.choice(('limit', 'default', 'wanted'))}", _version(draw)
    files = _files(draw, modules, setting, version)
    if kind == "rename":
        words = f"Rename the setting {setting} to {new} wherever it is read or described."
        done = {name: re.sub(rf"\b{setting}\b", new, text) for name, text in files.items()}
        test = [f"from app.settings import SETTINGS\nassert SETTINGS == {{{new!r}: 5}}, SETTINGS"]
        test += [f"from app import {name}\nassert {name}.{name}_value() == {5 + at}" for at, name in enumerate(modules)]
    else:
        after = _version(draw)
        words = f"Release version {after}: put it in the place of the version of before."
        done = {name: text.replace(version, after) for name, text in files.items()}
        test = [f"import app\nassert app.version == {after!r}, app.version"]
    for name, text in {**files, "test_app.py": "\n".join([*test, ""])}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    changed = {name: text for name, text in done.items() if text != files[name]}
    return Chore(kind=kind, task=folder_task(words, folder, CHECK, name=f"{kind}-{seed}"), done=changed)


def _version(draw: random.Random) -> str:
    return f"{draw.randint(1, 9)}.{draw.randint(0, 30)}.{draw.randint(0, 30)}"


def _files(draw: random.Random, modules: Sequence[str], setting: str, version: str) -> dict[str, str]:
    files = {
        "app/__init__.py": f'"""An application."""\n\nversion = "{version}"\n',
        "app/settings.py": f'SETTINGS = {{"{setting}": 5}}\n',
        "README.md": f"# App\n\nThis is version {version}.\n\n- `{setting}`: a number, 5 unless it is set\n",
    }
    for at, name in enumerate(modules):
        files[f"app/{name}.py"] = (
            f'from app.settings import SETTINGS\n\n\ndef {name}_value():\n    return SETTINGS["{setting}"] + {at}\n'
        )
    for at in range(24):
        words = " ".join(draw.choices(("row", "cell", "sum", "mean", "sheet", "mark"), k=120))
        files[f"notes/part_{at:02}.md"] = f"# Part {at}\n\n{words}\n"
    return files


@dataclass(frozen=True)
class ChoreDouble:
    """Looks where a word stands, then edits the lines that it was shown; or calls what its prompt offers.

    Attributes:
        writes: The procedure that it proposes, by the kind of chore.
    """

    writes: Mapping[str, str]

    def answer(self, body: Mapping[str, Any]) -> str:
        prompt, asked = prompt_of(body), question_of(body)
        renamed, released = _RENAME.search(prompt), _RELEASE.search(prompt)
        if renamed is None and released is None:
            return "```give_up\nthere is no chore\n```"
        if asked == "procedure":
            return json.dumps(self._procedure(prompt, renamed, released))
        if asked != "action":
            return json.dumps({"claims": [], "name": "", "description": ""})
        given = renamed or released
        arguments, wanted = given.groups() if given else (), "rename" if renamed else "release"
        for module, entry in _OFFERED.findall(prompt):
            if entry.startswith(wanted) and "FAILED" not in prompt:
                call = f"{entry}({', '.join(map(repr, arguments))})"
                return (
                    f"There is a function for it.\n```python\nfrom {module} import {entry}\n{call}\n```\n```done\n```"
                )
        found = _FOUND.findall(prompt)
        word = renamed[1] if renamed else "version"
        if not found:
            return f"I look where it stands.\n```sh\ngrep -rnw --include=*.py --include=*.md {word} .\n```"
        return "\n".join([*_edits(found, word, arguments), "```done\n```"])

    def _procedure(self, prompt: str, renamed: Any, released: Any) -> Mapping[str, Any]:
        kind = "rename" if renamed else "release"
        arguments = json.dumps(list((renamed or released).groups()))
        blank = {"known": "", "name": "", "description": "", "code": "", "arguments": arguments, "earlier": []}
        for name, code in _KNOWN.findall(prompt):
            if f"def {kind}" in code:
                return {**blank, "known": name}
        described = {
            "rename": "Renames a setting in every file that reads or describes it.",
            "release": "Releases a version: puts it in the place of the version of before in every file.",
        }
        form = _RENAME if kind == "rename" else _RELEASE
        earlier = [(run, form.search(f"Task: {words}")) for run, words in _EARLIER.findall(prompt)]
        calls = [{"task": run, "arguments": json.dumps(list(found.groups()))} for run, found in earlier if found]
        made = {"name": kind, "description": described[kind], "code": self.writes[kind]}
        return {**blank, **made, "earlier": calls}


def _edits(found: Sequence[tuple[str, str]], word: str, arguments: Sequence[str]) -> list[str]:
    """An edit of each line that was shown and that the chore changes."""
    blocks = []
    for path, line in dict.fromkeys(found):
        if len(arguments) == 2:
            new = re.sub(rf"\b{word}\b", arguments[1], line)
        else:
            new = re.sub(r"(\bversion\b.*?)\d+\.\d+\.\d+", rf"\g<1>{arguments[0]}", line)
        if new != line and not path.startswith("test_"):
            blocks.append(f"```edit {path}\n<<<<<<< SEARCH\n{line}\n=======\n{new}\n>>>>>>> REPLACE\n```")
    return blocks


GENERAL = {"rename": RENAMES, "release": RELEASES}
