"""What goes wrong around a sandbox: its folder removed from outside, a project that is its own environment.

Each case says "" or what was wrong; a result that is right is as good as a fault, and anything else is wrong.
"""

from __future__ import annotations

import secrets
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Mapping
from pathlib import Path

from evolve.runtime.sandbox import ActionResult, open_sandbox

_PLACES = ("/dev/shm", tempfile.gettempdir())
_WAITS = "import time\ntext = open('in').read()\ntime.sleep(0.5)\nopen('out', 'w').write(text)\nlen(text)"
_READS = """
said = []
for path in {paths!r}:
    try:
        said.append(open(path).read())
    except OSError:
        pass
import parcel
said.append(parcel.weight)
said
"""
_ABANDONED = "from evolve.runtime.sandbox.scratch import remove_abandoned; remove_abandoned(older_than_s=0)"


def _scratch_folders() -> set[Path]:
    return {found for place in _PLACES for found in Path(place).glob("evolve-scratch-*")}


def _judged(result: ActionResult) -> str:
    names = [file.name for file in result.files]
    if result.state == "fault" or (result.state == "ok" and result.value == 3 and names == ["in", "out"]):
        return ""
    return f"{result.state} {result.error} {names}"


def removed_folder(backend: str, cache: Path) -> str:
    """An action whose scratch folder somebody else removes while it runs, as often as it is tried again."""
    before, over = _scratch_folders(), threading.Event()

    def remove() -> None:
        while not over.wait(0.01):
            for folder in [one for one in _scratch_folders() - before if any(one.glob("*/in"))]:
                shutil.rmtree(folder, ignore_errors=True)

    with open_sandbox(backend, cache_dir=cache, warm=False) as sandbox:
        thread = threading.Thread(target=remove)
        thread.start()
        try:
            found = _judged(sandbox.execute(_WAITS, files={"in": b"abc"}, collect=True))
        finally:
            over.set()
            thread.join()
        again = sandbox.execute(_WAITS, files={"in": b"abc"}, collect=True)
    return found or ("" if again.state == "ok" else f"the next call gave {again.error}")


def other_namespace(backend: str, cache: Path) -> str:
    """A session while evolve starts in another process namespace of the same machine."""
    elsewhere = ["unshare", "--user", "--map-root-user", "--pid", "--fork", "--mount-proc", sys.executable, "-c"]
    with open_sandbox(backend, cache_dir=cache) as sandbox, sandbox.session() as session:
        session.execute("1", files={"in": b"abc"})
        subprocess.run([*elsewhere, _ABANDONED], check=True)
        result = session.execute(_WAITS, collect=True)
    return "" if result.state == "ok" and not _judged(result) else f"{result.state} {result.error}"


def own_environment(backend: str, cache: Path) -> str:
    """Code that reads what lies beside an environment which was made in a project's own folder."""
    secret = secrets.token_hex(16)
    with tempfile.TemporaryDirectory(prefix="evolve-bench-") as folder:
        project = Path(folder, "project")
        kept = [project / ".env", project / "memory_store" / "memory.db", project / "lib" / "notes"]
        for path in kept:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(secret, encoding="ascii")
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", "."], cwd=project, check=True)
        packages = next(project.glob("lib/python*/site-packages"))
        (packages / "parcel.py").write_text("weight = 3\n", encoding="ascii")
        with open_sandbox(backend, cache_dir=cache, python=project, hidden=[project]) as sandbox:
            result = sandbox.execute(_READS.format(paths=[str(path) for path in kept]))
    return "" if result.value == [3] else f"{result.state} {result.error} {result.value}"


CASES: Mapping[str, Callable[[str, Path], str]] = {
    "scratch folder removed from outside": removed_folder,
    "start in another process namespace": other_namespace,
    "project that is its own environment": own_environment,
}
