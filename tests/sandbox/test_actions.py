"""Code actions: what one leaves behind, what a session keeps, and what every misbehaviour is called."""

from __future__ import annotations

import time

import pytest

from evolve.core.errors import UsageError
from evolve.runtime.sandbox import ActionFile, SandboxLimits

SMALL = SandboxLimits(wall_s=30.0, memory_mb=200, file_mb=4, result_kb=64, output_kb=8)
SHORT = SandboxLimits(wall_s=1.0)


@pytest.mark.parametrize(
    ("code", "value"),
    [
        ("1 + 1", 2),
        ("x = 4\nresult = x * 2", 8),
        ("result = 3\nresult + 1", 4),
        ("def f():\n    return [f.__name__]\nf()", ["f"]),
        ("import dataclasses\n@dataclasses.dataclass\nclass P:\n    x: int\ndataclasses.asdict(P(1))", {"x": 1}),
        ("{str(n): n for n in range(10_000)}['77']", 77),
    ],
)
def test_the_value_of_an_action(sandbox, code, value):
    result = sandbox.execute(code)
    assert (result.state, result.value, result.has_value, result.error) == ("ok", value, True, "")
    assert result.ended and not result.denied


def test_an_action_without_a_value(sandbox):
    result = sandbox.execute("x = 1\nprint('said')")
    assert (result.state, result.value, result.stdout) == ("ok", None, "said\n")
    assert sandbox.execute("x = 1").has_value is False


def test_nothing_of_an_action_reaches_the_next(sandbox):
    sandbox.execute("import os, json\nopen('left', 'w').write('x')\njson.dumps = None\nleft = 1\nos.makedirs('a/b')")
    result = sandbox.execute("import os, json\n[os.listdir(), 'left' in globals(), json.dumps is None]")
    assert result.value == [[], False, False]


def test_files_go_in_and_come_out(sandbox):
    result = sandbox.execute(
        "open('out.txt', 'w').write(open('in/data.txt').read().upper())",
        files={"in/data.txt": b"abc", "other": b"\xff\x00"},
        collect=True,
    )
    assert result.files == (
        ActionFile(name="other", data=b"\xff\x00"),
        ActionFile(name="out.txt", data=b"ABC"),
        ActionFile(name="in/data.txt", data=b"abc"),
    )


def test_a_session_gives_back_only_what_changed(sandbox):
    with sandbox.session(SMALL) as session:
        first = session.execute("1", files={"a": b"one", "b/c": b"two", "d": b"three"}, collect="changed")
        assert (first.files, first.gone) == ((), ())
        # as long as before and, where that can be done, with its old time
        code = "import os\nseen = os.stat('a')\nopen('a', 'r+').write('ONE')\nos.remove('d')\nos.symlink('a', 'link')\n"
        changed = session.execute(
            f"{code}try:\n    os.utime('a', ns=(0, seen.st_mtime_ns))\nexcept OSError: pass", collect="changed"
        )
        assert changed.files == (ActionFile(name="a", data=b"ONE"),) and changed.gone == ("d",)
        assert "link" in [denied.target for denied in changed.denied]
        put = session.execute("open('b/c').read()", files={"b/c": b"new"}, collect="changed")
        assert (put.value, put.files, put.gone, put.denied) == ("new", (), (), ())
        assert len(session.execute("1", collect=True).files) == 2
    with sandbox.session(SMALL) as session:
        assert session.execute("1", files={"a": b"one"}, collect="changed").gone == ()


def test_what_is_written_right_after_a_look_is_noticed(sandbox):
    with sandbox.session(SMALL) as session:
        session.execute("1", files={"a": b"0000"}, collect="changed")
        for number in range(30):
            result = session.execute(f"open('a', 'r+').write('{number:04}')", collect="changed")
            assert [file.data for file in result.files] == [b"%04d" % number]


