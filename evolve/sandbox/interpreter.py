"""Where the running interpreter and its standard library live, and how to start them bare."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from evolve.errors import SandboxUnavailable
from evolve.sandbox.protocol import SandboxLimits

# -I without its -E: the environment is wholly ours, and PYTHONHASHSEED makes runs reproducible
FLAGS = ("-P", "-s", "-S", "-B", "-X", "utf8")


def executable() -> str:
    """The interpreter that runs evolve, outside any virtual environment, with links resolved."""
    return os.path.realpath(sys.executable)


def source(name: str) -> str:
    """The text of a program of this package that runs inside the sandbox."""
    return Path(__file__).with_name(name).read_text(encoding="utf-8")


def environment(scratch: str, limits: SandboxLimits) -> dict[str, str]:
    """The whole environment inside the sandbox."""
    return {
        "PATH": "/usr/bin:/bin",
        "HOME": scratch,
        "TMPDIR": scratch,
        "LANG": "C.UTF-8",
        "PYTHONHASHSEED": str(limits.hash_seed),
    }


def system_folders() -> list[str]:
    """Top-level folders of programs and libraries that exist here, as real folders or links."""
    return [path for path in ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64") if os.path.lexists(path)]


def interpreter_folders() -> list[str]:
    """Folders outside ``/usr`` that the interpreter needs, resolved, outermost only.

    Raises:
        SandboxUnavailable: When the interpreter lives so that showing it would show the whole home folder.
    """
    home = os.path.realpath(os.path.expanduser("~"))
    program = executable()
    wanted = {os.path.realpath(p) for p in (sys.base_prefix, sys.base_exec_prefix)}
    if not any(_inside(program, folder) for folder in wanted):
        wanted.add(os.path.dirname(os.path.dirname(program)))
    if _inside(program, "/nix/store"):
        wanted.add("/nix/store")
    wanted = {folder for folder in wanted if not any(_inside(folder, system) for system in system_folders())}
    for folder in wanted:
        if folder == "/" or _inside(home, folder):
            raise SandboxUnavailable(
                f"the Python interpreter's folder {folder} contains the home folder",
                hint="install Python in a folder of its own",
            )
    return sorted(f for f in wanted if not any(f != other and _inside(f, other) for other in wanted))


def _inside(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")
