"""What is seen of a folder before anything is done in it."""

from __future__ import annotations

from contextlib import closing

import pytest

from evolve.core.episodes import TaskView
from evolve.environments import EnvironmentOptions, environment_kind, open_environment
from evolve.environments.files.first_look import first_look_text
from evolve.environments.files.map import MOST, folder_map, full_listing
from evolve.tasks.reading.folder import folder_task
from evolve.tasks.verification.checks import CheckResult
from tests.environments.conftest import TEST, WRONG


@pytest.fixture
def look(sandbox, make_work):
    def seen(task=None, clean=str, **more):
        with closing(
            open_environment(task or make_work(**more), EnvironmentOptions(sandbox=sandbox, clean=clean))
        ) as environment:
            parts = environment.initial_view()
            assert environment.initial_view() == parts
            return parts

    return seen


def test_a_small_folder_is_seen_whole_with_what_its_check_prints(look):
    check, files = look()
    assert check.name == "check"
    # The command itself stands in what says how the work is judged.
    assert check.text.startswith("Traceback") and "AssertionError" in check.text
    assert check.text.splitlines()[-1].startswith("[exit 1")
    left_out, protected, shown = files.text.split("\n", 2)
    assert (files.name, shown) == (
        "files",
        f"all files of the copy\n=== test_total.py\n{TEST}=== total.py\n{WRONG}".rstrip(),
    )
    assert ".env" in left_out and "outside" in left_out and "test_total.py, and new files" in protected


def test_what_is_said_of_a_check_holds_for_a_change_and_for_a_question():
    task = {"id": "t", "family": "", "instruction": "How many?", "signature": "", "examples": ()}
    (decides,) = environment_kind("files").task_parts(TaskView(**task, environment="files", check="make test"))
    assert decides.text.endswith(": make test")
    (none,) = environment_kind("files").task_parts(TaskView(**task, environment="files"))
    assert "could run" not in none.text  # what the person keeps may name a check


def test_a_file_that_stands_elsewhere_is_not_said_to_be_among_all_files(look, project):
    (project / "AGENTS.md").write_text("Use tabs.\n")
    assert "\nall files of the copy but AGENTS.md, which is below\n=== " in look()[1].text
    (project / "README.md").write_text("What it is.\n")
    assert "\nall files of the copy but AGENTS.md, README.md, which are below\n=== " in look()[1].text


def test_a_long_table_is_shown_by_its_columns_and_first_rows():
    rows = [f"{n},{'north' if n % 3 else 'south'},{n * 1.5 if n % 10 else ''},note {n}" for n in range(1, 121)]
    table = "\n".join(["id,region,amount,note", *rows]) + "\n"
    text = full_listing({"a.py": b"x = 1\n", "sales.csv": table.encode(), "small.csv": b"a,b\n1,2\n"})
    assert "=== small.csv\na,b\n1,2" in text and len(text) < 500
    assert text.splitlines()[2:7] == [
        f"=== sales.csv, {len(table):,} bytes, in short",
        "id,region,amount,note",
        *rows[:3],
    ]
    assert text.splitlines()[7:12] == [
        "... 117 more rows; of all 120",
        "  id: numbers, 1 to 120",
        "  region: 'north' 80 times, 'south' 40 times",
        "  amount: numbers, 1.5 to 178.5; 12 empty",
        "  note: 120 different texts, such as 'note 120'",
    ]


def test_a_table_that_is_longer_than_a_map_is_shown_in_short_too():
    text = "id,name\n" + "".join(f"{n},x{n}\n" for n in range(30_000))
    assert "  id: numbers, 0 to 29999\n  name: 30000 different" in full_listing(
        {"big.csv": text.encode(), "a.py": b"1\n"}
    )


@pytest.mark.parametrize(
    "name, line",
    [("a.jsonl", '{{"id": {n}, "of": [1]}}'), ("a.tsv", "{n}\tx"), ("a.csv", '{n};"x; y"')],
)
def test_tables_of_other_kinds_are_known(name, line):
    head = "" if name.endswith("jsonl") else line.format(n="id") + "\n"
    text = head + "".join(line.format(n=n) + "\n" for n in range(300))
    assert "  id: numbers, 0 to 299" in full_listing({name: text.encode()})


