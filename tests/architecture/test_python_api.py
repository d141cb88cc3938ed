"""What the command line can do, Python can do by the same names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import typer

import evolve
import evolve.cli.serve.protocol
from evolve.cli.program import build_app
from evolve.core import extensions
from tests.architecture.source import ROOT

CALLS = {
    "run": "ws.run",
    "fill": "ws.fill",
    "chat": "ws.conversations.begin",
    "undo": "ws.undo",
    "demo": "ws.improve",
    "why": "ws.runs.why",
    "forget": "ws.memory.forget",
    "learn": "ws.learn",
    "improve": "ws.improve",
    "lab optimize": "ws.optimize",
    "report": "ws.report",
    "init": "evolve.init",
    "trust": "evolve.init",
    "status": "evolve.status",
    "lab tasks list": "evolve.workspace.tasks.list",
    "lab tasks generate": "evolve.workspace.tasks.generate",
    "lab tasks show": "evolve.workspace.tasks.show",
    "runs list": "ws.runs.list",
    "runs show": "ws.runs.show",
    "runs search": "ws.runs.search",
    "runs diff": "ws.runs.diff",
    "apply": "ws.runs.apply",
    "runs answer": "ws.runs.answer",
    "runs comment": "ws.runs.comment",
    "memory list": "ws.memory.list",
    "memory graph": "ws.memory.graph",
    "memory recall": "ws.memory.recall",
    "memory note": "ws.memory.note",
    "memory export": "ws.memory.export",
    "memory import": "ws.memory.import_",
    "lab memory test": "ws.memory.test",
    "lab memory check": "ws.memory.check",
    "lab memory reindex": "ws.memory.reindex",
    "memory proposals": "ws.preferences.proposals",
    "memory preferences list": "ws.preferences.list",
    "memory preferences show": "ws.preferences.show",
    "memory preferences add": "ws.preferences.add",
    "memory preferences edit": "ws.preferences.edit",
    "memory preferences propose": "ws.preferences.propose",
    "memory preferences confirm": "ws.preferences.confirm",
    "skills list": "ws.skills.list",
    "skills show": "ws.skills.show",
    "skills find": "ws.skills.find",
    "skills undo": "ws.skills.undo",
    "skills verify": "ws.skills.verify",
    "skills own": "ws.skills.own",
    "skills export": "ws.skills.export",
    "skills import": "ws.skills.import_",
    "lab variants list": "ws.variants.list",
    "lab variants show": "ws.variants.show",
    "lab variants diff": "ws.variants.diff",
    "lab variants tree": "ws.variants.tree",
    "lab variants promote": "ws.variants.promote",
    "lab variants rollback": "ws.variants.rollback",
    "lab variants transfer": "ws.variants.transfer",
    "lab variants ablate": "ws.variants.ablate",
    "lab variants write": "ws.variants.write",
    "lab gate list": "ws.gate.list",
    "lab gate show": "ws.gate.show",
    "models": "ws.models.chosen",
    "models list": "ws.models.list",
    "models check": "ws.models.check",
    "models default": "ws.models.default",
    "skills test": "ws.test_skills",
    "tasks from-git": "ws.tasks_from_git",
    "tools add": "evolve.workspace.servers().add",
    "tools list": "evolve.workspace.servers().list",
    "tools check": "evolve.workspace.servers().check",
    "tools call": "evolve.workspace.servers().call",
    "tools allow": "evolve.workspace.servers().allow",
    "tools remove": "evolve.workspace.servers().remove",
    "lab workflow show": "ws.workflow.show",
    "lab workflow validate": "ws.workflow.validate",
    "lab workflow diff": "ws.workflow.diff",
    "lab workflow draw": "ws.workflow.draw",
    "lab sandbox exec": "evolve.workspace.sandbox().exec",
    "lab sandbox check": "evolve.workspace.sandbox().check",
    "serve": "evolve.cli.serve.protocol.serve",
}
"""By command, what does the same in Python; ``ws`` is an open workspace."""

OTHERWISE = {"chat", "demo", "models", "trust", "skills test", "tasks from-git"}
"""A session at a terminal, other commands one after the other, a group that says something by itself, commands that
share a call with others, and such whose names would say too little."""


def commands(command: Any, path: tuple[str, ...] = ()) -> Iterator[str]:
    """Every command that can be typed but the pages of help, those inside of groups with the group in front."""
    inner = getattr(command, "commands", None)
    if path and (inner is None or command.invoke_without_command):
        yield " ".join(path)
    for name, one in (inner or {}).items():
        if not one.hidden:
            yield from commands(one, (*path, name))


def place_of(name: str) -> str:
    """Where a command of a package stands: among those of a group of skills, else of the lab."""
    return name if name.startswith("skills ") else f"lab {name}"


def test_every_command_has_its_call_in_python() -> None:
    added = tuple(place_of(name) for name in extensions.installed_extensions("commands"))
    found = [one for one in commands(typer.main.get_command(build_app())) if not one.startswith(added)]
    assert sorted(found) == sorted(CALLS)


@pytest.mark.parametrize("command", sorted(CALLS.keys() - OTHERWISE))
def test_a_call_has_the_name_of_its_command(command: str) -> None:
    *_, verb = command.split()
    assert CALLS[command].split(".")[-1].removesuffix("_") == verb


def test_every_call_is_there(tmp_path) -> None:
    with evolve.open(tmp_path / "ws") as opened:
        for call in CALLS.values():
            found: Any = {"ws": opened, "evolve": evolve}[call.split(".")[0]]
            for part in call.split(".")[1:]:
                found = getattr(found, part.removesuffix("()"))
                found = found() if part.endswith("()") else found
            assert callable(found), call


def test_the_page_about_python_names_every_command() -> None:
    page = (ROOT / "docs" / "python.md").read_text("utf-8")
    missing = [command for command, call in CALLS.items() if f"| `evolve {command}` | `{call}" not in page]
    assert missing == []
