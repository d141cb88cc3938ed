"""Code that a policy runs to find something out: one sandbox session per episode, rebuilt by replay if it is lost."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from evolve.agent.questions import was_stopped
from evolve.episodes import Action, Observation, Step
from evolve.errors import Cancelled
from evolve.failpoints import hit
from evolve.files import canonical_json, clean_text, digest
from evolve.sandbox.actions import NO_FILES, ActionResult, CodeSession
from evolve.sandbox.protocol import Sandbox, SandboxLimits

LIMITS = SandboxLimits(wall_s=10.0, output_kb=128, result_kb=256)
"""Of each action. What it prints is kept whole, so this bounds what an episode has to remember."""

_VALUE = 20_000
"""Characters of a value that an observation shows. All of it decides whether a replay gave the same again."""

# A session starts without its own folder, where the files are put, on the path of imports.
_FIND_FILES = "import sys\nsys.path.insert(0, '')\ndel sys"


@dataclass(kw_only=True)
class Exploration:
    """The session of one episode. It is opened by the first action that needs it.

    Attributes:
        files: What it starts with, such as skills to import.
    """

    sandbox: Sandbox
    files: Mapping[str, bytes] = field(default_factory=lambda: NO_FILES)
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
                outcome = _outcome(self._run(step.action.code))
                # Code whose outcome hangs on a clock or on chance left variables that cannot be had again.
                if step.observation is None or step.observation.outputs != (outcome,):
                    self.close()
                    return Observation(
                        ok=False, error=f"step {step.number} did not give again what it gave before", fault=True
                    )
        return _observation(self._run(action.code))

    def close(self) -> None:
        """Ends the session; closing twice is no error."""
        if self._session is not None:
            self._session.close()
        self._session, self._ran = None, 0

    def _run(self, code: str) -> ActionResult:
        hit("sandbox.before")
        if self._session is None:
            self._session = self.sandbox.session(LIMITS)
            setup = self._session.execute(_FIND_FILES, files=self.files) if self.files else None
            if setup is not None and setup.state != "ok":
                self.close()
                return replace(setup, state="fault")  # it is not the action that failed
        try:
            result = self._session.execute(code)
        except Cancelled:
            self.close()  # it ended with the action; the next one has it rebuilt
            raise
        hit("sandbox.after")
        self._ran += 1
        if result.ended:
            self.close()
        return result


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


def _observation(result: ActionResult) -> Observation:
    denied = str(result.denied[0]) if result.denied else f"{result.limit}:limit" if result.limit else ""
    parts = [f"error: {result.error}"] if result.error else []
    if result.has_value:
        parts.append(f"value: {json.dumps(result.value, ensure_ascii=False)[:_VALUE]}")
    parts += [f"{name}:\n{text}" for name, text in (("printed", result.stdout), ("stderr", result.stderr)) if text]
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