@pytest.mark.parametrize("text", ["a,b\n" + "1,2,3\n4\n" * 200, "one\n" * 400, "x" * 1_500])
def test_what_is_no_table_is_shown_as_it_is(text):
    assert full_listing({"a.csv": text.encode()}).endswith(text.rstrip())
    assert full_listing({"a.jsonl": text.encode()}).endswith(text.rstrip())


def test_text_in_other_encodings_and_with_other_line_ends_is_seen_decoded():
    latin = "# coding: latin-1\ndef grün(): return 'ö'\n".encode("latin-1")
    files = {"a.py": latin, "b.txt": "naïve\r\n".encode("utf-16"), "c.txt": b"\xc3\xa4\xc3\xb6\r\xfc"}
    assert full_listing(files) == (
        "=== a.py, latin-1\n# coding: latin-1\ndef grün(): return 'ö'\n"
        "=== b.txt, utf-16-le, begins with a byte order mark, CRLF line ends\nnaïve\n"
        "=== c.txt, utf-8 but for 1 byte, CR line ends, without a line end\näö\n\ufffd"
    )
    assert folder_map(files, "").splitlines()[:2] == ["a.py (41 bytes, latin-1)", "  2: def grün()"]


def test_a_byte_order_mark_is_seen():
    files = {"a.csv": b"\xef\xbb\xbfid,name\n1,x\n", "b.txt": b"\xef\xbb\xbf"}
    assert full_listing(files) == (
        "=== a.csv, begins with a byte order mark\nid,name\n1,x\n"
        "=== b.txt, begins with a byte order mark, without a line end\n"
    )
    assert folder_map(files, "").splitlines()[0] == "a.csv (15 bytes, begins with a byte order mark)"


def test_rules_that_a_check_draws_across_its_output_are_cut_short(look):
    (check, _) = look(check="echo ======================; echo 'FAIL: a'; echo '-------- x ---'; false")
    assert check.text.startswith("===\nFAIL: a\n--- x ---\n[exit 1")


def test_what_says_nothing_takes_no_room():
    files = {"a/__init__.py": b"", "a/b.py": b"\n\nx = 1\ny = 2\n\n\n", "open.txt": b"end", "py.typed": b""}
    assert full_listing(files) == (
        "=== a/b.py\n\n\nx = 1\ny = 2\n=== open.txt, without a line end\nend\nEmpty: a/__init__.py, py.typed"
    )
    assert full_listing({"a": b"", "b": b""}) == "Empty: a, b"
    lines = folder_map({**folder(40), "a/__init__.py": b"", "py.typed": b""}, "").splitlines()
    assert lines[-1] == "Empty: a/__init__.py, py.typed"
    (seen, _) = first_look_text({"a": b"x"}, "", "make", CheckResult(ok=True, output="ok\n", exit=0, seconds=0.4))
    assert seen.text == "ok\n[exit 0; it passes already, so it says nothing of what is asked]"
    (seen, _) = first_look_text({"a": b"x"}, "", "make", CheckResult(ok=True, output="ok\n", exit=0, seconds=4.2))
    assert seen.text == "ok\n[exit 0, in 4 s; it passes already, so it says nothing of what is asked]"


def test_many_empty_files_leave_room_on_a_map_of_a_large_folder():
    text = folder_map({**folder(2000), **{f"part{n}/__init__.py": b"" for n in range(2000)}}, "make it faster")
    assert len(text) <= MOST and text.startswith("core.py (111 bytes)\n  1: class Ledger\n")
    assert text.splitlines()[-2].startswith("... and ")
    assert text.splitlines()[-1].startswith("Empty: part0/__init__.py, ") and text.endswith(" more")


def test_a_long_check_output_is_seen_by_both_ends(look):
    (check, _) = look(check="echo first; seq 1 9000; echo last; exit 2")
    assert check.text.startswith("first\n1\n2\n")
    assert "last\n[exit 2" in check.text and "left out" in check.text and len(check.text) < 8_200


def test_a_hidden_check_is_not_seen(look):
    parts = look(check="", hidden_check="python3 test_more.py", hidden_files={"test_more.py": "assert 0"})
    assert [part.name for part in parts] == ["files"]


