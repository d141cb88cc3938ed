"""A function as a script: it reads the tables that people have, and says what it takes."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from evolve.skills.export.script import SkillScript, script_of


@pytest.fixture
def script(tmp_path):
    """Writes a script of a function."""

    def write(code, signature, kinds):
        entry = code.split("(")[0].split()[-1]
        made = SkillScript(
            name=f"{entry}.py",
            code=code,
            entry=entry,
            kinds=kinds,
            signature=signature,
            description="It.",
            example="[]",
        )
        (tmp_path / made.name).write_text(script_of(made), encoding="utf-8")
        return tmp_path / made.name

    return write


@pytest.fixture
def gross(script):
    code = "def gross(kunde, netto):\n    return f'{kunde} {round(netto * 1.19, 2)}'\n"
    return script(code, "(kunde: str, netto: float) -> str", ["str", "float"])


@pytest.fixture
def twice(script):
    return script("def twice(netto):\n    return netto * 2\n", "(netto: float) -> float", ["float"])


def run(script, *arguments, **more):
    return subprocess.run(
        [sys.executable, "-I", script, *map(str, arguments)],
        stdin=more.get("stdin", subprocess.DEVNULL),
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONUTF8": "1"},
    )


TABLE = "Nr;Netto;Kunde\r\n1;1.000,00;Müller\r\n2;n/a;Groß\r\n3;20,00;Ey\r\n4;2.000;Ö\r\n"


@pytest.mark.parametrize("encoding", ["cp1252", "utf-8", "utf-8-sig", "utf-16"])
def test_the_table_that_it_came_from_is_read(gross, twice, tmp_path, encoding):
    file = tmp_path / "t.csv"
    file.write_bytes(TABLE.encode(encoding))
    done = run(gross, "--file", file)
    assert done.stdout.splitlines() == ["Müller 1190.0", "", "Ey 23.8", "Ö 2380.0"]
    assert (done.returncode, done.stderr) == (2, "line 3: 'n/a' is no float\n")
    assert run(twice, "--file", file).stdout.splitlines() == ["2000.0", "", "40.0", "4000"]


def test_a_declared_delimiter_is_no_row(gross, tmp_path):
    file = tmp_path / "t.csv"
    file.write_text("sep=;\nNetto;Kunde\n1,50;a\nx;b\n")
    done = run(gross, "--file", file)
    assert (done.stdout, done.stderr) == ("a 1.78\n\n", "line 4: 'x' is no float\n")
    file.write_text("sep=;\na;1,50\nb;x\n")
    done = run(gross, "--file", file)
    assert (done.stdout, done.stderr) == ("a 1.78\n\n", "line 3: 'x' is no float\n")


@pytest.mark.parametrize("there", [False, True])
def test_a_file_that_is_no_table_is_told_in_a_line(twice, tmp_path, there):
    file = tmp_path / "t.xlsx"
    if there:
        file.write_bytes(b"PK\x03\x04 and more")
    done = run(twice, "--file", file)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert done.stderr.startswith(f"{file}: ") and ("workbook" if there else "No such file") in done.stderr


@pytest.mark.parametrize("text", ["a;1,50\nb;2,25\n", "a\t1,50\nb\t2,25\n", 'a,"1,50"\nb,"2,25"\n', "a|1.50\nb|2.25\n"])
def test_cells_without_a_header_are_told_apart(gross, tmp_path, text):
    file = tmp_path / "t.txt"
    file.write_text(text)
    assert run(gross, "--file", file).stdout.splitlines() == ["a 1.78", "b 2.68"]


@pytest.mark.parametrize(
    ("given", "printed"),
    [("1.234,50", "2469.0"), ("1,234.50", "2469.0"), ("-10,5", "-21.0"), ("1.5", "3.0"), ("1e3", "2000.0")],
)
def test_a_number_may_be_written_as_people_do(twice, given, printed):
    assert run(twice, "--", given).stdout.strip() == printed


def test_what_could_be_two_numbers_is_none(twice):
    done = run(twice, "1,234")
    assert (done.returncode, done.stderr) == (2, "'1,234' is no float\n")


@pytest.mark.parametrize("given", [["a, b"], ["12 34"], ["a", "1", "2"], ['"a" 1']])
def test_a_wrong_number_of_arguments_is_told_with_their_names(gross, given):
    done = run(gross, *given)
    assert done.returncode == 2
    assert done.stderr.startswith("expected 2 arguments: kunde, netto")


@pytest.mark.skipif(sys.platform == "win32", reason="no pseudo-terminals")
def test_at_a_terminal_without_arguments_it_tells_its_usage(gross):
    import pty

    _, terminal = pty.openpty()
    done = run(gross, stdin=terminal)
    assert (done.returncode, done.stderr.startswith("usage: gross.py")) == (2, True)
