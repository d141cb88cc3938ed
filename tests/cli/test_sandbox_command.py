"""``evolve lab sandbox``: code from the command line, sessions over several commands, and going without walls."""

from __future__ import annotations

import json
import sys
import venv
from pathlib import Path

import pytest

import evolve
from evolve.core.episodes import Row
from evolve.core.errors import UsageError
from evolve.runtime.sandbox import UNSANDBOXED
from evolve.skills import AdmissionVerdict, Skill, render_tests


@pytest.fixture(autouse=True)
def cache(tmp_path_factory, monkeypatch):
    """One self-test for all tests here."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.getbasetemp() / "cache"))


@pytest.fixture
def code(tmp_path):
    def written(text: str) -> Path:
        path = tmp_path / "code.py"
        path.write_text(text)
        return path

    return written


@pytest.mark.slow
def test_exec_shows_output_value_denials_and_limits(cli, code):
    hidden = "try:\n    open('/etc/shadow')\nexcept OSError:\n    pass"
    done = cli("lab", "sandbox", "exec", code(f"print('said')\n{hidden}\n[1, 2]"))
    assert (done.code, done.out) == (0, "said\nvalue: [1, 2]\n")
    assert done.err == "denied: file:/etc/shadow\n"
    failed = cli("lab", "sandbox", "exec", code("1 / 0"))
    assert (failed.code, failed.err) == (1, "error: ZeroDivisionError: division by zero (line 1)\n")
    endless = cli("lab", "sandbox", "exec", code("while True:\n    pass"), "--wall", "0.3")
    assert (endless.code, endless.err) == (1, "limit: wall of 0.3 s\n")
    said = json.loads(cli("lab", "sandbox", "exec", code("{'a': 1}"), "--json").out)
    assert (said["state"], said["value"], said["denied"]) == ("ok", {"a": 1}, [])


@pytest.mark.slow
def test_a_session_is_rebuilt_by_every_command(cli, code, tmp_path):
    assert cli("lab", "sandbox", "exec", code("x = [1]"), "--session", "s").code == 0
    assert cli("lab", "sandbox", "exec", code("x.append(2)\nundefined"), "--session", "s").code == 1
    assert cli("lab", "sandbox", "exec", code("while True:\n    pass"), "--session", "s", "--wall", "0.3").code == 1
    assert cli("lab", "sandbox", "exec", code("x"), "--session", "s").out == "value: [1, 2]\n"
    assert cli("lab", "sandbox", "exec", code("1"), "--session", "../s").code == 2
    file = tmp_path / "ws/memory_store/runs/sessions/s.jsonl"
    file.write_text(file.read_text() + "{}\n")
    damaged = cli("lab", "sandbox", "exec", code("1"), "--session", "s")
    assert damaged.code == 3 and "s.jsonl:4" in damaged.err


@pytest.mark.slow
def test_a_session_that_gives_something_else_is_at_fault(cli, code):
    assert cli("lab", "sandbox", "exec", code("import time\ntime.time()"), "--session", "s").code == 0
    done = cli("lab", "sandbox", "exec", code("1"), "--session", "s")
    assert done.code == 3 and "action 1 of session s" in done.err


@pytest.mark.slow
def test_code_can_import_from_a_named_environment(cli, code, tmp_path):
    place = tmp_path / "venv"
    venv.create(place, symlinks=True)
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    (place / "lib" / version / "site-packages" / "parcel.py").write_text("weight = 3\n")
    for backend in ("bubblewrap", "landlock"):
        text = f"import parcel\ntry:\n    open({str(place / 'new')!r}, 'w')\nexcept OSError:\n    parcel.weight"
        done = cli(
            "lab",
            "sandbox",
            "exec",
            code(text + "\nparcel.weight"),
            "--set",
            f"python={place}",
            "--set",
            f"sandbox={backend}",
        )
        assert (done.code, done.out) == (0, "value: 3\n")
    assert not (place / "new").exists()
    assert cli("lab", "sandbox", "exec", code("1"), "--set", f"python={tmp_path}").code == 2


@pytest.mark.slow
def test_check_probes_every_backend(cli):
    done = cli("lab", "sandbox", "check", "--json")
    found = json.loads(done.out)
    assert done.code == 0 and found["chosen"] == "bubblewrap"
    assert all(probe["passed"] for name in ("bubblewrap", "landlock") for probe in found["backends"][name])
    assert "not usable" in cli("lab", "sandbox", "check").out


def test_check_ends_with_3_where_no_backend_holds(cli, monkeypatch):
    from evolve.runtime.sandbox.choose import BACKENDS

    monkeypatch.setattr("evolve.runtime.sandbox.choose.BACKENDS", {"seatbelt": BACKENDS["seatbelt"]})
    done = cli("lab", "sandbox", "check")
    assert done.code == 3 and "no code is run" in done.err


def test_going_without_a_sandbox_must_be_asked_for_twice(cli, code, monkeypatch, tmp_path):
    file = code("import os\nos.path.exists(os.path.expanduser('/etc/passwd'))")
    assert cli("lab", "sandbox", "exec", file, "--set", "sandbox=none").code == 2
    monkeypatch.setenv("EVOLVE_UNSAFE", "I_UNDERSTAND")
    alone = cli("lab", "sandbox", "exec", file)
    assert alone.code == 2 and "EVOLVE_UNSAFE" in alone.err
    both = cli("lab", "sandbox", "exec", file, "--set", "sandbox=none")
    assert (both.code, both.out) == (0, "value: true\n") and "[unsandboxed]" in both.err
    monkeypatch.setenv("EVOLVE_UNSAFE", "yes")
    assert cli("lab", "sandbox", "exec", file, "--set", "sandbox=none").code == 2
    monkeypatch.setenv("EVOLVE_UNSAFE", "I_UNDERSTAND")
    cli("init", "ws")
    (tmp_path / "ws" / "evolve.toml").write_text('sandbox = "none"\n')
    assert cli("lab", "sandbox", "exec", file).code == 3


@pytest.mark.slow
def test_a_run_without_a_sandbox_says_so_everywhere(cli, tmp_path, monkeypatch):
    rows = tmp_path / "rows.csv"
    rows.write_text("a,b\n" + "".join(f"x{n},X{n}\n" for n in range(8)))
    monkeypatch.setenv("EVOLVE_UNSAFE", "I_UNDERSTAND")
    done = cli("run", "--examples", rows, "--set", "sandbox=none")
    assert done.code == 0 and "verified (unsandboxed)" in done.out
    assert all(line.startswith("[unsandboxed]") for line in done.err.splitlines() if "workspace" not in line)
    (run,) = json.loads(cli("runs", "list", "--json").out)
    with evolve.open(read_only=True) as workspace:
        assert workspace.stores.runs.run(run["id"]).body[UNSANDBOXED] is True


def test_what_was_only_tried_without_a_sandbox_is_not_exported(tmp_path):
    rows = (Row(input=(1,), output=2), Row(input=(2,), output=4))
    text = "def double(a: int) -> int:\n    return 2 * a\n"
    skill = Skill(
        name="double",
        description="Doubles a number.",
        entry="double",
        signature="(a: int) -> int",
        code=text,
        rows=rows,
        test_code=render_tests("double", rows),
    )
    with evolve.open(tmp_path / "ws") as workspace:
        skills = workspace.stores.skills
        skills.add(skill, AdmissionVerdict(digest=skill.digest, admitted=True, fingerprint=UNSANDBOXED))
        with pytest.raises(UsageError, match="without a sandbox"):
            workspace.skills.export(["double"], to=tmp_path / "out")
        skills.record_verdict(AdmissionVerdict(digest=skill.digest, admitted=True, fingerprint="bubblewrap"))
        assert workspace.skills.export(["double"], to=tmp_path / "out")
