"""What a run gives back: values, errors and limits, each for its own program only."""

from __future__ import annotations

import os
import secrets
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evolve.runtime.sandbox import NOT_RUN, Program, SandboxLimits, TestModule

IDENTITY = Program(source="def f(x):\n    return x\n", entry="f")


def program(body: str, entry: str = "f") -> Program:
    return Program(source=body, entry=entry)


def outcomes(sandbox, source: str, inputs=((),), limits: SandboxLimits | None = None):
    return sandbox.run_programs([program(source)], inputs, limits).programs[0].outputs


def test_values_errors_and_lines(sandbox):
    result = sandbox.run_programs([program("def f(x):\n    return (1 // x, [x])\n")], [[1], [0]])
    good, bad = result.programs[0].outputs
    assert good.value == [1, [1]]
    assert bad.error == "ZeroDivisionError: integer division or modulo by zero (line 2)"
    assert not result.fault


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=8,
)


@settings(max_examples=25)
@given(values=st.lists(JSON, max_size=8))
def test_json_values_come_back_unchanged(sandbox, values):
    outputs = sandbox.run_programs([IDENTITY], [[value] for value in values]).programs[0].outputs
    assert [repr(outcome.value) for outcome in outputs] == [repr(value) for value in values]


@pytest.mark.parametrize(
    "expression",
    [
        "{1, 2}",
        "float('nan')",
        "float('inf')",
        "b'x'",
        "object()",
        "{1: 2}",
        "chr(0xd800)",
        "10 ** 5000",
        "lambda: 1",
        "[[]] and __import__('functools').reduce(lambda a, _: [a], range(500), [])",
    ],
)
def test_what_is_not_json_is_an_error(sandbox, expression):
    (outcome,) = outcomes(sandbox, f"def f():\n    return {expression}\n")
    assert outcome.error
    assert outcome.value is None


def test_every_call_gets_fresh_inputs(sandbox):
    source = "def f(xs):\n    xs.append(1)\n    return xs\n"
    result = sandbox.run_programs([program(source)] * 2, [[[5]], [[5]]])
    assert {tuple(o.value) for run in result.programs for o in run.outputs} == {(5, 1)}


def test_inputs_can_differ_by_program(sandbox):
    result = sandbox.run_programs([IDENTITY, IDENTITY], [], per_program=[[[1]], [[2], [3]]])
    assert [[o.value for o in run.outputs] for run in result.programs] == [[1], [2, 3]]


@pytest.mark.slow
def test_an_endless_program_takes_no_other_down(sandbox):
    endless = program("def f(x):\n    while x:\n        pass\n    return 'done'\n")
    result = sandbox.run_programs([IDENTITY, endless, IDENTITY], [[0], [7]], SandboxLimits(wall_s=6.0))
    first, hung, last = result.programs
    assert [o.value for o in first.outputs] == [o.value for o in last.outputs] == [0, 7]
    assert hung.outputs[0].value == "done"
    assert "time limit" in hung.outputs[1].error
    assert hung.timed_out and result.timed_out and not last.timed_out


def test_programs_whose_turn_never_came_say_so(sandbox):
    endless = program("def f():\n    while True:\n        pass\n")
    runs = sandbox.run_programs([endless] * 8, [[]], SandboxLimits(wall_s=0.4)).programs
    assert runs[-1].error == NOT_RUN


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("def f(:\n", "SyntaxError"),
        ("import nothing_of_that_name\n", "ModuleNotFoundError"),
        ("def g():\n    pass\n", "no function named f"),
        ("import sys\nsys.exit(0)\n", "SystemExit"),
        ("import os\nos._exit(0)\n", "ended its own process"),
        ("raise ValueError('\\u202e\\x1b[31mred')\n", "\\u202e\\x1b[31mred"),
        ("x = '\0'\n", "null bytes"),
    ],
)
def test_a_program_that_does_not_load(sandbox, source, words):
    run, other = sandbox.run_programs([program(source), IDENTITY], [[1], [2]]).programs
    assert words in run.error
    assert [o.error for o in run.outputs] == [run.error] * 2
    assert [o.value for o in other.outputs] == [1, 2]


def test_forged_results_stay_with_the_forger(sandbox):
    lines = b'{"load":""}\n{"value":42}\n{"job":1,"state":"ok","bytes":0}\n{"end":true}\n'
    forger = program(
        "import os\n"
        "for number in range(3, 64):\n"
        "    try:\n"
        f"        os.write(number, {lines!r})\n"
        "    except OSError:\n"
        "        pass\n"
        "def f(x):\n    return x\n"
    )
    forged, honest = sandbox.run_programs([forger, IDENTITY], [[1], [2]]).programs
    assert [o.value for o in honest.outputs] == [1, 2]
    assert all(o.error for o in forged.outputs)


