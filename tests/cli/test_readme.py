"""The README's own example does what it says there."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys

import pytest

from tests.cli.conftest import ROOT

README = (ROOT / "README.md").read_text("utf-8")


def block(kind):
    return re.search(rf"^```{kind}\n(.*?)^```", README, re.DOTALL | re.MULTILINE)[1]


def commands(beginning):
    found = (line for line in README.splitlines() if line.startswith(f"    {beginning} "))
    return [shlex.split(line) for line in found if "-w mine" in line]


@pytest.mark.slow
def test_the_example_is_solved_listed_exported_and_runs(cli, tmp_path):
    (tmp_path / "names.csv").write_text(block("csv"))
    fill, *listings = [words[1:] for words in commands("evolve")]
    export = listings.pop(next(place for place, words in enumerate(listings) if "export" in words))
    done = cli(*fill)
    assert done.code == 0, done.err
    assert "\nverified: reproduces every example and 3 rows it was not shown" in done.out
    assert "3 cells of short filled, 0 marked" in done.out
    filled = (tmp_path / "names.filled.csv").read_text().splitlines()
    assert filled[-3:] == ["Frances Allen,F. ALLEN", "Katherine Johnson,K. JOHNSON", "Donald Knuth,D. KNUTH"]
    assert all(cli(*listing).code == 0 for listing in listings)
    # Which of several short programs is found may change, and with it the end of the skill's name.
    shown = export[export.index("export") + 1]
    found = [line.split()[0] for line in cli("skills", "list", "-w", "mine").out.splitlines()[1:]]
    assert [name.rpartition("-")[0] for name in found] == [shown.rpartition("-")[0]]
    assert cli(*[found[0] if word == shown else word for word in export]).code == 0
    script = tmp_path / "exported" / found[0] / "scripts" / f"{found[0]}.py"
    said = subprocess.run([sys.executable, script, "Rózsa Péter"], capture_output=True, text=True, check=True)
    assert said.stdout == "R. PÉTER\n"


@pytest.mark.slow
def test_the_python_snippet_runs(start_cli, tmp_path):
    (tmp_path / "names.csv").write_text(block("csv"))
    (tmp_path / "snippet.py").write_text(block("python"))
    out, err = start_cli(program=["snippet.py"]).communicate(timeout=300)
    assert out.startswith("solved True\n"), err
    assert "def short_name(" in out


def test_what_it_links_to_is_there():
    links = re.findall(r"\]\(([^)#:]+)\)", README)
    assert [name for name in links if not (ROOT / name).exists()] == []
