"""The Java machine in which the simulator runs, as it is talked to by py4j."""

from __future__ import annotations

import contextlib
import io
import os
import shutil
import signal
import socket
import threading
from collections.abc import Iterator
from typing import Any

from evolve.core.errors import SetupProblem


@contextlib.contextmanager
def signals_held() -> Iterator[None]:
    """Ctrl-C and the like wait until Java has answered: py4j 0.10.9 would log one and then fail in its own handling."""
    waiting: list[int] = []
    numbers = (signal.SIGINT, signal.SIGTERM) if threading.current_thread() is threading.main_thread() else ()
    handlers = {number: known for number in numbers if (known := signal.getsignal(number)) is not None}
    for number in handlers:
        signal.signal(number, lambda number, _: waiting.append(number))
    try:
        yield
    finally:
        for number, known in handlers.items():
            signal.signal(number, known)
        if waiting:
            signal.raise_signal(waiting[0])


def answer_at_once(gateway: Any) -> None:
    """Confirms each part of an answer at once.

    Java sends answers of more than 8 KiB in parts and waits for each to be confirmed (RFC 896), and the kernel holds a
    confirmation back for 40 ms (RFC 1122, 4.2.3.2); lists of moves are longer than that.
    """
    gateway.jvm.java.lang.System.nanoTime()  # the first call makes the connection
    for connection in gateway._gateway_client.deque if hasattr(socket, "TCP_QUICKACK") else ():
        connection.stream = io.BufferedReader(_AtOnce(connection.socket))


class _AtOnce(io.RawIOBase):
    """What comes over a connection; the kernel forgets the option, so it is set before each part."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        self._connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)
        return self._connection.recv_into(buffer)


def module(jvm: Any, name: str) -> Any:
    """The one object of a Scala module, by the name of its class."""
    return jvm.java.lang.Class.forName(name).getField("MODULE$").get(None)


def java() -> str:
    """The program that runs Java: that of ``JAVA_HOME``, else the one that a shell would find."""
    home = os.environ.get("JAVA_HOME")
    found = shutil.which("java", path=os.path.join(home, "bin") if home else None)
    if found is None:
        raise SetupProblem(
            "ScienceWorld runs on Java, which is not installed", hint="apt-get install default-jre-headless"
        )
    return found
