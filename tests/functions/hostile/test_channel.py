"""Code that writes frames by hand, from wherever it can: a call is one of its action, or it is none."""

from __future__ import annotations

import textwrap
import time

import pytest

from tests.functions.hostile.victims import OUTER, SHORT, Done

HAND = OUTER + (
    "import json\n"
    "def framed(name, **arguments):\n"
    "    body = json.dumps({'function': name, 'arguments': arguments}).encode()\n"
    "    return len(body).to_bytes(8, 'big') + body\n"
    "def answer():\n"
    "    return json.loads(outer.read(int.from_bytes(outer.read(8), 'big')))\n"
)


@pytest.fixture
def done():
    return Done()


@pytest.fixture
def session(sandbox, done):
    with sandbox.session(SHORT, calls=done.gate()) as opened:
        yield opened


@pytest.mark.slow
def test_half_a_frame_in_one_action_and_half_in_the_next_is_no_call(session, done):
    session.execute(f"{HAND}data = framed('add', left=1, right=1)\nos.write(outer.calls, data[:9])")
    assert session.execute("os.write(outer.calls, data[9:])\nanswer()").ended
    assert done.calls == []


def test_two_frames_at_once_are_two_calls_answered_in_order(session, done):
    code = f"{HAND}os.write(outer.calls, framed('add', left=1, right=1) + framed('add', left=2, right=2))\n"
    assert session.execute(f"{code}[answer()['value'], answer()['value']]").value == [2, 4]
    assert done.calls == [(1, 1), (2, 2)]


LIES = {
    "a hundred megabytes": (100 << 20).to_bytes(8, "big"),
    "more than there is": (2**63).to_bytes(8, "big"),
    "all ones": b"\xff" * 8,
    "no length": b"\0" * 8,
    "shorter than what follows": (4).to_bytes(8, "big"),
}


@pytest.mark.parametrize("lie", LIES)
def test_a_lie_about_a_length_is_no_call(session, done, lie):
    result = session.execute(
        f"{HAND}os.write(outer.calls, {LIES[lie]!r} + framed('add', left=1, right=1)[8:])\nimport time\ntime.sleep(9)"
    )
    assert result.ended and result.state in ("limit", "error")
    assert done.calls == []


ENDINGS = {
    "a thread": "threading.Thread(target=call_for_ever, daemon=True).start()",
    "a forked process with copies of the channel": (
        "copies = os.dup(outer.calls), os.dup(outer.answers)\n"
        "if not os.fork():\n    outer.calls, outer.answers = copies\n    call_for_ever()"
    ),
    "a process forked below Python": "if not ctypes.CDLL(None).fork():\n    call_for_ever()",
    "another program that was given the channel": (
        "os.set_inheritable(outer.calls, True)\n"
        "program = 'import os, time\\nwhile True: os.write(%d, %r); time.sleep(0.05)' % "
        "(outer.calls, framed('add', left=7, right=7))\n"
        "subprocess.Popen([sys.executable, '-c', program], pass_fds=[outer.calls])"
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("ending", ENDINGS)
def test_nothing_is_called_when_no_action_runs(session, done, ending):
    code = (
        f"{HAND}import ctypes, subprocess, sys, threading, time\nfrom functions import add\n"
        "def call_for_ever():\n    while True:\n        add(7, 7)\n        time.sleep(0.02)\n"
        f"{ENDINGS[ending]}\ntime.sleep(0.3)\n1"
    )
    session.execute(code)
    before = len(done.calls)
    time.sleep(0.5)
    assert len(done.calls) == before


@pytest.mark.parametrize("how", ["atexit.register(add, 7, 7)", "leaves = Leaves()", "sys.exitfunc = lambda: add(7, 7)"])
def test_nothing_is_called_at_the_end_of_a_session(sandbox, done, how):
    with sandbox.session(SHORT, calls=done.gate()) as session:
        session.execute(
            "import atexit, sys\nfrom functions import add\n"
            f"class Leaves:\n    def __del__(self):\n        add(7, 7)\n{how}\n1"
        )
    time.sleep(0.2)
    assert done.calls == []


@pytest.mark.slow
def test_a_signal_handler_that_calls_within_a_call_ends_with_its_action_at_most(session, done):
    code = textwrap.dedent("""
        import signal
        from functions import add, wait
        signal.signal(signal.SIGALRM, lambda *_: add(5, 5))
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        wait(0.5)
        add(1, 1)""")
    result = session.execute(code)
    assert result.value == 2 or "within a call" in result.error
    assert all(call in [(5, 5), (1, 1)] for call in done.calls) and len(done.calls) <= 2


def test_an_interpreter_within_the_process_calls_as_its_action_or_not_at_all(session, done):
    code = (
        f"{HAND}import _xxsubinterpreters as inner\n"
        "made = inner.create()\n"
        "inner.run_string(made, 'import os\\nos.write(%d, %r)' % (outer.calls, framed('add', left=3, right=4)))\n"
        "answer()['value']"
    )
    result = session.execute(code)
    assert (result.value, done.calls) == (7, [(3, 4)]) or (result.state == "error" and done.calls == [])


@pytest.mark.slow
def test_what_stands_still_outside_does_not_grow_meanwhile(session):
    code = textwrap.dedent("""
        import threading, time
        from functions import wait
        kept, over = [], False
        def grow():
            while not over:
                kept.append(bytes(100_000))
                time.sleep(0.01)
        thread = threading.Thread(target=grow)
        thread.start()
        before = len(kept)
        wait(1.0)
        grown, over = len(kept) - before, True
        thread.join()
        grown""")
    assert session.execute(code).value <= 10


def test_a_frame_that_is_written_again_is_another_call_and_counts(session, done):
    code = f"{HAND}data = framed('add', left=1, right=1)\n"
    code += "[(os.write(outer.calls, data), answer())[1].get('value') for _ in range(3)]"
    assert session.execute(code).value == [2, 2, 2]
    assert done.calls == [(1, 1)] * 3


@pytest.mark.slow
def test_a_thread_that_takes_the_answers_harms_its_own_action_only(session, done):
    code = (
        f"{HAND}import threading\nfrom functions import add\n"
        "threading.Thread(target=lambda: os.read(outer.answers, 1 << 16), daemon=True).start()\nadd(1, 1)"
    )
    session.execute(code)
    assert done.calls in ([], [(1, 1)])


@pytest.mark.slow
def test_calls_that_are_all_refused_do_not_make_time(session):
    """The clock stands still while a call is outside, and a refusal costs the code nothing but the writing of it."""
    began = time.monotonic()
    code = (
        "import functions\nwhile True:\n    try:\n        functions.add('x' * 200_000, 1)\n    except Exception: pass"
    )
    assert session.execute(code).limit == "wall"
    assert time.monotonic() - began < 60
