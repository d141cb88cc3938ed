"""A sandbox without walls, for code that a test wrote itself."""

from __future__ import annotations

import copy
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from operator import is_
from typing import Any

from evolve.core.episodes import Json
from evolve.runtime.sandbox.actions import NO_FILES, ActionResult, FunctionCalls
from evolve.runtime.sandbox.protocol import Outcome, Program, ProgramRun, SandboxLimits, SandboxResult, TestModule


class TrustingSandbox:
    """Runs programs inside this process, with no protection at all and no limits.

    Only for sources written in the test itself; it saves starting a process per run.

    Args:
        fault: When not "", every execution fails with this fault.
    """

    backend = "trusting"

    def __init__(self, fault: str = "") -> None:
        self.fault = fault
        self.executions = 0

    def run_programs(
        self,
        programs: Sequence[Program],
        inputs: Sequence[Sequence[Json]],
        limits: SandboxLimits | None = None,
        *,
        per_program: Sequence[Sequence[Sequence[Json]]] | None = None,
    ) -> SandboxResult:
        """Runs every program on every input."""
        self.executions += 1
        if self.fault:
            return SandboxResult(programs=(), fault=self.fault)
        rows = per_program if per_program is not None else [inputs] * len(programs)
        return SandboxResult(
            programs=tuple(_run(program, own_inputs) for program, own_inputs in zip(programs, rows, strict=True))
        )

    def run_tests(self, modules: Sequence[TestModule], limits: SandboxLimits | None = None) -> SandboxResult:
        """Runs the test functions of every module; files cannot import each other here."""
        self.executions += 1
        return SandboxResult(programs=tuple(_test(module) for module in modules), fault=self.fault)

    def execute(
        self,
        code: str,
        limits: SandboxLimits | None = None,
        *,
        files: Mapping[str, bytes] = NO_FILES,
        collect: bool = False,
    ) -> ActionResult:
        """Runs one action with fresh variables; files are neither given nor taken."""
        return self.session(limits).execute(code)

    def session(self, limits: SandboxLimits | None = None, *, calls: FunctionCalls | None = None) -> TrustingSession:
        """Variables that several actions share; there are no functions here."""
        return TrustingSession(self)

    def close(self) -> None:
        """Does nothing."""


class TrustingSession:
    """A session of :class:`TrustingSandbox`: ``result`` is the value of an action, and nothing is captured."""

    def __init__(self, sandbox: TrustingSandbox) -> None:
        self._sandbox = sandbox
        self._names: dict[str, Any] = {}

    def execute(self, code: str, *, files: Mapping[str, bytes] = NO_FILES, collect: bool = False) -> ActionResult:
        """Runs one action; the value of a single expression, else of ``result``."""
        self._sandbox.executions += 1
        if self._sandbox.fault:
            return ActionResult(state="fault", error=self._sandbox.fault)
        self._names.pop("result", None)
        try:
            try:
                self._names["result"] = eval(compile(code, "<action>", "eval"), self._names)
            except SyntaxError:
                exec(compile(code, "<action>", "exec"), self._names)
            has = "result" in self._names
            value = json.loads(json.dumps(self._names.get("result"), allow_nan=False))
        except Exception as error:
            return ActionResult(state="error", error=f"{type(error).__name__}: {error}", ended=False)
        return ActionResult(state="ok", value=value, has_value=has, ended=False)

    def close(self) -> None:
        """Does nothing."""

    def __enter__(self) -> TrustingSession:
        return self

    def __exit__(self, *failure: object) -> None:
        self.close()


@cache
def _ear() -> Any:
    """The type of the one audit hook of this process: whatever it has as ``__call__`` hears, without a frame between.

    Python takes no hook away again. With one for each skill that was ever admitted, every ``id`` and ``compile`` of a
    long process would call them all.
    """
    ear: Any = type("Ear", (), {"__call__": staticmethod(is_)})
    sys.addaudithook(ear())
    return ear


@contextmanager
def _hearing_ends() -> Iterator[None]:
    """The audit hook that a program adds inside, of which there is one at most, hears until the end of the block."""

    ear, add = _ear(), sys.addaudithook

    def hear(hook: Any) -> None:
        ear.__call__ = staticmethod(hook)

    sys.addaudithook = hear
    try:
        yield
    finally:
        sys.addaudithook = add
        ear.__call__ = staticmethod(is_)


def _load(source: str) -> tuple[dict[str, Any], str]:
    namespace: dict[str, Any] = {}
    try:
        exec(compile(source, "<program>", "exec"), namespace)
    except Exception as error:
        return {}, f"{type(error).__name__}: {error}"
    return namespace, ""


def _run(program: Program, inputs: Sequence[Sequence[Json]]) -> ProgramRun:
    with _hearing_ends():
        return _ran(program, inputs)


def _ran(program: Program, inputs: Sequence[Sequence[Json]]) -> ProgramRun:
    namespace, error = _load(program.source)
    if not error and program.entry not in namespace:
        error = f"NameError: {program.entry} is not defined"
    if error:
        return ProgramRun(error=error, outputs=tuple(Outcome(error=error) for _ in inputs))
    return ProgramRun(outputs=tuple(_call(namespace[program.entry], row) for row in inputs))


def _call(function: Any, row: Sequence[Json]) -> Outcome:
    try:
        # On a copy, as a program may change its input; through JSON, as out of a process of its own.
        return Outcome(value=json.loads(json.dumps(function(*copy.deepcopy(list(row))), allow_nan=False)))
    except Exception as error:
        return Outcome(error=f"{type(error).__name__}: {error}")


def _test(module: TestModule) -> ProgramRun:
    source = "\n".join(text for name, text in module.files.items() if name != module.test_file)
    # All files run as one text, so what they import from each other is defined already.
    tests = module.files[module.test_file].replace("from skill import", "#").replace("from solution import", "#")
    namespace, error = _load(source + "\n" + tests)
    names = [name for name in namespace if name.startswith("test_")]
    outputs = []
    for name in names:
        outcome = _call(namespace[name], [])
        outputs.append(Outcome(name=name, error=outcome.error))
    return ProgramRun(error=error, outputs=tuple(outputs))
