"""Every error evolve raises on purpose, in one tree, by who must act.

    EvolveError
    ├── UsageError                 the person at the keyboard: wrong argument, unreadable or malformed input
    │   └── TaskError              a task or suite file is malformed (names file, line and field)
    ├── ModelMistake               whoever wrote the answer: shown back to the policy as an observation
    ├── EnvironmentProblem         the machine or workspace: missing sandbox, full disk, damaged record
    │   ├── WorkspaceError         the workspace cannot be read, written or understood
    │   │   └── UntrustedWorkspace this user neither made it here nor trusted it
    │   ├── WorkspaceBusy          another process goes on with a loop in this workspace
    │   ├── SandboxUnavailable     no sandbox passed its self-test here
    │   ├── RecordDamaged          a stored row or object does not match its checksum
    │   └── EndpointProblem        a model endpoint failed; ``retryable`` says whether waiting helps
    │       ├── NotRecorded        a replay lacks an exchange
    │       └── PromptTooLong      a prompt does not fit the model, whatever is left out of it
    ├── BudgetExhausted            a budget ended before any result
    ├── Cancelled                  a person stopped the action that was going on; the process goes on
    └── Interrupted                a signal asked the program to stop

Bugs are not in the tree: they are ordinary exceptions. Only the last line of the command catches them, keeps
the traceback in a file and ends with 3.
Constructors have no side effects. ``exit_code`` is what the command line returns.
"""

from __future__ import annotations

from typing import ClassVar


class EvolveError(Exception):
    """Base of the tree.

    Attributes:
        hint: The next command or step that helps, or "" when there is none.
    """

    exit_code: ClassVar[int] = 3
    retryable: bool = False

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class UsageError(EvolveError):
    """The call was wrong; the message names what to change."""

    exit_code = 2


class TaskError(UsageError):
    """A task, suite or example file is malformed.

    Args:
        message: What is wrong, in one sentence.
        file: The file's name as the person gave it.
        line: Line number from 1, or None where a line has no meaning.
        field: The field or column, or "".
    """

    def __init__(
        self, message: str, *, file: str = "", line: int | None = None, field: str = "", hint: str = ""
    ) -> None:
        place = file + (f":{line}" if line is not None else "")
        where = ", ".join(part for part in (place, f"field {field!r}" if field else "") if part)
        super().__init__(f"{where}: {message}" if where else message, hint=hint)
        self.file, self.line, self.field = file, line, field


class ModelMistake(EvolveError):
    """The policy's answer cannot be used; the message goes back to the policy."""

    exit_code = 1


class SetupProblem(EvolveError):
    """Something outside the program must be mended before work can go on."""


class WorkspaceError(SetupProblem):
    """The workspace is missing, unwritable, from a newer version, or malformed."""


class UntrustedWorkspace(WorkspaceError):
    """This user neither made the workspace on this machine nor trusted it, so nothing in it was used.

    Attributes:
        root: Its folder.
        why: What is wrong with it, without what it would change.
    """

    def __init__(self, message: str, *, root: str, why: str = "", hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.root, self.why = root, why


class WorkspaceBusy(SetupProblem):
    """Another process goes on with a loop in the workspace, repairs it, or keeps the record from being written."""

    exit_code = 7


class SandboxUnavailable(SetupProblem):
    """No sandbox backend passed its self-test, so untrusted code is refused."""


class RecordDamaged(SetupProblem):
    """A stored row or object failed its checksum; it has been named and set aside."""


class EndpointProblem(SetupProblem):
    """A model endpoint failed; never evidence about a task."""

    exit_code = 4

    def __init__(self, message: str, *, retryable: bool = True, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.retryable = retryable


class NotRecorded(EndpointProblem):
    """A replay was asked for an exchange that its recording lacks; the message names the digest."""


class PromptTooLong(EndpointProblem):
    """The model's window is smaller than what had to be sent; a shorter prompt may do."""


class BudgetExhausted(EvolveError):
    """A budget ended before there was any result to show.

    Attributes:
        tokens: The most that the work which was refused could have taken.
    """

    exit_code = 5

    def __init__(self, message: str, *, tokens: int = 0, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.tokens = tokens


class Cancelled(EvolveError):
    """A person stopped what was going on; it says nothing about the task."""

    exit_code = 130


class Interrupted(EvolveError):
    """A signal asked the program to stop; the message says how to resume.

    Args:
        message: What was saved and how to continue.
        exit_code: 130 for SIGINT, 143 for SIGTERM.
    """

    def __init__(self, message: str, *, exit_code: int = 130, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.exit_code = exit_code  # type: ignore[misc]
