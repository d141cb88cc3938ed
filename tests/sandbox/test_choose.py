"""Which sandbox is used, and that none is used without proof."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from evolve.core.errors import SandboxUnavailable, UsageError
from evolve.runtime.sandbox import Program, SandboxLimits, check_backends, open_sandbox
from evolve.runtime.sandbox.protocol import Launch
from evolve.runtime.sandbox.seatbelt import seatbelt_profile
from evolve.runtime.sandbox.selftest import self_test
from evolve.runtime.sandbox.unconfined import Unconfined


@pytest.mark.slow
def test_one_backend_works_on_this_machine(tmp_path: Path):
    with open_sandbox(cache_dir=tmp_path) as sandbox:
        result = sandbox.run_programs([Program(source="def f():\n    return 1\n", entry="f")], [[]])
    assert result.programs[0].outputs[0].value == 1
    assert sandbox.backend in ("bubblewrap", "landlock", "seatbelt")


def test_an_unknown_backend_is_named(tmp_path: Path):
    with pytest.raises(UsageError, match="docker"):
        open_sandbox("docker", cache_dir=tmp_path)


def test_no_backend_means_refusal_with_the_reason_and_the_fix(tmp_path: Path):
    with pytest.raises(SandboxUnavailable, match="macOS only") as caught:
        open_sandbox("seatbelt", cache_dir=tmp_path)
    assert caught.value.exit_code == 3
    assert "apt install bubblewrap" in caught.value.hint


class Leaky(Unconfined):
    """Confines nothing and hands on its environment, as a misconfigured host would."""

    def launch(self, result_fd: int, limits: SandboxLimits) -> Launch:
        launch = super().launch(result_fd, limits)
        return replace(launch, env={**launch.env, "SECRET": "x"})


def test_the_self_test_sees_through_a_backend_that_confines_nothing(tmp_path: Path):
    failed = {outcome.name for outcome in self_test(Leaky(), tmp_path) if not outcome.passed}
    assert failed >= {
        "read home",
        "write outside",
        "tcp",
        "udp",
        "unix socket",
        "abstract socket",
        "signal supervisor",
        "inspect supervisor",
        "start processes",
        "environment",
    }


@pytest.mark.slow
def test_every_probe_passes_for_some_backend(tmp_path: Path):
    found = check_backends(tmp_path)
    assert any(len(outcomes) >= 10 and all(o.passed for o in outcomes) for outcomes in found.values())


@pytest.mark.slow
def test_a_passed_self_test_is_remembered_and_a_stale_memory_is_not_believed(tmp_path: Path):
    opened = open_sandbox(cache_dir=tmp_path)
    mark = tmp_path / f"sandbox-{opened.backend}.json"
    good = mark.read_text()
    mark.write_text('{"passed": "another boot"}')
    open_sandbox(cache_dir=tmp_path)
    assert mark.read_text() == good


def test_the_macos_profile_denies_by_default():
    lines = seatbelt_profile(["/private/tmp/x"]).splitlines()
    assert lines[:3] == ["(version 1)", "(deny default)", "(deny network*)"]
    assert not [line for line in lines if "file-write" in line and '"/private/tmp/x"' not in line]
