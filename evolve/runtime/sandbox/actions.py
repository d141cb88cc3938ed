"""Values of code actions: what one action left behind, and a session in which actions see each other's variables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType, TracebackType
from typing import Literal, Protocol

from evolve.core.episodes import Json

DeniedKind = Literal["file", "network", "process", "memory", "operation"]
ActionState = Literal["ok", "error", "limit", "fault"]
LimitKind = Literal["", "wall", "cpu", "memory", "output", "disk", "result", "processes"]

UNPLACED = "a file could not be put into the scratch folder"
"""How the error begins of an action that did not run, because what code left is in the way of its files."""

NO_FILES: Mapping[str, bytes] = MappingProxyType({})
"""Nothing to put into the scratch folder."""

Collect = bool | Literal["changed"]
"""Which regular files of a scratch folder are given back: all, none, or those that are not as they were when they were
last given back or put there."""

_LONGEST_NAME = 1000


@dataclass(frozen=True, kw_only=True)
class SandboxDenied:
    """An operation that the sandbox refused, as the code saw it; an observation, not an exception.

    Attributes:
        kind: What was reached for.
        target: A path, a host and port, a program, or the name of the operation; made visible, at most 200 characters.
    """

    kind: DeniedKind
    target: str

    def __str__(self) -> str:
        return f"{self.kind}:{self.target}"


@dataclass(frozen=True, kw_only=True)
class ActionFile:
    """A regular file that an action left in the scratch folder.

    Attributes:
        name: Relative, one or more plain components joined by ``/``; never ``..`` and never absolute.
        data: The content.
    """

    name: str
    data: bytes


@dataclass(frozen=True, kw_only=True)
class ActionResult:
    """What one action left behind. All but ``limit``, ``wall_s`` and ``ended`` was said by the code: data, not proof.

    Attributes:
        state: ``ok``; ``error`` when the code raised or ended its process; ``limit`` when it used up what it
            may use; ``fault`` when the sandbox itself failed, which says nothing about the code.
        limit: Which limit, where ``state`` is ``limit``.
        value: The value of the last expression, else what the action assigned to ``result``, as JSON.
        has_value: Whether there is a value; it may be None.
        error: "" or one line such as ``ZeroDivisionError: division by zero (line 3)``.
        stdout: What was printed, control characters escaped, cut at the limit.
        stderr: The same for stderr.
        denied: Refused operations, without repeats, also those whose exception the code caught.
        files: Regular files of the scratch folder, by name, where they were asked for.
        gone: Where only changed ones were asked for, names of those that are there no more.
        wall_s: Seconds from start to end.
        ended: The session is over: its variables are gone. Always true outside a session.
    """

    state: ActionState
    limit: LimitKind = ""
    value: Json = None
    has_value: bool = False
    error: str = ""
    stdout: str = ""
    stderr: str = ""
    denied: tuple[SandboxDenied, ...] = ()
    files: tuple[ActionFile, ...] = ()
    gone: tuple[str, ...] = ()
    wall_s: float = 0.0
    ended: bool = True


class FunctionCalls(Protocol):
    """What code in a session may call outside of the sandbox."""

    def offered_functions(self) -> Sequence[tuple[str, Sequence[str], str]]:
        """Of each function its name, its parameters in order, and what it does; asked before each action."""
        ...

    def answer_frame(self, frame: bytes) -> bytes:
        """Answers one call, in the thread that runs the action, whose clock stands still meanwhile.

        Args:
            frame: Untrusted; of honest code JSON such as ``{"function": "read", "arguments": {"path": "a.txt"}}``.

        Returns:
            JSON: ``{"value": ...}``, or ``{"error": "one sentence"}``, which the code sees as an exception.

        Raises:
            Exception: Whatever ends the action, and its session with it.
        """
        ...


class CodeSession(Protocol):
    """Runs actions one after another in one process; each sees the variables of those before it."""

    def execute(self, code: str, *, files: Mapping[str, bytes] = NO_FILES, collect: Collect = False) -> ActionResult:
        """Runs one action. The wall limit holds for each, CPU time and memory for the whole session.

        An exception does not end the session; a limit, a dead process or a fault does, and ``ended`` says so.
        Between actions the process is stopped, whatever threads it has.

        Args:
            code: Python text.
            files: Put into the scratch folder first, by relative name.
            collect: Give back regular files of the scratch folder. A file counts as changed by its size, its times and
                its identity, so what is written into memory that a file is mapped to may go unnoticed.

        Raises:
            UsageError: The session is over, or a file's name is not plain.
        """
        ...

    def close(self) -> None:
        """Ends the process and empties the scratch folder; closing twice is no error."""
        ...

    def __enter__(self) -> CodeSession: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


def is_plain_name(name: str) -> bool:
    """Whether a name means one file below a folder on every system: relative, no ``..``, nothing invisible."""
    if not 0 < len(name) <= _LONGEST_NAME or not name.isprintable() or "\\" in name:
        return False
    try:
        parts = name.encode("utf-8").split(b"/")
    except UnicodeEncodeError:
        return False
    # 32 levels as for what is collected; 255 bytes is the longest name of common file systems
    return len(parts) <= 32 and all(part not in (b"", b".", b"..") and len(part) <= 255 for part in parts)
