"""What shows from outside that code reached what it must not: a home folder, a store, sockets, a stranger.

The oracles are the same for every action and every backend, and none of them asks the code.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import hashlib
import os
import resource
import secrets
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

_BECOME_SUBREAPER = 36
_LIMITS = tuple(getattr(resource, name) for name in dir(resource) if name.startswith("RLIMIT_"))
_NOT_COUNTED = {signal.SIGCHLD, signal.SIGKILL, signal.SIGSTOP, signal.SIGPIPE, signal.SIGINT}
_SYSTEM_FOLDERS = ("/usr", "/usr/lib", "/etc", "/var/tmp", "/run", "/opt", "/sys", "/proc")
_SHARED_FOLDERS = ("/tmp", "/dev/shm")


def adopt_orphans() -> None:
    """Makes this process the parent of descendants whose parents ended, so that none is lost from sight."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_BECOME_SUBREAPER, 1, 0, 0, 0)


def descendants(root: int) -> dict[int, str]:
    """Living processes below ``root`` by number, with the time of their start; zombies do not count."""
    found: dict[int, str] = {}
    pending = [root]
    while pending:
        parent = pending.pop()
        with contextlib.suppress(OSError):
            for thread in os.listdir(f"/proc/{parent}/task"):
                with contextlib.suppress(OSError):
                    children = Path(f"/proc/{parent}/task/{thread}/children").read_text("ascii").split()
                    pending += [int(child) for child in children if int(child) not in found]
        status = _status(parent)
        if parent != root and status and status[0] not in "ZX":
            found[parent] = status[19]
    return found


def trees(root: int) -> dict[int, tuple[str, ...]]:
    """The programs of each living child of ``root`` and of everything below it, in order."""
    children = [number for number in descendants(root) if (_status(number) or ["", "0"])[1] == str(root)]
    return {child: tuple(sorted(_program(number) for number in (child, *descendants(child)))) for child in children}


def _program(number: int) -> str:
    try:
        return Path(f"/proc/{number}/cmdline").read_bytes().split(b"\0")[0].decode("latin-1")
    except OSError:
        return ""


def marked(mark: str) -> set[int]:
    """Processes whose environment has ``mark``, whoever their parent is."""
    found = set()
    for name in os.listdir("/proc"):
        with contextlib.suppress(OSError):
            if name.isdigit() and mark.encode() in Path(f"/proc/{name}/environ").read_bytes().split(b"\0"):
                found.add(int(name))
    return {number for number in found if (_status(number) or ["Z"])[0] not in "ZX"}


def end(numbers: Iterable[int]) -> None:
    """Kills processes, and forgets those that became children of this one."""
    for number in list(numbers):
        with contextlib.suppress(OSError):
            os.kill(number, signal.SIGKILL)
            os.waitpid(number, 0)


def _status(number: int) -> list[str]:
    """The fields of ``/proc/PID/stat`` after the name; empty when it is gone."""
    try:
        return Path(f"/proc/{number}/stat").read_text("latin-1").rpartition(")")[2].split()
    except OSError:
        return []


def condition(number: int) -> tuple[Any, ...]:
    """What others could have changed about a process: whether it lives and runs, limits, place, priority."""
    status = _status(number)
    if not status or status[0] in "ZX":
        return ("gone",)
    try:
        return (
            "stopped" if status[0] in "tT" else "alive",
            tuple(resource.prlimit(number, kind) for kind in _LIMITS),
            sorted(os.sched_getaffinity(number)),
            os.sched_getscheduler(number),
            os.getpriority(os.PRIO_PROCESS, number),
            Path(f"/proc/{number}/oom_score_adj").read_text("ascii"),
        )
    except OSError:
        return ("gone",)


