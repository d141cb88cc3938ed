"""Calls out of the sandbox: the clock stands still meanwhile, and no other process can make one."""

from __future__ import annotations

import json
import time

import pytest

from evolve.runtime.sandbox import SandboxLimits

SHORT = SandboxLimits(wall_s=1.5, processes=4, result_kb=256)

OUTER = "import gc, os\nouter = [one for one in gc.get_objects() if type(one).__name__ == 'Outside'][0]\n"
"""Finds the channel as hostile code would."""

EVERY_DESCRIPTOR = """
import os
for descriptor in range(3, 64):
    try:
        os.write(descriptor, (2).to_bytes(8, "big") + b"{}")
    except OSError:
        pass
"""


class Desk:
    """Answers calls, and keeps what came."""

    def __init__(self) -> None:
        self.frames: list[bytes] = []

    def offered_functions(self):
        return [("add", ["left", "right"], "Adds two numbers."), ("wait", ["seconds"], ""), ("refuse", [], ""),
                ("text", ["length"], "")]  # fmt: skip

    def answer_frame(self, frame: bytes) -> bytes:
        self.frames.append(frame)
        try:
            call = json.loads(frame)
            return json.dumps({"value": getattr(self, "_" + call["function"])(**call["arguments"])}).encode()
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            return json.dumps({"error": f"no: {type(error).__name__}"}).encode()

    def _add(self, left, right):
        return left + right

    def _wait(self, seconds):
        time.sleep(seconds)

    def _refuse(self):
        raise ValueError

    def _text(self, length):
        return "x" * length


@pytest.fixture
def services():
    return Desk()


@pytest.fixture
def session(sandbox, services):
    with sandbox.session(SHORT, calls=services) as opened:
        yield opened


def test_code_calls_what_is_offered(session, services):
    result = session.execute("from functions import add\n[add(n, right=add(1, 1)) for n in range(3)]")
    assert (result.value, result.error) == ([2, 3, 4], "")
    assert json.loads(services.frames[0]) == {"function": "add", "arguments": {"left": 1, "right": 1}}
    assert session.execute("import functions\nfunctions.add.__doc__").value == "Adds two numbers."


@pytest.mark.parametrize("name", ["get_text", "texts", "TEXT"])
def test_a_name_that_is_not_offered_names_the_nearest_that_are(session, name):
    error = session.execute(f"from functions import {name}").error
    assert error.startswith(f"ImportError: there is no function {name} in the module functions; there is text")
    assert session.execute(f"import functions\nfunctions.{name}").error.startswith(
        "AttributeError: there is no function"
    )
    assert session.execute(f"hasattr(functions, {name!r})").value is False


def test_a_name_like_none_leads_to_what_finds_more(sandbox, services):
    many = [
        *services.offered_functions(),
        *((f"other_{n}", [], "") for n in range(20)),
        ("find_functions", ["query"], ""),
    ]
    services.offered_functions = lambda: many
    with sandbox.session(SHORT, calls=services) as session:
        error = session.execute("from functions import zebra").error
    assert error.endswith("functions; find_functions('words of what it does') finds others (line 1)")


def test_what_was_imported_serves_later_actions(session):
    session.execute("from functions import add")
    assert session.execute("add(2, 2)").value == 4


def test_a_refused_call_is_an_exception_that_code_can_catch(session):
    caught = (
        "import functions\ntry:\n    functions.refuse()\nexcept functions.FunctionError as no:\n    result = str(no)"
    )
    assert session.execute(caught).value == "no: ValueError"
    assert session.execute("1\nfunctions.refuse()").error == "FunctionError: no: ValueError (line 2)"
    assert session.execute("functions.add(1, 2)").value == 3


@pytest.mark.parametrize("call", ["add(1, 2, 3)", "add(1, left=2)", "add(1, {2})", "add(1, float('nan'))"])
def test_a_call_that_cannot_be_meant_goes_nowhere(session, services, call):
    result = session.execute(f"from functions import add\n{call}")
    assert result.state == "error" and result.error.startswith(("TypeError", "ValueError"))
    assert services.frames == []


@pytest.mark.slow
def test_the_clock_of_an_action_stands_still_while_a_call_is_outside(session):
    result = session.execute("from functions import wait\nwait(1.2)\nwait(1.2)\n'there'")
    assert (result.value, result.limit) == ("there", "")
    assert result.wall_s < 1.5


