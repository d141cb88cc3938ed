"""Finds a confinement that works on this machine, or refuses."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from evolve.core.errors import SandboxUnavailable, SetupProblem, UsageError
from evolve.core.files import write_atomic
from evolve.runtime.sandbox.bubblewrap import Bubblewrap
from evolve.runtime.sandbox.interpreter import PythonEnvironment, base_interpreter, environment_at
from evolve.runtime.sandbox.isolated import IsolatedSandbox
from evolve.runtime.sandbox.landlock import Landlock
from evolve.runtime.sandbox.process_limits import remove_abandoned_groups
from evolve.runtime.sandbox.protocol import Backend, SelfTestResult
from evolve.runtime.sandbox.scratch import remove_abandoned
from evolve.runtime.sandbox.seatbelt import Seatbelt
from evolve.runtime.sandbox.selftest import self_test
from evolve.runtime.sandbox.unconfined import Unconfined

BACKENDS: Mapping[str, Callable[[PythonEnvironment], Backend]] = MappingProxyType(
    {"bubblewrap": Bubblewrap, "landlock": Landlock, "seatbelt": Seatbelt}
)
"""In order of preference."""

_HINT = "apt install bubblewrap (Linux), or run inside WSL2 (Windows); `evolve status` shows what failed"


_UNSAFE = "EVOLVE_UNSAFE"
_UNDERSTOOD = "I_UNDERSTAND"


def open_sandbox(
    backend: str = "auto",
    *,
    cache_dir: Path | None = None,
    warm: bool = True,
    python: Path | None = None,
    hidden: Sequence[str | os.PathLike[str]] = (),
) -> IsolatedSandbox:
    """A sandbox whose self-test passed on this machine since it was started.

    Args:
        backend: ``auto`` takes the first that passes; otherwise only the named one is tried. ``none`` confines
            nothing, and needs the environment variable ``EVOLVE_UNSAFE=I_UNDERSTAND`` as well.
        cache_dir: Where a passed self-test is remembered until the next boot or change of kernel,
            interpreter or of the sandbox itself; None tests every time (about a second).
        warm: Keep started interpreters between calls.
        python: A virtual environment, or the interpreter in it, that code can read and import from.
        hidden: Folders that code must not see although they may lie in one that it can read, such as a workspace
            below ``/usr``.

    Raises:
        UsageError: When there is no backend of that name, no environment at that path, only one half of the wish to
            go without, or a hidden folder cannot be hidden.
        SandboxUnavailable: When none passes; the message says what each lacked.
    """
    unsafe = _is_unconfined(backend)
    if not unsafe and backend != "auto" and backend not in BACKENDS:
        raise UsageError(f"no sandbox backend {backend!r}", hint=f"one of auto, {', '.join(BACKENDS)}")
    if os.name != "posix":
        raise SandboxUnavailable("there is no sandbox for native Windows", hint=_HINT)
    environment = (PythonEnvironment() if python is None else environment_at(python)).hiding_folders(hidden)
    # what a killed process left in memory would stay there until the next boot
    remove_abandoned()
    remove_abandoned_groups()
    if unsafe:
        return IsolatedSandbox(Unconfined(environment), warm=False)
    reasons = []
    for name in BACKENDS if backend == "auto" else [backend]:
        candidate = BACKENDS[name](environment)
        outcomes = _remembered_self_test(candidate, cache_dir)
        failed = [outcome for outcome in outcomes if not outcome.passed]
        if not failed:
            return IsolatedSandbox(candidate, warm=warm)
        reasons.append(": ".join(filter(None, (name, failed[0].name, failed[0].detail))))
    raise SandboxUnavailable(f"no sandbox passed its self-test ({'; '.join(reasons)})", hint=_HINT)


def _is_unconfined(backend: str) -> bool:
    """Whether code shall run unconfined: only when asked for in both ways, never by a file in a workspace."""
    consent = os.environ.get(_UNSAFE, "")
    if backend == "none" and consent != _UNDERSTOOD:
        raise UsageError(
            "--set sandbox=none runs code that nobody checked with all your rights",
            hint=f"set {_UNSAFE}={_UNDERSTOOD} as well, or leave the option out",
        )
    if backend != "none" and consent:
        raise UsageError(
            f"{_UNSAFE} is set, but --set sandbox=none is not given",
            hint=f"unset {_UNSAFE}, or give --set sandbox=none as well",
        )
    return backend == "none"


def check_backends(cache_dir: Path | None = None) -> dict[str, list[SelfTestResult]]:
    """The self-test of every backend, run now, by name."""
    with tempfile.TemporaryDirectory() as folder:
        return {
            name: self_test(make(PythonEnvironment()), cache_dir or Path(folder)) for name, make in BACKENDS.items()
        }


def _remembered_self_test(backend: Backend, cache_dir: Path | None) -> list[SelfTestResult]:
    """Runs the self-test, unless it passed before; one that failed is run again, as the cause may be mended."""
    if cache_dir is None:
        with tempfile.TemporaryDirectory() as folder:
            return self_test(backend, Path(folder))
    lacking = backend.missing_parts()
    if lacking:
        return [SelfTestResult(name="present", passed=False, detail=lacking)]
    mark = cache_dir / f"sandbox-{backend.name}.json"
    key = _machine_key(backend.name)
    try:
        if json.loads(mark.read_text(encoding="utf-8")) == {"passed": key}:
            return []
    except (OSError, ValueError):
        pass  # no memory of a test is no harm: test again
    outcomes = self_test(backend, cache_dir)
    if all(outcome.passed for outcome in outcomes):
        _remember(mark, key)
    return outcomes


def _remember(mark: Path, key: str) -> None:
    try:
        write_atomic(mark, json.dumps({"passed": key}).encode("ascii"))
    except SetupProblem:
        return  # the test is then repeated next time


def _machine_key(backend: str) -> str:
    """A digest that changes with the boot, the kernel, the user, the interpreter, the tool and this package's text."""
    parts = [backend, platform.release(), str(os.getuid()), base_interpreter(), _boot_id()]
    for path in ("/usr/bin/bwrap", base_interpreter()):
        try:
            state = os.stat(path)
            parts.append(f"{state.st_size}:{state.st_mtime_ns}")
        except OSError:
            parts.append("none")
    text = hashlib.sha256("\0".join(parts).encode("utf-8", "surrogateescape"))
    # after an upgrade of evolve itself nothing is known of the new sandbox
    for file in sorted(Path(__file__).parent.rglob("*.py")):
        text.update(file.read_bytes())
    return text.hexdigest()


def _boot_id() -> str:
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return platform.node()
