"""The environment of a task in a world: code makes moves, and the world says how far the task is done."""

from __future__ import annotations

import json
from collections.abc import Sequence

from evolve.environments.kind import Setting
from evolve.environments.probing import make_probe
from evolve.environments.tree import acts, best_path, focused, state_of
from evolve.environments.worlds.moving import Moving
from evolve.episodes import Action, EnvironmentState, Json, Judgement, Observation, Seen, Step
from evolve.episodes.blocks import blocks_of
from evolve.errors import Cancelled
from evolve.files import both_ends, clean_text
from evolve.memory.experiments import Play, Told
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

    Args:
        about: What the task says itself, where the world need not say it again.
    """

    name = "worlds"

    def __init__(self, setting: Setting, moving: Moving, about: str = "") -> None:
        self._setting, self._moving, self._about = setting, moving, about
        self._session: CodeSession | None = None

    def reset(self) -> Observation:
        """Nothing that a list of files could tell."""
        return Observation(ok=False)

    def look(self) -> tuple[Seen, ...]:
        """The goal in the world's words, what can be seen, and what can be done."""
        try:
            trial = self._moving.trial
            parts = [] if trial.goal.strip() == self._about.strip() else [Seen(name="goal", text=trial.goal)]
            parts += [
                Seen(name="what can be seen", text=trial.scene.view or trial.scene.told),
                Seen(name="kinds of moves", text="\n".join(self._moving.listed())),
                Seen(name="moves left", text=str(self._moving.left)),
            ]
        except WorldFault as failure:
            return (Seen(name="the world failed", text=str(failure)),)
        return tuple(Seen(name=part.name, text=self._setting.clean(clean_text(part.text))) for part in parts)

    def focus(self, steps: Sequence[Step]) -> tuple[Step, ...]:
        """The steps that led to the scene from which the next action starts, then what was tried beside."""
        return focused(steps, self._setting.branches, self._setting.exploring)

    def observe(self, action: Action, before: Sequence[Step]) -> Observation:
        """Runs the code; there is something to judge once the world is over or no move is left."""
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
        path = [step for step in self.focus(before) if acts(step)]
        if self._goes_back and self._moving.stand(_moves(path), len(before) + 1, self._room(before, path)):
            self.close()  # its variables are of another scene
        result, anew = self._run("\n".join(block.text for block in blocks), fresh=not path)
        if self._moving.fault or result.state == "fault":
            return Observation(ok=False, error=self._moving.fault or result.error, fault=True)
        spent = self._room(before, path) <= 0 if self._goes_back else not self._moving.left
        ended = spent or self._moving.scene.score >= 1.0
        output = _told(result, [_ANEW] if anew else [], self._standing())
        return Observation(
            ok=ended,
            error="" if ended else clean_text(result.error),  # what was tried after the end is told in the output
            denied=str(result.denied[0]) if result.denied else "",
            limit=result.limit,
            text=self._standing(),
            state=self._state(path, self._setting.clean(clean_text(output))),
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
        scene, left = self._moving.scene, self._moving.left
        ends = "; the trial is lost" if scene.lost else "; the trial is over" if scene.over else f"; {left} moves left"
        return f"score {scene.score:.2f} of 1.00{ends}"

    def _state(self, path: Sequence[Step], output: str) -> EnvironmentState:
        return EnvironmentState(
            snapshot=str(len(self._moving.made)),
            parent=path[-1].number if path else 0,
            score=self._moving.scene.score,
            output=output,
            over=self._goes_back and not self._moving.left,
        )

    @property
    def _goes_back(self) -> bool:
        return self._setting.branches > 1

    def _room(self, before: Sequence[Step], path: Sequence[Step]) -> int:
        """Moves that may still be made once the trial stands where the next action starts: on all lines together
        ``branches`` times as many as on one, those included that are made again to come back to a scene."""
        reached, used, at = {0: 0}, 0, 0
        for step in before:
            state = state_of(step)
            if state is not None and step.action.code:
                reached[step.number] = int(state.snapshot)
                used += reached[step.number] - (reached[state.parent] if state.parent == at else 0)
                at = step.number
        here = path[-1].number if path else 0
        return self._moving.most * self._setting.branches - used - (reached[here] if here != at else 0)

    def made(self, steps: Sequence[Step]) -> tuple[str, ...]:
        """What the calls on record made, since a trial of before is not there any more; of several lines the best."""
        if any(step.observation is not None and step.observation.fault for step in steps):
            return ()
        return tuple(_moves(best_path(steps) if self._goes_back else steps))

    def retold(self, moves: Sequence[str]) -> Told | None:
        """Looks before each move at what is offered, to know kinds of moves and things."""
        return self._moving.retold(moves)

    def replay(self, moves: Sequence[str]) -> Play:
        """In a trial of its own."""
        return self._moving.replay(moves)

    def judge(self, steps: Sequence[Step]) -> Judgement:
        """What the world says: it is outside of the code, and its score is nobody's opinion."""
        seen = steps[-1].observation
        score = seen.state.score if seen is not None and seen.state is not None else 0.0
        told = f"the world gives {score:.2f} of 1.00"
        return Judgement(accepted=score >= 1.0, verified=True, rows=1, text=told, final=True)

    def probe(self, programs: Sequence[tuple[str, str]], inputs: Sequence[Sequence[Json]]) -> list[list[Json] | None]:
        return make_probe(self._setting.sandbox)(programs, inputs)

    def whole(self, step: Step) -> str:
        state = step.observation.state if step.observation is not None else None
        return state.output if state is not None else ""

    def answer(self, step: Step) -> str:
        """All moves of the trial, one a line."""
        return "\n".join(self._moving.made)

    def close(self) -> None:
        """Ends the interpreter; the trial belongs to whoever made it."""
        if self._session is not None:
            self._session.close()
        self._session = None


def _moves(steps: Sequence[Step]) -> list[str]:
    """The moves that the code of steps made."""
    seen = [step.observation for step in steps if step.observation is not None]
    calls = [call for one in seen for call in one.calls if call.function == "act" and call.state == "answered"]
    return [str(json.loads(call.arguments)["move"]) for call in calls]


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
