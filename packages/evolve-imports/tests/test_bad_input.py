"""Wrong files are refused in one clear sentence each, and nothing that never ends is read."""

from __future__ import annotations

import json

import pytest

from tests.cli.bad_inputs import DEEP, LONG, make_files
from tests.cli.test_bad_corpus import little_memory, shell, wrong

FUNCTION = {"task_id": "a", "prompt": "def f():", "entry_point": "f", "canonical_solution": ""}
DOCSTRING = {
    **FUNCTION,
    "prompt": f'def f(a):\n    """Do.\n\n    >>> f({DEEP})\n    1\n    """\n',
    "test": "def check(candidate):\n    assert candidate(1) == 2\n",
}
LINES = {
    "docstring": DOCSTRING,
    "mbpp": {"task_id": 1, "text": "x", "test_list": [f"assert f({DEEP}) == 1"], "code": ""},
    "tests": {**FUNCTION, "test": f"assert {DEEP}"},
}


@pytest.fixture
def files(tmp_path):
    make_files(tmp_path)
    for name, line in LINES.items():
        (tmp_path / f"{name}.jsonl").write_text(json.dumps(line) + "\n", encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ((f"{LONG}.jsonl",), "too long"),
        (("deep.jsonl",), "deep.jsonl:1"),
        (("mbpp.jsonl",), "mbpp.jsonl:1"),
        (("folder.csv",), "folder.csv"),
        (("good.csv",), "good.csv:1"),
        (("tests.jsonl",), "tests.jsonl"),
        (("number.jsonl",), "number.jsonl"),
        (("good.csv", "--repos", "nowhere"), "good.csv:1"),
    ],
    ids=lambda value: repr(value)[:60],
)
def test_wrong_input_is_refused_in_one_sentence(cli, made, files, arguments, says):
    done = cli("lab", "tasks", "import", *arguments)
    assert wrong(done.code, done.out, done.err, 2, says) is None


@pytest.mark.slow
@pytest.mark.parametrize("file", ["/dev/zero", "fifo.csv"])
def test_what_never_ends_is_not_read(start_cli, files, file):
    process = start_cli("lab", "tasks", "import", file, preexec_fn=little_memory)
    out, err = process.communicate(timeout=60)
    assert wrong(process.returncode, out, err, 2, "not a regular file") is None


@pytest.mark.slow
def test_an_example_that_is_nested_too_deeply_is_left_out(files):
    done = shell("evolve lab tasks import docstring.jsonl >/dev/null", files)
    assert done.returncode == 0, done.stderr
