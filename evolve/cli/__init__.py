"""The command line. Importing it loads nothing heavy; every command loads what it needs."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # as in ``typing``, which is slow to load and would be loaded before Ctrl-C is in hand
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import FrameType

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> None:
    """Runs the command line and exits with its code.

    From its first line on, Ctrl-C ends it with code 130 and one sentence.
    """
    try:
        _end_at_once_on_ctrl_c(argv)
        from evolve.cli import program
    except KeyboardInterrupt:
        _end(_farewell(argv))
    except RuntimeError as error:
        # Python 3.11 says so when the making of a class is interrupted.
        if not isinstance(error.__cause__, KeyboardInterrupt):
            raise
        _end(_farewell(argv))
    program.main(argv)


def _end_at_once_on_ctrl_c(argv: Sequence[str] | None) -> None:
    """While the program is being loaded nothing is begun, so nothing has to be closed.

    An exception would come out of half-loaded modules as another one, or not at all.
    """
    import signal

    farewell = _farewell(argv)

    def end(number: int, frame: FrameType | None) -> None:
        _end(farewell)

    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, end)


def _farewell(argv: Sequence[str] | None) -> bytes:
    """The sentence that tells of the interruption, with the command that was typed."""
    import shlex

    command = shlex.join(["evolve", *(sys.argv[1:] if argv is None else argv)])
    return os.fsencode(f"evolve: interrupted before anything was begun\n  continue with: {command}\n")


def _end(farewell: bytes) -> None:
    """Writes the sentence and ends the process with code 130."""
    try:
        # Not print: in a signal handler a buffered stream may be in the middle of a write, and refuses.
        os.write(2, farewell)
    finally:
        os._exit(130)
