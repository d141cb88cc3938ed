"""Code that a policy runs to find something out: one sandbox session per episode, rebuilt by replay if it is lost."""

from __future__ import annotations

import ast
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from evolve.agent.questions import was_stopped
from evolve.core.episodes import Action, Json, Observation, Step, Subgoal, SubgoalCheck
from evolve.core.errors import Cancelled
from evolve.core.failpoints import hit_failpoint
from evolve.core.files import canonical_json, clean_text, digest
from evolve.runtime.sandbox.actions import NO_FILES, ActionResult, CodeSession
from evolve.runtime.sandbox.protocol import Sandbox, SandboxLimits

if TYPE_CHECKING:
    from evolve.runtime.functions import CallGate

LIMITS = SandboxLimits(wall_s=10.0, output_kb=128, result_kb=256)
"""Of each action. What it prints is kept whole, so this bounds what an episode has to remember."""

_TOGETHER_S = 30.0
"""Wall seconds of the code so far and of checks after which no further check is begun."""

_VALUE = 20_000
"""Characters of a value that an observation shows. All of it decides whether a replay gave the same again."""

# A session starts without its own folder, where the files are put, on the path of imports.
_FIND_FILES = "import sys\nsys.path.insert(0, '')\ndel sys"


@dataclass(kw_only=True)
class Exploration:
    """The session of one episode. It is opened by the first action that needs it.

    Attributes:
        files: What it starts with, such as skills to import.
        calls: Answers the calls of functions; None where there are none.
    """

    sandbox: Sandbox
    files: Mapping[str, bytes] = field(default_factory=lambda: NO_FILES)
    calls: CallGate | None = None
    _session: CodeSession | None = None
    _ran: int = 0

    def observe(self, action: Action, earlier: Sequence[Step]) -> Observation:
        """Runs an action after the earlier ones; those that this process did not run are run again before.

        Where one of them does not give again what it gave, the episode cannot go on as it was: a fault.
        """
        replayed = _since_last_end([step for step in earlier if step.action.explores and not was_stopped(step)])
        if self._session is None or self._ran != len(replayed):
            self.close()
            for step in replayed:
                outcome = _outcome(self._run(step.action.code, step.number))
                # Code whose outcome hangs on a clock or on chance left variables that cannot be had again.
                if step.observation is None or step.observation.outputs != (outcome,):
                    self.close()
                    return Observation(
                        ok=False, error=f"step {step.number} did not give again what it gave before", fault=True
                    )
        result = self._run(action.code, len(earlier) + 1)
        denied = str(result.denied[0]) if result.denied else f"{result.limit}:limit" if result.limit else ""
        # In the order in which it came.
        parts = [f"{name}:\n{text}" for name, text in (("printed", result.stdout), ("stderr", result.stderr)) if text]
        parts += [f"error: {result.error}"] if result.error else []
        if result.has_value:
            parts.append(f"value: {repr(result.value)[:_VALUE]}")
        if result.ended:
            parts.append("the session has ended, and its variables are gone")
        return Observation(
            ok=False,
            outputs=(_outcome(result),),
            error=result.error,
            denied=denied,
            fault=result.state == "fault",
            text=clean_text("\n".join(parts)) or "done; nothing was printed and there is no value",
        )

    def try_checks(self, subgoals: Sequence[Subgoal], steps: Sequence[Step]) -> tuple[SubgoalCheck, ...]:
        """What the checks of subgoals give after all code of the steps, in their order, as far as time allows.

        In a session of its own, in which that code runs again, answers too: a check that changes a variable or does not
        end would spoil the one that the episode goes on with, and there is no copy of a running interpreter.
        """
        started, gave = time.monotonic(), []
        with self._apart(_codes_of(steps), started + _TOGETHER_S) as session:
            if session is None:
                return ()
            for subgoal in subgoals:
                result = session.execute(_as_check(subgoal.check))
                if result.state == "fault":
                    break
                gave.append(_checked(subgoal, result))
                if result.ended or time.monotonic() - started > _TOGETHER_S:
                    break
        return tuple(gave)

    def repeat(self, codes: Sequence[tuple[int, str]]) -> Json:
        """The value of the last piece of code, each run as a step's; None where one ends the session."""
        *before, (_, last) = codes
        with self._apart(before, time.monotonic() + _TOGETHER_S) as session:
            return None if session is None else session.execute(last).value

    @contextmanager
    def _apart(self, codes: Iterable[tuple[int, str]], until: float) -> Iterator[CodeSession | None]:
        """A session of its own in which the code of steps ran again; None where that ended it, or took too long."""
        calls = self.calls.of_record() if self.calls is not None else None
        with self.sandbox.session(LIMITS, calls=calls) as session:
            ready = not self.files or session.execute(_FIND_FILES, files=self.files).state == "ok"
            for number, code in codes:
                if calls is not None:
                    calls.start(number)
                ready = ready and not session.execute(code).ended and time.monotonic() <= until
            if calls is not None:
                calls.start(0)
            yield session if ready else None

    def close(self) -> None:
        """Ends the session; closing twice is no error."""
        if self._session is not None:
            self._session.close()
        self._session, self._ran = None, 0

    def _run(self, code: str, number: int) -> ActionResult:
        """Runs the code of the step with that number."""
        hit_failpoint("sandbox.before")
        if self.calls is not None:
            self.calls.start(number)
        if self._session is None:
            self._session = self.sandbox.session(LIMITS, calls=self.calls)
            setup = self._session.execute(_FIND_FILES, files=self.files) if self.files else None
            if setup is not None and setup.state != "ok":
                self.close()
                return replace(setup, state="fault")  # it is not the action that failed
        try:
            result = self._session.execute(code)
        except Cancelled:
            self.close()  # it ended with the action; the next one has it rebuilt
            raise
        hit_failpoint("sandbox.after")
        self._ran += 1
        if result.ended:
            self.close()
        return result


