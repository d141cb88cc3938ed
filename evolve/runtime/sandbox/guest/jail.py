"""Confines its own process with Landlock and seccomp before the runner is loaded; sent as text, never imported.

The first argument is the configuration as JSON. Beyond the runner's keys it has ``border`` (seccomp program in
hex), ``read``, ``list`` and ``write`` (folders and files), ``supervisor`` (process id).
Order matters: capabilities and Landlock first, the filter last, because the filter refuses what they need.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

LIBC = ctypes.CDLL(None, use_errno=True)
CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446  # the same on every architecture
EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1, 2, 4, 8
TRUNCATE, IOCTL_DEV = 1 << 14, 1 << 15
REMOVE_FOLDER, REMOVE_FILE, MAKE_FOLDER, MAKE_REGULAR = 1 << 4, 1 << 5, 1 << 7, 1 << 8
MAKE_SYMLINK, REFER = 1 << 12, 1 << 13
# no devices, pipes or sockets
WRITE_RIGHTS = WRITE_FILE | READ_FILE | READ_DIR | REMOVE_FILE | MAKE_REGULAR | MAKE_SYMLINK | TRUNCATE
WRITE_RIGHTS |= REMOVE_FOLDER | MAKE_FOLDER | REFER
FILE_RIGHTS = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV
PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_SECCOMP, PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS = 1, 4, 22, 24, 38
PR_SET_CHILD_SUBREAPER = 36


def check(answer: int, what: str) -> int:
    if answer < 0:
        raise OSError(ctypes.get_errno(), what + " was refused")
    return answer


def prctl(option: int, *arguments: int) -> int:
    words = [ctypes.c_ulong(word) for word in (*arguments, 0, 0, 0, 0)[:4]]
    answer: int = LIBC.prctl(ctypes.c_int(option), *words)
    return answer


# struct landlock_ruleset_attr
class Ruleset(ctypes.Structure):
    _fields_ = [("files", ctypes.c_uint64), ("network", ctypes.c_uint64), ("scoped", ctypes.c_uint64)]


# struct landlock_path_beneath_attr, which the kernel declares packed
class PathRule(ctypes.Structure):
    _pack_ = 1
    _fields_ = [("allowed", ctypes.c_uint64), ("parent", ctypes.c_int32)]


# struct sock_fprog
class Filter(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("code", ctypes.c_char_p)]


def restrict_files(read: Sequence[str], listed: Sequence[str], write: Sequence[str]) -> None:
    """Only these paths can be opened; no network, no signals or abstract sockets to the outside."""
    version = check(LIBC.syscall(CREATE_RULESET, None, ctypes.c_size_t(0), 1), "Landlock")
    if version < 4:
        raise OSError(f"Landlock of this kernel is too old (version {version}, needed 4)")
    # version 5 added the right to ioctl of devices; a right the kernel does not know is refused
    everything = (1 << (16 if version >= 5 else 15)) - 1
    # 3: both rights to TCP, and from version 6 both scopes (abstract sockets, signals)
    rules = Ruleset(everything, 3, 3 if version >= 6 else 0)
    size = ctypes.c_size_t(24 if version >= 6 else 16)
    ruleset = check(LIBC.syscall(CREATE_RULESET, ctypes.byref(rules), size, 0), "the ruleset")
    looking = EXECUTE | READ_FILE | READ_DIR
    for paths, allowed in ((read, looking), (listed, READ_DIR), (write, WRITE_RIGHTS)):
        for path in paths:
            try:
                parent = os.open(path, os.O_PATH | os.O_CLOEXEC)
            except FileNotFoundError:
                continue
            # rights of folders are refused for a file
            rule = PathRule(allowed if os.path.isdir(path) else allowed & FILE_RIGHTS & everything, parent)
            check(LIBC.syscall(ADD_RULE, ruleset, 1, ctypes.byref(rule), 0), "a rule")
            os.close(parent)
    check(LIBC.syscall(RESTRICT_SELF, ruleset, 0), "the restriction")
    os.close(ruleset)


def drop_capabilities() -> None:
    """Gives up every capability, also for anything this process might still execute."""
    capability = 0
    while prctl(PR_CAPBSET_DROP, capability) == 0:
        capability += 1
    # _LINUX_CAPABILITY_VERSION_3, this process; its data are two blocks of three words
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)
    check(LIBC.capset(ctypes.byref(header), ctypes.byref((ctypes.c_uint32 * 6)())), "dropping capabilities")


def confine(config: Mapping[str, Any]) -> None:
    # where code may start processes, the runner must live on for a moment and end them
    check(prctl(PR_SET_PDEATHSIG, signal.SIGTERM if config["nested"] else signal.SIGKILL), "tying our life to another")
    if os.getppid() != config["supervisor"]:
        os._exit(1)  # it died before the tie was made
    # orphans come to the runner, which can then kill and reap them
    check(prctl(PR_SET_CHILD_SUBREAPER, 1), "taking in orphans")
    os.chdir(config["scratch"])
    os.umask(0o077)
    check(prctl(PR_SET_NO_NEW_PRIVS, 1), "giving up new privileges")
    # else another process of the same user could read its memory through /proc
    check(prctl(PR_SET_DUMPABLE, 0), "hiding the memory")
    restrict_files(config["read"], config["list"], config["write"])
    drop_capabilities()
    code = bytes.fromhex(config["border"])
    border = Filter(len(code) // 8, code)
    check(LIBC.prctl(PR_SET_SECCOMP, 2, ctypes.byref(border), 0, 0), "the filter")


def main() -> None:
    """Confines this process for good."""
    confine(json.loads(sys.argv[1]))