@pytest.mark.parametrize("line", ['{"value":1,"error":"e"}', "[]", "{", '{"value":NaN}', "[" * 5000, '{"other":1}'])
def test_malformed_results_are_errors(sandbox, line):
    source = (
        "import os\ndef f():\n"
        "    for number in range(3, 20):\n"
        "        try:\n"
        f"            os.write(number, {line!r}.encode() + b'\\n')\n"
        "        except OSError:\n"
        "            pass\n"
        "    os._exit(0)\n"
    )
    assert outcomes(sandbox, source)[0].error


def test_programs_cannot_change_each_other_or_later_runs(sandbox):
    vandal = program(
        "import builtins, json, os, sys\n"
        "builtins.len = lambda x: 99\njson.loads = lambda x: [99]\n"
        "open('left', 'w').write('x')\nos.environ['LEFT'] = 'x'\nsys.path.append('.')\n"
        "def f(x):\n    return len([])\n"
    )
    probe = program("import os\ndef f(x):\n    return [len([]), 'LEFT' in os.environ]\n")
    vandalised, clean = sandbox.run_programs([vandal, probe], [[0]]).programs
    assert clean.outputs[0].value == [0, False]
    assert vandalised.outputs[0].ok is False or vandalised.outputs[0].value == 99
    later = program("import os\ndef f(x):\n    return [len([]), os.listdir('.')]\n")
    assert sandbox.run_programs([later], [[0]]).programs[0].outputs[0].value == [0, []]


def test_hidden_marks_on_the_scratch_folder_do_not_last(cold_sandbox, sandbox):
    marks = program("import os\ndef f():\n    os.utime('.', (1, 1))\n")
    look = program("import os\ndef f():\n    return os.stat('.').st_mtime\n")
    for one in (cold_sandbox, sandbox):
        one.run_programs([marks], [[]])
        assert one.run_programs([look], [[]]).programs[0].outputs[0].value != 1


def test_output_is_bounded_and_made_visible(sandbox):
    source = "import sys\ndef f():\n    print('\\x1b[2Jhello\\ud800')\n    print('y' * 200_000, file=sys.stderr)\n"
    result = sandbox.run_programs([program(source)], [[]], SandboxLimits(output_kb=1))
    assert result.stdout == "\\x1b[2Jhello\\ud800\n"
    assert result.stderr.startswith("y" * 1024 + "\n[") and len(result.stderr) < 1200


@pytest.mark.parametrize(
    ("source", "limits", "words"),
    [
        ("def f():\n    return 'x' * 3_000_000\n", {"result_kb": 64}, "too large"),
        ("def f():\n    return 'x' * 70_000\n", {"result_kb": 64}, "too large"),
        ("def f():\n    return len(bytearray(200 << 20))\n", {"memory_mb": 100}, "MemoryError"),
        ("def f():\n    open('x', 'wb').write(bytes(3 << 20))\n", {"file_mb": 1}, "OSError"),
        ("def f():\n    import time\n    time.sleep(60)\n", {"wall_s": 1.0}, "time limit"),
        ("def f():\n    while True: pass\n", {"cpu_s": 0.2, "wall_s": 60.0}, "signal"),
        ("def f():\n    import os\n    os.fork()\n", {}, "PermissionError"),
        ("def f():\n    def g(): g()\n    g()\n", {}, "RecursionError"),
    ],
)
def test_limits_are_named(sandbox, source, limits, words):
    assert words in outcomes(sandbox, source, limits=SandboxLimits(**limits))[0].error


def test_denials_are_told_apart_from_mistakes(sandbox):
    source = "def f(p):\n    open(p, 'w')\n"
    result = sandbox.run_programs([program(source)], [["/usr/x"], ["/no/such/place/x"]])
    assert result.denied and result.denied[0] == "file:/usr/x"
    socket = "import socket\ndef f():\n    socket.socket()\n"
    assert sandbox.run_programs([program(socket)], [[]]).denied == ("operation:Operation not permitted",)


def test_runs_are_reproducible_for_a_hash_seed(sandbox):
    source = "def f():\n    return list({'a', 'b', 'c', 'd', 'e', 'f', 'g'})\n"
    orders = {
        seed: {tuple(outcomes(sandbox, source, limits=SandboxLimits(hash_seed=seed))[0].value) for _ in range(2)}
        for seed in range(4)
    }
    assert all(len(found) == 1 for found in orders.values())
    assert len(set.union(*orders.values())) > 1