def test_conventions_are_told_with_their_origin(look, project):
    (project / "AGENTS.md").write_text("Use tabs.\n" + "x" * 9000)
    (project / "README.rst").write_text("What it is.\n")
    (project / "sub").mkdir()
    (project / "sub" / "AGENTS.md").write_text("elsewhere")
    parts = look()
    told = {part.origin: part.text for part in parts if part.name == "conventions"}
    assert list(told) == ["AGENTS.md", "README.rst"]
    assert told["AGENTS.md"].startswith("Use tabs.") and len(told["AGENTS.md"]) <= 3_000
    assert "Use tabs" not in "".join(part.text for part in parts if part.name != "conventions")


def test_nothing_that_is_seen_holds_a_secret(look, project):
    (project / "settings.txt").write_text("password: opensesame\n")
    (project / "README").write_text("opensesame\n")
    parts = look(check="cat settings.txt; false", clean=lambda text: text.replace("opensesame", "[secret]"))
    assert "opensesame" not in str(parts) and str(parts).count("[secret]") == 3


CORE = "class Ledger:\n    def book(self, amount: int) -> None: ...\n\n\n"
CORE += "def settle(ledger: Ledger) -> int: ...\n\n\nRATE = 3\n"


def test_a_map_holds_every_definition_where_they_fit(look, project):
    (project / "core.py").write_text(CORE)
    (project / "data.txt").write_text("1,2\n" * 3000)
    (project / "a.py").write_text("from core import settle\n\n\nasync def run(*names, deep=False): ...\n")
    part = look()[1]
    assert part.name == "map"
    lines = part.text.splitlines()
    assert lines[lines.index("core.py (111 bytes)") + 1 :][:4] == [
        "  1: class Ledger",
        "  2:   def book(self, amount: int) -> None",
        "  5: def settle(ledger: Ledger) -> int",
        "  8: RATE",
    ]
    assert "  4: def run(*names, deep=False)" in lines and "data.txt (12,000 bytes)" in lines


def folder(count):
    files = {
        f"part{n}.py": f"from core import settle\n\n\ndef part{n}(x):\n    return settle(x)\n" for n in range(count)
    }
    files = {name: text.encode() for name, text in files.items()}
    return {**files, "core.py": CORE.encode(), "image.png": b"\x89\0" * 500}


def test_a_map_of_a_large_folder_keeps_to_its_size_and_begins_with_what_others_use():
    files = folder(2000)
    text = folder_map(files, "make it faster")
    assert len(text) <= MOST
    assert text.startswith("core.py (111 bytes)\n  1: class Ledger\n")
    shown = sum(f"{name} (" in text for name in files)
    assert text.splitlines()[-1].startswith(f"... and {len(files) - shown:,} more files, ")


def test_what_is_asked_comes_first_on_the_map():
    names = [line.partition(" ")[0] for line in folder_map(folder(500), "part77 is wrong, see part123.py").splitlines()]
    assert set([name for name in names if name.endswith(".py")][:3]) == {"core.py", "part77.py", "part123.py"}


def test_no_text_can_break_the_map():
    deep = "(" * 5_000 + ")" * 5_000
    files = {
        "deep.py": deep.encode(),
        "no.py": b"def (:",
        "bad.py": b"\xff\xfe",
        "esc.py": b"'\\d'\nx = 1 is 1\n",
        "": b"",
    }
    files |= {"loop.py": b"class loop:\n  loop = loop\n", "long.py": b"def " + b"f" * 9_000 + b"(): ...\n"}
    files["sum.py"] = b"def f(x=" + b"+".join([b"1"] * 3_000) + b"): ...\n"
    assert "loop.py (26 bytes)\n  1: class loop" in folder_map(files, "")
    assert folder_map({}, "") == "" and full_listing({"a": b"\0"}) == ""


def test_other_languages_are_read_where_their_grammars_are_installed():
    pytest.importorskip("tree_sitter_language_pack")
    files = {"app.js": b"export function add(a, b) {\n  return a + b;\n}\nclass Bar extends Foo { run() {} }\n"}
    files |= {"main.go": b"package main\nfunc main() { work() }\n", "x.c": b"int add(int a, int b) { return a + b; }\n"}
    lines = folder_map(files, "").splitlines()
    for line in ("  1: function add(a, b)", "  4: class Bar extends Foo", "  4:   run()", "  2: func main()"):
        assert line in lines
    assert "  1: int add(int a, int b)" in lines


def test_a_folder_without_a_check_is_looked_at_too(look, project):
    assert [part.name for part in look(folder_task("what is it?", project))] == ["files"]
