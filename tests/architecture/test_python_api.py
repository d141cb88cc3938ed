"""What the command line can do, Python can do by the same names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import typer

import evolve
from evolve.cli.program import build_app
from tests.architecture.source import ROOT

CALLS = {
    "run": "ws.run",
    "fill": "ws.fill",
    "chat": "ws.conversations.begin",
    "undo": "ws.undo",
    "diagnose": "ws.runs.diagnose",
    "learn": "ws.learn",
    "improve": "ws.improve",
    "optimize": "ws.optimize",
    "report": "ws.report",
    "init": "evolve.init",
    "where": "evolve.where",
    "doctor": "evolve.doctor",
    "config": "evolve.config",
    "selftest": "evolve.selftest",
    "tasks list": "evolve.workspace.tasks.list",
    "tasks generate": "evolve.workspace.tasks.generate",
    "tasks import": "evolve.workspace.tasks.import_",
    "tasks show": "evolve.workspace.tasks.show",
    "runs list": "ws.runs.list",
    "runs show": "ws.runs.show",
    "runs search": "ws.runs.search",
    "runs replay": "ws.runs.replay",
    "runs diff": "ws.runs.diff",
    "runs apply": "ws.runs.apply",
    "runs answer": "ws.runs.answer",
    "runs comment": "ws.runs.comment",
    "memory list": "ws.memory.list",
    "memory show": "ws.memory.show",
    "memory why": "ws.memory.why",
    "memory graph": "ws.memory.graph",
    "memory recall": "ws.memory.recall",
    "memory note": "ws.memory.note",
    "memory export": "ws.memory.export",
    "memory import": "ws.memory.import_",
    "memory forget": "ws.memory.forget",
    "memory test": "ws.memory.test",
    "memory check": "ws.memory.check",
    "memory reindex": "ws.memory.reindex",
    "memory preferences list": "ws.preferences.list",
    "memory preferences show": "ws.preferences.show",
    "memory preferences add": "ws.preferences.add",
    "memory preferences edit": "ws.preferences.edit",
    "memory preferences propose": "ws.preferences.propose",
    "memory preferences confirm": "ws.preferences.confirm",
    "memory preferences forget": "ws.preferences.forget",
    "memory metrics list": "ws.metrics.list",
    "memory metrics show": "ws.metrics.show",
    "memory metrics propose": "ws.metrics.propose",
    "memory metrics edit": "ws.metrics.edit",
    "memory metrics forget": "ws.metrics.forget",
    "skills list": "ws.skills.list",
    "skills show": "ws.skills.show",
    "skills find": "ws.skills.find",
    "skills verify": "ws.skills.verify",
    "skills retire": "ws.skills.retire",
    "skills own": "ws.skills.own",
    "skills export": "ws.skills.export",
    "variants list": "ws.variants.list",
    "variants show": "ws.variants.show",
    "variants diff": "ws.variants.diff",
    "variants tree": "ws.variants.tree",
    "variants promote": "ws.variants.promote",
    "variants rollback": "ws.variants.rollback",
    "variants transfer": "ws.variants.transfer",
    "variants ablate": "ws.variants.ablate",
    "variants write": "ws.variants.write",
    "gate list": "ws.gate.list",
    "gate show": "ws.gate.show",
    "models": "ws.models.chosen",
    "models list": "ws.models.list",
    "models check": "ws.models.check",
    "models judge": "ws.models.judge",
    "models default": "ws.models.default",
    "tools add": "evolve.workspace.servers().add",
    "tools list": "evolve.workspace.servers().list",
    "tools check": "evolve.workspace.servers().check",
    "tools call": "evolve.workspace.servers().call",
    "tools allow": "evolve.workspace.servers().allow",
    "tools remove": "evolve.workspace.servers().remove",
    "workflow show": "ws.workflow.show",
    "workflow validate": "ws.workflow.validate",
    "workflow diff": "ws.workflow.diff",
    "workflow draw": "ws.workflow.draw",
    "sandbox exec": "evolve.workspace.sandbox().exec",
    "sandbox check": "evolve.workspace.sandbox().check",
    "trials": "ws.trials",
    "worlds list": "evolve.workspace.worlds.list",
    "worlds check": "evolve.workspace.worlds.check",
    "worlds play": "evolve.workspace.worlds.play",
}
"""By command, what does the same in Python; ``ws`` is an open workspace."""

OTHERWISE = {"chat", "models"}
"""A session at a terminal, and a group of commands that says something by itself."""


def commands(command: Any, path: tuple[str, ...] = ()) -> Iterator[str]:
    """Every command that can be typed, those inside of groups with the group in front."""
    inner = getattr(command, "commands", None)
    if path and (inner is None or command.invoke_without_command):
        yield " ".join(path)
    for name, one in (inner or {}).items():
        yield from commands(one, (*path, name))


def test_every_command_has_its_call_in_python() -> None:
    assert sorted(commands(typer.main.get_command(build_app()))) == sorted(CALLS)


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
