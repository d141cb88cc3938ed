"""Seccomp filters as classic BPF, assembled in pure Python for x86-64 and aarch64.

Two filters stack. The *border* filter holds for everything in the sandbox. The *program* filter is added in
the process that runs one untrusted program: no further processes, no program execution, no signals. The
kernel applies the strictest answer of all filters, so the second can only take away.

A refused call gets EPERM, so Python raises ``PermissionError`` and the observation can name the denial.
"""

from __future__ import annotations

import platform
import struct
from typing import Literal

from evolve.core.errors import SandboxUnavailable

Numbers = tuple[int | None, int | None]

ALWAYS_DENIED: dict[str, Numbers] = {
    "socket": (41, 198),
    "connect": (42, 203),
    "bind": (49, 200),
    "listen": (50, 201),
    "accept": (43, 202),
    "accept4": (288, 242),
    "sendto": (44, 206),
    "sendmsg": (46, 211),
    "sendmmsg": (307, 269),
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "process_madvise": (440, 440),
    "kcmp": (312, 272),
    "pidfd_open": (434, 434),
    "pidfd_getfd": (438, 438),
    "pidfd_send_signal": (424, 424),
    # memory that RLIMIT_AS does not see: 2.8 GB could be had without this
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "shmget": (29, 194),
    "shmat": (30, 196),
    "shmctl": (31, 195),
    "msgget": (68, 186),
    "msgsnd": (69, 189),
    "msgrcv": (70, 188),
    "msgctl": (71, 187),
    "semget": (64, 190),
    "semop": (65, 193),
    "semctl": (66, 191),
    "semtimedop": (220, 192),
    "mq_open": (240, 180),
    "mq_unlink": (241, 181),
    "mq_timedsend": (242, 182),
    "mq_timedreceive": (243, 183),
    "mq_notify": (244, 184),
    "mq_getsetattr": (245, 185),
    "keyctl": (250, 219),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "mount": (165, 40),
    "umount2": (166, 39),
    "mount_setattr": (442, 442),
    "move_mount": (429, 429),
    "open_tree": (428, 428),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "unshare": (272, 97),
    "setns": (308, 268),
    "open_by_handle_at": (304, 265),
    "name_to_handle_at": (303, 264),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "reboot": (169, 142),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "syslog": (103, 116),
    "quotactl": (179, 60),
    "quotactl_fd": (443, 443),
    "acct": (163, 89),
    "settimeofday": (164, 170),
    "clock_settime": (227, 112),
    "clock_adjtime": (305, 266),
    "adjtimex": (159, 171),
    # its signal can be SIGCONT, which wakes what was stopped between two actions or while a call is outside
    "timer_create": (222, 107),
    "sched_setaffinity": (203, 122),
    "sched_setscheduler": (144, 119),
    "sched_setparam": (142, 118),
    "sched_setattr": (314, 274),
    "ioprio_set": (251, 30),
    "migrate_pages": (256, 238),
    "move_pages": (279, 239),
    "mbind": (237, 235),
    "set_mempolicy": (238, 237),
    "fanotify_init": (300, 262),
    "fanotify_mark": (301, 263),
    "vhangup": (153, 58),
    "iopl": (172, None),
    "ioperm": (173, None),
    "modify_ldt": (154, None),
    "lookup_dcookie": (212, 18),
    "personality": (135, 92),
    "sethostname": (170, 161),
    "setdomainname": (171, 162),
    "uselib": (134, None),
    "ustat": (136, None),
    "sysfs": (139, None),
}
"""Refused to everything in the sandbox: network, System V and POSIX queues, other processes' memory,
new kernel objects that escape the memory limit, mounts and namespaces, keys, clocks, administration."""

SENDING = ("sendto", "sendmsg", "sendmmsg")
"""What a server may use of these: programs wake their own threads over a pair of sockets."""

NETWORK = ("socket", "connect", "bind", "listen", "accept", "accept4", *SENDING)
"""What a server may use that a person allowed the network; ``socket`` by its arguments."""

METADATA: dict[str, Numbers] = {
    "chmod": (90, None),
    "fchmod": (91, 52),
    "fchmodat": (268, 53),
    "chown": (92, None),
    "fchown": (93, 55),
    "lchown": (94, None),
    "fchownat": (260, 54),
    "utime": (132, None),
    "utimes": (235, None),
    "utimensat": (280, 88),
    "futimesat": (261, None),
    "setxattr": (188, 5),
    "lsetxattr": (189, 6),
    "fsetxattr": (190, 7),
    "removexattr": (197, 14),
    "lremovexattr": (198, 15),
    "fremovexattr": (199, 16),
    "mknod": (133, None),
    "mknodat": (259, 33),
    "inotify_init": (253, None),
    "inotify_init1": (294, 26),
    "inotify_add_watch": (254, 27),
}
"""Calls that reach files by name and that Landlock does not cover."""

NEW_PROCESS: dict[str, Numbers] = {
    "fork": (57, None),
    "vfork": (58, None),
    "execve": (59, 221),
    "execveat": (322, 281),
}
"""Starting programs or processes other than threads (``clone`` is judged by its flags)."""