class Oracles:
    """One set of things to be reached, in a folder of its own.

    Args:
        base: An empty folder; its path must be short, because sockets lie in it.
        secret: The text that must never come out.
        stand_in: Whether a throw-away process plays the supervisor instead of this one.
    """

    def __init__(self, base: Path, secret: str, *, stand_in: bool = False) -> None:
        self.base, self.secret = base, secret
        self.trip = f"evolve-hostile-{secrets.token_hex(6)}"
        self.home, self.skills, self.store = base / "home", base / "skills", base / "memory_store"
        self.signals: list[int] = []
        self._stack = contextlib.ExitStack()
        self._sockets = self._listen()
        self._people = {"victim": self._stranger()}
        if stand_in:
            self._people["supervisor"] = self._stranger()
        self._conditions: dict[str, tuple[Any, ...]] = {}
        self.make()

    def close(self) -> None:
        """Ends the strangers, closes the sockets and removes everything."""
        for person in self._people.values():
            person.kill()
            person.wait()
        self._stack.close()
        shutil.rmtree(self.base, ignore_errors=True)

    @property
    def supervisor(self) -> int:
        """The process that must not be touched."""
        return self._people["supervisor"].pid if "supervisor" in self._people else os.getpid()

    def _stranger(self) -> subprocess.Popen[bytes]:
        """A process that minds its own business, with the secret in its environment."""
        environment = {"EVOLVE_HOSTILE_TOKEN": self.secret}
        nothing = subprocess.DEVNULL
        return subprocess.Popen(
            ["sleep", "3600"], env=environment, start_new_session=True, stdin=nothing, stdout=nothing, stderr=nothing
        )

    def heed_signals(self) -> None:
        """Notes every signal that this process gets from now on."""
        for number in signal.valid_signals() - _NOT_COUNTED:
            with contextlib.suppress(OSError, ValueError):
                signal.signal(number, lambda got, _: self.signals.append(got))

    def make(self) -> None:
        """Builds everything anew and remembers its state."""
        for folder in (self.home, self.skills, self.store):
            shutil.rmtree(folder, ignore_errors=True)
        texts = {
            self.home / ".ssh" / "id_rsa": f"PRIVATE KEY {self.secret}",
            self.home / ".bashrc": "# nothing",
            self.home / ".config" / "evolve" / "token": self.secret,
            self.skills / "private" / "SKILL.md": "---\nname: private\n---\n",
            self.skills / "private" / "skill.py": f"TOKEN = {self.secret!r}\n",
            self.store / "objects" / "a0": self.secret,
            self.store / "lock": "",
            self.base / "ld.so.preload": "",
        }
        for path, text in texts.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="ascii")
        with contextlib.closing(sqlite3.connect(self.store / "memory.db")) as link:
            link.execute("PRAGMA synchronous = OFF")
            link.execute("CREATE TABLE note (text TEXT)")
            link.execute("INSERT INTO note VALUES (?)", [self.secret])
            link.commit()
        for place in self._places():
            _remove(place)
        for role, person in self._people.items():
            if condition(person.pid) != self._conditions.get(role, condition(person.pid)):
                person.kill()
                person.wait()
                self._people[role] = self._stranger()
        self.signals.clear()
        self.hits()
        self._files = self._tree()
        self._conditions = self._now()

    def people(self) -> set[int]:
        """Processes that belong to the oracles."""
        return {person.pid for person in self._people.values()}

    def constants(self, *, caged: bool) -> dict[str, Any]:
        """Where everything is, for the code; without a sandbox only what may be harmed."""
        folders = [*_SYSTEM_FOLDERS, os.path.expanduser("~")] if caged else [str(self.home)]
        return {
            "HOME": str(self.home),
            "KEY": str(self.home / ".ssh" / "id_rsa"),
            "SKILLS": str(self.skills),
            "OBJECTS": str(self.store / "objects"),
            "DATABASE": str(self.store / "memory.db"),
            "PRELOADS": "/etc/ld.so.preload" if caged else str(self.base / "ld.so.preload"),
            "PLACES": [f"{folder}/{self.trip}" for folder in folders],
            "TRIP": self.trip,
            **{name: _address(trap) for name, trap in self._sockets.items()},
            "VICTIM": self._people["victim"].pid,
            "SUPERVISOR": self.supervisor,
            "PARENTS": [self.supervisor, os.getppid(), 1] if caged else [self.supervisor],
        }

    def fired(self, said: str) -> list[str]:
        """Which oracles show an escape since the last call.

        Args:
            said: Everything that came out of the code, in one text.
        """
        found = []
        if self.secret in said:
            found.append("secret")
        if self._tree() != self._files:
            found.append("files")
        if self.hits():
            found.append("network")
        now = self._now()
        if self.signals or now["supervisor"] != self._conditions["supervisor"]:
            found.append("signal")
        if now["victim"] != self._conditions["victim"]:
            found.append("victim")
        return found

    def hits(self) -> list[str]:
        """Names of the sockets that something arrived at."""
        found = []
        for name, trap in self._sockets.items():
            with contextlib.suppress(BlockingIOError):
                if trap.type == socket.SOCK_DGRAM:
                    trap.recv(1)
                else:
                    trap.accept()[0].close()
                found.append(name)
        return found

    def _now(self) -> dict[str, tuple[Any, ...]]:
        return {"victim": condition(self._people["victim"].pid), "supervisor": condition(self.supervisor)}

    def _places(self) -> list[str]:
        return [f"{folder}/{self.trip}" for folder in (*_SYSTEM_FOLDERS, *_SHARED_FOLDERS, os.path.expanduser("~"))]

    def _tree(self) -> list[Any]:
        """Every file with content, mode, owner, links, attributes and times; and whether a trip place exists."""
        found: list[Any] = [place for place in self._places() if os.path.lexists(place)]
        pending = [str(self.home), str(self.skills), str(self.store), str(self.base / "ld.so.preload")]
        while pending:
            path = pending.pop()
            try:
                state = os.lstat(path)
            except OSError:
                found.append((path, "gone"))
                continue
            kept = (state.st_mode, state.st_uid, state.st_gid, state.st_nlink, state.st_size, state.st_mtime_ns)
            attributes = _attributes(path)
            if os.path.isdir(path) and not os.path.islink(path):
                entries = sorted(os.listdir(path))
                pending += [f"{path}/{name}" for name in entries]
                found.append((path, kept, attributes, entries))
            else:
                found.append((path, kept, attributes, _digest(path)))
        return found

    def _listen(self) -> dict[str, socket.socket]:
        traps: dict[str, tuple[int, int, Any]] = {
            "TCP": (socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0)),
            "TCP6": (socket.AF_INET6, socket.SOCK_STREAM, ("::1", 0)),
            "UDP": (socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", 0)),
            "UNIX": (socket.AF_UNIX, socket.SOCK_STREAM, str(self.base / "stream")),
            "UNIX_DATAGRAM": (socket.AF_UNIX, socket.SOCK_DGRAM, str(self.base / "datagram")),
            "ABSTRACT": (socket.AF_UNIX, socket.SOCK_STREAM, f"\0{self.trip}-stream"),
            "ABSTRACT_DATAGRAM": (socket.AF_UNIX, socket.SOCK_DGRAM, f"\0{self.trip}-datagram"),
        }
        opened = {}
        for name, (family, kind, address) in traps.items():
            try:
                trap = socket.socket(family, kind)
                trap.bind(address)
            except OSError as error:
                if name != "TCP6" or error.errno not in (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT):
                    raise
                continue  # this host has no version 6
            self._stack.callback(trap.close)
            trap.setblocking(False)
            if kind == socket.SOCK_STREAM:
                trap.listen()
            opened[name] = trap
        return opened


def _address(trap: socket.socket) -> Any:
    name = trap.getsockname()
    if isinstance(name, tuple):
        return name[1]
    return name[1:].decode("ascii") if isinstance(name, bytes) else name


def _attributes(path: str) -> list[str]:
    try:
        return os.listxattr(path, follow_symlinks=False)
    except OSError:
        return []


def _digest(path: str) -> str:
    try:
        with open(path, "rb") as file:
            return hashlib.sha256(file.read()).hexdigest()
    except OSError as error:
        return f"unreadable {error.errno}"


def _remove(place: str) -> None:
    with contextlib.suppress(OSError):
        os.rmdir(place) if os.path.isdir(place) and not os.path.islink(place) else os.unlink(place)
