"""The environment of a task in a world: code makes moves, and the world says how far the task is done."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from evolve.core.episodes import Action, Claim, EnvironmentState, Exhibit, Judgement, Observation, Recalled, Step
from evolve.core.episodes.blocks import blocks_of
from evolve.core.errors import Cancelled
from evolve.core.files import clean_text, head_and_tail
from evolve.environments import BaseEnvironment, OncePerEpisode
from evolve.environments.base import EnvironmentOptions
from evolve.environments.branching import active_path, best_path, is_active, state_of
from evolve.environments.files.folder_session import module_finder_code
from evolve.runtime.sandbox.actions import ActionResult, CodeSession
from evolve.runtime.sandbox.protocol import SandboxLimits
from evolve_worlds import WorldFault
from evolve_worlds.environment.branches import moves_back, moves_made, moves_of, with_what_was_left
from evolve_worlds.environment.moving import Moving
from evolve_worlds.environment.replaying import claims_of_replays
from evolve_worlds.environment.work import WORLD_FAILED

LIMITS = SandboxLimits(wall_s=10.0, output_kb=128, result_kb=256)
"""Of each action, the time of its moves not counted."""

_SHOWN = 12_000
"""Characters of what an action gave that are shown."""

_ANEW = "the interpreter was started anew: variables are gone, the world is as it was"


class WorldEnvironment(BaseEnvironment):
    """One trial.

    The state is the trial's, which lives outside of the sandbox. The interpreter is a convenience: where it is lost,
    another one begins beside the same trial.

    Args:
        about: What the task says itself, where the world need not say it again.
    """

    name = "worlds"
    _session: CodeSession | None = None

    def __init__(self, setting: EnvironmentOptions, moving: Moving, about: str = "") -> None:
        super().__init__(setting.sandbox)
        self._setting, self._moving, self._about = setting, moving, about

    def initial_view(self) -> tuple[Exhibit, ...]:
        """The goal in the world's words, what can be seen, and what can be done."""
        try:
            trial = self._moving.trial
            parts = [] if trial.goal.strip() == self._about.strip() else [Exhibit(name="goal", text=trial.goal)]
            parts += [
                Exhibit(name="what can be seen", text=trial.scene.view or trial.scene.told),
                Exhibit(name="kinds of moves", text="\n".join(self._moving.listed())),
                Exhibit(name="moves left", text=str(self._moving.left)),
            ]
        except WorldFault as failure:
            return (Exhibit(name=WORLD_FAILED, text=str(failure)),)
        return tuple(Exhibit(name=part.name, text=self._setting.clean(clean_text(part.text))) for part in parts)

    def active_steps(self, steps: Sequence[Step]) -> tuple[Step, ...]:
        """The steps that led to the scene from which the next action starts, then what was tried beside and left."""
        return with_what_was_left(active_path(steps, self._setting.branches, self._setting.exploring), steps)

    def observe(self, action: Action, before: Sequence[Step]) -> Observation:
        """Runs the code; there is something to judge once the world is over or no move is left."""
        try:
            return self._observed(action, before)
        except WorldFault as failure:
            return Observation(ok=False, error=f"{WORLD_FAILED}: {failure}", fault=True)

    def _observed(self, action: Action, before: Sequence[Step]) -> Observation:
        if not action.code:
            told = "the action has no code" if action.kind == "code" else "the policy gave up"
            return Observation(ok=False, error=action.text or told)
        blocks = blocks_of(action.code)
        others = [block.kind for block in blocks if block.kind != "python"]
        if others:
            return Observation(ok=False, error=f"a block `{others[0]}` does nothing here: moves are made by Python")
        path = self._path(before)
        if self._goes_back and self._moving.stand(moves_of(path), len(before) + 1, self._room(before, path)):
            self.close()  # its variables are of another scene
        ran = any(step.action.code for step in before)
        result, anew = self._run("\n".join(block.text for block in blocks), fresh=not ran)
        if self._moving.fault or result.state == "fault":
            failed = f"{WORLD_FAILED}: {self._moving.fault}" if self._moving.fault else result.error
            return Observation(ok=False, error=failed, fault=True)
        output = _told(result, [_ANEW] if anew else [], self._standing())
        observed = Observation(
            ok=False,
            denied=str(result.denied[0]) if result.denied else "",
            limit=result.limit,
            text=self._standing(),
            state=self._state(path, self._setting.clean(clean_text(output))),
        )
        steps = [*before, Step(number=len(before) + 1, action=action, observation=observed)]
        if not self._ended(steps):
            return replace(observed, error=clean_text(result.error))
        best = best_path(steps) if self._goes_back else ()
        line = moves_of(best) if best and best[-1].number < len(steps) else self._moving.made
        return replace(observed, ok=True, outputs=tuple(line))  # what was tried after the end is told in the output

    def _ended(self, steps: Sequence[Step]) -> bool:
        """Whether the task is done, or no further move can be made: in this trial or, with going back, from where the
        next action would start."""
        if self._moving.scene.score >= 1.0 or not self._goes_back:
            return self._moving.scene.score >= 1.0 or not self._moving.left
        return self._room(steps, self._path(steps)) <= 0

    def _path(self, steps: Sequence[Step]) -> list[Step]:
        """The steps whose moves lead to where the next action starts."""
        focus = active_path(steps, self._setting.branches, self._setting.exploring)
        return [step for step in focus if is_active(step)]

    def _run(self, code: str, *, fresh: bool) -> tuple[ActionResult, bool]:
        """Runs code; also gives whether the variables of earlier code are gone."""
        anew = self._session is None and not fresh
        if self._session is None:
            self._session = self._setting.sandbox.session(LIMITS, calls=self._setting.calls)
            if self._setting.modules:
                self._session.execute(module_finder_code(self._setting.modules))
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
        restores, most = self._moving.restores, self._moving.most * self._setting.branches
        return most - moves_made(before, restores=restores) - moves_back(before, path, restores=restores)

    def claims(self, steps: Sequence[Step], recalled: Sequence[Recalled], once: OncePerEpisode) -> tuple[Claim, ...]:
        """What moves were good for, by making them again without some of them; nothing where the world failed."""
        if any(step.observation is not None and step.observation.fault for step in steps):
            return ()
        # What the calls on record made, since a trial of before is not there any more; of several lines the best
        made = moves_of(best_path(steps) if self._goes_back else steps)
        return claims_of_replays(self._moving, tuple(made), recalled, once)

    def judge(self, steps: Sequence[Step]) -> Judgement:
        """What the world says: it is outside of the code, and its score is nobody's opinion.

        Where it was gone back the best scene counts, and what all lines of play took is told.
        """
        best = state_of((best_path(steps) or steps)[-1]) if self._goes_back else state_of(steps[-1])
        score = best.score if best is not None else 0.0
        told = f"the world gives {score:.2f} of 1.00"
        if self._goes_back:
            made = moves_made(steps, restores=self._moving.restores)
            told += f" for the best of {len(steps)} steps, which took {made} moves, those to go back included"
        elif score < 1.0 and (seen := steps[-1].observation) is not None:
            told += f"; {seen.text.rpartition('; ')[2]}"  # why it ended
        return Judgement(accepted=score >= 1.0, verified=True, rows=1, text=told, final=True)

    def full_output(self, step: Step) -> str:
        state = step.observation.state if step.observation is not None else None
        return state.output if state is not None else ""

    def answer(self, step: Step) -> str:
        """The moves of the trial, one a line; of several lines of play the best."""
        return "\n".join(map(str, step.observation.outputs)) if step.observation is not None else ""


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
    return head_and_tail("\n".join(parts), _SHOWN) + f"\n{standing}"
