"""``evolve fill`` as people call it."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace

import pytest

import evolve
from evolve.cli.render.verdicts import open_line
from evolve.core.episodes import Ambiguity
from tests.cli.screens import check_screen
from tests.cli.test_answering import Terminal
from tests.workspace.test_recurring_tables import MARCH, short, write
from tests.workspace.test_recurring_tables import NAMES as APRIL
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
    check_screen("fill-verified", done, progress=True)
    written = (tmp_path / "people.filled.csv").read_bytes().decode("cp1252")
    assert written == people.read_bytes().decode("cp1252").replace("Zoë Müller;", "Zoë Müller;ZOË MÜLLER")
    (tmp_path / "people.filled.csv").write_text("mine")  # what evolve wrote itself it would replace
    again = cli("fill", "people.csv")
    assert again.code == 2 and "--in-place" in again.err
    assert cli("fill", "people.csv", "--in-place", "--json").code == 0
    assert people.read_bytes().decode("cp1252") == written


def test_a_table_that_is_not_there_makes_no_workspace(cli, tmp_path):
    assert cli("fill", "gone.csv").code == 2
    assert list(tmp_path.iterdir()) == []


def test_a_row_that_is_left_open_shows_the_first_column_and_those_that_a_function_reads(cli, tmp_path):
    rows = [
        ("p1", "Ada Lovelace", "red", "A."),
        ("p2", "Alan Turing", "blue", "A."),
        ("p3", "Grace Hopper", "teal", ""),
    ]
    (tmp_path / "t.csv").write_text("".join(f"{','.join(row)}\n" for row in [("id", "name", "team", "first"), *rows]))
    done = cli("fill", "t.csv")
    (line,) = [one for one in done.out.splitlines() if "p3" in one]
    assert "Grace Hopper" in line and "teal" not in done.out + done.err


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
    check_screen("fill-flagged", done)
    result = json.loads(cli("fill", "t.csv", "--function", "f.py", "--out", "o.csv", "--json").out)
    assert (result["marked"], result["marks"][0]["row"], result["result"]) == (10, 2, None)


@pytest.mark.slow
def test_without_a_function_nothing_is_written(cli, tmp_path):
    (tmp_path / "noise.csv").write_text("n,out\n1,731\n2,15\n3,9981\n4,2\n5,77123\n6,403\n7,\n")
    done = cli("fill", "noise.csv", "--budget", "300-candidates")
    assert done.code == 5
    check_screen("fill-nothing-found", done)
    assert not (tmp_path / "noise.filled.csv").exists()
    assert cli("fill", "noise.csv", "--budget", "300-candidates", "--json").code == 5


def test_what_is_wrong_is_told_before_anything_is_written(cli, tmp_path):
    (tmp_path / "t.csv").write_text("a,b,c\n1,,2\n2,3,\n")
    (tmp_path / "two.py").write_text("def f(a): return a\ndef g(a): return a\n")
    wrong = (
        ["gone.csv"],
        ["t.csv"],
        ["t.csv", "--column", "d"],
        ["t.csv", "--column", "b", "--with", "nothing"],
        ["t.csv", "--column", "b", "--function", "gone.py"],
        ["t.csv", "--column", "b", "--function", "two.py"],
        ["t.csv", "--column", "b", "--sheet", "x"],
        ["t.csv", "--in-place", "--out", "x.csv"],
        ["t.csv", "--column", "b", "--out", "t.csv"],
        ["t.csv", "--column", "b", "--out", "t.xlsx"],
        ["t.csv", "--column", "b", "--save", "t.csv"],
        ["t.csv", "--column", "b", "--save", "t.txt"],
        ["t.csv", "--column", "b", "--save", "two.py"],
    )
    done = [cli("fill", *arguments) for arguments in wrong]
    assert {one.code for one in done} == {2}
    check_screen("fill-refused", *done, progress=True)
    assert sorted(path.suffix for path in tmp_path.iterdir() if path.is_file()) == [".csv", ".py"]


@pytest.mark.slow
def test_a_doubtful_cell_is_flagged_and_the_verdict_names_the_row_that_settles_it(cli, tmp_path):
    rows = [f"{name},{name[0]}. {name.split()[1].upper()}" for name in NAMES[:6]]
    (tmp_path / "t.csv").write_text("\n".join(["name,short", *rows, "Leslie Lamport,", '"Wirth, Niklaus",', ""]))
    done = cli("fill", "t.csv")
    assert done.code == 1
    check_screen("fill-doubtful", done)
    assert [line for line in (tmp_path / "t.filled.csv").read_text().splitlines() if line.endswith(",")][-1] == (
        "Leslie Lamport,L. LAMPORT,"
    )


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
    check_screen("fill-with-support", done)
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
    assert done.returncode == 3 and "searching for" not in done.stderr
    assert "t.filled.csv: permission denied" in done.stderr.replace("\n ", "")


@pytest.mark.slow
def test_rows_that_an_earlier_fill_doubted_are_counted(cli, tmp_path):
    (tmp_path / "t.csv").write_text("a,b,b: check\nx,X,\ny,Y,\nz,z,unsure\nw,,\n")
    done = cli("fill", "t.csv", "--out", "o.csv")
    check_screen("fill-again", done)
    told = json.loads(cli("fill", "t.csv", "--out", "p.csv", "--json").out)
    assert (told["given"], told["doubted"]) == (3, 1)


@pytest.mark.slow
def test_a_function_can_be_kept_as_a_script(cli, tmp_path):
    (tmp_path / "t.csv").write_text(
        "a,b\nada,ADA\ngrace,GRACE\ntony,TONY\nalan,ALAN\njohn,JOHN\nleslie,LESLIE\nkurt,\n"
    )
    (tmp_path / "next.csv").write_text("a,b\nedsger,\n")
    cli("fill", "t.csv", "--out", "again.csv", "--save", "upper.py")
    cli("fill", "next.csv", "--function", "upper.py", "--in-place")
    assert (tmp_path / "next.csv").read_text().startswith("a,b\nedsger,EDSGER")


def test_a_table_that_is_not_there_is_told_with_the_name_that_is_meant(cli, people):
    for name, near in (("poeple.csv", "people.csv"), ("budget.csv", "")):
        done = cli("fill", name)
        assert done.code == 2 and name in done.err
        assert ("people.csv" in done.err) is bool(near)


EXPENSES = "shop,net,gross\nRewe,10.00,11.90\nAldi,20.00,23.80\nLidl,7.50,8.93\nShell,40.00,\n"


@pytest.mark.slow
def test_a_script_is_told_how_to_keep_a_function_that_nothing_verified(cli, tmp_path):
    (tmp_path / "march.csv").write_text(EXPENSES)
    (tmp_path / "april.csv").write_text("shop,net,gross\nTank,30.00,35.70\nRewe,50.00,\n")
    done = cli("fill", "march.csv")
    (line,) = [line for line in done.err.splitlines() if "skills own" in line]
    assert cli(*line.partition("evolve ")[2].split()).code == 0
    used = json.loads(cli("fill", "april.csv", "--json").out)
    assert used["sample"] == {"input": [50.0], "output": 59.5}
    assert used["result"]["used"]["kept"] and used["filled"] == 1
    assert cli("forget", "r1").code == 0
    refused = cli("forget", "r1")  # it is out of use by now
    assert refused.code == 2 and "r1" in refused.err
    assert "r1" not in cli("skills", "list").out


@pytest.mark.slow
@pytest.mark.parametrize(("said", "kept"), [("y", ["r1"]), ("n", [])])
def test_a_person_at_a_terminal_is_asked_once_whether_the_column_is_right(start_cli, tmp_path, said, kept):
    (tmp_path / "march.csv").write_text(EXPENSES)
    screen = Terminal(start_cli, "fill", "march.csv").until("[y/N]").type(said)
    assert screen.ended() == 0 and screen.seen.count("[y/N]") == 1
    assert "For 40" in screen.seen and "it writes 47.6" in screen.seen  # a row of the question's own
    with evolve.open(tmp_path / "ws") as workspace:
        assert [one.name for one in workspace.runs.functions_kept()] == kept
        assert ("forgotten" in workspace.stores.runs.run("r1").body) is (said == "n")


@pytest.mark.slow
def test_that_a_column_of_one_value_is_right_is_not_asked_for_later_tables(start_cli, tmp_path):
    rows = "".join(f"RE-{n},2026-03-{n + 10},{'2026-03' if n < 5 else ''}\n" for n in range(6))
    (tmp_path / "march.csv").write_text(f"number,date,month\n{rows}")
    screen = Terminal(start_cli, "fill", "march.csv")
    assert screen.ended() == 0 and "[y/N]" not in screen.seen and "skills own" not in screen.seen


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "larger"),
    [
        ("shop,net,gross\nRewe,10.00,QX\nAldi,20.00,\n", False),  # one row shows nothing
        ("n,out\n1,731\n2,15\n3,9981\n4,2\n5,77123\n6,403\n7,\n", True),
    ],
)
def test_a_larger_budget_is_named_where_it_could_help(cli, tmp_path, text, larger):
    (tmp_path / "t.csv").write_text(text.replace("QX", "11.93"))
    done = cli("fill", "t.csv", "--budget", "3k-candidates")
    assert done.code == 5 and ("--budget" in done.out) is larger


@pytest.mark.slow
def test_the_command_says_what_checks_the_cells_and_which_corrections_its_function_does_not_give(cli, tmp_path):
    write(tmp_path / "march.csv", [*MARCH, "Frances Allen"], {name: short(name) for name in MARCH})
    table = write(tmp_path / "april.csv", APRIL, {})
    assert cli("fill", "march.csv").code == 0
    done = cli("fill", "april.csv")
    (used,) = [line for line in done.out.splitlines() if line.startswith("used ")]
    assert done.code == 0 and "checks" in used
    write(table, APRIL, {APRIL[1]: "Robbie"})
    name = used.split()[1].rstrip(",")
    again = cli("fill", "april.csv", "--with", name)
    assert [line for line in again.out.splitlines() if line.startswith(name) and "row 2" in line]
    assert f"{APRIL[1]},green,Robbie," in (tmp_path / "april.filled.csv").read_text()


@pytest.mark.slow
def test_nothing_is_left_open_about_a_function_that_was_not_found(tmp_path, private_home):
    (tmp_path / "noise.csv").write_text("n,out\n1,731\n2,15\n3,9981\n4,2\n5,77123\n6,403\n7,\n")
    with evolve.open(tmp_path / "ws") as workspace:
        result = workspace.fill(tmp_path / "noise.csv", budget="300-candidates").result
    left = Ambiguity(input=(7,), outputs=(0.0, 5.9))
    assert not result.solved and open_line(replace(result, ambiguity=left)) == ""
