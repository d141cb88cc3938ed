"""The ways in which untrusted code is run: each way a sandbox is used, behind one face."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from evolve.runtime.sandbox import ActionResult, Program, SandboxLimits, TestModule, open_sandbox

_HARMLESS = "import os\nresult = [6 * 7, os.listdir('.')]"
_WRAPPED = """
CODE = {code!r}
def attack():
    space = {{'__name__': 'action'}}
    exec(compile(CODE, '<action>', 'exec'), space)
    return space.get('result')
"""


@dataclass(kw_only=True)
class Worked:
    """What one run gave.

    Attributes:
        result: What the sandbox returned; None when it refused or failed.
        outcome: The class, where it is not the result's own.
        said: Why, where there is no result.
        mute: Whether this way has no value to return.
        after: "" or what was wrong with the harmless action that followed.
        seconds: How long the action itself took, where that is not the time of the whole call.
    """

    result: ActionResult | None = None
    outcome: str = ""
    said: str = ""
    mute: bool = False
    after: str = ""
    seconds: float | None = None


class Way:
    """Runs actions in a fresh interpreter each, or in forks of a kept one.

    Args:
        backend: Name of the backend.
        cache: Where a passed self-test is remembered.
        warm: Whether to keep an interpreter.
    """

    coarse = False
    """Whether the kind of a limit is not told, so that any failure is as good as another."""

    def __init__(self, backend: str, cache: Path, *, warm: bool) -> None:
        self.sandbox = open_sandbox(backend, cache_dir=cache, warm=warm)
        self.warm = warm

    def __enter__(self) -> Way:
        return self

    def __exit__(self, *_: object) -> None:
        self.sandbox.close()

    def warm_up(self, limits: SandboxLimits) -> None:
        """Starts what is kept."""
        if self.warm:
            self.still_works(limits)

    def run(self, code: str, limits: SandboxLimits, files: Mapping[str, bytes], collect: bool) -> Worked:
        """Runs one action."""
        return Worked(result=self.sandbox.execute(code, limits, files=files, collect=collect))

    def still_works(self, limits: SandboxLimits) -> str:
        """ "" when a harmless action after an attack gives what it should and sees nothing of it."""
        if not self.warm:
            return ""
        result = self.sandbox.execute(_HARMLESS, SandboxLimits(hash_seed=limits.hash_seed, file_mb=limits.file_mb))
        return "" if result.value == [42, []] else _odd(result)

    def close_kept(self) -> None:
        """Ends what is kept."""
        self.sandbox.close()


class Sessions(Way):
    """The second action of a session; a third one shows whether the session still works or says that it ended."""

    def run(self, code: str, limits: SandboxLimits, files: Mapping[str, bytes], collect: bool) -> Worked:
        with self.sandbox.session(limits) as session:
            first = session.execute("left_by_the_first = 41")
            if first.state != "ok":
                return Worked(outcome="fault", said=f"first action: {_odd(first)}")
            started = time.monotonic()
            result = session.execute(code, files=files, collect=collect)
            worked = Worked(result=result, seconds=time.monotonic() - started)
            if not result.ended:
                third = session.execute("result = left_by_the_first + 1")
                if third.value != 42 and not third.ended:
                    worked.after = _odd(third)
        return worked


class Batches(Way):
    """The paths for programs and for tests, in turns."""

    coarse = True

    def __init__(self, backend: str, cache: Path) -> None:
        super().__init__(backend, cache, warm=True)
        self._turn = 0

    def run(self, code: str, limits: SandboxLimits, files: Mapping[str, bytes], collect: bool) -> Worked:
        self._turn += 1
        text = _WRAPPED.format(code=code)
        if self._turn % 2:
            found = self.sandbox.run_programs([Program(source=text, entry="attack")], [[]], limits)
        else:
            module = {"test_attack.py": text + "def test_attack():\n    attack()\n"}
            found = self.sandbox.run_tests([TestModule(files=module, test_file="test_attack.py")], limits)
        run = found.programs[0]
        outcome = run.outputs[0] if run.outputs else None
        error = run.error or (outcome.error if outcome else "nothing was run")
        result: Any = ActionResult(
            state="error" if error else "ok",
            limit="",
            value=outcome.value if outcome else None,
            has_value=outcome is not None and outcome.ok,
            error=error or found.fault,
            stdout=found.stdout,
            stderr=found.stderr,
            denied=(),
            files=(),
            wall_s=found.wall_s,
            ended=False,
        )
        return Worked(result=result, mute=self._turn % 2 == 0)


def _odd(result: ActionResult) -> str:
    return f"{result.state} {result.limit} {result.error or repr(result.value)}"[:200]


WAYS: Mapping[str, Callable[[str, Path], Any]] = MappingProxyType(
    {
        "cold": lambda backend, cache: Way(backend, cache, warm=False),
        "zygote": lambda backend, cache: Way(backend, cache, warm=True),
        "session": lambda backend, cache: Sessions(backend, cache, warm=True),
        "batch": Batches,
    }
)
