"""Named code sessions over several commands: their actions are kept and replayed, since no process outlives one."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from evolve.core.errors import UsageError, WorkspaceError
from evolve.core.files import canonical_json, digest, write_atomic
from evolve.core.store import WriterLock
from evolve.workspace.locating import locate

if TYPE_CHECKING:
    from evolve.runtime.sandbox import ActionResult, Sandbox, SandboxLimits

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}\Z")


def run_in_session(
    sandbox: Sandbox, name: str, code: str, limits: SandboxLimits, *, path: str | os.PathLike[str] | None = None
) -> ActionResult:
    """Rebuilds a session by replaying its recorded actions, runs one more, and records that.

    An action that hits a limit is not recorded: the session stays as it was before. An action with an error is.

    Args:
        sandbox: Where everything runs.
        name: The session's name; a new one starts empty.
        code: The action.
        limits: Of every action.
        path: The workspace.

    Returns:
        The result of the new action; of state ``fault`` when a recorded action did not give again what it gave then.

    Raises:
        UsageError: The name is not plain.
        WorkspaceError: The record of the session cannot be read or written.
        WorkspaceBusy: Another process works in that session.
    """
    if not _NAME.match(name):
        raise UsageError(f"{name!r} cannot name a session", hint="letters, digits, - and _, at most 64")
    paths = locate(path).paths
    file = paths.runs / "sessions" / f"{name}.jsonl"
    # The file is written whole, so two commands that replayed at once would each lose the other's action.
    with WriterLock(file.with_suffix(".lock")):
        return _replay_and_run(sandbox, file, code, limits)


def _replay_and_run(sandbox: Sandbox, file: Path, code: str, limits: SandboxLimits) -> ActionResult:
    from evolve.runtime.sandbox import ActionResult

    recorded = _read(file)
    with sandbox.session(limits) as session:
        for number, (earlier, outcome) in enumerate(recorded, 1):
            result = session.execute(earlier)
            if result.state == "fault":
                return result
            # The new action counts on what the earlier ones left, so it must be what they left then.
            if result.ended or _outcome(result) != outcome:
                what = f"action {number} of session {file.stem} did not give again what it gave when it was recorded"
                return ActionResult(state="fault", error=what)
        result = session.execute(code)
        if not result.ended:
            recorded.append((code, _outcome(result)))
            file.parent.mkdir(parents=True, exist_ok=True)
            lines = [json.dumps({"code": did, "outcome": gave}) + "\n" for did, gave in recorded]
            write_atomic(file, "".join(lines).encode("ascii"))
        return result


def _outcome(result: ActionResult) -> str:
    fields = [result.state, result.error, result.has_value, result.value, result.stdout, result.stderr]
    return digest(canonical_json(fields))


def _read(file: Path) -> list[tuple[str, str]]:
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return []
    except (OSError, UnicodeDecodeError) as error:
        raise WorkspaceError(f"{file}: cannot be read: {error}") from error
    recorded = []
    for number, line in enumerate(lines, 1):
        try:
            entry = json.loads(line)
            recorded.append((entry["code"], entry["outcome"]))
        except (ValueError, KeyError, TypeError) as error:
            hint = "move the file away, or use another --session name"
            raise WorkspaceError(f"{file}:{number}: not a recorded action", hint=hint) from error
    return recorded
