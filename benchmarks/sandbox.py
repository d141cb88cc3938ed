"""What does isolation cost? Executions a second and latency, wall time, side by side in one run.

Each backend is measured cold (a fresh interpreter each), as a zygote (the product's default: a kept interpreter that
forks for each execution) and in a session. Beside them stand a bare ``fork`` + ``_exit`` of this process, a bare
``python -I -S -c pass``, bubblewrap around ``true``, and smolagents' executor, which runs code inside the calling
process and isolates nothing. Speed counts only for a configuration that let nothing through: every configuration is
attacked first, and judged from outside. Cases of what goes wrong around a sandbox are tried besides. Wall time depends
on the neighbours; compare figures within one run.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import secrets
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from benchmarks.record import Outcome, Target, common_options, progress, publish
from benchmarks.sandbox_cases import CASES
from evolve.core.errors import SandboxUnavailable
from evolve.runtime.sandbox import Sandbox, open_sandbox

BACKENDS = ("bubblewrap", "landlock")
MODES = ("cold", "zygote", "session")
CODE = "sum(range(10))"
CALLERS = 2
BARE = "fork and _exit"

ATTACKS = {
    "read a file outside": "open({canary!r}).read()",
    "write a file outside": "open({target!r}, 'w').write('x')",
    "tcp": "import socket\nsocket.create_connection(('127.0.0.1', {port}), 0.3).send(b'x')",
    "unix socket": "import socket\nsocket.socket(socket.AF_UNIX).connect({path!r})",
    "signal": "import os\nos.kill({victim}, 9)",
    "environment": "import os\n[value for value in os.environ.values()]",
    "leave a process": "import os, time\nif os.fork() == 0:\n    os.setsid()\n    time.sleep(5)",
}

SMOLAGENTS = """
import sys, time
from smolagents.local_python_executor import LocalPythonExecutor
found = []
for _ in range(int(sys.argv[1])):
    started = time.perf_counter()
    executor = LocalPythonExecutor([])
    executor.send_tools({})
    executor(sys.argv[2])
    found.append(time.perf_counter() - started)