def _codes_of(steps: Sequence[Step]) -> Iterator[tuple[int, str]]:
    """Number and code of the steps that the session holds, and of answers, which run elsewhere."""
    kept = [step for step in steps if step.action.kind == "code" and step.action.code and not was_stopped(step)]
    alive = {step.number for step in _since_last_end([step for step in kept if step.action.explores])}
    return ((step.number, step.action.code) for step in kept if step.number in alive or not step.action.explores)


def _as_check(source: str) -> str:
    """Source whose value, where it ends in an expression, says whether that is true."""
    try:
        body = ast.parse(source).body
        last = body[-1] if body else None
        if not isinstance(last, ast.Expr):
            return f"{source}\nTrue" if body else source
        return "\n".join([*map(ast.unparse, body[:-1]), f"bool({ast.unparse(last.value)})"])
    # What parsing raises on code that is nested too deep, besides its own error; the session tells of it.
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return source


def _checked(subgoal: Subgoal, result: ActionResult) -> SubgoalCheck:
    if result.state == "limit":
        return SubgoalCheck(id=subgoal.id, held=None, told=f"it reached its {result.limit} limit")
    held = result.state == "ok" and result.value is True
    return SubgoalCheck(id=subgoal.id, held=held, told="" if held else clean_text(result.error or "not true"))


def _since_last_end(steps: Sequence[Step]) -> list[Step]:
    """The steps of the session that still lives: those after the last that ended one."""
    alive: list[Step] = []
    for step in steps:
        outputs = step.observation.outputs if step.observation is not None else ()
        ended = bool(outputs) and bool(outputs[0].get("ended"))
        alive = [] if ended else [*alive, step]
    return alive


def _outcome(result: ActionResult) -> Mapping[str, object]:
    # Everything that came back, also what the observation shortens.
    parts = [result.state, result.error, result.has_value, result.value, result.stdout, result.stderr]
    return {"ended": result.ended, "outcome": digest(canonical_json(parts))}