SIGNALS: dict[str, Numbers] = {
    "kill": (62, 129),
    "tkill": (200, 130),
    "tgkill": (234, 131),
    "rt_sigqueueinfo": (129, 138),
    "rt_tgsigqueueinfo": (297, 240),
}
"""Sending signals."""

JUDGED: dict[str, Numbers] = {
    "socket": ALWAYS_DENIED["socket"],
    "socketpair": (53, 199),
    "clone": (56, 220),
    "clone3": (435, 435),
    "prlimit64": (302, 261),
    "ioctl": (16, 29),
    "fcntl": (72, 25),
    "prctl": (157, 167),
    "setpriority": (141, 140),
    "setsid": (112, 157),
}
"""Calls that are allowed or refused by their arguments."""

# set_mempolicy_home_node, the last one of Linux 5.17
NEWEST = 450
"""Calls numbered above this are unknown here and answered ENOSYS, which libraries fall back from."""


_AUDIT_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
# opcodes of classic BPF (linux/bpf_common.h): BPF_LD|W|ABS, JEQ, JGT, JSET, AND, RET
_LOAD, _JUMP_EQUAL, _JUMP_GREATER, _JUMP_BITS, _AND, _RETURN = 0x20, 0x15, 0x25, 0x45, 0x54, 0x06
# SECCOMP_RET_*; the low 16 bits of ERRNO are the error number
_ALLOW, _KILL, _ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
_DONE, _EPERM, _ENOSYS = 0, 1, 38
# numbers of the x32 ABI begin right above it (__X32_SYSCALL_BIT)
_X32_BIT = 0x3FFFFFFF
# CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID and NEWNET together
_NAMESPACE_FLAGS = 0x7E020000
_CLONE_THREAD = 0x00010000
# TIOCSTI and TIOCLINUX type into a terminal; FIOSETOWN and SIOCSPGRP aim signals at other processes
# FS_IOC_SETFLAGS and FS_IOC_FSSETXATTR leave marks on files that no listing shows
_REFUSED_CONTROLS = (0x5412, 0x541C, 0x8901, 0x8902, 0x40086602, 0x401C5820)
_SIGNAL_OWNER = (8, 10, 15)  # F_SETOWN, F_SETSIG, F_SETOWN_EX
_PARENT_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG
_INTERNET = (2, 10, 16)  # AF_INET, AF_INET6, and AF_NETLINK, which the look-up of a name asks for addresses

Instruction = tuple[int, int, int, int]


def machine_architecture() -> str:
    """``x86_64`` or ``aarch64``.

    Raises:
        SandboxUnavailable: On any other architecture.
    """
    name = {"amd64": "x86_64", "arm64": "aarch64"}.get(platform.machine().lower(), platform.machine().lower())
    if name not in _AUDIT_ARCH or struct.calcsize("P") != 8:
        raise SandboxUnavailable(f"no system call filter for {name}", hint="use a 64-bit x86 or ARM machine")
    return name


class _Filter:
    """Collects instructions for one architecture; every rule leaves the call number loaded."""

    def __init__(self, architecture: str) -> None:
        # struct seccomp_data: the number at 0, the architecture at 4, arguments of eight bytes from 16 on
        self._column = list(_AUDIT_ARCH).index(architecture)
        self._code: list[Instruction] = [
            (_LOAD, 0, 0, 4),
            (_JUMP_EQUAL, 1, 0, _AUDIT_ARCH[architecture]),
            (_RETURN, 0, 0, _KILL),
            (_LOAD, 0, 0, 0),
        ]
        if architecture == "x86_64":
            # the x32 ABI numbers its calls from a high bit and would slip past every rule below
            self._code += [(_JUMP_GREATER, 0, 1, _X32_BIT), (_RETURN, 0, 0, _KILL)]

    def _number(self, numbers: Numbers) -> int | None:
        return numbers[self._column]

    def unknown(self) -> None:
        """Answers ENOSYS to calls newer than the tables."""
        self._code += [(_JUMP_GREATER, 0, 1, NEWEST), (_RETURN, 0, 0, _ERRNO | _ENOSYS)]

    def deny(self, calls: dict[str, Numbers], errno: int = _EPERM) -> None:
        """Refuses calls whatever their arguments."""
        for numbers in calls.values():
            number = self._number(numbers)
            if number is not None:
                self._code += [(_JUMP_EQUAL, 0, 1, number), (_RETURN, 0, 0, _ERRNO | errno)]

    def judge(self, call: str, argument: int, decision: list[Instruction]) -> None:
        """Loads the low word of an argument of ``call`` and lets ``decision`` return."""
        number = self._number(JUDGED[call])
        if number is not None:
            body = [(_LOAD, 0, 0, 16 + 8 * argument), *decision]
            self._code += [(_JUMP_EQUAL, 0, len(body), number), *body]

    def assemble(self) -> bytes:
        """The filter as an array of ``struct sock_filter``."""
        return b"".join(struct.pack("<HBBI", *line) for line in [*self._code, (_RETURN, 0, 0, _ALLOW)])


