"""The bundle in programs that read it: Python, MCP clients and readers of skills; and what bad input does."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import skills_ref

from evolve.core.errors import UsageError
from evolve.runtime.sandbox import open_sandbox
from evolve.skills import Skill
from evolve.skills.export import ExportRules
from tests.export.exports import export
from tests.skills.samples import GOOD, draft, rows

SHORT = replace(
    Skill.from_draft(
        draft(
            name="give-short-name-aeb2",
            entry="give_short_name_aeb2",
            signature="(name: str) -> str",
            description="Give short from name. Use when a column or value needs exactly this change.",
            code="def give_short_name_aeb2(name):\n    a, b = name.split()\n    return f'{a[0]}. {b.upper()}'\n",
            tests=rows((("Rozsa Peter",), "R. PETER"), (("Emmy Noether",), "E. NOETHER")),
            source="names",
        )
    ),
    status="trusted",
)
LABEL = replace(
    SHORT,
    name="stock-label",
    entry="stock_label",
    signature="(row: row) -> str",
    description="Label the row sold out, reorder or ok.",
    code="def stock_label(row):\n    return 'sold out' if row['in stock'] == 0 else 'ok'\n",
    rows=rows((({"item": "mug", "in stock": 0},), "sold out"), (({"item": "cup", "in stock": 5},), "ok")),
)
HALVINGS = replace(
    SHORT,
    name="count-halvings",
    entry="count_halvings",
    signature="(n: int) -> int",
    description="Count the halvings of a number.",
    code="def count_halvings(n):\n    k = 0\n    while n != 1:\n        n, k = n // 2, k + 1\n    return k\n",
    rows=rows(((8,), 3), ((16,), 4), ((32,), 5)),
)
TAXED = replace(
    SHORT,
    name="with-tax",
    entry="with_tax",
    signature="(code: str, note: str, net: float) -> str",
    description="Give tax from code and net.",
    code="def with_tax(code, note, net):\n    return code.split('-')[1] + str(net * 2)\n",
    rows=rows(*(((f"T-{n}", f"note {n}", n / 2), f"{n}{n / 2 * 2}") for n in range(8))),
)
ALL = (TAXED, SHORT, LABEL, HALVINGS, replace(Skill.from_draft(GOOD), status="admitted"))


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    with open_sandbox(cache_dir=tmp_path_factory.mktemp("cache")) as sandbox:
        (place,) = export(ALL, tmp_path_factory.mktemp("to") / "my_skills", ExportRules(sandbox=sandbox))
    return place


def told(bundle: Path, source: str) -> object:
    """What a program beside the package prints, as JSON; it cannot import evolve."""
    command = [sys.executable, "-S", "-c", f"import json\n{source}"]
    done = subprocess.run(command, cwd=bundle.parent, env={}, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_functions_tools_and_folders_have_one_name_without_a_digest(bundle: Path) -> None:
    names = {"with_tax", "give_short_name", "stock_label", "count_halvings", "large_evens"}
    assert set(told(bundle, "from my_skills import TOOLS; print(json.dumps([f.__name__ for f in TOOLS]))")) == names
    assert {path.name.replace("-", "_") for path in (bundle / "skills").iterdir()} == names
    assert {tool["name"] for tool in json.loads((bundle / "tools.json").read_text())} == names
    assert all(skills_ref.validate(folder) == [] for folder in (bundle / "skills").iterdir())


def test_no_row_of_a_person_leaves_and_examples_are_made_up(bundle: Path) -> None:
    text = "".join(path.read_text() for path in bundle.rglob("*") if path.is_file() and path.suffix != ".pyc")
    assert not any(word in text for word in ("Rozsa", "Noether", "mug", "PETER"))
    source = "from my_skills import give_short_name as f; print(json.dumps(f.__doc__))"
    doc = told(bundle, source)
    assert "Args:" in doc and "Returns:" in doc and "gives" in doc.partition("Example:")[2]


def test_its_own_tests_pass_and_there_is_one_for_each_skill(bundle: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:xdist",
        "-c",
        "/dev/null",
        "my_skills",
    ]
    done = subprocess.run(command, cwd=bundle.parent, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout
    assert len(list((bundle / "tests").glob("test_*.py"))) == len(ALL) + 1


@pytest.mark.parametrize(
    ("call", "words"),
    [
        ("give_short_name(3)", "name must be a text"),
        ("give_short_name('x')", "has no value"),
        ("large_evens([1, 'a'], 2)", "xs[1] must be a whole number"),
        ("large_evens([True], 2)", "xs[0] must be a whole number"),
        ("stock_label({'item': 'mug'})", "'in stock'"),
        ("stock_label([])", "row must be an object"),
        ("count_halvings({1})", "must be a whole number"),
        ("with_tax('T9', 4.5)", "outside of what was verified: code has no '-'"),
    ],
)
def test_bad_input_comes_back_as_a_text(bundle: Path, call: str, words: str) -> None:
    source = f"from my_skills import *; v = {call}; print(json.dumps([v, isinstance(v, Problem)]))"
    text, is_problem = told(bundle, source)
    assert is_problem and text.startswith("Error: ") and words in text


def test_an_argument_that_the_code_does_not_read_does_not_leave(bundle: Path) -> None:
    assert told(bundle, "from my_skills import with_tax as f; print(json.dumps(f('T-9', 4.5)))") == "99.0"
    (tool,) = (one for one in json.loads((bundle / "tools.json").read_text()) if one["name"] == "with_tax")
    assert list(tool["inputSchema"]["properties"]) == ["code", "net"]
    texts = [path.read_text() for path in bundle.rglob("*tax*") if path.is_file() and path.suffix != ".pyc"]
    assert texts and not any("note" in text.split("_command_line")[0] for text in texts)


def test_only_files_as_an_export_wrote_them_are_replaced(bundle: Path, tmp_path: Path) -> None:
    (place,) = export([SHORT], tmp_path / "mine")
    assert export([SHORT], tmp_path / "mine") == [place]
    evidence = json.loads((place / "evidence.json").read_text())
    (place / "thesis.txt").write_text("years of work")
    forged = evidence["files"] | {"thesis.txt": "0" * 64, "../other.txt": "0" * 64}
    outside = tmp_path / "outside.json"
    for files, why in (
        (forged, "you changed thesis.txt"),
        (sorted(forged), "not an earlier export"),
        (evidence["files"], "you changed thesis.txt"),
    ):
        (place / "evidence.json").write_text(json.dumps({**evidence, "files": files}))
        with pytest.raises(UsageError, match=why):
            export([SHORT], tmp_path / "mine")
    (place / "thesis.txt").unlink()
    (place / "evidence.json").rename(outside)
    (place / "evidence.json").symlink_to(outside)
    with pytest.raises(UsageError, match="not an earlier export"):
        export([SHORT], tmp_path / "mine")
    (place / "evidence.json").unlink()
    outside.rename(place / "evidence.json")
    (place / "tools.py").write_text("# changed by hand\n")
    with pytest.raises(UsageError, match="you changed tools.py since it was exported") as refused:
        export([SHORT], tmp_path / "mine")
    assert f"delete {place}" in refused.value.hint


def test_a_call_that_hangs_is_ended_and_the_next_one_works(bundle: Path) -> None:
    source = "from my_skills import _calls, count_halvings as f; _calls.SECONDS = 1.0; print(json.dumps([f(0), f(8)]))"
    ended, value = told(bundle, source)
    assert "within 1 seconds" in ended and value == 3


BROKEN_OFF = """
import contextlib, os, signal
from my_skills import count_halvings, _calls

