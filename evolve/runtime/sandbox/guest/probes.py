"""What the self-test tries inside the sandbox; sent as text, never imported by evolve.

Each function tries one forbidden thing and says what happened; whether it worked is judged outside.
"""

from __future__ import annotations

import os
import socket


def read_file(path: str) -> str:
    with open(path, encoding="ascii") as file:
        return file.read()


def write_file(path: str) -> None:
    with open(path, "w", encoding="ascii") as file:
        file.write("written")


def tcp(port: int) -> str:
    with socket.create_connection(("127.0.0.1", port), timeout=0.2):
        return "connected"


def udp(port: int) -> str:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        sender.sendto(b"x", ("127.0.0.1", port))
    return "sent"


def unix(path: str) -> str:
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(path)
    return "connected"


def abstract(name: str) -> str:
    with socket.socket(socket.AF_UNIX) as client:
        client.connect("\0evolve-" + name)
    return "connected"


def signal_process(number: int) -> str:
    os.kill(number, 0)
    return "sent"


def inspect_process(number: int) -> int:
    with open(f"/proc/{number}/environ", "rb") as file:
        return len(file.read())


def double_fork() -> str:
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.execv("/bin/sleep", ["sleep", "3"])
        os._exit(0)
    return "forked"


def environment() -> list[str]:
    return sorted(os.environ)
