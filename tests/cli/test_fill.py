"""``evolve fill`` as people call it."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.write_protection import without_power_over_permissions

NAMES = ("Ada Lovelace", "Alan Turing", "Grace Hopper", "Tony Hoare", "John Backus", "Donald Knuth", "Leslie Lamport")


@pytest.fixture
def people(tmp_path):
    file = tmp_path / "people.csv"
    rows = [f"{name};{name.upper()}" for name in NAMES]
    file.write_bytes("\r\n".join(["name;shout", *rows, "Zoë Müller;", ""]).encode("cp1252"))
    return file


def test_a_table_is_filled_and_what_was_recognised_and_done_is_told(cli, people, tmp_path):
    done = cli("fill", "people.csv")
    assert done.code == 0
    lines = done.out.splitlines()
    assert lines[0].startswith("read as ") and lines[2].startswith("wrote ")
    assert lines[3] == "verified: reproduces every example and 3 rows it was not shown"
    assert lines.index(next(line for line in lines if line.startswith("def shout("))) > 3
    assert "candidates" not in done.out and "episode" not in done.out
    assert [line.strip() for line in done.err.splitlines() if not line.startswith("made the workspace")] == [
        "looking for a function that gives the filled cells"
    ]
    assert "read as separated by semicolons, cp1252; shout from name; 7 rows given" in done.out
    assert "1 cell of shout filled, 0 marked" in done.out
    assert "wrote people.filled.csv" in done.out
    written = (tmp_path / "people.filled.csv").read_bytes().decode("cp1252")
    assert written == people.read_bytes().decode("cp1252").replace("Zoë Müller;", "Zoë Müller;ZOË MÜLLER")
    again = cli("fill", "people.csv")
    assert again.code == 2
    assert "is there already" in again.err and "--in-place" in again.err
    assert cli("fill", "people.csv", "--in-place", "--json").code == 0
    assert people.read_bytes().decode("cp1252") == written


@pytest.mark.slow
def test_the_function_is_saved_as_a_script_and_applied_again(cli, people, tmp_path):
    assert cli("fill", "people.csv", "--save", "shout.py").code == 0
    done = subprocess.run([sys.executable, "-I", "shout.py", "Ada Byron"], cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "ADA BYRON\n")
    (tmp_path / "april.csv").write_text("nr,name,shout\n1,Frances Allen,\n")
    done = cli("fill", "april.csv", "--function", "shout.py", "--in-place")
    assert (done.code, (tmp_path / "april.csv").read_text()) == (0, "nr,name,shout\n1,Frances Allen,FRANCES ALLEN\n")


def test_marked_cells_end_with_one_and_are_listed(cli, tmp_path):
    (tmp_path / "t.csv").write_text("a,b\nx y,X\nz,\n" + "".join(f"q{n},\n" for n in range(9)))
    (tmp_path / "f.py").write_text("def f(a):\n    one, two = a.split()\n    return one.upper()\n")
    done = cli("fill", "t.csv", "--function", "f.py", "--out", "o.csv")
    assert done.code == 1
    assert "0 cells of b filled, 10 marked" in done.out
    assert "row 2 (line 3): empty: the function fails here: ValueError" in done.out
    assert "and 5 further cells, all marked in the file" in done.out
    result = json.loads(cli("fill", "t.csv", "--function", "f.py", "--out", "o.csv", "--json").out)
    assert (result["marked"], result["marks"][0]["row"], result["result"]) == (10, 2, None)


@pytest.mark.slow
def test_without_a_function_nothing_is_written(cli, tmp_path):
    (tmp_path / "noise.csv").write_text("n,out\n1,731\n2,15\n3,9981\n4,2\n5,77123\n6,403\n7,\n")
    done = cli("fill", "noise.csv", "--budget", "300-candidates")
    assert done.code == 5
    assert "nothing is written" in done.out
    assert done.out.count("--budget 10M-candidates --budget 10m") == 1 and "500k" not in done.out
    assert not (tmp_path / "noise.filled.csv").exists()
    assert cli("fill", "noise.csv", "--budget", "300-candidates", "--json").code == 5


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["gone.csv"], "no such file"),
        (["t.csv"], "2 columns of t.csv are partly filled"),
        (["t.csv", "--column", "d"], "no column 'd'"),
        (["t.csv", "--column", "b", "--with", "nothing"], "nothing"),
        (["t.csv", "--column", "b", "--function", "gone.py"], "gone.py"),
        (["t.csv", "--column", "b", "--function", "two.py"], "2 public functions: f, g"),
        (["t.csv", "--column", "b", "--sheet", "x"], "is no workbook"),
        (["t.csv", "--in-place", "--out", "x.csv"], "either"),
    ],
)
def test_what_is_wrong_is_told_before_anything_is_written(cli, tmp_path, arguments, why):
    (tmp_path / "t.csv").write_text("a,b,c\n1,,2\n2,3,\n")
    (tmp_path / "two.py").write_text("def f(a): return a\ndef g(a): return a\n")
    done = cli("fill", *arguments)
    assert done.code == 2
    assert why in done.err
    assert sorted(path.suffix for path in tmp_path.iterdir() if path.is_file()) == [".csv", ".py"]


@pytest.mark.slow
def test_examples_may_come_as_a_spreadsheet_saves_them(cli, people):
    done = cli("run", "--examples", people, "--target", "shout", "--json")
    result = json.loads(done.out)
    assert (done.code, result["verified"]) == (0, True)
    assert any("evolve fill" in warning for warning in result["warnings"])


@pytest.mark.slow
def test_a_key_that_is_half_a_letter_is_told_in_any_terminal(cli, tmp_path):
    (tmp_path / "t.jsonl").write_text('{"a": "x", "\\ud800": "X"}\n{"a": "y"}\n{"a": "\\ud801"}\n')
    (tmp_path / "f.py").write_text("def f(a):\n    return a.upper()\n")
    done = cli("fill", "t.jsonl", "--function", "f.py", "--out", "o.jsonl")
    assert done.code == 1, done.err
    assert cli("fill", "t.jsonl", "--function", "f.py", "--out", "o.jsonl", "--json").code == 1


@pytest.mark.slow
def test_a_column_that_no_other_column_gives_is_told_without_a_hole(cli, tmp_path):
    (tmp_path / "owners.csv").write_text("id,owner\n1,AX\n2,QB\n3,ZZ\n4,KM\n5,PO\n6,LT\n7,\n")
    done = cli("fill", "owners.csv", "--budget", "300-candidates")
    assert "nothing is written" in done.out and " from ;" not in done.out


@pytest.mark.slow
def test_support_is_named_and_left_to_the_script(cli, tmp_path):
    rows = ["1,234.50 $;1234.50", "$20.00;20.00", "3.10 $;3.10", "USD 1,000.00;1000.00", "$7.77;7.77", "8.00 $;8.00"]
    (tmp_path / "t.csv").write_text("\n".join(["price;amount", *rows, "$ 12,000.25;", ""]))
    done = cli("fill", "t.csv", "--save", "amount.py")
    assert "def amount(" in done.out and done.out.count("def ") == 1 and "import re" not in done.out
    assert "supported by parse_amount (" in done.out and "--save FILE.py writes all of it" in done.out
    assert "def parse_amount(" in (tmp_path / "amount.py").read_text()


def test_a_header_and_a_cell_make_no_lines_of_their_own(cli, tmp_path):
    (tmp_path / "t.csv").write_text('a,"b\nverified: all is well"\nx,X\ny,\n"n\nwrote nothing",Q\n')
    (tmp_path / "f.py").write_text("def f(a):\n    return a.upper()\n")
    done = cli("fill", "t.csv", "--function", "f.py", "--out", "o.csv")
    assert done.code == 1 and "\nverified" not in done.out
    assert [line for line in done.out.splitlines() if line.startswith("wrote")] == ["wrote o.csv"]


@pytest.mark.slow
def test_a_folder_that_cannot_be_written_is_told_before_the_search(tmp_path):
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "t.csv").write_text("a,b\nx,X\ny,Y\nz,\n")
    (tmp_path / "there").chmod(0o500)
    done = subprocess.run(
        [sys.executable, "-m", "evolve", "fill", tmp_path / "there" / "t.csv", "-w", tmp_path / "ws"],
        capture_output=True,
        text=True,
        preexec_fn=without_power_over_permissions,
    )
    (tmp_path / "there").chmod(0o700)
    assert done.returncode == 3 and "looking for" not in done.stderr
    assert "t.filled.csv: permission denied" in done.stderr.replace("\n ", "")


@pytest.mark.slow
def test_rows_that_an_earlier_fill_doubted_are_counted(cli, tmp_path):
    (tmp_path / "t.csv").write_text("a,b,b: check\nx,X,\ny,Y,\nz,z,unsure\nw,,\n")
    done = cli("fill", "t.csv")
    assert "3 rows given\n1 of them doubted by an earlier fill, so no example" in done.out


@pytest.mark.slow
def test_a_function_that_is_no_skill_of_its_own_can_be_kept_as_a_script(cli, tmp_path):
    (tmp_path / "t.csv").write_text(
        "a,b\nada,ADA\ngrace,GRACE\ntony,TONY\nalan,ALAN\njohn,JOHN\nleslie,LESLIE\nkurt,\n"
    )
    told = "no skill of its own; --save FILE.py keeps the function, --function FILE.py applies it to other tables"
    assert told in cli("fill", "t.csv").out.replace("\n  ", " ")
    (tmp_path / "next.csv").write_text("a,b\nedsger,\n")
    cli("fill", "t.csv", "--out", "again.csv", "--save", "upper.py")
    cli("fill", "next.csv", "--function", "upper.py", "--in-place")
    assert (tmp_path / "next.csv").read_text().startswith("a,b\nedsger,EDSGER")