print(*found)
"""


def escapes(run: Callable[[str], Any]) -> list[str]:
    """Names of attacks that reached something outside; judged by what they reached."""
    found = []
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="evolve-bench-")))
        secret, target = secrets.token_hex(16), folder / "target"
        (folder / "canary").write_text(secret, encoding="ascii")
        os.environ["EVOLVE_BENCHMARK_SECRET"] = secret
        stack.callback(os.environ.pop, "EVOLVE_BENCHMARK_SECRET")
        victim = stack.enter_context(subprocess.Popen(["sleep", "60"]))
        stack.callback(victim.kill)
        tcp = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        unix = stack.enter_context(socket.socket(socket.AF_UNIX))
        unix.bind(str(folder / "s"))
        unix.listen()
        for trap in (tcp, unix):
            trap.setblocking(False)
        places = {
            "canary": str(folder / "canary"),
            "target": str(target),
            "port": tcp.getsockname()[1],
            "path": str(folder / "s"),
            "victim": victim.pid,
        }
        for name, code in ATTACKS.items():
            said = repr(run(code.format(**places)))
            if secret in said or target.exists() or victim.poll() is not None or reached(tcp) or reached(unix):
                found.append(name)
            if name == "leave a process" and "state='ok'" in said:
                found.append(name)
    return found


def reached(trap: socket.socket) -> bool:
    """Whether somebody connected."""
    try:
        trap.accept()[0].close()
    except BlockingIOError:
        return False
    return True


@contextlib.contextmanager
def runner(backend: str, mode: str, cache: Path) -> Iterator[Callable[[str], Any]]:
    """Runs code in one configuration; a session that ended is opened anew."""
    with open_sandbox(backend, cache_dir=cache, warm=mode != "cold") as sandbox:
        if mode != "session":
            yield sandbox.execute
            return
        with contextlib.ExitStack() as stack:
            yield _in_session(sandbox, stack)


def _in_session(sandbox: Sandbox, stack: contextlib.ExitStack) -> Callable[[str], Any]:
    open_now: list[Any] = []

    def run(code: str) -> Any:
        if not open_now:
            open_now.append(stack.enter_context(sandbox.session()))
        result = open_now[0].execute(code)
        if result.ended:
            open_now.clear()
        return result

    return run


def timed(action: Callable[[], object], times: int) -> list[float]:
    """Wall milliseconds of every call, after one that is not counted."""
    action()
    found = []
    for _ in range(times):
        started = time.perf_counter()
        action()
        found.append(1000 * (time.perf_counter() - started))
    return found


def row(what: str, seed: int, values: Sequence[float]) -> dict[str, Any]:
    """One measurement of a latency; without values it was not run."""
    if not values:
        return {"measure": "latency", "what": what, "seed": seed, "n": 0, "p50_ms": None, "p95_ms": None}
    tail = quantiles(values, n=20)[18] if len(values) > 1 else values[0]
    figures = {"p50_ms": round(median(values), 3), "p95_ms": round(tail, 3)}
    return {"measure": "latency", "what": what, "seed": seed, "n": len(values), **figures}


def measure(repeats: int, times: int, seconds: float, smolagents: str) -> list[dict[str, Any]]:
    """All rows; configurations take turns within a repeat."""
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as folder:
        cache = Path(folder)
        here = [backend for backend in BACKENDS if usable(backend, cache)]
        with open_sandbox(cache_dir=cache) as sandbox:
            rows.append({"measure": "default", "what": f"{sandbox.backend} zygote"})
        for backend in here:
            for mode in MODES:
                progress(f"attacks on {backend} {mode}")
                with runner(backend, mode, cache) as run:
                    let_through = escapes(run)
                rows.append({"measure": "escapes", "what": f"{backend} {mode}", "n": len(ATTACKS), "let": let_through})
            for name, case in CASES.items():
                progress(f"{name}, {backend}")
                rows.append({"measure": "case", "what": f"{name}, {backend}", "wrong": case(backend, cache)})
        for seed in range(repeats):
            progress(f"repeat {seed + 1} of {repeats}")
            rows += latencies(here, cache, seed, times)
            rows += [row("smolagents executor", seed, in_smolagents(smolagents, times))]
            rows += [rate(backend, cache, seed, seconds) for backend in here]
    return rows


def usable(backend: str, cache: Path) -> bool:
    """Whether a backend passes its self-test here."""
    try:
        open_sandbox(backend, cache_dir=cache).close()
    except SandboxUnavailable as reason:
        progress(str(reason))
        return False
    return True


def latencies(backends: Sequence[str], cache: Path, seed: int, times: int) -> Iterator[dict[str, Any]]:
    """Every configuration once, and what it is compared with."""
    few = max(5, times // 10)
    yield row(BARE, seed, timed(fork_and_exit, times))
    for backend in backends:
        for mode in MODES:
            with runner(backend, mode, cache) as run:
                found = timed(lambda run=run: check(run(CODE)), few if mode == "cold" else times)
            yield row(f"{backend} {mode}", seed, found)
    bare = [sys.executable, "-I", "-S", "-c", "pass"]
    yield row("python -I -S -c pass", seed, timed(lambda: subprocess.run(bare, check=True), few))
    if Path("/usr/bin/bwrap").exists():
        alone = ["/usr/bin/bwrap", "--unshare-all", "--ro-bind", "/", "/", "/usr/bin/true"]
        yield row("bubblewrap around true", seed, timed(lambda: subprocess.run(alone, check=True), few))


def check(result: Any) -> None:
    """A wrong answer is not fast."""
    if result.value != 45:
        raise RuntimeError(f"an execution went wrong: {result}")


def fork_and_exit() -> None:
    """The least that a process of one's own costs."""
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)


def in_smolagents(python: str, times: int) -> list[float]:
    """Milliseconds of every call in the environment that was named; [] without one."""
    if not python:
        return []
    command = [python, "-c", SMOLAGENTS, str(times), CODE]
    found = subprocess.run(command, capture_output=True, text=True, check=True)
    return [1000 * float(value) for value in found.stdout.split()]


def rate(backend: str, cache: Path, seed: int, seconds: float) -> dict[str, Any]:
    """Executions a second of two processes that call at the same time."""
    with ProcessPoolExecutor(CALLERS) as pool:
        counts = list(pool.map(executions, [backend] * CALLERS, [cache] * CALLERS, [seconds] * CALLERS))
    per_s = round(sum(count / took for count, took in counts), 1)
    return {"measure": "rate", "what": f"{backend} zygote", "seed": seed, "callers": CALLERS, "per_s": per_s}


