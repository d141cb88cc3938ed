"""Malformed input: one clear sentence that names file, line and field, whatever is wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evolve.core.errors import TaskError
from evolve.tasks import load_examples, load_suite

ROW = {"input": [1], "output": 2}
TASK = {"id": "t", "family": "f", "instruction": "", "examples": [ROW], "hidden": []}


def deep(levels: int) -> str:
    return "[" * levels + "]" * levels


def task_text(row: str) -> str:
    return '{"id": "t", "examples": [{"input": [1], "output": 1}, ' + row + '], "hidden": []}'


CASES = [
    ("empty.json", "", None, "", "empty"),
    ("blank.csv", " \n\n", None, "", "empty"),
    ("latin.jsonl", b'{"a": 1}\n"caf\xe9"\n', 2, "", "not UTF-8"),
    ("noise.csv", b"a,b\n1,2\n\x81\x8d\xff\x00,3\n", 3, "", "in no other encoding"),
    ("cut.json", '{\n"id": "t",\n', 3, "", "not JSON"),
    ("cut.jsonl", json.dumps(TASK) + "\n{oops}\n", 2, "", "not JSON"),
    ("scalar.json", "3", None, "", "expected an object, not a number"),
    ("none.json", "[]", None, "", "empty"),
    ("unknown.jsonl", json.dumps({**TASK, "exmaples": []}), 1, "exmaples", "unknown key; did you mean 'examples'"),
    ("rowkey.json", {**TASK, "examples": [{**ROW, "weight": 1}]}, None, "examples[0].weight", "unknown key"),
    ("noexamples.json", {"id": "t", "hidden": []}, None, "examples", "missing"),
    ("zero.json", {**TASK, "examples": []}, None, "examples", "at least one example"),
    ("input.json", {**TASK, "examples": [{"input": 5, "output": 1}]}, None, "examples[0].input", "expected a list"),
    ("nooutput.json", {**TASK, "examples": [{"input": [5]}]}, None, "examples[0].output", "missing"),
    (
        "noargs.json",
        {**TASK, "examples": [{"input": [], "output": 1}]},
        None,
        "examples[0].input",
        "at least one argument",
    ),
    ("idtype.json", {**TASK, "id": 7}, None, "id", "expected text, not a number"),
    ("noid.json", [{key: TASK[key] for key in ("family", "examples")}] * 2, None, "[0].id", "missing"),
    ("meta.json", {**TASK, "meta": 3}, None, "meta", "expected an object"),
    (
        "arity.json",
        {**TASK, "examples": [ROW, {"input": [1, 2], "output": 2}]},
        None,
        "examples[1].input",
        "2 arguments",
    ),
    (
        "clash.json",
        {**TASK, "examples": [ROW, {"input": [1], "output": 3}]},
        None,
        "examples[1]",
        "same input as examples[0]",
    ),
    ("clash2.json", {**TASK, "hidden": [{"input": [1], "output": 3}]}, None, "hidden[0]", "same input"),
    ("clash.csv", "a,b\n1,2\n2,3\n1,4\n", 4, "", "same input as line 2"),
    ("nan.json", task_text('{"input": [NaN], "output": 1}'), 1, "", "NaN is not JSON"),
    ("inf.json", task_text('{"input": [-Infinity], "output": 1}'), 1, "", "-Infinity is not JSON"),
    ("overflow.json", task_text('{"input": [2, 1e999], "output": 1}'), None, "examples[1].input[1]", "infinite"),
    ("surrogate.json", task_text('{"input": ["\\ud800"], "output": 1}'), None, "examples[1].input[0]", "surrogate"),
    ("nul.json", task_text('{"input": ["a\\u0000"], "output": 1}'), None, "examples[1].input[0]", "NUL"),
    (
        "deep.json",
        task_text('{"input": [' + deep(40) + '], "output": 1}'),
        None,
        "examples[1].input[0]",
        "deeper than 32",
    ),
    ("abyss.json", deep(200_000), None, "", "nested too deeply"),
    ("digits.json", task_text('{"input": [' + "9" * 5_000 + '], "output": 1}'), 1, "", "300 digits"),
    (
        "bigint.json",
        task_text('{"input": [' + "9" * 400 + '], "output": 1}'),
        None,
        "examples[1].input[0]",
        "300 digits",
    ),
    (
        "long.json",
        task_text('{"input": ["' + "a" * 100_001 + '"], "output": 1}'),
        None,
        "examples[1].input[0]",
        "100,000",
    ),
    (
        "wide.json",
        task_text('{"input": [[' + "1," * 20_000 + '1]], "output": 1}'),
        None,
        "examples[1].input[0]",
        "20,000",
    ),
    ("twice.json", '{"id": "t", "id": "u", "examples": []}', None, "", "key 'id' occurs twice"),
    ("signature.json", {**TASK, "signature": "(n) -> int"}, None, "signature", "expected ':'"),
    ("mistyped.json", {**TASK, "signature": "(n: str) -> int"}, None, "examples[0].input[0]", "not str"),
    ("result.json", {**TASK, "signature": "(n: int) -> str"}, None, "examples[0].output", "not str"),
    ("count.json", {**TASK, "signature": "(n: int, k: int) -> int"}, None, "examples[0].input", "signature has 2"),
    ("same.jsonl", json.dumps(TASK) + "\n" + json.dumps(TASK), 2, "id", "taken already in"),
    ("ragged.csv", "a,b\n1,2\n3\n", 3, "", "the row has 1 cell, the header has 2"),
    ("ragged2.csv", 'a,b\n"x\ny",2\n3,4,5\n', 4, "", "3 cells"),
    ("quote.csv", 'a,b\n"x"y,2\n', 2, "", "a quotation mark is not closed"),
    ("open.csv", 'a,b\n1,2\n"x,2\n', 3, "", "a quotation mark is not closed"),
    ("narrow.csv", "a\n1\n", 1, "", "at least two columns"),
    ("header.csv", "a,b\n", 1, "", "no rows"),
    ("noassert.py", "x = 1\n", None, "", "no line of the form"),
    ("syntax.py", "assert f(1) == 2\nassert f(\n", 2, "", "not Python"),
    ("keyword.py", "assert f(n=1) == 2\n", 1, "", "positional"),
    ("notjson.py", "assert f(1) == 2\nassert f(2) == {1, 2}\n", 2, "output", "set is not a JSON value"),
    ("notliteral.py", "assert f(x) == 2\n", 1, "input[0]", "not a literal"),
    ("keys.py", "assert f({1: 2}) == 2\n", 1, "input[0]", "keys must be text"),
    ("nested.py", "assert f(" + deep(150) + ") == 2\n", 1, "input[0]", "deeper than 32"),
    ("notes.txt", "hello", None, "", "not a kind of task file"),
]


@pytest.mark.parametrize(("name", "content", "line", "field", "complaint"), CASES, ids=[case[0] for case in CASES])
def test_the_error_names_file_line_and_field(
    tmp_path: Path, name: str, content: object, line: int | None, field: str, complaint: str
) -> None:
    path = tmp_path / name
    text = content if isinstance(content, str | bytes) else json.dumps(content)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(TaskError) as caught:
        load_suite(path)
    message = str(caught.value)
    assert complaint in message
    assert message.startswith(str(path))
    assert "\n" not in message
    assert len(message) < 400 + len(str(path)) * 2
    assert (caught.value.line, caught.value.field) == (line, field)
    assert caught.value.exit_code == 2


@pytest.mark.parametrize(
    "task_id", ["../up", "a/b", "/etc", "..", ".", ".hidden", "~root", "a\\b", "", " ", "a\nb", "-x", "x" * 201, "a\0b"]
)
def test_an_id_that_could_leave_the_folder_is_refused(tmp_path: Path, task_id: str) -> None:
    path = tmp_path / "t.json"
    path.write_text(json.dumps({**TASK, "id": task_id}))
    with pytest.raises(TaskError) as caught:
        load_suite(path)
    assert caught.value.field == "id"
    rows = tmp_path / "rows.csv"
    rows.write_text("a,b\n1,2\n")
    with pytest.raises(TaskError) as named:
        load_examples(rows, name=task_id)
    assert named.value.field == "name"


def test_a_missing_file_a_folder_and_a_device_are_named(tmp_path: Path) -> None:
    (tmp_path / "folder.csv").mkdir()
    for path in (tmp_path / "gone.csv", tmp_path / "folder.csv", tmp_path / "gone" / "suite.jsonl"):
        with pytest.raises(TaskError, match=str(path)):
            load_examples(path)
    with pytest.raises(TaskError, match="no task file"):
        load_suite(tmp_path / "folder.csv")
    with pytest.raises(TaskError, match="no such file"):
        load_suite(tmp_path / "gone.jsonl")


def test_ids_are_unique_in_a_folder_and_both_files_are_named(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps(TASK))
    (tmp_path / "t.csv").write_text("a,b\n1,2\n")
    with pytest.raises(TaskError) as caught:
        load_suite(tmp_path)
    assert "a.json" in str(caught.value)
    assert "t.csv" in str(caught.value)


def test_one_task_is_wanted_where_a_file_holds_several(tmp_path: Path) -> None:
    path = tmp_path / "two.json"
    path.write_text(json.dumps([TASK, {**TASK, "id": "u"}]))
    with pytest.raises(TaskError, match="holds 2 tasks"):
        load_examples(path)
