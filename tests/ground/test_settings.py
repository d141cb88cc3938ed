from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from evolve.core.errors import UsageError, WorkspaceError
from evolve.core.settings import Settings, load_settings, setting_fields, settings_template


def workspace(folder: Path, text: str, name: str = "evolve.toml") -> Path:
    (folder / name).write_text(text, encoding="utf-8")
    return folder


def test_defaults_hold_where_nothing_is_said(tmp_path: Path) -> None:
    settings = load_settings(tmp_path, {})
    assert settings == Settings()
    assert set(settings.sources.values()) == {"default"}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("evolve.toml", "candidates = 5\nseconds = 3\n"),
        ("evolve.toml", "[evolve]\ncandidates = 5\nseconds = 3\n"),
        ("pyproject.toml", "[tool.evolve]\ncandidates = 5\nseconds = 3\n"),
    ],
)
def test_files_in_their_three_forms(tmp_path: Path, name: str, text: str) -> None:
    settings = load_settings(workspace(tmp_path, text, name), {})
    assert (settings.candidates, settings.seconds) == (5, 3.0)
    assert settings.sources["candidates"] == str(tmp_path / name)
    assert settings.sources["seed"] == "default"


def test_evolve_toml_comes_before_pyproject(tmp_path: Path) -> None:
    workspace(tmp_path, "[tool.evolve]\nseed = 1\n", "pyproject.toml")
    assert load_settings(workspace(tmp_path, "seed = 2\n"), {}).seed == 2


def test_variables_come_before_files(tmp_path: Path) -> None:
    root = workspace(tmp_path, "seed = 2\nencoder = 'st'\n")
    settings = load_settings(root, {"EVOLVE_SEED": "7", "EVOLVE_ENCODER": "", "EVOLVE_WORKSPACE": "x", "SEED": "9"})
    assert settings.seed == 7
    assert settings.encoder == "st"
    assert settings.sources["seed"] == "EVOLVE_SEED"


def test_a_variable_lowers_a_limit_and_lifts_none(tmp_path: Path) -> None:
    root = workspace(tmp_path, "day_limit = '$5'\n")
    settings = load_settings(root, {"EVOLVE_DAY_LIMIT": "$9 100-calls", "EVOLVE_TOTAL_LIMIT": "$50"})
    assert settings.day_limit == "$5 $9 100-calls"  # the smaller bound of a kind holds
    assert settings.total_limit == "$50"
    assert settings.sources["day_limit"] == f"{root / 'evolve.toml'} and EVOLVE_DAY_LIMIT"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("candidates = 0", "evolve.toml: candidates: .*greater than or equal to 1"),
        ("candidates = '5'", "evolve.toml: candidates: .*integer"),
        ("candidates = true", "evolve.toml: candidates: .*integer"),
        ("seconds = nan", "evolve.toml: seconds: .*finite"),
        ("sandbox = 'none'", "evolve.toml: sandbox: .*bubblewrap"),
        ("budget = 1", "evolve.toml: unknown key 'budget'; known are candidates"),
        ("seed = ", "evolve.toml: not valid TOML"),
        ("evolve = 3", "evolve.toml: evolve: expected a table"),
    ],
)
def test_mistakes_in_a_file_are_named(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(WorkspaceError, match=message):
        load_settings(workspace(tmp_path, text), {})


def test_a_file_that_is_not_utf8_is_named(tmp_path: Path) -> None:
    (tmp_path / "evolve.toml").write_bytes(b"# \xff\n")
    with pytest.raises(WorkspaceError, match=r"evolve\.toml:1: not UTF-8"):
        load_settings(tmp_path, {})


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("EVOLVE_WORKERS", "many"),
        ("EVOLVE_SECONDS", "-1"),
        ("EVOLVE_DAY_LIMIT", "much"),
        ("EVOLVE_TOTAL_LIMIT", "$5 and more"),
        ("EVOLVE_TOTAL_LIMIT", "$0"),
    ],
)
def test_mistakes_in_variables_are_named(name: str, text: str) -> None:
    with pytest.raises(UsageError, match=name):
        load_settings(None, {name: text})


def test_the_template_is_all_comments_and_says_the_defaults(tmp_path: Path) -> None:
    text = settings_template()
    assert load_settings(workspace(tmp_path, text), {}) == Settings()
    switched_on = "\n".join(line.removeprefix("# ") for line in text.splitlines() if " = " in line)
    assert set(tomllib.loads(switched_on)) == {item.name for item in setting_fields()}
    assert load_settings(workspace(tmp_path, switched_on), {}) == Settings()


def test_there_is_always_a_worker() -> None:
    assert Settings(workers=0).worker_count >= 1
    assert Settings(workers=3).worker_count == 3