def executions(backend: str, cache: Path, seconds: float) -> tuple[int, float]:
    """How many isolated executions one process does, and in what time."""
    with open_sandbox(backend, cache_dir=cache) as sandbox:
        check(sandbox.execute(CODE))
        count, started = 0, time.perf_counter()
        while time.perf_counter() - started < seconds:
            check(sandbox.execute(CODE))
            count += 1
        return count, time.perf_counter() - started


def targets_of(rows: Sequence[Mapping[str, Any]]) -> list[Target]:
    """The product's default against what it should be; a configuration that let something through has no speed."""
    default = next(str(one["what"]) for one in rows if one["measure"] == "default")
    let = [len(one["let"]) for one in rows if one["measure"] == "escapes" and one["what"] == default]
    sound = let == [0]
    p50 = [one["p50_ms"] for one in rows if one["measure"] == "latency" and one["what"] == default]
    bare = [one["p50_ms"] for one in rows if one["measure"] == "latency" and one["what"] == BARE]
    rates = [one["per_s"] for one in rows if one["measure"] == "rate" and one["what"] == default]
    ratios = [mine / other for mine, other in zip(p50, bare, strict=True)]
    everything = sum(len(one["let"]) for one in rows if one["measure"] == "escapes")
    cases = [one["wrong"] for one in rows if one["measure"] == "case"]
    wrong = sum(map(bool, cases)) if cases else None
    return [
        Target(name="escapes, every configuration", op="==", target=0, value=everything, n=len(ATTACKS)),
        Target(name="cases around the sandbox that go wrong", op="==", target=0, value=wrong, n=len(cases)),
        figure("isolated executions a second, two callers", rates, ">=", 150, sound),
        figure("isolated execution, p50 ms", p50, "<=", 8, sound),
        figure("isolated execution, times a bare fork", ratios, "<=", 6, sound),
    ]


def figure(name: str, values: Sequence[float], op: Any, target: float, sound: bool) -> Target:
    """The median of the repeats with its range."""
    if not values or not sound:
        return Target(name=name, op=op, target=target, value=None)
    middle = round(median(values), 3)
    return Target(name=name, op=op, target=target, value=middle, low=min(values), high=max(values), n=len(values))


def table(outcome: Outcome) -> str:
    """The figures for a terminal."""
    lines = []
    latency = [one for one in outcome.rows if one["measure"] == "latency"]
    for what in dict.fromkeys(one["what"] for one in latency):
        mine = [one for one in latency if one["what"] == what and one["n"]]
        if mine:
            p50, p95 = (median(one[key] for one in mine) for key in ("p50_ms", "p95_ms"))
            lines.append(f"{what:<24} p50 {p50:8.2f} ms   p95 {p95:8.2f} ms")
        else:
            lines.append(f"{what:<24} not run")
    for what in dict.fromkeys(one["what"] for one in outcome.rows if one["measure"] == "rate"):
        rates = [one["per_s"] for one in outcome.rows if one["measure"] == "rate" and one["what"] == what]
        lines.append(f"{what:<24} {median(rates):8.1f} executions a second, {CALLERS} callers")
    for target in outcome.targets:
        met = "met" if target.met else "MISSED"
        lines.append(f"{target.name}: {target.value} (target {target.op} {target.target:g}: {met})")
    return "\n".join(lines)


def main(argv: Sequence[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.sandbox", description=(__doc__ or "").split("\n")[0])
    common_options(parser, seeds=5)
    parser.add_argument("--smolagents-python", default="", help="interpreter of an environment that has smolagents")
    options = parser.parse_args(argv)
    repeats = min(options.seeds, 2) if options.quick else options.seeds
    times, seconds = (60, 1.5) if options.quick else (300, 5.0)
    rows = measure(repeats, times, seconds, options.smolagents_python)
    outcome = Outcome(
        benchmark="sandbox",
        seeds=repeats,
        quick=options.quick,
        rows=rows,
        targets=targets_of(rows),
        settings={"code": CODE, "load average": round(os.getloadavg()[0], 1)},
    )
    publish(outcome, options, table(outcome))


if __name__ == "__main__":
    main()