@pytest.mark.slow
def test_a_large_folder_goes_in_once(sandbox):
    limits = SandboxLimits(wall_s=30.0, memory_mb=512, file_mb=256, entries=25_000)
    files = {f"f{n // 100}/{n}": b"%d" % n * 500 for n in range(10_000)} | {"large": b"x" * (100 << 20), "empty": b""}
    with sandbox.session(limits) as session:
        code = "import os\nsum(len(names) for _, _, names in os.walk('.')), os.path.getsize('large')"
        first = session.execute(code, files=files, collect="changed")
        assert (first.value, first.files, first.error) == ([10_002, 100 << 20], (), "")
        assert session.execute("open('f1/100').read()[:3]", collect="changed").value == "100"
    assert sandbox.execute("1", SandboxLimits(file_mb=64, entries=2000)).value == 1


@pytest.mark.parametrize("name", ["../x", "/etc/x", "a/../b", "", ".", "a//b", "a\\b", "a\0b", "\ud800", "x" * 300])
def test_only_plain_names_are_put_into_the_scratch_folder(sandbox, name):
    with pytest.raises(UsageError, match="plain"):
        sandbox.execute("1", files={name: b""})


def test_what_is_not_a_plain_file_stays_inside(sandbox):
    code = (
        "import os\nopen('good', 'w').write('x')\nos.symlink('/etc/hostname', 'link')\nos.symlink('good', 'inner')\n"
        "os.link('good', 'twin')\nos.mkdir('sub')\nos.symlink('..', 'sub/up')\nopen('a\\nb', 'w').close()"
    )
    result = sandbox.execute(code, collect=True)
    assert result.files == ()
    assert {"link", "inner", "good", "twin", "sub/up"} <= {item.target for item in result.denied}


@pytest.mark.parametrize(
    ("code", "state", "limit", "words"),
    [
        ("1 / 0", "error", "", "ZeroDivisionError: division by zero (line 1)"),
        ("def f(:", "error", "", "SyntaxError"),
        ("import sys\nsys.exit(0)", "error", "", "SystemExit"),
        ("import os\nos._exit(0)", "error", "", "ended its own process"),
        ("import ctypes\nctypes.string_at(0)", "error", "", "signal 11"),
        ("input()", "error", "", "EOFError"),
        ("float('nan')", "error", "", "not a JSON value"),
        ("10 ** 5000", "error", "", "ValueError"),
        ("'\\ud800'", "error", "", "Unicode"),
        ("a = []\nfor _ in range(500):\n    a = [a]\na", "error", "", "nested"),
        ("import os\n[os.write(n, b'{}\\n') for n in range(3, 40) if n]", "error", "", ""),
        ("import os\nos.closerange(3, 64)\n1", "error", "", "ended its own process"),
        ("while True:\n    pass", "limit", "wall", ""),
        ("while True:\n    print('x' * 1000)", "limit", "output", ""),
        ("'x' * 100_000", "limit", "result", ""),
        ("bytearray(300 << 20)", "limit", "memory", ""),
        ("open('big', 'wb').write(bytes(8 << 20))", "limit", "disk", ""),
        ("import os\nwhile True:\n    os.mkdir('d')\n    os.chdir('d')", "limit", "disk", ""),
    ],
)
def test_every_end_has_a_name(sandbox, code, state, limit, words):
    result = sandbox.execute(code, SHORT if limit == "wall" else SMALL)
    assert (result.state, result.limit) == (state, limit)
    assert words in result.error
    assert sandbox.execute("1", SMALL).value == 1


@pytest.mark.slow
def test_the_number_of_files_is_bounded(sandbox):
    code = "n = 0\nwhile True:\n    open(str(n), 'w').close()\n    n += 1"
    result = sandbox.execute(code, SandboxLimits(wall_s=30))
    assert (result.state, result.limit) == ("limit", "disk")


@pytest.mark.slow
def test_used_up_processor_time_is_named(sandbox):
    result = sandbox.execute("while True:\n    pass", SandboxLimits(cpu_s=1, wall_s=60))
    assert (result.state, result.limit) == ("limit", "cpu")


