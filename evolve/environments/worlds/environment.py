"""The environment of a task in a world: code makes moves, and the world says how far the task is done."""

from __future__ import annotations

from collections.abc import Sequence

from evolve.environments.kind import Setting
from evolve.environments.probing import make_probe
from evolve.environments.worlds.moving import Moving
from evolve.environments.worlds.work import WorldWork
from evolve.episodes import Action, EnvironmentState, Json, Judgement, Observation, Seen, Step
from evolve.episodes.blocks import blocks_of
from evolve.errors import Cancelled
from evolve.files import both_ends, clean_text
from evolve.sandbox.actions import ActionResult, CodeSession
from evolve.sandbox.protocol import SandboxLimits
from evolve.worlds import WorldFault

LIMITS = SandboxLimits(wall_s=10.0, output_kb=128, result_kb=256)
"""Of each action, the time of its moves not counted."""

_SHOWN = 12_000
"""Characters of what an action gave that are shown."""

_ANEW = "the interpreter was started anew: variables are gone, the world is as it was"


class WorldEnvironment:
    """One trial; implements :class:`~evolve.environments.protocol.Environment`.

    The state is the trial's, which lives outside of the sandbox. The interpreter is a convenience: where it is lost,
    another one begins beside the same trial.
    """

    name = "worlds"

    def __init__(self, work: WorldWork, setting: Setting, moving: Moving) -> None:
        self._work, self._setting, self._moving = work, setting, moving
        self._session: CodeSession | None = None

    def reset(self) -> Observation:
        """Nothing that a list of files could tell."""
        return Observation(ok=False)

    def look(self) -> tuple[Seen, ...]:
        """The goal in the world's words, what can be seen, and what can be done."""
        try:
            trial = self._moving.trial
            parts = [
                Seen(name="goal", text=trial.goal),
                Seen(name="what can be seen", text=trial.scene.view or trial.scene.told),
                Seen(name="moves", text="\n".join(self._moving.listed())),
            ]
        except WorldFault as failure:
            return (Seen(name="the world failed", text=str(failure)),)
        return tuple(Seen(name=part.name, text=self._setting.clean(clean_text(part.text))) for part in parts)

    def focus(self, steps: Sequence[Step]) -> tuple[Step, ...]:
        return tuple(steps)

    def observe(self, action: Action, before: Sequence[Step]) -> Observation:
        """Runs the code; there is something to judge once the world says that it is over."""
        try:
            return self._observed(action, before)
        except WorldFault as failure:
            return Observation(ok=False, error=f"the world failed: {failure}", fault=True)

    def _observed(self, action: Action, before: Sequence[Step]) -> Observation:
        if action.kind in ("finish", "give_up", "answer") and not action.code:
            return Observation(ok=False, error=action.text or "the policy gave up")
        if not action.code:
            return Observation(ok=False, error=action.text or "the action has no code")
        blocks = blocks_of(action.code)
        others = [block.kind for block in blocks if block.kind != "python"]
        if others:
            return Observation(ok=False, error=f"a block `{others[0]}` does nothing here: moves are made by Python")
        result, anew = self._run("\n".join(block.text for block in blocks), fresh=not before)
        if self._moving.fault or result.state == "fault":
            return Observation(ok=False, error=self._moving.fault or result.error, fault=True)
        scene = self._moving.scene
        output = _told(result, [_ANEW] if anew else [], self._standing())
        return Observation(
            ok=scene.over or scene.score >= 1.0,
            error=clean_text(result.error),
            denied=str(result.denied[0]) if result.denied else "",
            limit=result.limit,
            text=self._standing(),
            state=self._state(before, self._setting.clean(clean_text(output))),
        )

    def _run(self, code: str, *, fresh: bool) -> tuple[ActionResult, bool]:
        """Runs code; also gives whether the variables of earlier code are gone."""
        anew = self._session is None and not fresh
        if self._session is None:
            self._session = self._setting.sandbox.session(LIMITS, calls=self._setting.calls)
        try:
            result = self._session.execute(code)
        except Cancelled:
            self.close()
            raise
        if result.ended:
            self.close()
        return result, anew

    def _standing(self) -> str:
        scene, left = self._moving.scene, self._work.moves - self._moving.made
        ends = "; the trial is lost" if scene.lost else "; the trial is over" if scene.over else f"; {left} moves left"
        return f"score {scene.score:.2f} of 1.00{ends}"

    def _state(self, before: Sequence[Step], output: str) -> EnvironmentState:
        return EnvironmentState(
            snapshot=str(self._moving.made),
            parent=before[-1].number if before else 0,
            score=self._moving.scene.score,
            output=output,
        )

    def judge(self, steps: Sequence[Step]) -> Judgement:
        """What the world says: it is outside of the code, and its score is nobody's opinion."""
        seen = steps[-1].observation
        score = seen.state.score if seen is not None and seen.state is not None else 0.0
        return Judgement(accepted=score >= 1.0, verified=True, rows=1, text=f"the world gives {score:.2f} of 1.00")

    def probe(self, programs: Sequence[tuple[str, str]], inputs: Sequence[Sequence[Json]]) -> list[list[Json] | None]:
        return make_probe(self._setting.sandbox)(programs, inputs)

    def whole(self, step: Step) -> str:
        state = step.observation.state if step.observation is not None else None
        return state.output if state is not None else ""

    def answer(self, step: Step) -> str:
        """The code of the last action; what was done is among the calls on record."""
        return step.action.code

    def close(self) -> None:
        """Ends the interpreter; the trial belongs to whoever made it."""
        if self._session is not None:
            self._session.close()
        self._session = None


def _told(result: ActionResult, notes: Sequence[str], standing: str) -> str:
    parts = [
        *notes,
        *(f"{name}:\n{text}" for name, text in (("printed", result.stdout), ("stderr", result.stderr)) if text),
    ]
    if result.has_value and result.value is not None:
        parts.append(f"value: {result.value!r}")
    if result.error:
        parts.append(f"error: {result.error}")
    if result.limit:
        parts.append(f"it reached its {result.limit} limit")
    return both_ends("\n".join(parts), _SHOWN) + f"\n{standing}"
