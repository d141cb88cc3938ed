"""Where a package beside evolve is not installed, whoever asks for what it adds is told which one it is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import evolve
from evolve.cli import main
from evolve.core.errors import TaskError, UsageError, WorkspaceError
from evolve.environments import environment_kind
from evolve.tasks import load_suite
from evolve.workspace import Server, servers
from tests.offering import hide

HINT = "worlds needs the package evolve-worlds: pip install ./packages/evolve-worlds"
METRICS = "metrics needs the package evolve-evaluators: pip install ./packages/evolve-evaluators"


@pytest.fixture(autouse=True)
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "site").mkdir()
    hide(monkeypatch, tmp_path / "site")


@pytest.mark.parametrize(
    ("words", "hint"),
    [("lab worlds list", HINT), ("worlds", HINT), ("help worlds", HINT), ("lab metrics list", METRICS)],
)
def test_a_command(words: str, hint: str, capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(words.split())
    assert (ended.value.code, f"evolve lab {hint}" in capfd.readouterr().err) == (2, True)


@pytest.mark.parametrize("words", [("lab", "tasks", "import", "a.jsonl"), ("help", "lab", "tasks", "import")])
def test_a_command_in_a_group(words: tuple[str, ...], capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(words)
    hint = "evolve lab tasks import needs the package evolve-imports: pip install ./packages/evolve-imports"
    assert (ended.value.code, hint in capfd.readouterr().err) == (2, True)


@pytest.mark.parametrize("encoder", ["minilm", "minilm:/weights"])
def test_a_text_encoder(encoder: str, tmp_path: Path) -> None:
    root = evolve.init(tmp_path / "ws").paths.root
    (root / "evolve.toml").write_text(f'encoder = "{encoder}"\n')
    with pytest.raises(WorkspaceError) as refused:
        evolve.open(root)
    assert refused.value.hint == "minilm needs the package evolve-minilm: pip install ./packages/evolve-minilm"


@pytest.mark.parametrize("part", ["trials", "metrics", "judges"])
def test_a_part_of_a_workspace(part: str, tmp_path: Path) -> None:
    with evolve.open(tmp_path / "ws") as workspace, pytest.raises(AttributeError, match="pip install ./packages/"):
        getattr(workspace, part)


def test_a_target(tmp_path: Path) -> None:
    with evolve.open(tmp_path / "ws") as workspace, pytest.raises(UsageError) as refused:
        workspace.criteria.opinion("brevity")
    assert refused.value.hint == METRICS


def test_a_kind_of_tools(tmp_path: Path) -> None:
    shelf = servers(tmp_path)
    for server in (Server(name="ls", kind="program", command=("/bin/ls",)), Server(name="web", kind="openapi")):
        with pytest.raises(UsageError) as refused:
            shelf.add(server)
        hint = f"kind {server.kind} needs the package evolve-tools: pip install ./packages/evolve-tools"
        assert (refused.value.hint, shelf.list()) == (hint, [])


def test_a_kind_of_environment(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as refused:
        environment_kind("worlds")
    assert refused.value.hint == HINT
    file = tmp_path / "task.json"
    file.write_text(json.dumps({"id": "plant", "instruction": "Find it.", "worlds": {"world": "w"}}))
    with pytest.raises(TaskError) as wrong:
        load_suite(file)
    assert (wrong.value.hint, "worlds" in str(wrong.value)) == (HINT, True)
