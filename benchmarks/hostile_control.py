"""The control: an attack without a sandbox, against throw-away copies of the oracles, which then must fire.

It runs in a process and a session of its own with generous limits, and everything it started is killed afterwards.
A naive supervisor stands beside it: it keeps all output, follows links and lets endless code run.
"""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.hostile_actions import Action, source
from benchmarks.hostile_judging import BASE, OVERRUN_S, hidden, limits_of, outside
from benchmarks.hostile_oracles import Oracles, descendants, end

_HANDLED_S = 1.0
_PATIENCE_S = 15.0
_KEPT = 1 << 20

_HARNESS = """
import json, resource, sys
for name, most in (('AS', 4 << 30), ('FSIZE', 512 << 20), ('CPU', 12), ('CORE', 0), ('NOFILE', 4096)):
    resource.setrlimit(getattr(resource, 'RLIMIT_' + name), (most, most))
space = {'__name__': 'action'}
try:
    with open(sys.argv[1], encoding='utf-8') as file:
        code = file.read()
    exec(compile(code, '<action>', 'exec'), space)
    line = {'value': space.get('result')}
except BaseException as error:
    line = {'error': type(error).__name__ + ': ' + str(error)}
with open(sys.argv[2], 'w', encoding='utf-8', errors='surrogatepass') as file:
    try:
        json.dump(line, file, default=repr, ensure_ascii=False)
    except RecursionError:
        file.write('{"error": "RecursionError"}')
"""


@dataclass
class _Run:
    """What the naive supervisor saw."""

    said: list[str] = field(default_factory=list)
    output: int = 0
    endless: bool = False
    seconds: float = 0.0


def let_loose(action: Action, oracles: Oracles, folder: Path) -> dict[str, Any]:
    """Runs one attack without a sandbox.

    Args:
        action: One that must fire.
        oracles: Throw-away ones; rebuilt before.
        folder: An empty folder for the code, the result and the scratch folder.

    Returns:
        ``{"outcome", "fired", "missing"}``: oracles that fired, and those that should have and did not.
    """
    oracles.make()
    scratch = folder / "scratch"
    scratch.mkdir(parents=True)
    for name, data in action.files.items():
        (scratch / name).write_bytes(data)
    code = folder / "code"
    code.write_text(source(action, oracles.constants(caged=False)), encoding="utf-8")
    run = _watch(action, oracles, folder)
    left = set(descendants(os.getpid())) - oracles.people()
    end(left)
    outcome, text = _result(folder / "result", run)
    if "signal" in action.attacks:
        _heard(oracles)
    artifacts = _artifacts(scratch) if action.collect else []
    fired = oracles.fired("".join([*run.said, text, *artifacts]))
    checks = {
        "survivors": bool(left),
        "wall": run.endless,
        "output": run.output > BASE["output_kb"] * 1024,
        "result": len(text) > BASE["result_kb"] * 1024,
        "border": any(hidden(part) for part in [*run.said, text]),
        "artifact": sum(map(len, artifacts)) > BASE["file_mb"] << 20,
        "outcome": outcome not in action.expect,
    }
    fired += [name for name, happened in checks.items() if happened]
    return {"outcome": outcome, "fired": fired, "missing": [name for name in action.attacks if name not in fired]}


def _heard(oracles: Oracles) -> None:
    """Waits a moment for a signal that was sent and not handled yet, as handlers have to wait for their turn."""
    deadline = time.monotonic() + _HANDLED_S
    while not oracles.signals and time.monotonic() < deadline:
        time.sleep(0.01)


def _watch(action: Action, oracles: Oracles, folder: Path) -> _Run:
    run = _Run()
    limit = limits_of(action)["wall_s"] + OVERRUN_S if "wall" in action.attacks else _PATIENCE_S
    environment = {"PATH": os.environ["PATH"], "HOME": str(oracles.home), "EVOLVE_HOSTILE_TOKEN": oracles.secret}
    with outside(oracles) as inherited:
        process = subprocess.Popen(
            [sys.executable, "-I", "-B", "-c", _HARNESS, str(folder / "code"), str(folder / "result")],
            cwd=folder / "scratch",
            env=environment,
            pass_fds=inherited,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    started = time.monotonic()
    with process, selectors.DefaultSelector() as selector:
        for stream in (process.stdout, process.stderr):
            assert stream is not None
            os.set_blocking(stream.fileno(), False)
            selector.register(stream, selectors.EVENT_READ)
        while process.poll() is None and time.monotonic() - started < limit and run.output < 16 * _KEPT:
            for key, _ in selector.select(0.02):
                if not _take(key.fd, run):
                    selector.unregister(key.fileobj)
        run.endless = process.poll() is None and time.monotonic() - started >= limit
        for key in list(selector.get_map().values()):
            _take(key.fd, run)
        run.seconds = time.monotonic() - started
        process.send_signal(signal.SIGKILL)
    return run


def _take(descriptor: int, run: _Run) -> bool:
    """Keeps what is there; whether more can come."""
    try:
        data = os.read(descriptor, 1 << 16)
    except BlockingIOError:
        return True
    run.output += len(data)
    if run.output < _KEPT:
        run.said.append(data.decode("utf-8", "surrogateescape"))
    return bool(data)


def _result(path: Path, run: _Run) -> tuple[str, str]:
    """The outcome class as a naive supervisor sees it, and the text of the result."""
    if run.endless:
        return "running", ""
    try:
        text = path.read_text(encoding="utf-8", errors="surrogatepass")
        line = json.loads(text)
    except (OSError, ValueError):
        return "none", ""
    if "error" in line:
        return "error", str(line["error"])
    # as text, not as JSON, in which controls are escaped
    return "ok", str(line["value"]) if not isinstance(line["value"], dict | list) else _flat(line["value"])


def _flat(value: Any) -> str:
    if isinstance(value, dict):
        return " ".join(f"{key} {_flat(item)}" for key, item in value.items())
    return " ".join(map(_flat, value)) if isinstance(value, list) else str(value)


def _artifacts(scratch: Path) -> list[str]:
    """Reads every file the way that must not be done: following links wherever they lead."""
    found = []
    for place, folders, files in os.walk(scratch, followlinks=False):
        for name in [*files, *folders]:
            path = Path(place) / name
            with contextlib.suppress(OSError):
                targets = sorted(path.iterdir()) if path.is_dir() else [path]
                found += [target.read_bytes().decode("latin-1") for target in targets if target.is_file()]
    return found
