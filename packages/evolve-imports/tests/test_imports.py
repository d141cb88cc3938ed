"""Tasks in published formats, read and judged as evolve's own."""

from __future__ import annotations

import json

import pytest

from evolve.agent import Agent, AgentServices
from evolve.core.episodes import Action, Step
from evolve.core.errors import TaskError, UsageError
from evolve.environments import EnvironmentOptions, open_environment
from evolve.runtime.sandbox import open_sandbox
from evolve.tasks import load_suite, render_jsonl
from evolve.testing import ScriptedWorker
from evolve.workspace.opening import cache_folder
from evolve_imports import import_tasks

DOUBLED = {
    "task_id": "Own/1",
    "entry_point": "doubled",
    "prompt": 'def doubled(n: int) -> int:\n    """Twice the number.\n    >>> doubled(2)\n    4\n    """\n',
    "canonical_solution": "    return 2 * n\n",
    "test": "def check(candidate):\n    assert candidate(2) == 4\n    assert candidate(0) == 0\n"
    "    assert candidate(-3) == -6\n    assert candidate(10) == 20, 'ten'\n",
}
NEAR = {
    "task_id": "Own/2",
    "entry_point": "halved",
    "prompt": "def quarter(x):\n    return x / 4\n\n\ndef halved(x: float) -> float:\n"
    '    """Half the number.\n    >>> halved(2.0)\n    1.0\n    """\n',
    "test": "def check(candidate):\n    for x in (1.0, 3.0):\n"
    "        assert abs(candidate(x) - 2 * quarter(x)) < 1e-6\n    assert candidate(8.0) == 4.0\n"
    "    assert candidate(0.0) == 0.0\n",
}
PAIR = {"task_id": 7, "text": "Swap a pair.", "code": "", "test_list": ["assert swap((1, 2)) == (2, 1)"]}
LAST = {
    "task_id": 8,
    "text": "Give the last item.",
    "code": "",
    "test_list": ["assert last([1, 2]) == 2", "assert last(['a']) == 'a'", "assert last([3, 3]) == 3"],
    "challenge_test_list": ["assert last([[0], [1]]) == [1]"],
}


@pytest.fixture(scope="module")
def sandbox(private_home):
    patch = pytest.MonkeyPatch()
    patch.setenv("XDG_CACHE_HOME", str(private_home / ".cache"))
    with open_sandbox(cache_dir=cache_folder()) as opened:
        yield opened
    patch.undo()


@pytest.fixture
def imported(tmp_path):
    def read(*rows, **more):
        file = tmp_path / "foreign.jsonl"
        file.write_text("".join(json.dumps(row) + "\n" for row in rows))
        return import_tasks(file, **more)

    return read


def judged(task, code, sandbox):
    environment = open_environment(task, EnvironmentOptions(sandbox=sandbox))
    seen = environment.observe(Action(kind="code", code=code), [])
    verdict = environment.judge([Step(number=1, action=Action(kind="code", code=code), observation=seen)])
    return seen.ok, verdict.accepted, verdict.verified


def test_literal_assertions_become_rows_that_are_kept_back(imported, sandbox):
    (task,) = imported(DOUBLED).tasks
    assert (task.id, task.entry, task.tests) == ("Own-1", "doubled", "")
    assert [row.input for row in task.examples] == [(2,)]
    assert [row.input for row in task.verify_rows()] == [(0,), (-3,), (10,)]
    assert "return 2 * n" not in render_jsonl([task])
    assert judged(task, "def doubled(n):\n    return 2 * n\n", sandbox) == (True, True, True)
    assert judged(task, "def doubled(n):\n    return n + 2\n", sandbox) == (True, False, False)


@pytest.mark.slow
def test_other_assertions_become_hidden_tests(imported, sandbox):
    near, pair = imported(NEAR, PAIR).tasks
    assert [row.input for row in near.examples] == [(2.0,)]
    assert near.verify_rows() == () and "check(the_answer)" in near.tests
    assert judged(near, "def halved(x):\n    return x / 2\n", sandbox) == (True, True, True)
    assert judged(near, "def halved(x):\n    return 1.0\n", sandbox) == (True, False, False)
    assert "assert swap((1, 2)) == (2, 1)" in pair.instruction
    assert judged(pair, "def swap(p):\n    return p[::-1]\n", sandbox) == (True, True, False)
    assert judged(pair, "def swap(p):\n    return list(p)[::-1]\n", sandbox) == (True, False, False)


@pytest.mark.slow
def test_an_answer_that_skips_the_tests_is_refused(imported, sandbox):
    (pair,) = imported(PAIR).tasks
    for trick in ("import os; os._exit(0)\n", "raise SystemExit\n", "def swap(p):\n    raise SystemExit(0)\n"):
        assert judged(pair, trick, sandbox)[1:] == (False, False)


