"""Where a package beside evolve is not installed, whoever asks for what it adds is told which one it is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import evolve
from evolve.cli import main
from evolve.environments import kind_of
from evolve.errors import TaskError, UsageError, WorkspaceError
from evolve.tasks import load_suite
from tests.offering import hide

HINT = "worlds needs the package evolve-worlds: pip install ./packages/evolve-worlds"


@pytest.fixture(autouse=True)
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "site").mkdir()
    hide(monkeypatch, tmp_path / "site")


@pytest.mark.parametrize("words", [("lab", "worlds", "list"), ("worlds",), ("help", "worlds")])
def test_a_command(words: tuple[str, ...], capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert (ended.value.code, f"evolve lab {HINT}" in capfd.readouterr().err) == (2, True)


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


def test_a_part_of_a_workspace(tmp_path: Path) -> None:
    with evolve.open(tmp_path / "ws") as workspace, pytest.raises(AttributeError, match="pip install ./packages/"):
        _ = workspace.trials


def test_a_kind_of_environment(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as refused:
        kind_of("worlds")
    assert refused.value.hint == HINT
    file = tmp_path / "task.json"
    file.write_text(json.dumps({"id": "plant", "instruction": "Find it.", "worlds": {"world": "w"}}))
    with pytest.raises(TaskError) as wrong:
        load_suite(file)
    assert (wrong.value.hint, "worlds" in str(wrong.value)) == (HINT, True)
