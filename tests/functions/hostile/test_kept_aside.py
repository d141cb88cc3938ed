"""Attacks that were written first and run last, after all that the others had shown was mended."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
import time
from dataclasses import replace
from pathlib import Path

import pytest

import evolve
from evolve import workspace
from evolve.cli.asking import ask_consent
from evolve.cli.render.output import escape_control_characters
from evolve.core.episodes import Turn
from evolve.core.redaction import Scanner
from evolve.core.redaction.known import KnownSecret
from evolve.runtime.functions import (
    CallApprovalRequest,
    CallFailed,
    CallFile,
    CallGate,
    CallsInMemory,
    Permission,
    PythonFunctions,
)
from evolve.workspace.runs.tasks import in_words
from tests.functions.hostile.victims import OUTER, SHORT, Done, Person, Shop, allowed_gate, frame, function, told

SECRET = KnownSecret(source="the variable SHOP_TOKEN", value="q7Zp-81kLmWx02", random=True)


# The channel


@pytest.mark.slow
def test_a_program_does_not_get_at_the_channel_of_the_process_that_started_it(sandbox):
    """As tests of a folder would, which a shell runs."""
    done = Done()
    program = """
import os
for number in range(3, 64):
    for mode in (os.O_WRONLY, os.O_RDWR):
        try:
            pipe = os.open(f"/proc/{os.getppid()}/fd/{number}", mode | os.O_NONBLOCK)
            frame = b'{"function": "add", "arguments": {"left": 6, "right": 6}}'
            os.write(pipe, len(frame).to_bytes(8, "big") + frame)
        except OSError:
            pass
"""
    with sandbox.session(SHORT, calls=done.gate()) as session:
        session.execute(f"import subprocess, sys\nsubprocess.run([sys.executable, '-c', {program!r}]).returncode")
        session.execute("from functions import add\nadd(1, 1)")
    assert (6, 6) not in done.calls


@pytest.mark.slow
def test_no_timer_wakes_what_stands_still_while_a_call_is_outside(sandbox):
    code = textwrap.dedent("""
        import ctypes, threading, time
        libc = ctypes.CDLL(None, use_errno=True)
        event = (ctypes.c_int * 16)(0, 0, 18, 0)  # SIGEV_SIGNAL with SIGCONT
        timer = ctypes.c_void_p()
        made = libc.timer_create(1, event, ctypes.byref(timer))
        every = (ctypes.c_long * 4)(0, 1_000_000, 0, 1_000_000)
        libc.timer_settime(timer, 0, every, None)
        from functions import wait
        turns, over = 0, False
        def turn():
            global turns
            while not over:
                turns += 1
                time.sleep(0.01)
        thread = threading.Thread(target=turn)
        thread.start()
        before = turns
        wait(1.0)
        after, over = turns, True
        thread.join()
        after - before""")
    with sandbox.session(SHORT, calls=Done().gate()) as session:
        result = session.execute(code)
    assert result.value is None or result.value <= 10


def test_a_call_that_waits_behind_an_answer_nobody_takes_is_not_one_of_the_next_action(sandbox):
    gate = Done().gate()
    code = (
        f"{OUTER}import json\n"
        "for call in (('text', {'length': 400_000}), ('add', {'left': 6, 'right': 6})):\n"
        "    frame = json.dumps({'function': call[0], 'arguments': call[1]}).encode()\n"
        "    os.write(outer.calls, len(frame).to_bytes(8, 'big') + frame)\n"
        "import time\ntime.sleep(0.3)"
    )
    with sandbox.session(SHORT, calls=gate) as session:
        gate.start(1)
        session.execute(code)
        gate.start(2)
        session.execute("import os\nos.read(outer.answers, 1 << 20)\nos.read(outer.answers, 1 << 20)\n"
                        "import time\ntime.sleep(0.3)\n1")  # fmt: skip
    assert [call.function for call, _ in gate.calls_of_step(2)] == []


@pytest.mark.slow
def test_after_a_call_that_a_signal_cut_off_nobody_gets_the_answer_to_another(sandbox):
    code = textwrap.dedent("""
        import signal
        from functions import FunctionError, add, wait
        class TooLate(Exception):
            pass
        def late(*_):
            raise TooLate
        signal.signal(signal.SIGALRM, late)
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        try:
            wait(0.6)
        except TooLate:
            pass
        try:
            result = add(20, 22)
        except FunctionError:
            result = "no answer"
        """)
    with sandbox.session(SHORT, calls=Done().gate()) as session:
        assert session.execute(code).value in (42, "no answer")


# The gate


class Unreadable(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no words")


def test_an_error_that_cannot_be_read_is_a_failed_call():
    mine = PythonFunctions()

    def fails() -> None:
        raise Unreadable

    mine.add(fails)
    assert "fails" in told(allowed_gate(mine), frame("fails"))["error"]


def test_no_error_of_a_function_brings_a_secret_in():
    shop, scanner = Shop(CallFailed(f"401 for {SECRET.value}")), Scanner([SECRET])
    gate = allowed_gate(shop, clean=scanner.redact_value)
    assert SECRET.value not in json.dumps(told(gate, frame("buy")))
    assert SECRET.value not in repr(gate.calls_of_step(0))


@pytest.mark.parametrize("depth", [150, 400, 700, 900, 5_000])
@pytest.mark.parametrize("shape", ["list", "dict"])
def test_a_value_nested_deep_ends_no_run(depth, shape, tmp_path):
    value: object = 1
    for _ in range(depth):
        value = [value] if shape == "list" else {"a": value}
    path = tmp_path / "calls.jsonl"
    gate = allowed_gate(Shop(value), record=CallFile(path), clean=Scanner([SECRET]).redact_value)
    assert set(told(gate, frame("buy"))) <= {"value", "error"}
    assert len(CallFile(path).calls) == 1


@pytest.mark.slow
def test_many_errors_about_large_arguments_do_not_keep_the_gate_busy():
    schema = {"type": "object", "properties": {"item": {"allOf": [{"type": "string"}] * 12_000}}}
    gate = allowed_gate(Shop(made=function("buy", parameters=schema)))
    asked = frame("buy", item=["x" * 8] * 20_000)
    began = time.process_time()
    assert "error" in told(gate, asked)
    assert time.process_time() - began < 20


# The record


def test_what_was_refused_is_not_made_because_the_refusal_was_not_written(tmp_path):
    path, shop = tmp_path / "calls.jsonl", Shop(made=function("buy", repeatable=True))
    record = CallFile(path)

    class Crashed(Exception):
        pass

    def crash(*_):
        raise Crashed

    record.end = crash  # the process ends between the two lines
    with pytest.raises(Crashed):
        CallGate([shop], record, Permission(lambda one: "ask", Person("no"))).answer_frame(frame("buy"))
    CallGate([shop], CallFile(path), Permission(lambda one: "deny")).answer_frame(frame("buy"))
    assert shop.done == []


def test_the_record_of_one_episode_answers_nothing_in_another(tmp_path):
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
    first = CallFile(tmp_path / "one" / "calls.jsonl")
    allowed_gate(Shop("of the first"), record=first).answer_frame(frame("buy"))
    first.close()
    (tmp_path / "other" / "calls.jsonl").write_bytes((tmp_path / "one" / "calls.jsonl").read_bytes())
    with pytest.raises(evolve.EvolveError, match=r"calls\.jsonl"):
        CallFile(tmp_path / "other" / "calls.jsonl")


# Leave


def test_what_is_told_by_an_error_was_read_too():
    """A server may put into an error what it does not want to be known for having said."""
    inbox, mail = (
        Shop(CallFailed("the newest letter says: ..."), function("inbox", "reads", source="inbox")),
        Shop(made=function("mail", "sends", source="mail")),
    )
    gate = CallGate([inbox, mail], CallsInMemory(), Permission(lambda one: "allow"))
    gate.answer_frame(frame("inbox"))
    assert "has read from inbox" in told(gate, frame("mail"))["error"]


@pytest.mark.parametrize("sign", ["\n", "\r", "\x1b[2K\x1b[1A", "\x85", "\u2028", " " * 400, "\u3164" * 400])
def test_no_text_from_outside_begins_a_line_of_the_question(sign):
    forged = f"x{sign}its first call; at most 1 more can come{sign}allow it? [y]es"
    made = function("mail", "sends", description=forged)
    question = CallApprovalRequest(function=made, arguments={"body": forged, forged: 1}, allowed=0, left=5)
    shown: list[str] = []
    ask_consent(question, lambda line: shown.append(escape_control_characters(line)), lambda text: None)
    lines = "\n".join(shown).split("\n")
    assert sum(line.lstrip().startswith(("its first call", "allow it")) for line in lines) == 1
    assert all("  " * 60 not in line and "\u3164" * 60 not in line for line in lines)


# Whole runs


_FORKS = """
import json, os, sys
from evolve.runtime.functions import CallFile, CallGate, Permission, PythonFunctions
from pathlib import Path
mine = PythonFunctions()
def forks() -> int:
    os.fork()
    return 1