def _refuse_values(values: tuple[int, ...]) -> list[Instruction]:
    tests = [(_JUMP_EQUAL, len(values) - place, 0, value) for place, value in enumerate(values)]
    return [*tests, (_RETURN, 0, 0, _ALLOW), (_RETURN, 0, 0, _ERRNO | _EPERM)]


def _refuse_bits(bits: int) -> list[Instruction]:
    return [(_JUMP_BITS, 0, 1, bits), (_RETURN, 0, 0, _ERRNO | _EPERM), (_RETURN, 0, 0, _ALLOW)]


def _require_bits(bits: int) -> list[Instruction]:
    return [(_JUMP_BITS, 1, 0, bits), (_RETURN, 0, 0, _ERRNO | _EPERM), (_RETURN, 0, 0, _ALLOW)]


def _require_value(value: int) -> list[Instruction]:
    return [(_JUMP_EQUAL, 1, 0, value), (_RETURN, 0, 0, _ERRNO | _EPERM), (_RETURN, 0, 0, _ALLOW)]


def _require_values(values: tuple[int, ...]) -> list[Instruction]:
    tests = [(_JUMP_EQUAL, len(values) - place, 0, value) for place, value in enumerate(values)]
    return [*tests, (_RETURN, 0, 0, _ERRNO | _EPERM), (_RETURN, 0, 0, _ALLOW)]


def _local_stream_pair() -> list[Instruction]:
    """Only ``socketpair(AF_UNIX, SOCK_STREAM)``: a datagram pair could address any socket by name."""
    # the first argument is AF_UNIX; of the second (at 24) the upper bits, such as SOCK_CLOEXEC, do not matter
    return [
        (_JUMP_EQUAL, 0, 3, 1),
        (_LOAD, 0, 0, 24),
        (_AND, 0, 0, 0xF),
        (_JUMP_EQUAL, 1, 0, 1),
        (_RETURN, 0, 0, _ERRNO | _EPERM),
        (_RETURN, 0, 0, _ALLOW),
    ]


def _own_process() -> list[Instruction]:
    """Only ``PRIO_PROCESS`` of the caller itself, which without capabilities can only become less urgent."""
    refuse = (_RETURN, 0, 0, _ERRNO | _EPERM)
    return [(_JUMP_EQUAL, 0, 2, 0), (_LOAD, 0, 0, 24), (_JUMP_EQUAL, 1, 0, 0), refuse, (_RETURN, 0, 0, _ALLOW)]


def border_filter(architecture: str | None = None, *, sockets: Literal["none", "pairs", "internet"] = "none") -> bytes:
    """The filter for everything inside the sandbox, the runner included.

    Args:
        architecture: ``x86_64`` or ``aarch64``; this machine's when None.
        sockets: What of them is left: nothing but to make stream pairs and read from them; sending over these as well;
            sockets of the internet besides. Never local ones, which could reach programs of the person by name.
    """
    rules = _Filter(architecture or machine_architecture())
    rules.unknown()
    left = {"none": (), "pairs": SENDING, "internet": NETWORK}[sockets]
    rules.deny({name: numbers for name, numbers in ALWAYS_DENIED.items() if name not in left})
    if sockets == "internet":
        rules.judge("socket", 0, _require_values(_INTERNET))
    rules.deny({"clone3": JUDGED["clone3"]}, _ENOSYS)  # its flags lie in memory, out of a filter's sight
    # The scheduler shares time among sessions, so a thousand of them would starve the supervisor. The call is
    # answered as done and does nothing: what code wants of it, being detached, it gets nowhere in here.
    rules.deny({"setsid": JUDGED["setsid"]}, _DONE)
    rules.judge("clone", 0, _refuse_bits(_NAMESPACE_FLAGS))
    rules.judge("socketpair", 0, _local_stream_pair())
    # 0 is the process itself: limits of the supervisor could be set from inside, and were
    rules.judge("prlimit64", 0, _require_value(0))
    rules.judge("setpriority", 0, _own_process())
    rules.judge("ioctl", 1, _refuse_values(_REFUSED_CONTROLS))
    rules.judge("fcntl", 1, _refuse_values(_SIGNAL_OWNER))
    return rules.assemble()


def program_filter(*, processes: bool, metadata: bool, architecture: str | None = None) -> bytes:
    """The filter added around code under test.

    Args:
        processes: Whether the code may start processes and signal them; else it gets threads only.
        metadata: Whether to refuse changes of file metadata, for backends whose file rules miss them.
        architecture: ``x86_64`` or ``aarch64``; this machine's when None.
    """
    rules = _Filter(architecture or machine_architecture())
    if metadata:
        rules.deny(METADATA)
    if not processes:
        rules.deny(NEW_PROCESS)
        rules.deny(SIGNALS)
        rules.judge("clone", 0, _require_bits(_CLONE_THREAD))
        rules.judge("prctl", 0, _refuse_values((_PARENT_DEATH_SIGNAL,)))
    return rules.assemble()
