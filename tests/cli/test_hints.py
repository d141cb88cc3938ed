"""Every command that a hint, an example or a page of the docs names is one that there is."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer

from evolve.cli.program import build_app
from evolve.cli.tree import FRONT, SECOND
from tests.cli.conftest import ROOT

TREE = typer.main.get_command(build_app())
FIRST_WORDS = {*TREE.commands, *(name for names in (*FRONT.values(), *SECOND.values()) for name in names)}

LEFT_OUT = {
    *(f"docs/{page}.md" for page in ("chat", "environment", "python", "servers", "tables", "terminal", "tools")),
    "evolve/cli/memory_graph.py",
}
"""Pages and modules that do not know the present names of commands."""

TYPED = r"\bevolve ([a-z]+)((?: [a-z]+)*)"
QUOTED = re.compile(r"(?:`|^    (?:\$ )?|(?:try|then|or|anew): )" + TYPED, re.MULTILINE)
ANYWHERE = re.compile(TYPED)


def names(group=TREE) -> Iterator[str]:
    """The names of all commands and groups."""
    for name, command in group.commands.items():
        yield name
        if hasattr(command, "commands"):
            yield from names(command)


ALL = {*names()}


def wrong_in(text: str) -> list[str]:
    """Command lines in a text that call no command: what is quoted, and elsewhere what begins as a command does."""
    quoted = [match for match in QUOTED.finditer(text) if not is_there(match)]
    meant = [match for match in ANYWHERE.finditer(text) if match[1] in ALL and not is_there(match)]
    return [match[0] for match in (*quoted, *meant)]


def is_there(match: re.Match[str]) -> bool:
    if match[1] not in FIRST_WORDS:
        return False
    group, words = TREE.commands.get(match[1]), match[2].split()
    while words and hasattr(group, "commands") and not group.invoke_without_command:
        if words[0] not in group.commands:
            return words[0] not in ALL  # a word about the group, such as "evolve skills lists"
        group = group.commands[words.pop(0)]
    return True


def sources() -> list[Path]:
    pages = sorted((ROOT / "docs").glob("*.md"))
    others = [*(ROOT / "prompts").rglob("*"), ROOT / "CONTRIBUTING.md", ROOT / "examples" / "README.md"]
    found = [*sorted((ROOT / "evolve").rglob("*.py")), *pages, *(path for path in others if path.is_file())]
    return [path for path in found if str(path.relative_to(ROOT)) not in LEFT_OUT]


@pytest.mark.parametrize("top", ["evolve", "docs", "prompts", "examples", "."])
def test_what_is_named_as_a_command_is_one(top):
    found = []
    for path in sources():
        place = path.relative_to(ROOT)
        if (place.parts[0] if len(place.parts) > 1 else ".") == top:
            text = path.read_text("utf-8")
            texts = [text] if path.suffix != ".py" else strings(text) if "evolve " in text else []
            found += [f"{place}: {line}" for one in texts for line in wrong_in(one)]
    assert found == []


def strings(source: str) -> list[str]:
    """The texts of a Python file, those with values in them put together."""
    parts = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.JoinedStr):
            parts.append("".join(str(part.value) if isinstance(part, ast.Constant) else "X" for part in node.values))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and "evolve" in node.value:
            parts.append(inspect.cleandoc(node.value))
    return parts


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("try: evolve gate list", True),
        ("see `evolve runs apply r1`", True),
        ("evolve memory variants", True),
        ("    $ evolve nonsense", True),
        ("evolve lab gate list shows it", False),
        ("here evolve keeps what helped", False),
    ],
)
def test_a_name_that_is_gone_is_noticed(text, wrong):
    assert bool(wrong_in(text)) == wrong