def test_the_first_assertion_is_shown_and_the_others_are_not(imported):
    (task,) = imported(LAST).tasks
    assert (task.id, len(task.examples), len(task.verify_rows())) == ("mbpp-8", 1, 3)
    assert "'a'" not in task.instruction


def test_imported_tasks_are_written_and_read_again(imported, tmp_path):
    tasks = imported(DOUBLED, NEAR, PAIR, LAST).tasks
    (tmp_path / "own.jsonl").write_text(render_jsonl(tasks))
    assert load_suite(tmp_path / "own.jsonl").tasks == tasks


def test_lines_that_are_no_tasks_are_named(imported, tmp_path):
    found = imported(DOUBLED, DOUBLED, {**DOUBLED, "test": "x = 1"}, {"entry_point": "f"}, {"q": 1}, [])
    assert len(found.tasks) == 1
    assert [text.partition("foreign.jsonl:")[2][0] for text in found.refused] == ["2", "3", "4", "5", "6"]
    with pytest.raises(TaskError, match="entry_point, test_list, instance_id"):
        imported({"q": 1})
    with pytest.raises(UsageError, match="repositories"):
        imported({"instance_id": "x"})


TEST = "from total import total\n\n\ndef test_pair():\n    assert total([1, 2]) == 3\n"
DIFF = """diff --git a/tests_of_total.py b/tests_of_total.py
--- a/tests_of_total.py
+++ b/tests_of_total.py
@@ -3,3 +3,7 @@

 def test_pair():
     assert total([1, 2]) == 3
+
+
+def test_none():
+    assert total([]) == 0
diff --git a/new.py b/new.py
new file mode 100644
--- /dev/null
+++ b/new.py
@@ -0,0 +1 @@
+X = 1
"""


@pytest.fixture
def repository(tmp_path):
    folder = tmp_path / "repos" / "own__sums"
    (folder / ".git").mkdir(parents=True)
    (folder / ".git" / "HEAD").write_text("a" * 40 + "\n")
    (folder / "total.py").write_text("def total(xs):\n    return xs[0] + xs[1]\n")
    (folder / "tests_of_total.py").write_text(TEST)
    # Stands in for the package of that name, which the sandbox's bare interpreter does not have.
    (folder / "pytest.py").write_text(
        "import sys\nfor name in sys.argv[2:]:\n    file, test = name.split('::')\n"
        "    getattr(__import__(file[:-3]), test)()\nprint(f'{len(sys.argv[2:])} passed')\n"
    )
    return folder


ISSUE = {
    "instance_id": "own__sums-1",
    "repo": "own/sums",
    "base_commit": "a" * 40,
    "problem_statement": "total fails on lists that are not pairs",
    "patch": "the solution",
    "test_patch": DIFF,
    "FAIL_TO_PASS": '["tests_of_total.py::test_none"]',
    "PASS_TO_PASS": ["tests_of_total.py::test_pair"],
}


@pytest.mark.slow
def test_a_repository_task_is_decided_by_tests_that_are_not_shown(imported, repository, sandbox, tmp_path):
    (task,) = imported(ISSUE, repos=tmp_path / "repos").tasks
    assert task.work.hidden_files["tests_of_total.py"].endswith("    assert total([]) == 0\n")
    assert task.work.hidden_files["new.py"] == "X = 1\n"
    assert task.view().check == ""
    mend = "open('total.py', 'w').write('def total(xs):\\n    return {}\\n')"
    for code, status in (("sum(xs)", "solved"), ("xs[0] + xs[1] if xs else None", "refused")):
        around = AgentServices(policy=ScriptedWorker((mend.format(code),)), sandbox=sandbox)
        assert Agent(around).run_episode(task, variant="unlearned", split="own").status == status


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"base_commit": "b" * 40}, "not bbbbbbbbbbbb"),
        ({"repo": "own/other"}, "no folder"),
        ({"test_patch": DIFF.replace("test_pair", "test_pear")}, "does not fit in line 4"),
        ({"test_patch": DIFF.replace("b/new.py", "b/../new.py")}, "not a plain relative file name"),
        ({"FAIL_TO_PASS": ["test_none (tests.Sums)"]}, "not how pytest names a test"),
    ],
)
def test_a_repository_task_that_does_not_fit_the_folder_is_refused(imported, repository, tmp_path, wrong, said):
    with pytest.raises(TaskError, match="line 1|foreign.jsonl:1") as refused:
        imported({**ISSUE, **wrong}, repos=tmp_path / "repos")
    assert said in str(refused.value)
