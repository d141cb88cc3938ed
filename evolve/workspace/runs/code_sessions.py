"""Code in the sandbox by itself: once, or in a named session whose actions are kept and replayed."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from evolve.core.errors import UsageError, WorkspaceError
from evolve.core.files import canonical_json, digest, read_text, write_atomic
from evolve.core.paths import find_workspace
from evolve.core.settings import Settings, load_settings
from evolve.core.store import WriterLock
from evolve.runtime.sandbox import SandboxLimits, check_backends, open_sandbox
from evolve.workspace.arguments import check_arguments
from evolve.workspace.locating import choose_workspace, trusted_settings, trusted_workspace
from evolve.workspace.opening import cache_folder, sandbox_opener
from evolve.workspace.options import override_settings
from evolve.workspace.runs.applying import SandboxedCalls, function_in, typed_arguments

if TYPE_CHECKING:
    from evolve.runtime.sandbox import ActionResult, Outcome, Sandbox, SelfTestResult


_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}\Z")


def _replay_and_run(sandbox: Sandbox, file: Path, code: str, limits: SandboxLimits) -> ActionResult:
    """Rebuilds a session by replaying its recorded actions, runs one more, and records that.

    An action that hits a limit is not recorded: the session stays as it was before. An action with an error is. Where a
    recorded action does not give again what it gave then, the result has the state ``fault``.
    """
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


@dataclass(frozen=True, kw_only=True)
class CodeResult:
    """What came of code in the sandbox.

    Attributes:
        backend: Name of the sandbox that confined it.
    """

    result: ActionResult
    backend: str


@check_arguments()
class SandboxedCode:
    """Code in the sandbox of a workspace that is not open, and need not be there.

    Args:
        place: The workspace; without one, code runs with the settings of none.
        backend: A sandbox backend instead of that of the settings.
    """

    def __init__(self, place: str | os.PathLike[str] | None = None, backend: str | None = None) -> None:
        self._place = place
        self._backend = backend

    @property
    def unsandboxed(self) -> bool:
        """Whether the code runs with all rights of the user.

        Raises:
            UsageError: There is no such backend, or ``none`` is asked for without ``EVOLVE_UNSAFE=I_UNDERSTAND``.
        """
        return self._settings()[1].unsandboxed

    def exec(
        self,
        code: str | Path,
        *,
        limits: SandboxLimits | None = None,
        session: str | None = None,
        python: str | os.PathLike[str] | None = None,
    ) -> CodeResult:
        """Runs Python code; its value is that of the last expression, else what it assigned to ``result``.

        Args:
            code: Source, or a file of it.
            session: Sees the variables of earlier calls with the same name; the workspace keeps the actions of a
                session and replays them each time.
            python: A virtual environment that the code may import from.

        Raises:
            UsageError: The file cannot be read, or the name of the session is not plain.
            WorkspaceError: The record of the session cannot be read or written, or another process works in it.
            SandboxUnavailable: None passes its self-test here.
        """
        source = read_text(code) if isinstance(code, Path) else code
        root, settings = self._settings()
        bounds = limits or SandboxLimits()
        with open_sandbox(
            "none" if settings.unsandboxed else settings.sandbox,
            cache_dir=cache_folder(),
            # Each call opens a sandbox of its own, so an interpreter kept ready would serve nothing.
            warm=False,
            python=Path(python) if python else None,
            hidden=[root] if root else [],
        ) as box:
            if session is None:
                result = box.execute(source, bounds)
            else:
                if not _NAME.match(session):
                    raise UsageError(f"{session!r} cannot name a session", hint="letters, digits, - and _, at most 64")
                file = choose_workspace(self._place).paths.runs / "sessions" / f"{session}.jsonl"
                # The file is written whole, so two commands that replayed at once would each lose the other's action.
                with WriterLock(file.with_suffix(".lock")):
                    result = _replay_and_run(box, file, source, bounds)
            return CodeResult(result=result, backend=box.backend)

    def call(self, source: str, text: str) -> Outcome:
        """What the function of a source gives on arguments as a person types them.

        Args:
            source: Such as the answer of a run: the function that no other calls.
            text: One argument in plain text, several between commas or tabs, or a JSON list of them.

        Raises:
            UsageError: There is no such function, or the arguments are not as many as it takes.
            SandboxUnavailable: None passes its self-test here.
        """
        program = function_in(source, file="the answer")
        arguments = typed_arguments(program, text)
        root, settings = self._settings()
        calls = SandboxedCalls(open=sandbox_opener(settings, [root] if root else []))
        return calls(program, [arguments])[0]

    def _settings(self) -> tuple[Path | None, Settings]:
        """The workspace, where one is named or lies around this folder, and its settings or those of none."""
        chosen = None if self._backend is None else {"sandbox": self._backend}
        if find_workspace(self._place) is None:
            return None, override_settings(load_settings(None), chosen)
        paths = trusted_workspace(self._place)
        return paths.root, override_settings(trusted_settings(paths), chosen)

    def check(self) -> Mapping[str, Sequence[SelfTestResult]]:
        """Tests every backend by probes, now: each tries what must not work. The first that holds is used."""
        return check_backends(cache_folder())


def sandbox(path: str | os.PathLike[str] | None = None, backend: str | None = None) -> SandboxedCode:
    """Code in the sandbox of a workspace, which is not opened for it and need not be there.

    Args:
        path: As for :func:`evolve.open`.
        backend: A sandbox backend instead of that of the settings; ``none`` confines nothing.
    """
    return SandboxedCode(path, backend)