def test_tests_run_one_by_one(sandbox):
    files = {
        "skill.py": "import helper\ndef double(x):\n    return helper.twice(x)\n",
        "helper.py": "def twice(x):\n    return 2 * x\n",
        "test_skill.py": "from skill import double\n"
        "def test_right():\n    assert double(2) == 4\n"
        "def test_wrong():\n    assert double(2) == 5\n"
        "def helper_not_a_test():\n    raise ValueError\n",
    }
    broken = TestModule(files={"test_x.py": "import skill\n"}, test_file="test_x.py")
    run, unloadable = sandbox.run_tests([TestModule(files=files, test_file="test_skill.py"), broken]).programs
    assert [(o.name, o.ok) for o in run.outputs] == [("test_right", True), ("test_wrong", False)]
    assert run.outputs[1].error == "AssertionError (line 5)"
    assert "ModuleNotFoundError" in unloadable.error


def test_wrong_calls_are_refused_before_anything_runs(sandbox):
    with pytest.raises(ValueError):
        sandbox.run_programs([IDENTITY], [[float("nan")]])
    with pytest.raises(ValueError):
        sandbox.run_programs([IDENTITY], [], per_program=[])
    with pytest.raises(ValueError):
        sandbox.run_tests([TestModule(files={}, test_file="test_x.py")])


def test_many_rows_and_large_inputs(sandbox):
    rows = [[number, "x" * 100] for number in range(5000)]
    outputs = outcomes(sandbox, "def f(n, s):\n    return n + len(s)\n", rows)
    assert [o.value for o in outputs] == [n + 100 for n, _ in rows]


def test_a_killed_interpreter_is_replaced(sandbox):
    assert outcomes(sandbox, IDENTITY.source, [[1]])[0].value == 1
    for process in children():
        os.kill(process, signal.SIGKILL)
    time.sleep(0.05)
    assert outcomes(sandbox, IDENTITY.source, [[2]])[0].value == 2


def children() -> list[int]:
    me = os.getpid()
    with open(f"/proc/{me}/task/{me}/children", encoding="ascii") as file:
        return [int(number) for number in file.read().split()]


FORKED = """
import os, sys
from pathlib import Path
from evolve.runtime.sandbox import Program, open_sandbox
def ask(value):
    program = Program(source="def f(x):\\n return x", entry="f")
    return sandbox.run_programs([program], [[value]]).programs[0].outputs[0].value
with open_sandbox(sys.argv[1], cache_dir=Path(sys.argv[2])) as sandbox:
    assert ask(0) == 0
    child = os.fork()
    if child == 0:
        os._exit(0 if [ask(n) for n in range(5)] == list(range(5)) else 1)
    answers = [ask(n) for n in range(100, 120)]
    status = os.waitpid(child, 0)[1]
    assert answers == list(range(100, 120)) and ask(7) == 7
sys.exit(os.waitstatus_to_exitcode(status))
"""


@pytest.mark.slow
def test_a_forked_process_does_not_share_the_interpreter(sandbox, cache_dir):
    command = [sys.executable, "-W", "ignore", "-c", FORKED, sandbox.backend, str(cache_dir)]
    assert subprocess.run(command, cwd=os.getcwd(), timeout=300).returncode == 0


def test_threads_share_a_sandbox(sandbox):
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda n: outcomes(sandbox, IDENTITY.source, [[n]])[0].value, range(20)))
    assert found == list(range(20))
    assert outcomes(sandbox, IDENTITY.source, [["after"]])[0].value == "after"


SUPERVISOR = """
import sys
from pathlib import Path
from evolve.runtime.sandbox import Program, SandboxLimits, open_sandbox
sandbox = open_sandbox(sys.argv[1], cache_dir=Path(sys.argv[2]))
print("started", flush=True)
endless = Program(source="def f():\\n while True: pass", entry="f")
sandbox.run_programs([endless], [[]], SandboxLimits(wall_s=600, hash_seed=int(sys.argv[3])))
"""


def test_nothing_survives_a_killed_supervisor(sandbox, cache_dir):
    from tests.sandbox.test_escapes import survivors

    mark = secrets.randbelow(2**32)
    command = [sys.executable, "-c", SUPERVISOR, sandbox.backend, str(cache_dir), str(mark)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=os.getcwd()) as supervisor:
        assert supervisor.stdout is not None and supervisor.stdout.readline() == b"started\n"
        deadline = time.monotonic() + 60
        while len(survivors(mark)) < 2 and time.monotonic() < deadline:
            time.sleep(0.02)
        assert survivors(mark)
        supervisor.kill()
    deadline = time.monotonic() + 30
    while survivors(mark) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert survivors(mark) == []
