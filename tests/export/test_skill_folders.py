"""Exported folders: accepted by strict readers, run by themselves, carry nothing they must not."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import skills_ref
import strictyaml

from evolve.core.errors import UsageError
from evolve.runtime.sandbox import open_sandbox
from evolve.skills import Skill
from evolve.skills.export import ExportRules
from tests.export.exports import export
from tests.skills.samples import GOOD, draft, rows

SKILL = replace(Skill.from_draft(GOOD), status="admitted", owner="user")


def run(script: Path, *arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    """Runs a script where evolve cannot be imported."""
    command = [sys.executable, "-I", "-S", str(script), *arguments]
    return subprocess.run(command, input=stdin, capture_output=True, text=True, cwd="/", env={}, timeout=30)


def exported(skill: Skill, place: Path, rules: ExportRules | None = None) -> Path:
    """The folder of the one skill in a bundle."""
    (bundle,) = export([skill], place / "out", rules)
    (folder,) = (bundle / "skills").iterdir()
    return folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return exported(SKILL, tmp_path)


def test_strict_readers_accept_it(folder):
    assert skills_ref.validate(folder) == []
    text = (folder / "SKILL.md").read_text()
    fields = strictyaml.load(text.split("---")[1]).data
    assert set(fields) == {"name", "description", "metadata"}
    assert text.isascii() and fields["name"] == folder.name == "large-evens"
    assert "Use when" in fields["description"]


@pytest.mark.parametrize(
    ("imports", "modules"),
    [
        ("", "none"),
        (
            "import re\nimport urllib.parse\nfrom collections import Counter, abc\n",
            "collections, collections.abc, re, urllib.parse",
        ),
        ("from __future__ import annotations\nimport datetime as d\n", "datetime"),
    ],
)
def test_the_metadata_name_the_modules_that_the_code_uses(tmp_path, imports, modules):
    folder = exported(replace(SKILL, code=imports + SKILL.code), tmp_path)
    assert skills_ref.validate(folder) == []
    fields = strictyaml.load((folder / "SKILL.md").read_text().split("---")[1]).data
    assert fields["metadata"]["modules"] == modules


@pytest.mark.parametrize(
    "description",
    [
        "",
        "x" * 3000,
        "n > 3: <b>yes</b> --- no",
        "line\nbreak: \"quoted\" 'so' # not a comment",
        "Zahlen \u202e größer",
    ],
)
def test_any_description_of_a_person_becomes_acceptable(tmp_path, description):
    folder = exported(replace(SKILL, description=description, owner="user"), tmp_path)
    assert skills_ref.validate(folder) == []


def test_the_script_runs_by_itself(folder):
    script = folder / "scripts/large-evens.py"
    done = run(script, "[[4, 1, 8, 6], 5]")
    assert (done.returncode, json.loads(done.stdout), done.stderr) == (0, [6, 8], "")
    assert json.loads(run(script, stdin="[[2, 4], 0]").stdout) == [2, 4]
    help_text = run(script, "--help")
    assert help_text.returncode == 0
    assert "signature" in help_text.stdout and "exit codes" in help_text.stdout


@pytest.mark.parametrize(
    ("argument", "code", "words"),
    [
        ("{", 2, "not JSON"),
        ("3", 2, "JSON list of 2"),
        ("3,4", 2, "expected 2 arguments: "),
        ("[[1]]", 2, "2 argument"),
        ('["a", 1]', 1, "TypeError"),
    ],
)
def test_the_script_names_what_is_wrong(folder, argument, code, words):
    done = run(folder / "scripts/large-evens.py", argument)
    assert (done.returncode, done.stdout) == (code, "")
    assert words in done.stderr and "Traceback" not in done.stderr


@pytest.fixture
def initials(tmp_path):
    code = "def initials(name):\n    return ''.join(word[0] for word in name.split())\n"
    skill = draft(name="initials", entry="initials", code=code, signature="(name: str) -> str", tests=())
    folder = exported(replace(Skill.from_draft(skill), status="trusted", owner="user"), tmp_path / "initials")
    return folder / "scripts" / f"{folder.name}.py"


@pytest.mark.slow
def test_plain_text_is_taken_as_it_is_and_given_as_it_is(initials):
    assert run(initials, "Ada Lovelace").stdout == "AL\n"
    assert run(initials, '["Ada Lovelace"]').stdout == '"AL"\n'
    assert run(initials, "12 34").stdout == "13\n"
    failed = run(initials, "Ada", "Lovelace")
    assert (failed.returncode, "expected 1 argument: name" in failed.stderr) == (2, True)


@pytest.mark.slow
def test_a_file_of_lines_gives_a_line_for_each(initials, folder, tmp_path):
    lines = tmp_path / "names.txt"
    lines.write_text("\ufeffAda Lovelace\n\nZoë Müller\n", encoding="utf-8")
    done = run(initials, "--file", str(lines))
    assert (done.returncode, done.stdout.splitlines()) == (0, ["AL", "", "ZM"])
    cells = tmp_path / "cells.csv"
    cells.write_text('"[4, 1, 8]",3\n"[1]",x\n1\n')
    done = run(folder / "scripts/large-evens.py", "--file", str(cells))
    assert (done.returncode, done.stdout.splitlines()) == (2, ["[4, 8]", "", ""])
    assert "line 2" in done.stderr and "line 3: expected 2 cells" in done.stderr
    assert run(folder / "scripts/large-evens.py", "[4, 1, 8]", "5").stdout == "[8]\n"


def test_batches_give_one_line_each(folder):
    done = run(folder / "scripts/large-evens.py", "--batch", stdin="[[2, 3], 0]\n\nbad\n[[8], 9]\n")
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 2
    assert [line.get("output") for line in lines] == [[2], None, []]
    assert "not JSON" in lines[1]["error"]


@pytest.mark.slow
def test_importing_the_script_runs_nothing(folder):
    code = f"import runpy; names = runpy.run_path({str(folder / 'scripts/large-evens.py')!r}); print(sorted(names)[-1])"
    done = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("large_evens\n", "")


@pytest.mark.parametrize("name", ["claude-helper", "my-anthropic"])
def test_reserved_names_are_refused(tmp_path, name):
    with pytest.raises(UsageError, match="must not contain"):
        export([replace(SKILL, name=name)], tmp_path / "out")


@pytest.mark.parametrize("name", ["../evil", "/tmp/evil", "a/b", "..", "Large", "x" * 70])
def test_names_that_leave_the_folder_are_refused(tmp_path, name):
    with pytest.raises(UsageError, match="cannot be exported"):
        export([replace(SKILL, name=name)], tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("status", ["draft", "doubtful", "retired"])
def test_only_admitted_skills_leave(tmp_path, status):
    with pytest.raises(UsageError, match=status):
        export([replace(SKILL, status=status)], tmp_path / "out")


def test_all_or_none_are_written(tmp_path):
    with pytest.raises(UsageError):
        export([SKILL, replace(SKILL, name="claude")], tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_file_as_target_is_named(tmp_path):
    (tmp_path / "out").write_text("x")
    with pytest.raises(UsageError, match="not a folder"):
        export([SKILL], tmp_path / "out")


def test_known_secrets_do_not_leave(tmp_path, monkeypatch):
    monkeypatch.setenv("SOME_API_KEY", "correct horse battery")
    leaking = replace(SKILL, code='WORDS = "correct horse battery"\n' + SKILL.code)
    with pytest.raises(UsageError, match=r"large.evens.py contains the variable SOME_API_KEY") as caught:
        export([leaking], tmp_path / "out")
    assert "battery" not in str(caught.value)
    assert not (tmp_path / "out").exists()


def test_code_that_runs_on_import_does_not_leave(tmp_path):
    with pytest.raises(UsageError, match="top level"):
        export([replace(SKILL, code="print(1)\n" + SKILL.code)], tmp_path / "out")


@pytest.mark.slow
def test_names_in_the_code_do_not_clash_with_the_command_line(tmp_path):
    code = "import json\ndef command_line(text):\n    return json.loads(text)\n"
    clash = draft(name="parse", entry="command_line", code=code, signature="(text: str) -> any", tests=())
    folder = exported(replace(Skill.from_draft(clash), status="trusted"), tmp_path)
    assert run(folder / f"scripts/{folder.name}.py", '["[1, 2]"]').stdout == "[1, 2]\n"


def test_the_script_needs_no_environment(folder):
    assert "evolve" not in (folder / "scripts/large-evens.py").read_text()
    assert os.access(folder / "SKILL.md", os.R_OK)


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory):
    with open_sandbox(cache_dir=tmp_path_factory.mktemp("cache")) as opened:
        yield opened


def adding(entry: str, code: str, signature: str = "(x: int) -> int") -> Skill:
    """A skill that adds one, by its rows."""
    made = draft(name="adds-one", entry=entry, code=code, signature=signature, tests=rows(((1,), 2), ((5,), 6)))
    return replace(Skill.from_draft(made), status="admitted")


@pytest.mark.slow
@pytest.mark.slow
@pytest.mark.parametrize("owner", ["learned", "user"])
@pytest.mark.parametrize(
    "entry",
    ["call", "text", "values", "json", "sys", "argparse", "options", "parser", "result", "function", "code", "worst"],
)
def test_an_entry_may_have_any_name(tmp_path, entry, owner):
    skill = replace(adding(entry, f"def {entry}(x):\n    return x + 1\n"), owner=owner)
    folder = exported(skill, tmp_path)
    done = run(folder / f"scripts/{folder.name}.py", "[41]")
    assert (done.returncode, done.stdout, done.stderr) == (0, "42\n", "")
    done = run(folder / f"scripts/{folder.name}.py", "--batch", stdin="[1]\n[2]\n")
    assert (done.returncode, done.stdout) == (0, '{"output": 2}\n{"output": 3}\n')


@pytest.mark.parametrize("name", ["print", "isinstance", "list", "len", "max", "type", "Exception", "ValueError"])
def test_the_script_asks_nothing_of_what_the_skill_defines(tmp_path, name):
    # a name that is defined in a function only, and one more that stands beside the entry, reach nothing of the script
    code = f"json = sys = argparse = None\ndef f(x):\n    {name} = 1\n    return x + {name}\n"
    folder = exported(adding("f", code), tmp_path)
    done = run(folder / f"scripts/{folder.name}.py", "[41]")
    assert (done.returncode, done.stdout, done.stderr) == (0, "42\n", "")
    with pytest.raises(UsageError, match="another meaning"):
        export([adding("f", f"def {name}(*given):\n    return 1\n{code}")], tmp_path / "out")


@pytest.mark.slow
@pytest.mark.parametrize(
    "code", ["def f(x, more=1):\n    return x + more\n", "def f(*given):\n    return given[0] + 1\n"]
)
def test_the_script_takes_as_many_arguments_as_the_contract_says(tmp_path, sandbox, code):
    rules = ExportRules(sandbox=sandbox)
    folder = exported(adding("f", code), tmp_path, rules)
    assert run(folder / f"scripts/{folder.name}.py", "[41]").stdout == "42\n"
    assert run(folder / f"scripts/{folder.name}.py", "[]").returncode == 2


@pytest.mark.parametrize(
    "code",
    [
        "class A:\n    pass\ndef f(x):\n    return x + 1 if '__main__' not in repr([A]) else x\n",
        "class A:\n    pass\ndef f(x):\n    return x + (1 if '__main__' not in repr([A]) else 1 / 0)\n",
    ],
)
def test_a_script_that_answers_otherwise_does_not_leave(tmp_path, sandbox, code):
    rules = ExportRules(sandbox=sandbox)
    with pytest.raises(UsageError, match="does not give the answer of row 1"):
        export([adding("f", code)], tmp_path / "out", rules)
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_a_script_that_answers_as_checked_leaves(tmp_path, sandbox):
    rules = ExportRules(sandbox=sandbox)
    folder = exported(replace(SKILL, owner="learned"), tmp_path, rules)
    assert run(folder / f"scripts/{folder.name}.py", "[[4, 1], 0]").stdout == "[4]\n"
