"""The seccomp filters, interpreted here, so that both architectures are judged on any machine."""

from __future__ import annotations

import struct

import pytest

from evolve.runtime.sandbox.seccomp import border_filter, program_filter

ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
NUMBERS = {
    "x86_64": {"read": 0, "socket": 41, "connect": 42, "socketpair": 53, "clone": 56, "execve": 59, "kill": 62,
               "ptrace": 101, "chmod": 90, "fchmod": 91, "prlimit64": 302, "memfd_create": 319, "clone3": 435,
               "setpriority": 141, "setsid": 112, "ioctl": 16, "mount": 165, "prctl": 157, "openat": 257},
    "aarch64": {"read": 63, "socket": 198, "connect": 203, "socketpair": 199, "clone": 220, "execve": 221, "kill": 129,
                "ptrace": 117, "fchmod": 52, "prlimit64": 261, "memfd_create": 279, "clone3": 435,
                "setpriority": 140, "setsid": 157, "ioctl": 29, "mount": 40, "prctl": 167, "openat": 56},
}  # fmt: skip
FORK, THREAD, NEW_USER = 17, 0x3D0F00, 0x10000000


def interpret(program: bytes, number: int, arguments: tuple[int, ...] = (), audit: int = 0) -> str:
    """The answer of a classic BPF program to one call."""
    data = struct.pack("<IIQ6Q", number, audit, 0, *(*arguments, *[0] * 6)[:6])
    code = list(struct.iter_unpack("<HBBI", program))
    register = place = 0
    while True:
        operation, yes, no, value = code[place]
        place += 1
        if operation == 0x20:
            register = struct.unpack_from("<I", data, value)[0]
        elif operation == 0x54:
            register &= value
        elif operation == 0x06:
            return {0x7FFF0000: "allow", 0x80000000: "kill", 0x50001: "EPERM", 0x50026: "ENOSYS", 0x50000: "done"}[
                value
            ]
        else:
            test = {0x15: register == value, 0x25: register > value, 0x45: bool(register & value)}[operation]
            place += yes if test else no


@pytest.fixture(params=ARCHITECTURES)
def ask(request):
    name = request.param
    filters = {
        "border": border_filter(name),
        "landlock": program_filter(processes=True, metadata=True, architecture=name),
        "program": program_filter(processes=False, metadata=False, architecture=name),
    }

    def answer(which: str, call: str | int, *arguments: int, audit: int = ARCHITECTURES[name]) -> str:
        number = NUMBERS[name].get(call, -1) if isinstance(call, str) else call
        return "absent" if number == -1 else interpret(filters[which], number, arguments, audit)

    return answer


@pytest.mark.parametrize("call", ["socket", "connect", "ptrace", "memfd_create", "mount"])
def test_refused_everywhere(ask, call):
    assert ask("border", call) == "EPERM"


@pytest.mark.parametrize(
    ("which", "call", "arguments", "expected"),
    [
        ("border", "read", (), "allow"),
        ("border", "openat", (), "allow"),
        ("border", "execve", (), "allow"),
        ("program", "execve", (), "EPERM"),
        ("border", "kill", (), "allow"),
        ("program", "kill", (), "EPERM"),
        ("border", "clone", (FORK,), "allow"),
        ("program", "clone", (FORK,), "EPERM"),
        ("program", "clone", (THREAD,), "allow"),
        ("border", "clone", (FORK | NEW_USER,), "EPERM"),
        ("border", "clone3", (), "ENOSYS"),
        ("border", "socketpair", (1, 1 | 0o2000000), "allow"),
        ("border", "socketpair", (1, 2), "EPERM"),
        ("border", "socketpair", (2, 1), "EPERM"),
        ("border", "prlimit64", (0,), "allow"),
        ("border", "prlimit64", (1234,), "EPERM"),
        ("border", "setsid", (), "done"),
        ("border", "setpriority", (0, 0, 15), "allow"),
        ("border", "setpriority", (0, 1234, 15), "EPERM"),
        ("border", "setpriority", (2, 0, 15), "EPERM"),
        ("border", "ioctl", (0, 0x5412), "EPERM"),
        ("border", "ioctl", (0, 0x541C), "EPERM"),
        ("border", "ioctl", (0, 0x8901), "EPERM"),
        ("border", "ioctl", (0, 0x5413), "allow"),
        ("border", "fchmod", (), "allow"),
        ("landlock", "fchmod", (), "EPERM"),
        ("program", "prctl", (1,), "EPERM"),
        ("program", "prctl", (15,), "allow"),
        ("border", 100_000, (), "ENOSYS"),
    ],
)
def test_single_calls(ask, which, call, arguments, expected):
    assert ask(which, call, *arguments) == expected


def test_other_architectures_are_killed(ask):
    assert ask("border", "read", audit=0x40000003) == "kill"


def test_the_x32_numbers_are_killed():
    program = border_filter("x86_64")
    assert interpret(program, 0x40000000 + 41, (), ARCHITECTURES["x86_64"]) == "kill"