@pytest.mark.parametrize(
    ("code", "denial"),
    [
        ("open('/etc/shadow').read()", "file:/etc/shadow"),
        ("open('/usr/x', 'w')", "file:/usr/x"),
        ("import os\nos.unlink('/usr/bin/env')", "file:/usr/bin/env"),
        ("import os\nopen('../../../../home/x')", "file:../../../../home/x"),
        ("import socket\nsocket.create_connection(('192.0.2.1', 80))", "network:192.0.2.1:80"),
        ("import urllib.request\nurllib.request.urlopen('http://example.invalid/x')", "network:example.invalid:80"),
        ("import subprocess\nsubprocess.run(['ls'])", "process:ls"),
        ("import os\nos.fork()", "process:fork"),
        ("import os\nos.kill(1, 9)", "process:kill"),
    ],
)
def test_what_was_refused_is_told_also_when_the_code_hides_it(sandbox, code, denial):
    hidden = "try:\n    " + code.replace("\n", "\n    ") + "\nexcept Exception:\n    pass\n1"
    loud, quiet = sandbox.execute(code), sandbox.execute(hidden)
    assert loud.state == "error" and denial in {str(item) for item in loud.denied}
    assert quiet.value == 1 and denial in {str(item) for item in quiet.denied}


def test_a_session_keeps_its_variables_and_survives_errors(sandbox):
    with sandbox.session() as session:
        assert not session.execute("x = [1]\nimport math").ended
        assert session.execute("x.append(2)\nx").value == [1, 2]
        failed = session.execute("y = 5\nundefined")
        assert failed.state == "error" and not failed.ended
        assert session.execute("[y, math.floor(2.5)]").value == [5, 2]
        assert session.execute("open('kept').read()", files={"kept": b"here"}).value == "here"
        assert [file.name for file in session.execute("1", collect=True).files] == ["kept"]
    with pytest.raises(UsageError, match="over"):
        session.execute("1")
    assert sandbox.execute("import os\nos.listdir()").value == []


@pytest.mark.slow
def test_a_limit_ends_a_session(sandbox):
    session = sandbox.session(SandboxLimits(wall_s=3.0))
    assert session.execute("1").value == 1
    result = session.execute("while True:\n    pass")
    assert (result.limit, result.ended) == ("wall", True)
    with pytest.raises(UsageError):
        session.execute("1")
    session.close()


@pytest.mark.slow
def test_a_session_does_nothing_between_its_actions(sandbox):
    spin = "import threading, time\ndef spin():\n    while True:\n        pass\n"
    with sandbox.session() as session:
        session.execute(spin + "threading.Thread(target=spin, daemon=True).start()")
        before = session.execute("time.process_time()").value
        time.sleep(1.0)
        assert session.execute("time.process_time()").value - before < 0.5


def test_a_report_that_nobody_asked_for_ends_the_session(sandbox):
    forge = (
        "import os, threading\ntold = threading.Event()\ndef later():\n    told.wait()\n    for n in range(3, 20):\n"
        "        try:\n            os.write(n, b'{}\\n')\n        except OSError:\n            pass\n"
        "forger = threading.Thread(target=later)\nforger.start()"
    )
    session = sandbox.session()
    session.execute(forge)
    result = session.execute("told.set()\nforger.join()\n1")
    assert result.ended and result.state == "error" and "result" in result.error
    session.close()
    assert sandbox.execute("1").value == 1


def test_removed_files_that_are_still_open_count(sandbox):
    code = (
        "import tempfile, time\nkept = [tempfile.TemporaryFile() for _ in range(30)]\nfor file in kept:\n"
        "    file.write(bytes(1 << 20))\n    file.flush()\ntime.sleep(60)"
    )
    result = sandbox.execute(code, SandboxLimits(file_mb=4, wall_s=30))
    assert (result.state, result.limit) == ("limit", "disk")


@pytest.mark.parametrize("mode", ["0o400", "0o300", "0o000"])
def test_folders_that_were_locked_do_no_harm(sandbox, mode):
    code = (
        f"import os\nos.mkdir('d')\nopen('d/f', 'w').write('x')\nos.mkdir('e', {mode})\n"
        f"try:\n    os.chmod('d', {mode})\nexcept OSError:\n    pass\nopen('g', 'w').write('y')"
    )
    result = sandbox.execute(code, collect=True)
    assert result.state == "ok" and ActionFile(name="g", data=b"y") in result.files
    assert sandbox.execute("import os\nos.listdir()").value == []
