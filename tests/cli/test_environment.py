"""Variables of the environment configure a session; what a command does is said on its command line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer

import evolve
from evolve.cli.program import build_app
from evolve.core.settings import VARIABLES

ROOT = Path(__file__).resolve().parents[2]


def commands(found=None, path=()) -> Iterator[tuple[tuple[str, ...], object]]:
    """Every command of the tree with the words that call it."""
    found = found or typer.main.get_command(build_app())
    yield path, found
    for name, inner in getattr(found, "commands", {}).items():
        yield from commands(inner, (*path, name))


def read(command, path):
    """What the command would be called with when nothing is typed."""
    context = command.make_context(path[-1] if path else "evolve", [], resilient_parsing=True)
    return {name: value for name, value in context.params.items() if name not in ("seed", "budget", "plain")}


def test_at_most_fifteen_variables_configure_a_session():
    assert len(VARIABLES) <= 15
    for path, command in commands():
        assert command.context_settings.get("auto_envvar_prefix") is None, path
        for option in command.params:
            names = [option.envvar] if isinstance(option.envvar, str) else list(option.envvar or ())
            assert set(names) <= set(VARIABLES), (path, option.name)


@pytest.mark.slow
def test_no_variable_fills_in_what_was_not_typed(monkeypatch):
    """A variable named like an option, of whatever command and kind, changes no option but the three on the list."""
    tree = list(commands())
    before = [read(command, path) for path, command in tree]
    for _, command in tree:
        for option in command.params:
            for name in (option.name, *(one.strip("-").replace("-", "_") for one in option.opts)):
                monkeypatch.setenv(f"EVOLVE_{name.upper()}", "1")
    after = [read(command, path) for path, command in tree]
    assert after == before
    assert len(before) > 50


def test_the_page_lists_what_the_package_reads():
    page = (ROOT / "docs" / "settings.md").read_text()
    assert set(re.findall(r"^\| `(EVOLVE_\w+)`", page, re.MULTILINE)) == set(VARIABLES)
    for file in (ROOT / "evolve").rglob("*.py"):
        named = set(re.findall(r"EVOLVE_[A-Z]\w*", file.read_text()))
        assert named <= set(VARIABLES), file


@pytest.mark.slow
def test_a_variable_deletes_nothing(start_cli, tmp_path, monkeypatch):
    with evolve.open(tmp_path / "ws") as workspace:
        workspace.preferences.add("write dates day first")
    for name in ("ALL", "YES", "FORCE", "APPROVE", "REPAIR", "EVERYTHING"):
        monkeypatch.setenv(f"EVOLVE_{name}", "1")
    for command in (("forget",),):
        process = start_cli(*command)
        out, err = process.communicate(timeout=60)
        assert (process.returncode, out) == (2, ""), command
        assert "--all" in err
    with evolve.open(tmp_path / "ws", read_only=True) as workspace:
        assert workspace.preferences.list()


def test_no_variable_leaves_code_unconfined(cli, monkeypatch, tmp_path):
    (tmp_path / "rows.csv").write_text("a,b\n1,2\n2,3\n3,4\n")
    monkeypatch.setenv("EVOLVE_SANDBOX", "none")
    monkeypatch.setenv("EVOLVE_UNSAFE", "I_UNDERSTAND")
    done = cli("run", "--examples", "rows.csv")
    assert done.code == 2
    assert "EVOLVE_SANDBOX" in done.err


def test_a_wrong_variable_is_told_by_every_command_that_reads_settings(cli, monkeypatch, tmp_path):
    (tmp_path / "rows.csv").write_text("a,b\n1,2\n2,3\n3,4\n")
    commands = (
        ("run", "--examples", "rows.csv"),
        ("memory", "list"),
        ("runs", "list"),
        ("improve", "lists"),
        ("status", "--settings"),
    )
    for name, text in (("DAY_LIMIT", "nonsense"), ("TOTAL_LIMIT", "$0"), ("WORKERS", "many")):
        with monkeypatch.context() as patch:
            patch.setenv(f"EVOLVE_{name}", text)
            for command in commands:
                done = cli(*command)
                assert (done.code, done.out) == (2, ""), command
                assert f"EVOLVE_{name}: " in done.err, command
    assert cli("status", "--settings").code == 0


def test_config_shows_what_is_read_and_what_is_not(cli, monkeypatch):
    monkeypatch.setenv("EVOLVE_ALL", "1")
    monkeypatch.setenv("EVOLVE_WORKERS", "2")
    done = cli("status", "--settings")
    assert re.search(r"^EVOLVE_WORKERS +yes ", done.out, re.MULTILINE)
    assert "EVOLVE_ALL is set and means nothing" in done.err
    assert "EVOLVE_ALL" not in cli("status", "--settings", "--json").out.partition('"unread_variables"')[0]
    assert "evolve status --settings" in cli("--help").out
