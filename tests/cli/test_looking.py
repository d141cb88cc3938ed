"""Looking makes nothing, and what cannot be told does not end the work."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROWS = "name,initial\n" + "".join(
    f"{name} Smith,{name[0]}\n" for name in ("Ada", "Bob", "Cy", "Dan", "Eva", "Flo", "Gus")
)


def evolve(*arguments: object, cwd: Path, stderr: object = subprocess.PIPE) -> subprocess.CompletedProcess[str]:
    environ = {name: value for name, value in os.environ.items() if not name.startswith("EVOLVE_")}
    return subprocess.run(
        [sys.executable, "-m", "evolve", *map(str, arguments)],
        cwd=cwd,
        env={**environ, "HOME": str(cwd)},
        stdout=subprocess.PIPE,
        stderr=stderr,
        stdin=subprocess.DEVNULL,
        text=True,
        timeout=120,
    )


@pytest.mark.parametrize(
    "command",
    [
        ("memory", "list"),
        ("memory", "preferences", "list"),
        ("skills", "list"),
        ("runs", "list"),
        ("runs", "show", "r1"),
        ("lab", "variants", "list"),
        ("report",),
    ],
)
def test_looking_at_a_workspace_that_is_not_there_says_so_and_makes_nothing(
    cli, tmp_path: Path, command: tuple
) -> None:
    found = cli(*command, "-w", "mnie")
    assert found.code == 3, found.err
    assert "there is no workspace at" in found.err and "evolve init" in found.err
    assert not (tmp_path / "mnie").exists()


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only some systems have a device that is always full")
def test_a_run_whose_progress_cannot_be_written_gives_its_result_and_code(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text(ROWS)
    with open("/dev/full", "w") as full:
        found = evolve("run", "--examples", "rows.csv", "-w", "ws", cwd=tmp_path, stderr=full)
    assert (found.returncode, "\nverified: " in found.stdout) == (0, True)


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only some systems have a device that is always full")
def test_a_complaint_that_cannot_be_written_keeps_its_code(tmp_path: Path) -> None:
    with open("/dev/full", "w") as full:
        assert evolve("run", "--examples", "none.csv", "-w", "ws", cwd=tmp_path, stderr=full).returncode == 2


@pytest.mark.slow
def test_files_that_people_have_are_taken_or_named_for_what_they_are(cli, tmp_path: Path) -> None:
    (tmp_path / "UP.CSV").write_text(ROWS)
    (tmp_path / "-dash.csv").write_text(ROWS)
    (tmp_path / "two\nlines.csv").write_text("a\n1\n")
    (tmp_path / "book.csv").write_bytes(b"PK\x03\x04\x14\x00\x06\x00")
    (tmp_path / "comma.csv").write_text("a,b,\n" + "".join(f"{n},{n + 1},\n" for n in range(7)))
    (tmp_path / "plain.json").write_text(json.dumps([{"a": 1, "b": 2}, {"a": 2, "b": 3}]))

    def told(*arguments: str) -> tuple[int, str]:
        found = cli("run", *arguments, "-w", "ws")
        return found.code, found.err

    assert told("--examples", "UP.CSV")[0] == 0
    shutil.rmtree(tmp_path / "ws")
    code, said = told("--examples=-dash.csv")
    assert code == 2 and "--name" in said
    code, said = told("--examples", "two\nlines.csv")
    assert code == 2 and "two\\nlines.csv" in said
    code, said = told("--examples", "book.csv")
    assert code == 2 and "a workbook" in said and "CSV" in said
    code, said = told("--examples", "comma.csv")
    assert code == 2 and "column 3" in said and "neither a name nor a value" in said
    code, said = told("--examples", "plain.json")
    assert code == 2 and '{"input": [1, 2], "output": 3}' in said
    assert not (tmp_path / "ws").exists()
    assert told("--examples=-dash.csv", "--name", "initial")[0] == 0


def test_a_recording_without_a_model_is_refused_before_anything_is_made(cli, tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text(ROWS)
    (tmp_path / "kept").mkdir()
    found = cli("run", "--examples", "rows.csv", "--record", "kept", "-w", "ws")
    assert found.code == 2 and "no model is named" in found.err
    assert not (tmp_path / "ws").exists()


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('day_limit = "5-candidates"', "candidates are tried without a model"),
        ('total_limit = "$5 5-candidates"', "candidates are tried without a model"),
        ('base_url = "not a url"', "is not an address"),
        ('base_url = "http://"', "is not an address"),
    ],
)
def test_settings_that_can_mean_nothing_are_refused_where_they_are_shown(
    cli, tmp_path: Path, line: str, said: str
) -> None:
    cli("init", "ws")
    (tmp_path / "ws" / "evolve.toml").write_text(line + "\n")
    found = cli("status", "--settings", "-w", "ws")
    assert found.code == 3 and said in found.err and line.split()[0] in found.err