count_halvings(2)
worker = _calls._WORKER._process.pid
os.kill(worker, signal.SIGSTOP)
signal.signal(signal.SIGALRM, signal.default_int_handler)
signal.setitimer(signal.ITIMER_REAL, 0.3)
try:
    count_halvings(64)
except KeyboardInterrupt:
    with contextlib.suppress(ProcessLookupError):
        os.kill(worker, signal.SIGCONT)
print(count_halvings(8))
"""


def test_a_call_that_was_interrupted_gives_its_value_to_no_later_one(bundle: Path) -> None:
    assert told(bundle, BROKEN_OFF) == 3


@pytest.mark.parametrize("params", [{"name": []}, {"name": {}}, {"name": None}, {"arguments": [1]}, [], "x"])
def test_no_odd_request_ends_the_server(bundle: Path, params: object) -> None:
    asked = [{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}]
    asked.append({"jsonrpc": "2.0", "id": 2, "method": "ping"})
    sent = "".join(json.dumps(each) + "\n" for each in asked)
    done = subprocess.run([sys.executable, bundle], input=sent, capture_output=True, text=True, timeout=60)
    odd, ping = map(json.loads, done.stdout.splitlines())
    assert (odd["error"]["code"], ping["result"]) == (-32602, {})


def test_importing_it_reads_and_starts_nothing(bundle: Path) -> None:
    source = (
        "import sys; seen = []\n"
        "def watch(event, given):\n"
        "    starts = event in ('subprocess.Popen', 'os.system', 'socket.connect')\n"
        "    if starts or (event == 'open' and str(given[0]).endswith('json')):\n"
        "        seen.append(event)\n"
        "sys.addaudithook(watch)\nimport my_skills\nprint(json.dumps(seen))"
    )
    assert told(bundle, source) == []
    for path in bundle.rglob("*.py"):
        if "scripts" not in path.parts:
            body = ast.parse(path.read_text()).body
            assert not [node for node in body if isinstance(node, ast.For | ast.While | ast.With)]


@pytest.mark.parametrize("command", [["-m", "my_skills"], ["my_skills"]])
def test_it_serves_both_kinds_of_mcp_clients(bundle: Path, command: list[str]) -> None:
    meta = {"_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}}
    call = {"name": "give_short_name", "arguments": {"name": "Ada Byron"}}
    asked = [
        (
            "initialize",
            {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}},
        ),
        ("tools/list", {}),
        ("tools/call", call),
        ("tools/call", {"name": "give_short_name", "arguments": {}}),
        ("nonsense", {}),
        ("server/discover", meta),
        ("tools/call", call | meta),
        ("tools/list", {"_meta": {"io.modelcontextprotocol/protocolVersion": "2099-01-01"}}),
    ]
    lines = [json.dumps({"jsonrpc": "2.0", "id": i, "method": m, "params": p}) for i, (m, p) in enumerate(asked)]
    lines[1:1] = ['{"jsonrpc": "2.0", "method": "notifications/initialized"}', "no json", "[]", ""]
    done = subprocess.run(
        [sys.executable, "-S", *command],
        input="\n".join(lines) + "\n",
        cwd=bundle.parent,
        env={},
        capture_output=True,
        text=True,
    )
    answers = {one["id"]: one for one in map(json.loads, done.stdout.splitlines()) if one["id"] is not None}
    assert done.returncode == 0 and len(answers) == len(asked)
    assert answers[0]["result"]["protocolVersion"] == "2025-06-18"
    assert {tool["name"] for tool in answers[1]["result"]["tools"]} >= {"give_short_name"}
    assert answers[2]["result"]["structuredContent"] == {"result": "A. BYRON"}
    assert answers[3]["result"]["isError"] and "lack" in answers[3]["result"]["content"][0]["text"]
    assert answers[4]["error"]["code"] == -32601
    assert "2026-07-28" in answers[5]["result"]["supportedVersions"]
    assert answers[6]["result"]["resultType"] == "complete"
    assert answers[7]["error"]["code"] == -32022


def test_rows_become_typed_dicts(bundle: Path) -> None:
    source = (
        "from typing import get_type_hints; from my_skills import stock_label as f\n"
        "hints = get_type_hints(get_type_hints(f)['row']); print(json.dumps({k: v.__name__ for k, v in hints.items()}))"
    )
    assert told(bundle, source) == {"item": "str", "in stock": "int"}


def test_an_earlier_bundle_is_replaced_and_nothing_of_a_person(tmp_path: Path) -> None:
    (place,) = export([SHORT, LABEL], tmp_path / "mine")
    export([SHORT], tmp_path / "mine")
    assert [path.name for path in (place / "skills").iterdir()] == ["give-short-name"]
    (place / "notes.txt").write_text("mine")
    with pytest.raises(UsageError, match="you changed notes.txt"):
        export([SHORT], tmp_path / "mine")
    assert (place / "notes.txt").read_text() == "mine"


@pytest.mark.parametrize("name", ["my-skills", "json", "class", "2nd"])
def test_a_folder_that_cannot_be_a_package_is_refused_with_one_that_can(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match="cannot name a Python package") as refused:
        export([SHORT], tmp_path / name)
    export([SHORT], Path(refused.value.hint.removeprefix("--to ")))


def test_evidence_says_what_was_checked_and_holds_no_row(bundle: Path) -> None:
    evidence = json.loads((bundle / "evidence.json").read_text())
    assert {one["name"] for one in evidence["skills"]} == {path.name for path in (bundle / "skills").iterdir()}
    assert all(one["rows_shown_passed"] and len(one["sha256"]) == 64 for one in evidence["skills"])
