"""Finds the running interpreter and what it needs, and builds the command that starts it bare."""

from __future__ import annotations

import contextlib
import json
import os
import re
import sys
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from evolve.core.episodes import Json
from evolve.core.errors import SandboxUnavailable, UsageError
from evolve.runtime.sandbox.protocol import SandboxLimits

SYSTEM_FILES = ("/etc/localtime", "/etc/alternatives")
"""Of the machine's settings what programs need: the time zone, and links that names such as ``awk`` lead through."""

# -I without its -E: the environment is wholly ours, and PYTHONHASHSEED makes runs reproducible
FLAGS = ("-P", "-s", "-S", "-B", "-X", "utf8")


def base_interpreter() -> str:
    """The interpreter that runs evolve, outside any virtual environment, with links resolved."""
    return os.path.realpath(sys.executable)


# Files of the guest that make up the runner, in the order in which they are needed
_PARTS = ("wiping", "worker", "denials", "calling", "acting", "children", "runner")

_LIBRARY = re.compile(r"python\d+(?:\.\d+)*t?\Z")
_INTERPRETER = re.compile(r"python(?:\d+(?:\.\d+)*t?)?\Z")
_BINARIES = (b"\x7fELF", b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe")  # Linux, macOS

_BOOT = """
import sys
def load(texts):
    while texts:
        name, text = "evolve.runtime.sandbox.guest." + texts.pop(0), texts.pop(0)
        module = sys.modules[name] = type(sys)(name)
        exec(compile(text, "<" + name + ">", "exec", dont_inherit=True), module.__dict__)
"""


def guest_source(name: str) -> str:
    """The text of a program that runs inside the sandbox."""
    return (Path(__file__).parent / "guest" / name).read_text(encoding="utf-8")


def runner_command(config: Mapping[str, Json], *, first: str = "") -> list[str]:
    """The interpreter, bare, with the runner and its parts as text: evolve's files are not visible inside.

    Args:
        config: For ``main`` of the runner; see there and in the jail.
        first: A part whose ``main`` is called before the runner is loaded.
    """
    texts = [text for part in _PARTS for text in (part, guest_source(f"{part}.py"))]
    last = "import json; sys.modules['evolve.runtime.sandbox.guest.runner'].main(json.loads(sys.argv[1]))"
    boot = _BOOT + "load(sys.argv[2:])\n" + last
    if first:
        texts = [first, guest_source(f"{first}.py"), *texts]
        boot = (
            _BOOT
            + f"load(sys.argv[2:4])\nsys.modules['evolve.runtime.sandbox.guest.{first}'].main()\nload(sys.argv[4:])\n"
            + last
        )
    return [base_interpreter(), *FLAGS, "-c", boot, json.dumps(config), *texts]


def runner_config(
    result_fd: int, scratch: str, temporary: str, environment: PythonEnvironment, limits: SandboxLimits
) -> dict[str, Json]:
    """What the runner needs under every backend; ``temporary`` is the folder for temporary files."""
    return {
        "result": result_fd,
        "scratch": scratch,
        "temporary": temporary,
        "filter": "",
        "others": 0,
        "counted": False,
        "nested": False,
        "supervisor": os.getpid(),
        "size": max(1, limits.file_mb) << 20,
        "entries": limits.entries,
        "packages": list(environment.packages),
        "readable": [*readable_paths(environment), "/dev", *SYSTEM_FILES],
        "writable": [scratch, temporary],
    }


@dataclass(frozen=True, kw_only=True)
class PythonEnvironment:
    """What code may use beside the system: a virtual environment; and what it must not see.

    Attributes:
        paths: Folders, files and links that have to be readable.
        packages: Folders to import from.
        programs: Folders of commands, before those of the system.
        hidden: Folders, resolved, that stay hidden although they lie in one that is shown.
        secret: Files with secrets beside the packages, hidden as well.
    """

    paths: tuple[str, ...] = ()
    packages: tuple[str, ...] = ()
    programs: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    secret: tuple[str, ...] = ()

    def hiding_folders(self, folders: Sequence[str | os.PathLike[str]]) -> PythonEnvironment:
        """The same, with these folders hidden.

        Raises:
            UsageError: One of them lies inside a library that code imports from.
        """
        hidden = tuple(dict.fromkeys(os.path.realpath(folder) for folder in folders))
        for folder in hidden:
            for library in (os.path.dirname(os.path.realpath(os.__file__)), *self.paths):
                if is_inside(folder, library):
                    raise UsageError(
                        f"{folder} lies inside {library}, which code in the sandbox can read",
                        hint="move it to a folder of its own",
                    )
        return replace(self, hidden=hidden)


def environment_at(path: Path) -> PythonEnvironment:
    """The environment that a path names: its folder, or the interpreter in its ``bin``.

    Its packages can be imported if it was made for the Python version that runs evolve. Only what belongs to it is
    shown: the folder may be a project's, with secrets beside the environment.

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
    if root == "/" or is_inside(os.path.realpath(os.path.expanduser("~")), root):
        raise UsageError(f"{path}: the environment contains the home folder", hint="make one in a folder of its own")
    packages = Path(root, "lib", f"python{sys.version_info.major}.{sys.version_info.minor}", "site-packages")
    libraries = _libraries(root, "lib")
    if os.path.islink(os.path.join(root, "lib64")):
        libraries.append(os.path.join(root, "lib64"))
    else:
        libraries += _libraries(root, "lib64")
    # all code could read such a file beside the packages, and no import needs it
    dotenv_files = [path for library in libraries for path in Path(library).glob("site-packages/.env*")]
    return PythonEnvironment(
        secret=tuple(str(path) for path in dotenv_files if path.name == ".env" or path.name.startswith(".env.")),
        paths=(os.path.join(root, "pyvenv.cfg"), *_programs(Path(root, "bin"), {str(folder), root}), *libraries),
        packages=(str(packages),) if packages.is_dir() else (),
        programs=(os.path.join(root, "bin"),),
    )


def _libraries(root: str, name: str) -> list[str]:
    """The folders of libraries of any version; a project may have others that are called alike."""
    return [str(folder) for folder in sorted(Path(root, name).glob("python*")) if _LIBRARY.match(folder.name)]


def _programs(folder: Path, environments: Collection[str]) -> list[str]:
    commands = []
    with contextlib.suppress(OSError):
        for path in sorted(folder.iterdir()):
            with contextlib.suppress(OSError):
                if _INTERPRETER.match(path.name) or (not path.is_symlink() and _is_command(path, environments)):
                    commands.append(str(path))
    return commands


def _is_command(path: Path, environments: Collection[str]) -> bool:
    if path.name.startswith(".") or not path.is_file():
        return False
    with path.open("rb") as stream:
        head = stream.read(512)
    runs = any(os.fsencode(f"{environment}/bin/python") in head for environment in environments)
    return head.startswith(_BINARIES) or (head.startswith(b"#!") and runs)


def variables(temporary: str, limits: SandboxLimits, added: PythonEnvironment) -> dict[str, str]:
    """The whole environment inside the sandbox; what programs leave in their home is temporary as well."""
    return {
        "PATH": ":".join((*added.programs, "/usr/bin", "/bin")),
        "HOME": temporary,
        "TMPDIR": temporary,
        "LANG": "C.UTF-8",
        "PYTHONHASHSEED": str(limits.hash_seed),
    }


def _system_folders() -> list[str]:
    """Top-level folders of programs and libraries that exist here, as real folders or links."""
    return [path for path in ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64") if os.path.lexists(path)]


def readable_paths(environment: PythonEnvironment) -> list[str]:
    """Everything that code may read outside its scratch folder, outermost only.

    Raises:
        SandboxUnavailable: As :func:`_interpreter_folders`.
    """
    folders = [*_system_folders(), *_interpreter_folders(), *environment.paths]
    hidden = (*environment.hidden, *environment.secret)
    # each part is shown by itself, so what is hidden between them never appears
    paths = [part for folder in folders for part in _without_hidden(folder, hidden)]
    for prefix in _prefixes():
        if not any(is_inside(prefix, path) for path in paths):  # it is a hidden folder itself, or lies in one
            parts = (os.path.join(prefix, name) for name in ("bin", "lib", "lib64"))
            paths += [part for part in parts if os.path.isdir(part) and not os.path.islink(part)]
    return [f for f in dict.fromkeys(paths) if not any(f != other and is_inside(f, other) for other in paths)]


def listed_paths(environment: PythonEnvironment) -> list[str]:
    """Folders whose names may be listed, as an import does, although not all that is in them may be read."""
    return sorted({folder for path in environment.secret for folder in (os.path.dirname(path), _library_of(path))})


def _library_of(path: str) -> str:
    """The library folder that holds the packages."""
    return os.path.dirname(os.path.dirname(path))


def _without_hidden(folder: str, hidden: Sequence[str]) -> list[str]:
    inner = [path for path in hidden if is_inside(path, folder)]
    if not inner:
        return [folder]
    if folder in inner:
        return []
    return [
        part for entry in sorted(os.listdir(folder)) for part in _without_hidden(os.path.join(folder, entry), inner)
    ]


def _prefixes() -> set[str]:
    return {os.path.realpath(path) for path in (sys.base_prefix, sys.base_exec_prefix)}


def _interpreter_folders() -> list[str]:
    """Folders outside ``/usr`` that the interpreter needs, resolved, outermost only.

    Raises:
        SandboxUnavailable: When the interpreter lives so that showing it would show the whole home folder.
    """
    home = os.path.realpath(os.path.expanduser("~"))
    program = base_interpreter()
    folders = _prefixes()
    if not any(is_inside(program, folder) for folder in folders):
        folders.add(os.path.dirname(os.path.dirname(program)))
    # there a program needs libraries of many other store folders
    if is_inside(program, "/nix/store"):
        folders.add("/nix/store")
    folders = {folder for folder in folders if not any(is_inside(folder, system) for system in _system_folders())}
    for folder in folders:
        if folder == "/" or is_inside(home, folder):
            raise SandboxUnavailable(
                f"the Python interpreter's folder {folder} contains the home folder",
                hint="install Python in a folder of its own",
            )
    return sorted(f for f in folders if not any(f != other and is_inside(f, other) for other in folders))


def is_inside(path: str, folder: str) -> bool:
    """Whether a whole path is that of a folder, or of something in it."""
    return path == folder or path.startswith(folder.rstrip("/") + "/")
