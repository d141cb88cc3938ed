"""Where the running interpreter and its standard library live, and how to start them bare."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from evolve.episodes import Json
from evolve.errors import SandboxUnavailable, UsageError
from evolve.sandbox.actions import MOST_FILES
from evolve.sandbox.protocol import SandboxLimits

# -I without its -E: the environment is wholly ours, and PYTHONHASHSEED makes runs reproducible
FLAGS = ("-P", "-s", "-S", "-B", "-X", "utf8")


def executable() -> str:
    """The interpreter that runs evolve, outside any virtual environment, with links resolved."""
    return os.path.realpath(sys.executable)


# Files of this package that make up the runner, in the order in which they are needed
_PARTS = ("wiping", "worker", "denials", "acting", "children", "runner")

_BOOT = """
import sys
def load(texts):
    while texts:
        name, text = "evolve.sandbox." + texts.pop(0), texts.pop(0)
        module = sys.modules[name] = type(sys)(name)
        exec(compile(text, "<" + name + ">", "exec", dont_inherit=True), module.__dict__)
"""


def source(name: str) -> str:
    """The text of a program of this package that runs inside the sandbox."""
    return Path(__file__).with_name(name).read_text(encoding="utf-8")


def runner_command(config: Mapping[str, Json], *, first: str = "") -> list[str]:
    """The interpreter, bare, with the runner and its parts as text: evolve's files are not visible inside.

    Args:
        config: For ``main`` of the runner; see there and in the jail.
        first: A part whose ``main`` is called before the runner is loaded.
    """
    texts = [text for part in _PARTS for text in (part, source(f"{part}.py"))]
    last = "import json; sys.modules['evolve.sandbox.runner'].main(json.loads(sys.argv[1]))"
    boot = _BOOT + "load(sys.argv[2:])\n" + last
    if first:
        texts = [first, source(f"{first}.py"), *texts]
        boot = _BOOT + f"load(sys.argv[2:4])\nsys.modules['evolve.sandbox.{first}'].main()\nload(sys.argv[4:])\n" + last
    return [executable(), *FLAGS, "-c", boot, json.dumps(config), *texts]


def runner_config(result_fd: int, scratch: str, environment: Environment, limits: SandboxLimits) -> dict[str, Json]:
    """What the runner needs under every backend."""
    return {
        "result": result_fd,
        "scratch": scratch,
        "filter": "",
        "others": 0,
        "counted": False,
        "nested": False,
        "supervisor": os.getpid(),
        "size": max(1, limits.file_mb) << 20,
        "entries": MOST_FILES,
        "packages": list(environment.packages),
        "readable": [*system_folders(), *interpreter_folders(), *environment.folders, "/dev", "/etc/localtime"],
        "writable": [scratch],
    }


@dataclass(frozen=True, kw_only=True)
class Environment:
    """A virtual environment that code may use beside the interpreter.

    Attributes:
        folders: What has to be readable.
        packages: Folders to import from.
        programs: Folders of commands, before those of the system.
    """

    folders: tuple[str, ...] = ()
    packages: tuple[str, ...] = ()
    programs: tuple[str, ...] = ()


def environment_at(path: Path) -> Environment:
    """The environment that a path names: its folder, or the interpreter in its ``bin``.

    Its packages can be imported if it was made for the Python version that runs evolve.

    Raises:
        UsageError: There is none, or showing it would show the home folder.
    """
    folder = path.expanduser().absolute()
    if not folder.is_dir():
        folder = folder.parent.parent
    marker = folder / "pyvenv.cfg"
    if not marker.is_file():
        raise UsageError(f"{path}: not a virtual environment", hint="name its folder, or the python in its bin folder")
    root = os.path.realpath(folder)
    if root == "/" or _inside(os.path.realpath(os.path.expanduser("~")), root):
        raise UsageError(f"{path}: the environment contains the home folder", hint="make one in a folder of its own")
    packages = Path(root, "lib", f"python{sys.version_info.major}.{sys.version_info.minor}", "site-packages")
    return Environment(
        folders=(root,),
        packages=(str(packages),) if packages.is_dir() else (),
        programs=(os.path.join(root, "bin"),),
    )


def variables(scratch: str, limits: SandboxLimits, added: Environment) -> dict[str, str]:
    """The whole environment inside the sandbox."""
    return {
        "PATH": ":".join((*added.programs, "/usr/bin", "/bin")),
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
