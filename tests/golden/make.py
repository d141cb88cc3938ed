"""Makes the goldens: workspaces, interrupted runs and recordings of one version, which every later one must understand.

    python -m tests.golden.make FOLDER [NAME ...]      makes FOLDER/NAME.tar.xz and FOLDER/NAME.json
    python -m tests.golden.make --look FOLDER [NAME]   writes FOLDER/NAME.json anew from the archive that is there

An archive holds what one version of evolve left behind: the workspace ``ws`` and the files it was given. Beside it
stands, as JSON, what a person saw of it with that version: first as it was, then after going on with what was
interrupted. A test unpacks each archive, does the same with the code at hand, and expects the same. What this shows is
bounded by what the goldens contain: small suites, one made-up folder, models that follow a script. They hold no model's
judgement, no encoder but the built-in one, and no record of another platform. An archive is made once and stays: made
again with later code it would only show that the later code understands itself. When something a person sees is
changed on purpose, write the expectation anew with ``--look`` and read the difference. Recordings (``*-recorded``)
answer the exact requests that were made, so they are made anew whenever a prompt changes on purpose.

Everything is made in a folder that lasts as long as the making, and nothing in an archive may name it. Only the folder
that is worked in is kept by its path in runs; it is ``/tmp/evolve-golden``, made afresh by whoever needs it.
"""

from __future__ import annotations

import argparse
import getpass
import io
import json
import lzma
import os
import signal
import socket
import subprocess
import sys
import tarfile
import tempfile
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import evolve
from tests.golden.cases import GOLDENS
from tests.golden.seen import Said

ROOT = Path(__file__).resolve().parents[2]
ARCHIVES = Path(__file__).with_name("archives")
_WHEN = 1_700_000_000
_TELLING = 6
"""Letters of a name that stands nowhere by chance."""

_LEFT_OUT = (".db-shm",)
"""SQLite makes it anew."""


class Started:
    """Runs each command in a process of its own, which a fault may kill."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __call__(self, *arguments: str, typed: str = "", **environ: str) -> Said:
        home = {"HOME": str(self.folder.parent / "home"), "LOGNAME": "somebody", "PATH": os.environ["PATH"]}
        paths = {"PYTHONPATH": str(ROOT), "EVOLVE_WORKSPACE": str(self.folder / "ws"), "OMP_NUM_THREADS": "1"}
        done = subprocess.run(
            [sys.executable, "-m", "evolve", *arguments],
            cwd=self.folder,
            env=home | paths | environ,
            input=typed,
            capture_output=True,
            text=True,
            check=False,
        )
        return Said(done.returncode, done.stdout, done.stderr)


class Inside:
    """Runs each command in this process, which is quicker; nothing can be killed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __call__(self, *arguments: str, typed: str = "", **environ: str) -> Said:
        from evolve.cli import main

        handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
        place, before, stdin = Path.cwd(), dict(os.environ), sys.stdin
        out, err, code = io.StringIO(), io.StringIO(), 0
        os.chdir(self.folder)
        os.environ.update({"EVOLVE_WORKSPACE": str(self.folder / "ws"), "LOGNAME": "somebody", **environ})
        sys.stdin = io.StringIO(typed)
        try:
            with redirect_stdout(out), redirect_stderr(err):
                main(list(arguments))
        except SystemExit as leave:
            code = leave.code if isinstance(leave.code, int) else 0
        finally:
            sys.stdin = stdin
            os.environ.clear()
            os.environ.update(before)
            os.chdir(place)
            for number, handler in handlers.items():
                signal.signal(number, handler)
        return Said(code, out.getvalue(), err.getvalue())


def pack(folder: Path, archive: Path) -> None:
    """Writes the folder's files as an archive that says nothing of this machine.

    Raises:
        SystemExit: A file names the folder, the machine or its user.
    """
    names = [one for one in (socket.gethostname(), getpass.getuser()) if len(one) >= _TELLING]
    told = [str(folder), str(ROOT), str(Path.home()) + "/", *names]
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for path in sorted(one for one in folder.rglob("*") if one.is_file()):
            if path.name.endswith(_LEFT_OUT):
                continue
            # Of a killed process's lock only the name of its machine and its number would be left.
            data = b"" if path.name == "lock" else path.read_bytes()
            for word in told:
                if word.encode() in data:
                    raise SystemExit(f"{path.relative_to(folder)} names {word}")
            entry = tarfile.TarInfo(str(path.relative_to(folder)))
            entry.size, entry.mtime, entry.mode = len(data), _WHEN, path.stat().st_mode & 0o777
            tar.addfile(entry, io.BytesIO(data))
    archive.parent.mkdir(parents=True, exist_ok=True)
    archive.write_bytes(lzma.compress(packed.getvalue(), preset=9 | lzma.PRESET_EXTREME))


def unpack(name: str, folder: Path, archives: Path = ARCHIVES) -> None:
    """Puts an archive's files into a folder."""
    with tarfile.open(archives / f"{name}.tar.xz") as tar:
        tar.extractall(folder, filter="data")
    evolve.init(folder / "ws", trust=True)


def expected(name: str, archives: Path = ARCHIVES) -> Any:
    """What a person saw."""
    return json.loads((archives / f"{name}.json").read_text("utf-8"))


def _look(name: str, archives: Path) -> None:
    with tempfile.TemporaryDirectory(prefix="golden-") as place:
        folder = Path(place, "work")
        folder.mkdir()
        os.environ["HOME"] = place
        unpack(name, folder, archives)
        found = GOLDENS[name].look(Inside(folder))
    text = json.dumps(found, indent=1, sort_keys=True, ensure_ascii=False)
    (archives / f"{name}.json").write_text(text + "\n", "utf-8")


def _make(name: str, archives: Path) -> None:
    with tempfile.TemporaryDirectory(prefix="golden-") as place:
        folder = Path(place, "work")
        folder.mkdir()
        before = Path.cwd()
        os.chdir(folder)
        try:
            GOLDENS[name].make(Started(folder))
        finally:
            os.chdir(before)
        pack(folder, archives / f"{name}.tar.xz")


def main() -> None:
    """Makes what the command line names, or all."""
    parser = argparse.ArgumentParser(prog="python -m tests.golden.make", description="Makes the goldens.")
    parser.add_argument("--look", action="store_true", help="leave the archives, write what is seen in them")
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(GOLDENS)}")
    options = parser.parse_args()
    for name in options.names or GOLDENS:
        if not options.look:
            _make(name, options.folder.resolve())
        _look(name, options.folder.resolve())
        sizes = [(options.folder / f"{name}{ending}").stat().st_size for ending in (".tar.xz", ".json")]
        print(f"{name}: {sizes[0]:,} bytes packed, {sizes[1]:,} bytes expected", flush=True)


if __name__ == "__main__":
    main()
