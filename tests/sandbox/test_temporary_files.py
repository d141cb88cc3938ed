"""Temporary files of code have a place of their own: no part of the folder, there for a session, and bounded alike."""

from __future__ import annotations

import pytest

from evolve.runtime.sandbox import SandboxLimits

WRITE = (
    "import os, tempfile\nopen('out', 'w').write('x')\n"
    "for folder in (tempfile.gettempdir(), os.path.expanduser('~')):\n"
    "    open(os.path.join(folder, 'aside'), 'w').write('y')"
)
LOOK = "import os, tempfile\nos.listdir(tempfile.gettempdir())"


def test_temporary_files_are_no_files_of_the_folder(sandbox):
    result = sandbox.execute(WRITE, collect=True)
    assert (result.state, result.denied) == ("ok", ())
    assert [file.name for file in result.files] == ["out"]


def test_temporary_files_stay_for_the_session_and_are_gone_after_it(sandbox):
    with sandbox.session() as session:
        session.execute(WRITE)
        assert session.execute(LOOK).value == ["aside"]
        assert session.execute("sorted(os.listdir())").value == ["out"]
    assert sandbox.execute(LOOK).value == []


def test_the_tmp_of_bubblewrap_is_the_place_of_temporary_files(default_sandbox):
    if default_sandbox.backend != "bubblewrap":
        pytest.skip("/tmp is hidden without a file system of its own")
    code = "import os, tempfile\nopen('/tmp/aside', 'w').write('y')\nos.listdir(tempfile.gettempdir())"
    result = default_sandbox.execute(code, collect=True)
    assert (result.value, result.files, result.denied) == (["aside"], (), ())


@pytest.mark.parametrize("code", [
    "import tempfile\nfor n in range(64):\n    with open(f'{tempfile.gettempdir()}/{n}', 'wb') as f:\n"
    "        f.write(bytes(1 << 20))\nimport time\ntime.sleep(2)",
    "import tempfile\nfor n in range(5000):\n    open(f'{tempfile.gettempdir()}/{n}', 'w').close()\n"
    "import time\ntime.sleep(2)",
])  # fmt: skip
def test_temporary_files_are_bounded(sandbox, code):
    result = sandbox.execute(code, SandboxLimits(file_mb=4, wall_s=30))
    assert (result.state, result.limit) == ("limit", "disk")


def test_what_code_does_to_the_place_itself_does_not_tell_the_next(sandbox):
    look = "import os\nplace = os.environ['TMPDIR']\nseen = os.stat(place)\n[seen.st_mode, os.listdir(place)]"
    before = sandbox.execute(look).value
    change = "try:\n    os.chmod(place, 0o300)\n    os.utime(place, (1, 1))\nexcept OSError:\n    pass"
    odd = f"import os\nplace = os.environ['TMPDIR']\nos.makedirs(place + '/a/b')\n{change}"
    assert sandbox.execute(odd).state == "ok"
    assert sandbox.execute(look).value == before
    assert sandbox.execute(f"{look}\nseen.st_mtime == 1").value is False
