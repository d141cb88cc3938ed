"""What one hostile or buggy action is, and the words put in front of its code."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

KINDS = ("resources", "files", "network", "processes", "protocol", "supervisor")

ORACLES = (
    "secret",
    "files",
    "network",
    "signal",
    "victim",
    "survivors",
    "wall",
    "output",
    "result",
    "border",
    "artifact",
    "outcome",
)
"""What can show an escape. ``outcome`` means that the attack would have gone through: its outcome class without
a sandbox is another than the expected ones."""

SHORT_WALL_S = 0.5
"""The wall limit of actions that must run into it."""

REFUSED = ("error",)
STOPPED = ("limit:wall",)
SPINS = ("limit:wall", "limit:cpu")
EATS = ("error", "limit:memory")
FILLS = ("error", "limit:disk")


@dataclass(frozen=True, kw_only=True)
class Action:
    """One piece of code to run, and how one can tell from outside that it stayed in.

    Attributes:
        name: Unique.
        kind: One of :data:`KINDS`.
        item: The class of attack; several actions may share it.
        code: Python, run after the prelude. It assigns to ``result`` what it gained, and lets the error pass when
            it was refused, so that the outcome class says whether it got through.
        expect: Acceptable outcome classes: ``ok``, ``error``, ``limit:KIND``, ``unavailable``.
        attacks: Oracles that all fire when nothing confines the code; empty for code that is only buggy.
        caged: Why it is never let loose without a sandbox; "" when the control must fire.
        limits: Fields of :class:`evolve.runtime.sandbox.SandboxLimits` that differ from the benchmark's.
        files: Put into the scratch folder first.
        collect: Take the files out of the scratch folder afterwards.
        race: Run two at once.
        value: The exact value when the outcome is ``ok``; None accepts any.
    """

    name: str
    kind: str
    item: str
    code: str
    expect: tuple[str, ...]
    attacks: tuple[str, ...] = ()
    caged: str = ""
    limits: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    files: Mapping[str, bytes] = field(default_factory=lambda: MappingProxyType({}))
    collect: bool = False
    race: bool = False
    value: Any = None

    @property
    def must_fire(self) -> bool:
        """Whether its control has to fire."""
        return bool(self.attacks) and not self.caged


def short(**others: Any) -> dict[str, Any]:
    """Limits of an action that must run into its wall limit."""
    return {"wall_s": SHORT_WALL_S, **others}


_CALLS: Mapping[str, tuple[int | None, int | None]] = MappingProxyType(
    {
        "fork": (57, None),
        "vfork": (58, None),
        "clone": (56, 220),
        "clone3": (435, 435),
        "execveat": (322, 281),
        "kill": (62, 129),
        "tkill": (200, 130),
        "tgkill": (234, 131),
        "rt_sigqueueinfo": (129, 138),
        "rt_tgsigqueueinfo": (297, 240),
        "pidfd_open": (434, 434),
        "pidfd_getfd": (438, 438),
        "pidfd_send_signal": (424, 424),
        "process_vm_readv": (310, 270),
        "process_vm_writev": (311, 271),
        "kcmp": (312, 272),
        "io_uring_setup": (425, 425),
        "bpf": (321, 280),
        "perf_event_open": (298, 241),
        "userfaultfd": (323, 282),
        "keyctl": (250, 219),
        "add_key": (248, 217),
        "mq_open": (240, 180),
        "memfd_secret": (447, 447),
        "name_to_handle_at": (303, 264),
        "open_by_handle_at": (304, 265),
        "open_tree": (428, 428),
        "fsopen": (430, 430),
        "move_mount": (429, 429),
        "mount_setattr": (442, 442),
        "pivot_root": (155, 41),
        "setns": (308, 268),
        "openat2": (437, 437),
        "sendmmsg": (307, 269),
        "clock_settime": (227, 112),
        "kexec_load": (246, 104),
        "init_module": (175, 105),
        "quotactl": (179, 60),
        "personality": (135, 92),
        "ioprio_set": (251, 30),
        "fanotify_init": (300, 262),
        "modify_ldt": (154, None),
        "reboot": (169, 142),
        "prlimit64": (302, 261),
    }
)
# from the kernel's published tables: (x86-64, aarch64); on purpose not the sandbox's own table

PRELUDE = """
import os
def libc():
    import ctypes
    return ctypes.CDLL(None, use_errno=True)
def checked(answer):
    import ctypes
    if answer < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return answer
def call(name, *arguments):
    if NR[name] is None:
        raise OSError(38, 'this machine has no ' + name)
    return checked(libc().syscall(NR[name], *arguments))
def attempt(*actions):
    worked, last = [], None
    for number, action in enumerate(actions):
        try:
            action()
            worked.append(number)
        except Exception as error:
            last = error
    if not worked:
        raise last
    return worked
def read(path, most=65536):
    with open(path, 'rb') as file:
        return file.read(most).decode('latin-1')
def loot(*paths):
    found, last = [], None
    for path in paths:
        try:
            found.append(read(path))
        except Exception as error:
            last = error
    if not found:
        raise last
    return found
"""


def numbers() -> dict[str, int | None]:
    """System call numbers of this machine; None where it has no such call."""
    column = {"x86_64": 0, "amd64": 0, "aarch64": 1, "arm64": 1}.get(platform.machine().lower())
    return {name: None if column is None else both[column] for name, both in _CALLS.items()}


def source(action: Action, constants: Mapping[str, Any]) -> str:
    """The whole text to run: where the oracles wait, the prelude, the action's own code."""
    known = {**constants, "NR": numbers()}
    return "\n".join([*(f"{name} = {value!r}" for name, value in known.items()), PRELUDE, action.code.strip("\n"), ""])