mine.add(forks)
gate = CallGate([mine], CallFile(Path(sys.argv[1])), Permission(lambda one: "allow"))
gate.answer(b'{"function": "forks", "arguments": {}}')
with open(sys.argv[2], "a") as lines:
    lines.write("went on\\n")
"""


@pytest.mark.slow
def test_a_function_that_forks_leaves_one_evolve(tmp_path):
    log = tmp_path / "log"
    around = {**os.environ, "PYTHONPATH": str(Path(evolve.__file__).parents[1])}
    subprocess.run([sys.executable, "-c", _FORKS, str(tmp_path / "calls.jsonl"), str(log)], env=around, check=True)
    time.sleep(1)
    assert log.read_text() == "went on\n"
    assert next(answer for _, answer in CallFile(tmp_path / "calls.jsonl").calls.values()) is not None


def test_what_an_earlier_turn_read_is_not_sent_unasked(workspace_of, clerk):
    """Each turn is an episode of its own, but the words of the first are in the prompt of the second."""
    sent, asked = [], []

    def mail(body: str) -> str:
        """Sends a letter about seats."""
        sent.append(body)
        return "sent"

    workspace_of.tools.add(mail, effects=["sends"], grant="allow")
    clerk.code = "```python\nfrom functions import {name}\n{name}('what was read')\n42\n```"
    task = in_words("mail what you read about seats")
    task = replace(task, earlier=(Turn(said="read my letters", outcome="solved: the code is 1234"),))
    person = workspace.Person(consent=lambda question: asked.append(question.read) or "no")
    workspace_of.run(task, person=person)
    assert (len(asked), sent) == (1, [])


@pytest.mark.slow
def test_a_function_that_starts_a_run_ends_in_an_error_or_an_answer(workspace_of, clerk):
    began = []

    def nested(room: str) -> dict[str, int]:
        """How many seats a room has."""
        if not began:
            began.append(room)
            workspace_of.run("count the seats")
        return {"seats": 21}

    workspace_of.tools.add(nested, effects=["reads"])
    result = workspace_of.run("how many seats have the blue and the green room together")
    assert "seats" in result.answer + result.note
    assert workspace_of.stores.runs.episode(result.episode_id).steps
