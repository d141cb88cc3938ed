"""Tasks in published formats, solved from a recording and decided by their own tests."""

from __future__ import annotations

import json
import re

import pytest

from benchmarks.doubles import QuirkDouble, quirk_tasks
from evolve.testing import ScriptedEndpoint, schema_of
from tests.doubles.folders import FolderDouble, quirk_assertions, quirk_folder

DATES, AMOUNTS, *_ = quirk_tasks(5)
COMMIT = "c" * 40
# Stands in for the package of that name, which the sandbox's bare interpreter does not have.
PYTEST = (
    "import sys\nfor name in sys.argv[2:]:\n    file, test = name.split('::')\n"
    "    getattr(__import__(file[:-3]), test)()\nprint(f'{len(sys.argv[2:])} passed')\n"
)


def as_humaneval(job):
    """A line in the format of HumanEval, with an example in the docstring and a function ``check``."""
    entry, (first, *_) = job.task.entry, job.task.examples
    shown = ", ".join(map(repr, first.input))
    prompt = f'def {entry}({job.quirk.takes}):\n    """{job.task.instruction}\n\n    >>> {entry}({shown})\n'
    lines = [f"    assert candidate(*{list(row.input)!r}) == {row.output!r}" for row in job.task.verify]
    return {
        "task_id": f"Own/{job.task.id}",
        "entry_point": entry,
        "prompt": f'{prompt}    {first.output!r}\n    """\n',
        "canonical_solution": job.right,
        "test": "\n".join(["def check(candidate):", *lines, ""]),
    }


def as_mbpp(job):
    """A line in the format of MBPP: a sentence and assertions, of which the first is shown."""
    rows = [*job.task.examples, *job.task.verify]
    called = [f"{job.task.entry}({', '.join(map(repr, row.input))}) == {row.output!r}" for row in rows]
    tests = [f"assert {text}" for text in called]
    return {"task_id": 7, "text": job.task.instruction, "code": job.right, "test_list": tests}


def as_issue(job, repos):
    """A line in the format of SWE-bench, and the repository it is about."""
    folder = repos / "own__dates"
    quirk_folder(job, folder)
    (folder / ".git").mkdir()
    (folder / ".git" / "HEAD").write_text(COMMIT + "\n")
    (folder / "pytest.py").write_text(PYTEST)
    hidden = quirk_assertions(job, job.task.verify).replace("\n\nassert", "\n\n\ndef test_all():\n    assert")
    lines = hidden.replace("\nassert", "\n    assert").rstrip("\n").split("\n")
    added = "".join(f"+{line}\n" for line in lines)
    return {
        "instance_id": "own__dates-1",
        "repo": "own/dates",
        "base_commit": COMMIT,
        "problem_statement": job.task.instruction,
        "patch": "the solution",
        "test_patch": f"--- /dev/null\n+++ b/all_tests.py\n@@ -0,0 +1,{len(lines)} @@\n{added}",
        "FAIL_TO_PASS": ["all_tests.py::test_all"],
    }


@pytest.fixture
def imported(cli, tmp_path):
    """Imports one line by the command and gives the file of evolve's own tasks."""

    def load(line):
        (tmp_path / "foreign.jsonl").write_text(json.dumps(line) + "\n")
        done = cli("lab", "tasks", "import", "foreign.jsonl", "--repos", tmp_path / "repos", "--out", "own.jsonl")
        assert done.code == 0, done.err
        assert "the solution" not in (tmp_path / "own.jsonl").read_text()
        return tmp_path / "own.jsonl"

    return load


def recorded(cli, file, double, *more):
    """Solves a task of a file by a model that reads its prompt, and ends the endpoint."""
    with ScriptedEndpoint(double=double) as serving:
        done = cli("run", file, "--model", serving.model, "--record", "rec.jsonl", "-w", "first", *more)
        return serving.model, done


@pytest.mark.slow
@pytest.mark.parametrize(("make", "job"), [(as_humaneval, DATES), (as_mbpp, AMOUNTS)])
def test_an_imported_function_is_solved_from_a_recording_and_decided_by_its_own_tests(
    cli, imported, tmp_path, make, job
):
    file = imported(make(job))
    model, first = recorded(cli, file, QuirkDouble([job]))
    assert first.code == 0, first.err
    again = cli("run", file, "--model", model, "--replay", "rec.jsonl", "--json")
    told = json.loads(again.out)
    assert (again.code, told["verified"], told["cost"]["tokens"]) == (0, True, 0)
    (tmp_path / "rec.jsonl").unlink()
    model, wrong = recorded(cli, file, Fitting([job]), "-w", "second")
    replayed = cli("run", file, "--model", model, "--replay", "rec.jsonl", "-w", "third", "--json")
    assert (wrong.code, replayed.code) == (1, 1)
    assert (json.loads(replayed.out)["status"], json.loads(replayed.out)["verified"]) == ("refused", False)


class Fitting(QuirkDouble):
    """Writes what gives the one output that its prompt shows, whatever it is asked."""

    def answer(self, body):
        prompt = "\n".join(message["content"] for message in body["messages"])
        shown = re.search(r"(\w+)\(.*\) == (.+)", prompt)
        if shown is None or schema_of(body, ""):
            return super().answer(body)
        return f"```python\ndef {shown[1]}(*values):\n    return {shown[2]}\n```"


@pytest.mark.slow
def test_an_imported_issue_is_mended_from_a_recording_and_decided_by_tests_that_are_not_shown(cli, imported, tmp_path):
    file = imported(as_issue(DATES, tmp_path / "repos"))
    before = (tmp_path / "repos" / "own__dates" / "answer.py").read_text()
    double = Careful([DATES])
    model, first = recorded(cli, file, double)
    assert first.code == 6, first.err  # it waits for somebody to approve the change
    again = cli("run", file, "--model", model, "--replay", "rec.jsonl")
    assert again.code == 6 and "tests pass (" in again.out
    assert (tmp_path / "repos" / "own__dates" / "answer.py").read_text() == before
    (tmp_path / "rec.jsonl").unlink()
    model, wrong = recorded(cli, file, Careful([DATES], knows=False), "-w", "second")
    replayed = cli("run", file, "--model", model, "--replay", "rec.jsonl", "-w", "third")
    assert (wrong.code, replayed.code) == (1, 1)
    assert "the hidden check fails" in replayed.out


class Careful(FolderDouble):
    """Knows the quirk of its task from the start, or does not."""

    def __init__(self, tasks, knows=True):
        super().__init__(tasks)
        self.hint = tasks[0].quirk.sentence if knows else ""

    def answer(self, body):
        body = {**body, "messages": [*body["messages"], {"role": "user", "content": self.hint}]}
        return super().answer(body)


@pytest.mark.slow
def test_foreign_tasks_are_imported_shown_and_left_alone_by_a_search_without_rows(cli, tmp_path):
    line = {"task_id": 1, "text": "Swap a pair.", "test_list": ["assert swap((1, 2)) == (2, 1)"]}
    (tmp_path / "foreign.jsonl").write_text(json.dumps(line) + "\n{}\n")
    done = cli("lab", "tasks", "import", "foreign.jsonl", "--out", "own.jsonl")
    assert done.code == 0 and "foreign.jsonl:2" in done.err and "wrote 1 task to" in done.err
    shown = cli("lab", "tasks", "show", "own.jsonl")
    assert "Swap a pair." in shown.out and "and tests" in shown.out and "assert swap((1, 2))" in shown.out
    assert cli("run", "own.jsonl").code == 2
