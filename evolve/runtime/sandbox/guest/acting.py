"""Runs code actions inside the sandbox, alone or one after another; sent as text, never imported by evolve.

Must do little before the action: this is the latency of every execution.
"""

from __future__ import annotations

import errno
import json
import os
import sys

from evolve.runtime.sandbox.guest.calling import Outside
from evolve.runtime.sandbox.guest.denials import Denials
from evolve.runtime.sandbox.guest.worker import BEGUN, caught, explain, plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

AST_ONLY = 0x400  # ast.PyCF_ONLY_AST; importing ast takes longer than most actions
NAME = "<action>"
ENCODE = json.JSONEncoder(separators=(",", ":"), allow_nan=False).encode


def assigns(tree: Any, wanted: str) -> bool:
    """Whether top-level statements of the tree store the name."""
    pending = [tree]
    while pending:
        node = pending.pop()
        kind = type(node).__name__
        if kind == "Name":
            if node.id == wanted and type(node.ctx).__name__ == "Store":
                return True
        elif kind not in ("FunctionDef", "AsyncFunctionDef", "ClassDef", "Lambda"):
            for field in node._fields:
                value = getattr(node, field, None)
                pending += value if isinstance(value, list) else [value] if hasattr(value, "_fields") else []
    return False


def evaluate(source: str, names: dict[str, Any]) -> tuple[bool, Any]:
    """Runs the source; returns whether it has a value, and that value: of its last expression, else of ``result``."""
    # without dont_inherit the code would be compiled under the future statements of this file
    tree: Any = compile(source, NAME, "exec", AST_ONLY, dont_inherit=True)
    stored = "result" in source and assigns(tree, "result")
    last = tree.body.pop() if tree.body and type(tree.body[-1]).__name__ == "Expr" else None
    exec(compile(tree, NAME, "exec", dont_inherit=True), names)
    value = None
    if last is not None:
        import _ast

        value = eval(compile(_ast.Expression(last.value), NAME, "eval", dont_inherit=True), names)
    if value is None and stored and "result" in names:
        return True, names["result"]
    return last is not None, value


def limit_of(error: BaseException) -> str:
    """The limit that an exception tells of, or ""."""
    if isinstance(error, MemoryError):
        return "memory"
    if isinstance(error, OSError):
        kinds = {errno.ENOMEM: "memory", errno.EFBIG: "disk", errno.ENOSPC: "disk", errno.EDQUOT: "disk"}
        # a refused fork or thread; with a file name it would be a descriptor that is not ready
        if isinstance(error, BlockingIOError) and error.filename is None and error.errno == errno.EAGAIN:
            return "processes"
        return kinds.get(error.errno or 0, "")
    # what threading raises in place of the OSError of the kernel
    if isinstance(error, RuntimeError) and str(error) == "can't start new thread":
        return "processes"
    return ""


def fill_report(source: str, names: dict[str, Any], report: dict[str, Any]) -> None:
    """Runs the source and writes its value into the report, encoded."""
    has_value, value = evaluate(source, names)
    report["value"] = ENCODE(plain(value))
    report["has"] = has_value


def act(source: str, names: dict[str, Any], denials: Denials, most_bytes: int) -> bytes:
    """Runs one action; its report as one line of JSON."""
    report: dict[str, Any] = {"value": "null", "has": False}
    failure = caught(fill_report, source, names, report)
    error = limit = ""
    if failure is not None:
        error, limit = explain(failure, (NAME,)), limit_of(failure)
        denials.note_exception(failure)
    rest = {"has": report["has"], "error": error, "limit": limit, "denied": denials.entries}
    denials.entries = []
    value: str = report["value"]
    if len(value) > most_bytes:
        value, rest = "null", {**rest, "has": False, "limit": "result"}
    return f'{{"value":{value},{ENCODE(rest)[1:]}\n'.encode("ascii")


def run(source: str, limits: Mapping[str, Any], config: Mapping[str, Any], pipes: Sequence[int]) -> None:
    """Runs one action, or one after another as they come on the second pipe where that is a descriptor.

    Each comes with the functions that it may call on the last two.
    """
    report, orders, calls, answers = pipes
    sys.path[:] = [*config["packages"], *(path for path in sys.path if path)]
    denials = Denials(config["readable"], config["writable"], bool(limits["processes"]))
    module = type(sys)("__main__")
    sys.modules["__main__"] = module
    names = module.__dict__
    denials.watch()
    most_bytes = limits["result_kb"] * 1024
    own_pid = os.getpid()
    # only behind this mark does the time of the code begin, and a failure is the code's own
    os.write(report, BEGUN)
    if orders < 0:
        send(report, act(source, names, denials, most_bytes), own_pid)
        return
    outside = Outside(calls, answers)
    with open(orders, "rb") as incoming:
        while head := incoming.readline(64):
            sizes = [int(size) for size in head.split()]
            source = incoming.read(sizes[0]).decode("utf-8", "surrogatepass")
            if sizes[1]:
                outside.offer(json.loads(incoming.read(sizes[1])))
            send(report, act(source, names, denials, most_bytes), own_pid)


def send(descriptor: int, line: bytes, own_pid: int) -> None:
    """Flushes what was printed, then writes the report: whoever reads it can take all of the output.

    A process that the action forked and that ran on to its end has nothing to report.
    """
    for stream in (sys.stdout, sys.stderr):
        caught(lambda stream=stream: stream.flush())
    if os.getpid() != own_pid:
        os._exit(0)
    view = memoryview(line)
    while view:
        view = view[os.write(descriptor, view) :]