@pytest.mark.slow
def test_the_clock_goes_on_between_calls(session):
    result = session.execute("from functions import add\nwhile True:\n    add(1, 1)")
    assert result.limit == "wall" and result.ended


@pytest.mark.slow
def test_threads_stand_still_with_their_action(session):
    counting = (
        "import threading, time\nfrom functions import wait\nturns = 0\nover = False\n"
        "def turn():\n    global turns\n    while not over:\n        turns += 1\n        time.sleep(0.01)\n"
        "thread = threading.Thread(target=turn)\nthread.start()\n"
        "before = turns\nwait(1.0)\nafter = turns\nover = True\n"
        "thread.join()\nafter - before"
    )
    assert session.execute(counting).value <= 10


def test_threads_take_turns(session):
    code = (
        "import threading\nfrom functions import add\nsums = []\n"
        "threads = [threading.Thread(target=lambda n=n: sums.append(add(n, n))) for n in range(4)]\n"
        "[thread.start() for thread in threads]\n[thread.join() for thread in threads]\nsorted(sums)"
    )
    assert session.execute(code).value == [0, 2, 4, 6]


def test_large_answers_arrive_whole_and_large_calls_do_not_leave(session, services):
    assert session.execute("from functions import text, add\n[len(text(n)) for n in (0, 70_000, 900_000)]").value == [
        0, 70_000, 900_000]  # fmt: skip
    result = session.execute("add('x' * 400_000, '')")
    assert result.limit == "result" and result.ended
    assert len(services.frames) == 3


def test_a_forked_process_cannot_call(session, services):
    code = (
        "import os\nfrom functions import add\nread, write = os.pipe()\nchild = os.fork()\n"
        "if not child:\n    try:\n        add(1, 1)\n    except Exception as error:\n"
        "        os.write(write, str(error).encode())\n"
        "    os._exit(0)\nos.waitpid(child, 0)\nos.read(read, 1000).decode()"
    )
    assert session.execute(code).value == "functions can be called in the process of the action only"
    assert services.frames == []


def test_another_program_does_not_get_the_channel(session, services):
    ran = session.execute(
        f"import subprocess, sys\nsubprocess.run([sys.executable, '-c', {EVERY_DESCRIPTOR!r}]).returncode"
    )
    assert ran.value == 0
    assert services.frames == []


@pytest.mark.parametrize(
    "frame", [b"", b"{}", b"[1", b'{"function": "shut", "arguments": {}}', b"\xff" * 100, b"9" * 5000]
)
def test_what_code_writes_by_hand_is_one_call_and_no_more(session, services, frame):
    code = (
        f"from functions import add\n{OUTER}frame = {frame!r}\n"
        "os.write(outer.calls, len(frame).to_bytes(8, 'big') + frame)\n"
        "outer.read(int.from_bytes(outer.read(8), 'big')).decode()"
    )
    assert session.execute(code).value.startswith('{"error": "no: ')
    assert services.frames == [frame]
    assert session.execute("add(1, 1)").value == 2


@pytest.mark.slow
def test_a_length_that_never_comes_ends_with_the_action(session, services):
    assert session.execute(f"{OUTER}os.write(outer.calls, (1000).to_bytes(8, 'big') + b'half')\nouter.read(8)").ended
    assert services.frames == []


def test_what_is_left_of_a_call_when_the_action_is_over_ends_the_session(session, services):
    assert session.execute(f"{OUTER}os.write(outer.calls, bytes(7))").value == 7
    late = session.execute("2")
    assert late.ended and late.error == "the session reported more than it was asked for"
    assert services.frames == []


def test_code_that_may_call_nothing_has_no_module_and_no_way_out(sandbox):
    with sandbox.session(SHORT) as session:
        assert session.execute("import functions").error.startswith("ModuleNotFoundError")
        assert (
            session.execute(f"{OUTER}os.write(outer.calls, (2).to_bytes(8, 'big') + b'{{}}')\nouter.read(8)").state
            == "fault"
        )


def test_what_is_raised_outside_ends_the_session(sandbox):
    class Stops(Desk):
        def answer_frame(self, frame):
            raise KeyboardInterrupt

    with sandbox.session(SHORT, calls=Stops()) as session, pytest.raises(KeyboardInterrupt):
        session.execute("from functions import add\nadd(1, 1)")
    assert sandbox.execute("1 + 1").value == 2
