"""Runs inside the sandbox as its first process; started as text with ``python -c``, never imported by evolve.

Says on the result descriptor that it is ready, then reads requests from stdin: a line with a decimal length, that
many bytes of JSON, the bytes of the files that it names. Each is answered: per job a header line
``{"job", "state", "bytes"}`` and that many bytes written by the process that ran it, after the last
``{"end": true, "dirty", "alive"}``.
Every job runs in a forked process with its own limits and a pipe of its own; it has neither the result descriptor
nor stdin. Between requests nothing is left of a job: its processes are killed and the scratch folder is emptied.
Only what is needed is imported: the start of this file is the latency of a cold run.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import select
import signal
import sys
import time

from evolve.runtime.sandbox.guest.acting import run as run_actions
from evolve.runtime.sandbox.guest.calling import Channel
from evolve.runtime.sandbox.guest.children import Bounds, Child, Domain, gather, has_ended
from evolve.runtime.sandbox.guest.wiping import is_caused_by_code, is_full, larger_than, place_file, regular_files, wipe
from evolve.runtime.sandbox.guest.worker import ProgramFilter, Reporter, call_program, call_tests, caught, kernel_limits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from evolve.runtime.sandbox.guest.wiping import Stamp

    Job = Mapping[str, Any]

LESS_URGENT = 15
REPORT_BYTES = 1 << 16  # what a report of an action may need besides its value


class Host:
    """The runner's configuration and state, with the process of a session between its actions.

    ``result`` is the result descriptor, ``root`` that of the scratch folder, ``folders`` it and the one for temporary
    files, ``filter`` that of one program, ``others`` the tasks outside that count, ``counted`` whether each folder is a
    file system of its own, ``entries`` how many it may hold.
    """

    def __init__(self, config: Job) -> None:
        self.config = config
        self.result: int = config["result"]
        self.others: int = config["others"]
        self.counted: bool = config["counted"]
        self.entries: int = config["entries"]
        self.filter = ProgramFilter(bytes.fromhex(config["filter"])) if config["filter"] else None
        self.domain = Domain(config["supervisor"]) if config["nested"] else None
        flags = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
        self.folders = tuple(os.open(config[name], flags) for name in ("scratch", "temporary"))
        self.root = self.folders[0]
        self.session: Child | None = None
        self.known = Known()
        self.clean = fingerprint(self)


class Known:
    """What the supervisor knows of the folder of a session.

    ``stamps`` tells when a file is another than the one that was put there or given back, ``refused`` is what it was
    told that it cannot have.
    """

    def __init__(self) -> None:
        self.stamps: dict[str, Stamp] = {}
        self.refused: set[str] = set()

    def wait(self) -> None:
        """Waits until whatever is written from now on has a later time than what is known: clocks of files tick."""
        latest = max((stamp[3] for stamp in self.stamps.values()), default=0)
        for _ in range(100):
            if file_time_ns() > latest:
                return
            time.sleep(0.001)


def file_time_ns() -> int:
    """The time that a file would get that is written now."""
    clock = getattr(time, "CLOCK_REALTIME_COARSE", None)  # there is none on macOS
    return time.time_ns() if clock is None else time.clock_gettime_ns(clock)


def fingerprint(host: Host) -> tuple[tuple[int, ...], ...]:
    """Changes when anything was written to one of the folders."""
    states = map(os.fstat, host.folders)
    return tuple((state.st_ctime_ns, state.st_mtime_ns, state.st_mode) for state in states)


def start(job: Job, request: Job, host: Host, *, session: bool = False) -> Child:
    """Forks the process of one job, or of a session."""
    report_read, report_write = one_way() if session else os.pipe()
    orders_read, orders_write = one_way() if session else (-1, -1)
    calls_read, calls_write = one_way() if session else (-1, -1)
    answers_read, answers_write = one_way() if session else (-1, -1)
    rlimits = kernel_limits(request["limits"], host.others, session)
    sys.stdout.flush()
    pid = os.fork()
    if pid == 0:
        try:
            for descriptor in (report_read, orders_write, calls_read, answers_write, host.result, *host.folders):
                if descriptor >= 0:
                    os.close(descriptor)
            failure = caught(confine, request, host, rlimits)
            if failure is None:
                run_job(job, request, host, (report_write, orders_read, calls_write, answers_read))
            os.write(2, f"{type(failure).__name__}: {failure}\n".encode("utf-8", "backslashreplace"))
        finally:
            os._exit(1)
    for descriptor in (report_write, orders_read, calls_write, answers_read):
        if descriptor >= 0:
            os.close(descriptor)
    return Child(pid, report_read, orders_write, Channel(calls_read, answers_write))


def one_way() -> tuple[int, int]:
    """Two ends like those of a pipe, one to read and one to write.

    A pipe can be opened through ``/proc`` by other processes of the sandbox, such as a program that an action starts,
    which would give it the calls of the action. A socket cannot.
    """
    import _socket

    ends = _socket.socketpair(_socket.AF_UNIX, _socket.SOCK_STREAM)
    return ends[0].detach(), ends[1].detach()


def confine(request: Job, host: Host, rlimits: list[tuple[int, int, int]]) -> None:
    """Gives up everything that a job does not need."""
    import resource

    nothing = os.open(os.devnull, os.O_RDONLY)
    # stdin carries the requests: code that read it would take the next one
    os.dup2(nothing, 0)
    os.close(nothing)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGCHLD,))
    if request["limits"]["processes"]:
        os.nice(LESS_URGENT)  # however many they become, whoever watches them gets its turn
    for number, soft, hard in rlimits:
        resource.setrlimit(number, (soft, hard))
    if host.filter is not None:
        host.filter.die_with_parent()
    if host.domain is not None:
        host.domain.enter()
    if host.filter is not None:
        host.filter.install()


def run_job(job: Job, request: Job, host: Host, pipes: tuple[int, int, int, int]) -> None:
    """Runs the job and ends without cleaning up."""
    report = pipes[0]
    gc.unfreeze()
    try:
        if "action" in job:
            run_actions(job["action"], request["limits"], host.config, pipes)
        else:
            run = call_tests if "test" in job else call_program
            run(job, request["rows"], Reporter(report))
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
    finally:
        os._exit(0)


def too_big(host: Host) -> bool:
    """Whether one of the folders holds more than it may; its own file system bounds the bytes."""
    if host.counted:
        return any(state.f_files - state.f_ffree > host.entries for state in map(os.fstatvfs, host.folders))
    return any(larger_than(folder, host.config["size"], host.entries) for folder in host.folders)


def signal_others(host: Host, number: int) -> bool:
    """Signals everything in the sandbox but this process; False where there is no border to stop at."""
    # -1 reaches a whole process namespace or domain; without either it would reach the host
    if os.getpid() != 1 and host.domain is None:
        return False
    with contextlib.suppress(ProcessLookupError):  # there is none
        os.kill(-1, number)
    return True


def sweep(host: Host) -> None:
    """Kills and reaps everything else in the sandbox, also what was orphaned."""
    # after the kill of all, waiting ends; without it, only what is over already is reaped
    alone = signal_others(host, signal.SIGKILL)
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, 0 if alone else os.WNOHANG)[0]:
            pass


def empty_scratch(host: Host, seconds: float = 0.3) -> bool:
    """Empties both folders; False when something about them stays odd, and this interpreter must not be kept."""
    if fingerprint(host) == host.clean:
        return True
    deadline = time.monotonic() + seconds
    try:
        for folder in host.folders:
            if host.counted:
                # code may change the folder itself: its rights, and times and attributes that tell the next program
                os.fchmod(folder, 0o755)
            wipe(folder, seconds=deadline - time.monotonic())
            if host.counted:
                os.utime(folder, ns=(0, 0))
                for name in os.listxattr(folder):
                    os.removexattr(folder, name)
    except OSError:
        return False
    host.clean = fingerprint(host)
    return True


def seconds_for_next(limits: Mapping[str, Any], deadline: float, left: int) -> float:
    """Seconds for the next of ``left`` jobs."""
    seconds: float = limits["program_s"] or max((deadline - time.monotonic()) / left, limits["wall_s"] / 4)
    return seconds


def most_report_bytes(limits: Mapping[str, Any], job: Job) -> int:
    """Most bytes of a child's report; an action's child bounds the value in it by itself."""
    bound: int = limits["result_kb"] * 1024
    return bound + REPORT_BYTES if "action" in job else bound


def serve_request(request: Job, incoming: Any, host: Host) -> None:
    """Runs every job of one request and writes the reply."""
    limits = request["limits"]
    trouble = place_files(request, incoming, host)
    deadline = time.monotonic() + limits["wall_s"]
    clean = not trouble[1]
    for number, job in enumerate(request["jobs"]):
        data, state = b"", "late" if number else "unbegun"
        if not clean:
            data, state = trouble
        elif request["session"]:
            data, state = act_in_session(job, request, host, deadline)
        elif time.monotonic() < deadline:
            seconds = seconds_for_next(limits, deadline, len(request["jobs"]) - number)
            child = start(job, request, host)
            data, state = gather(
                child, lambda: too_big(host), Bounds(deadline, seconds, most_report_bytes(limits, job))
            )
            child.close()
            sweep(host)
            if state == "ok" and fingerprint(host) != host.clean and too_big(host):
                data, state = b"", "disk"  # it was faster than we look
            # what is to be collected is emptied afterwards, before the reply ends
            clean = request["collect"] or empty_scratch(host, max(0.3, deadline - time.monotonic()))
            trouble = b"the scratch folder could not be emptied between two programs", "fault"
        write_all(host.result, block(number, state, data))
    if request["collect"]:
        changed = request["collect"] == "changed"
        write_all(host.result, block(len(request["jobs"]), "ok", pack_files(host, host.known if changed else Known())))
    dirty = not clean
    if host.session is None and clean:
        sweep(host)
        dirty = not empty_scratch(host)
    ending = {"end": True, "dirty": dirty, "alive": host.session is not None}
    write_all(host.result, json.dumps(ending).encode() + b"\n")


def block(number: int, state: str, data: bytes) -> bytes:
    return json.dumps({"job": number, "state": state, "bytes": len(data)}).encode() + b"\n" + data


def place_files(request: Job, incoming: Any, host: Host) -> tuple[bytes, str]:
    """Puts the files of a request into the scratch folder. State "", unplaced if code is in the way, or fault."""
    trouble = (b"", "")
    for name, size in request["files"]:
        data = incoming.read(size)  # also after trouble: the next request comes behind it
        if trouble[1]:
            continue
        try:
            host.known.stamps[name] = place_file(host.root, name, data)
        except OSError as error:
            if host.session is not None and (
                is_caused_by_code(error) or (is_full(error) and (host.counted or too_big(host)))
            ):
                trouble = b"", "unplaced"
            else:
                trouble = f"a file could not be put into the scratch folder: {error.strerror}".encode(), "fault"
    return trouble


def pack_files(host: Host, known: Known) -> bytes:
    """The regular files of the scratch folder that are not known: a line of JSON with names and sizes, the contents."""
    refused: list[str] = []
    files, stamps = [], {}
    for name, data, stamp in regular_files(host.root, host.config["size"], host.entries, refused.append, known.stamps):
        stamps[name] = stamp
        if data is not None:
            files.append((name, data))
    listing = {
        "files": [[name, len(data)] for name, data in files],
        "gone": [name for name in known.stamps if name not in stamps],
        "refused": [name for name in refused if name not in known.refused][:50],
    }
    known.stamps, known.refused = stamps, set(refused)
    return json.dumps(listing).encode("ascii") + b"\n" + b"".join(data for _, data in files)


def act_in_session(job: Job, request: Job, host: Host, deadline: float) -> tuple[bytes, str]:
    """Runs one action in the process of the session; only after state ok there still is one."""
    child = host.session
    if child is None:
        child = host.session = start(job, request, host, session=True)
        os.set_blocking(child.orders_write, False)
    elif child.channel.is_in_a_call() or select.select([child.report_read, *child.channel.reading()], [], [], 0)[0]:
        drop_session(host)
        return b"", "unasked"  # it reported again, or called a function, after its action was over
    host.known.wait()
    signal_session(host, child, signal.SIGCONT)
    code = job["action"].encode("utf-8", "surrogatepass")
    offered = json.dumps(job["functions"]).encode("ascii") if job["functions"] else b""
    order = b"%d %d\n%b%b" % (len(code), len(offered), code, offered)
    limits = request["limits"]
    bounds = Bounds(deadline, limits["wall_s"], most_report_bytes(limits, job))
    child.channel.ask = lambda frame: ask_outside(host, child, frame)
    data, state = gather(child, lambda: too_big(host), bounds, order)
    if state == "ok" and (too_big(host) or not data.endswith(b"\n") or has_ended(child.pid)):
        state = "disk" if too_big(host) else "died"
    if state == "ok":
        signal_session(host, child, signal.SIGSTOP)
    else:
        drop_session(host)
    return data, state


def ask_outside(host: Host, child: Child, frame: bytes) -> bytes:
    """Has a call answered by the supervisor, while everything of the session is stopped."""
    signal_session(host, child, signal.SIGSTOP)
    write_all(host.result, block(0, "call", frame))
    head = sys.stdin.buffer.readline(64)
    if not head:
        exit_runner(host)
    answer = sys.stdin.buffer.read(int(head))
    signal_session(host, child, signal.SIGCONT)
    return answer


def signal_session(host: Host, child: Child, number: int) -> None:
    """Stops or continues everything of the session: between actions it uses nothing."""
    if not signal_others(host, number):
        with contextlib.suppress(ProcessLookupError):
            os.kill(child.pid, number)


def drop_session(host: Host) -> None:
    """Ends the process of a session, and all that it started."""
    if host.session is not None:
        host.session.kill()
        host.session = None
    sweep(host)


def write_all(descriptor: int, data: bytes) -> None:
    """Writes everything."""
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def exit_runner(host: Host) -> None:
    """Ends the runner with everything it started: nobody is there any more to ask for it."""
    sweep(host)
    os._exit(0)


def main(config: Job) -> None:
    """Answers requests until stdin ends."""
    host = Host(config)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a handled signal would reach even the first process
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    if host.domain is not None:
        signal.signal(signal.SIGTERM, lambda *_: exit_runner(host))
    signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGCHLD,))
    gc.collect()
    gc.freeze()  # else the first collection of every child copies all pages
    write_all(host.result, b'{"ready": true}\n')
    while True:
        head = sys.stdin.buffer.readline(64)
        if not head:
            exit_runner(host)
        request = json.loads(sys.stdin.buffer.read(int(head)))
        if request["session"] == "end":
            drop_session(host)
            request["session"] = ""
        serve_request(request, sys.stdin.buffer, host)
        if host.session is None:
            host.known = Known()
