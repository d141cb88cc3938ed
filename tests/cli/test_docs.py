"""The pages for users: what they show runs, and what they name is there."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from evolve.core.settings import load_settings, setting_fields
from evolve.tasks.reading.jsonl import _TaskModel
from evolve.tasks.reading.load import load_suite
from tests.cli.conftest import ROOT

DOCS = ROOT / "docs"
PAGES = (
    *(
        "tables",
        "chat",
        "folders",
        "improve",
        "memory",
        "skills",
        "testing-skills",
        "models",
        "tools",
        "python",
        "safety",
    ),
    *("task-files", "settings"),
)


def page(name):
    return (DOCS / f"{name}.md").read_text("utf-8")


def blocks(name, kind):
    return re.findall(rf"^```{kind}\n(.*?)^```", page(name), re.DOTALL | re.MULTILINE)


def anchors(text):
    heads = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


def typed(name):
    """The commands of a page, each as its words: on lines of their own, and in tables and sentences."""
    text = re.sub(r"^```.*?^```", "", page(name), flags=re.DOTALL | re.MULTILINE)
    lines = re.findall(r"^    (evolve .*)$", text, re.MULTILINE)
    inline = re.findall(r"`(evolve [^`]*)`", re.sub(r"^    .*$", "", text, flags=re.MULTILINE))
    return [shlex.split(line) for line in (*lines, *inline)]


def problem(words, tree):
    """What the tree of commands does not know of a command, or ""."""
    command, rest = tree, words[1:]
    while rest and getattr(command, "commands", None) and not rest[0].startswith("-"):
        if rest[0] not in command.commands:
            return f"no command {rest[0]!r}"
        command, rest = command.commands[rest[0]], rest[1:]
    if "--" in rest:
        rest = rest[: rest.index("--")]
    known = {name for option in command.params for name in (*option.opts, *option.secondary_opts)} | {"--help", "-h"}
    wrong = (word for word in rest if word.startswith("-") and len(word) > 1 and word not in known)
    return next((f"no option {word!r}" for word in wrong), "")


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_read_in_one_sitting(name):
    assert page(name).count("\n") <= 200
    assert f"({name}.md)" in page("index")


def test_the_index_names_every_page():
    assert page("index").count("\n") <= 40
    there = {path.name for path in DOCS.glob("*.md")} - {"index.md"}
    assert set(re.findall(r"\(([\w-]+\.md)\)", page("index"))) == there


@pytest.mark.parametrize(
    "path",
    sorted(
        path
        for pattern in ("*.md", "docs/**/*.md", "evolve/*/README.md", "packages/*/README.md", "packages/*/docs/*.md")
        for path in ROOT.glob(pattern)
    ),
    ids=lambda path: str(path.relative_to(ROOT)),
)
def test_what_a_page_links_to_is_there(path):
    text = path.read_text("utf-8")
    pictures = re.findall(r'(?:src|srcset)="([^"]+)"', text)
    assert [name for name in pictures if not (path.parent / name).exists()] == []
    for target, anchor in re.findall(r"\]\(([^)#:\s]*)(?:#([^)\s]+))?\)", text):
        there = (path.parent / target) if target else path
        assert there.exists(), target
        assert not anchor or anchor in anchors(there.read_text("utf-8")), (target, anchor)


def test_commands_are_those_of_the_program(command_tree):
    wrong = [
        (name, " ".join(words), problem(words, command_tree)) for name in (*PAGES, "index") for words in typed(name)
    ]
    assert [one for one in wrong if one[2]] == []


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in PAGES if "import evolve" in page(name)])
def test_python_runs(name, start_cli, tmp_path):
    (tmp_path / "names.csv").write_text(blocks("tables", "csv")[0])
    programs = [text for text in blocks(name, "python") if "import evolve" in text]
    for number, text in enumerate(programs):
        (tmp_path / f"{number}.py").write_text(text)
        process = start_cli(program=[f"{number}.py"])
        out, err = process.communicate(timeout=300)
        assert process.returncode == 0, err
        assert out


def test_settings_of_the_pages_are_valid(tmp_path):
    for name in ("models", "settings"):
        for text in blocks(name, "toml"):
            value = tomllib.loads(text)
            if "models" not in value:
                (tmp_path / "evolve.toml").write_text(text)
                read = load_settings(tmp_path, {})
                assert {key: getattr(read, key) for key in value} == value
    named = set(re.findall(r"`(\w+)`", "\n".join(re.findall(r"^\| (`\w.*?) \|", page("settings"), re.MULTILINE))))
    assert {item.name for item in setting_fields()} <= named


def test_every_key_of_a_task_is_told():
    told = set(re.findall(r"^\| `(\w+)` \|", page("task-files"), re.MULTILINE))
    assert set(_TaskModel.model_fields) <= told


def test_examples_of_tasks_are_read(tmp_path):
    lines = [text.strip() for text in blocks("task-files", "json")]
    file = tmp_path / "tasks.jsonl"
    file.write_text("\n".join(lines) + "\n")
    suite = load_suite(file)
    assert [task.id for task in suite.tasks] == [json.loads(line)["id"] for line in lines]
    assert {task.environment for task in suite.tasks} == {"programs", "files"}
    [assertions] = blocks("task-files", "python")
    (tmp_path / "cases.py").write_text(assertions)
    [task] = load_suite(tmp_path / "cases.py").tasks
    assert task.instruction == "Give the first word." and len(task.examples) == 2


@pytest.mark.slow
def test_examples_of_tasks_are_solved_and_verified(cli, tmp_path):
    (tmp_path / "tasks.jsonl").write_text("".join(text.strip() + "\n" for text in blocks("task-files", "json")))
    for task in ("initials", "shout"):
        done = json.loads(cli("run", f"tasks.jsonl#{task}", "--json").out)
        assert (done["status"], done["verified"]) == ("solved", True), task


@pytest.mark.slow
def test_the_table_of_the_page_is_filled_and_exported(cli, tmp_path):
    (tmp_path / "names.csv").write_text(blocks("tables", "csv")[0])
    done = cli("fill", "names.csv")
    assert done.code == 0, done.err
    assert (tmp_path / "names.filled.csv").read_text().splitlines()[-1] == "Donald Knuth,D. KNUTH"
    [skill] = json.loads(cli("skills", "list", "--json").out)
    assert cli("skills", "export", skill["name"], "--to", "exported").code == 0
    (script,) = Path(tmp_path, "exported", "skills").glob("*/scripts/*.py")
    said = subprocess.run([sys.executable, script, "Rózsa Péter"], capture_output=True, text=True, check=True)
    assert said.stdout == "R. PÉTER\n"
