"""Notes, inside the sandbox, what code reached for and did not get; sent as text, never imported by evolve.

Python tells its audit hook of every file, socket and process before the system call. What the sandbox refuses
whatever the arguments is noted there and then, so that it is known also when the code catches the exception. The
rest is read from exceptions. All of it comes from the process of the code: an observation, not proof.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

REFUSED = (1, 13, 30)  # EPERM, EACCES, EROFS
# as many as the supervisor takes; a loop of refusals must not fill the report
MOST = 50
LONGEST = 200
LOCAL = 1  # AF_UNIX: pairs of them are allowed, and their sockets are wrapped like new ones

NETWORK = {"socket.getaddrinfo", "socket.gethostbyname", "socket.connect", "socket.bind", "socket.sendto"}
PROCESS = {
    "os.fork",
    "os.forkpty",
    "os.exec",
    "os.posix_spawn",
    "os.spawn",
    "os.system",
    "os.kill",
    "os.killpg",
    "subprocess.Popen",
}
CHANGES = {
    "os.chmod",
    "os.chown",
    "os.link",
    "os.mkdir",
    "os.remove",
    "os.rename",
    "os.rmdir",
    "os.symlink",
    "os.truncate",
    "os.utime",
    "os.setxattr",
    "os.removexattr",
    "shutil.rmtree",
}
LOOKS = {"os.listdir", "os.scandir", "os.chdir"}
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


class Denials:
    """Collects pairs ``(kind, target)``, each once.

    Args:
        readable: Folders that can be read, resolved.
        writable: Folders that can be written.
        processes: Whether processes may be started.
    """

    def __init__(self, readable: Sequence[str], writable: Sequence[str], processes: bool) -> None:
        self.readable = tuple(folder.rstrip("/") + "/" for folder in (*readable, *writable))
        self.writable = tuple(folder.rstrip("/") + "/" for folder in writable)
        self.processes = processes
        self.entries: list[list[str]] = []
        self.host = ""
        self.busy = False

    def watch(self) -> None:
        """From now on notes what is reached for; cannot be undone in this process."""
        sys.addaudithook(self.on_event)

    def on_event(self, event: str, args: tuple[Any, ...]) -> None:
        """Notes what one audit event reaches for and does not get."""
        if event == "open":
            self.path(args[0], bool((args[2] or 0) & WRITING))
        elif event[:7] == "socket.":
            self.socket(event, args)
        elif event in PROCESS:
            if not self.processes:
                self.note("process", self.program(event, args))
        elif event in CHANGES:
            for argument in args[1:2] if event == "os.symlink" else args[:2]:
                self.path(argument, True)
        elif event in LOOKS:
            self.path(args[0], False)

    def path(self, path: Any, writes: bool) -> None:
        if isinstance(path, bytes):
            path = os.fsdecode(path)
        if type(path) is not str or (path[:1] != "/" and ".." not in path) or self.busy:
            return
        self.busy = True
        try:
            place = os.path.normpath(path if path[:1] == "/" else os.getcwd() + "/" + path) + "/"
            allowed = self.writable if writes else self.readable
            if not place.startswith(allowed) and not (place == "/dev/null/" or (place == "/" and not writes)):
                self.note("file", path)
        except OSError:
            pass  # there is no folder here any more
        finally:
            self.busy = False

    def socket(self, event: str, args: tuple[Any, ...]) -> None:
        if event == "socket.__new__":
            # -1: an object for a socket that exists, whose making was heard already
            if args[1] not in (LOCAL, -1):
                # looking the host up came first and says more than a bare socket
                self.note("network", self.host or "socket")
                self.host = ""
        elif event in NETWORK:
            place = args[1] if isinstance(args[0], sys.modules["_socket"].socket) else args[:2]
            host = ":".join(str(part) for part in place[:2]) if isinstance(place, tuple) else str(place)
            self.host = host
            self.note("network", host)

    def program(self, event: str, args: tuple[Any, ...]) -> str:
        name = args[0] if args else ""
        if event == "subprocess.Popen" and isinstance(args[1], (list, tuple)) and args[1]:
            name = args[1][0]
        if isinstance(name, bytes):
            name = os.fsdecode(name)
        return name if isinstance(name, str) and name else event.rpartition(".")[2]

    def note(self, kind: str, target: str) -> None:
        entry = [kind, target[:LONGEST]]
        if len(self.entries) < MOST and entry not in self.entries:
            self.entries.append(entry)

    def note_exception(self, error: BaseException | None) -> None:
        """What an exception that ended the action, and those behind it, say of refusals."""
        # the chain of causes is the code's and may lead back to itself
        for _ in range(10):
            if error is None:
                return
            if isinstance(error, OSError) and error.errno in REFUSED:
                self.note_refusal(error)
            error = error.__cause__ or error.__context__

    def note_refusal(self, error: OSError) -> None:
        name = error.filename
        if isinstance(name, bytes):
            name = os.fsdecode(name)
        if type(name) is str:
            if ["file", name[:LONGEST]] not in self.entries and ["process", name[:LONGEST]] not in self.entries:
                self.note("file", name)
        elif not self.entries:
            self.note("operation", str(error.strerror or "refused"))
