"""What reflection tries: programs on inputs, and whole answers, of which one that is right can be handed in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from evolve.agent.answer_stages import with_note
from evolve.agent.context import EpisodeContext
from evolve.agent.outcome import is_accepted, is_fault
from evolve.agent.questions import was_stopped
from evolve.core.episodes import Action, Cost, Json, Judgement, Step
from evolve.core.episodes.codec import to_json
from evolve.core.files import clean_text, digest
from evolve.environments import AttemptResult
from evolve.environments.probing import truncate_value


@dataclass(frozen=True, kw_only=True)
class _Probed:
    values: tuple[Json, ...]


@dataclass(frozen=True, kw_only=True)
class _Tried:
    """A step that was only tried, and whether the verifier was asked for its bit."""

    step: Step
    asked: bool = False


class EpisodeTrials:
    """Implements :class:`~evolve.environments.probing.Trials` for one episode, over and done but for its reflection.

    Every run is kept in the episode's file, so that a stage that is run again does not repeat it. What is asked of the
    verifier counts as a submission. A bit that is known already is not asked for again: an answer that does the same as
    one that was judged, or leaves the same files, has its verdict.

    Args:
        steps: The episode's steps, all of them.
        number: Under which runs are kept.
    """

    def __init__(self, context: EpisodeContext, steps: Sequence[Step], number: int) -> None:
        self._context, self._steps, self._number = context, steps, number
        judged = ((step, step.judgement) for step in steps)
        self._verdicts = {_what(step): verdict for step, verdict in judged if verdict is not None and not verdict.fault}
        self._left = context.remaining(steps).submissions
        self._right: Step | None = None

    def __call__(
        self, programs: Sequence[tuple[str, str]], inputs: Sequence[Sequence[Json]]
    ) -> list[list[Json] | None]:
        """Runs programs; see :data:`~evolve.environments.probing.Probe`."""
        key = (self._number, "reflect", f"probe {digest(to_json([programs, inputs]))[:16]}")
        work = partial(self._context.environment.probe, programs, inputs)
        return list(self._context.outputs.compute_once(key, _Probed, lambda: _Probed(values=tuple(work()))).values)

    def attempt(self, action: Action, before: Sequence[Step]) -> AttemptResult | None:
        """Tries an action after the given steps."""
        code, text = clean_text(action.code), clean_text(action.text)
        # It belongs to no plan, and what asking for it cost is booked on reflection.
        action = replace(action, code=code, text=text, plan=None, subgoal="", cost=Cost())
        key = (self._number, "reflect", f"attempt {digest(to_json([code, len(before)]))[:16]}")
        tried = self._context.outputs.compute_once(key, _Tried, lambda: self._tried(action, before))
        step, judged = tried.step, tried.step.judgement
        # An answer that is tried twice is kept once, and so is what was asked for it.
        if judged is not None and not judged.fault and _what(step) not in self._verdicts:
            self._verdicts[_what(step)] = judged
            self._left -= tried.asked
        if self._right is None and judged is not None and judged.accepted and not judged.judged:
            self._right = step
        observed = step.observation
        if observed is None or observed.fault or observed.denied or any(map(truncate_value, observed.outputs)):
            return None
        if observed.state is not None and not observed.state.changed:
            return None
        return AttemptResult(fits=observed.ok, right=_verdict(step.judgement) if observed.ok else False)

    def _tried(self, action: Action, before: Sequence[Step]) -> _Tried:
        environment = self._context.environment
        # Rows that the episode's refusals showed verify nothing, so an answer has to be right on them to be judged.
        observed = environment.observe(action, before if self._context.kind.has_states else self._steps)
        step = Step(number=len(before) + 1, action=action, observation=observed)
        if not observed.ok:
            return _Tried(step=step)
        known = self._verdicts.get(_what(step)) or self._verdict_of_one_alike(step)
        if known is not None or self._left < 1:
            return _Tried(step=replace(step, judgement=known))
        # Whoever stated what is tried has seen the rows that the episode's refusals showed.
        return _Tried(step=replace(step, judgement=environment.judge([*self._steps, step])), asked=True)

    def _verdict_of_one_alike(self, step: Step) -> Judgement | None:
        if step.observation is None or step.observation.state is not None:
            return None
        other = self._context.environment.equivalent_answer(step.action.code, list(self._verdicts))
        return None if other is None else self._verdicts[other]

    def handed_in(self) -> Step | None:
        """The step with a right answer that a trial found, where the episode itself gave none; else None."""
        last = self._steps[-1]
        if self._right is None or is_fault(last) or was_stopped(last) or any(map(is_accepted, self._steps)):
            return None
        text = "no answer of the episode was right; this one was found by a trial of what was learned from them"
        action = with_note(self._right.action, "reflect", text)
        return replace(self._right, number=len(self._steps) + 1, action=action)


def _what(step: Step) -> str:
    """What is judged of a step: the code, or the files that it left."""
    state = step.observation.state if step.observation is not None else None
    return step.action.code if state is None else f"snapshot {state.snapshot}"


def _verdict(judged: Judgement | None) -> bool | None:
    """What a judgement says of an answer; a model's opinion says nothing."""
    return None if judged is None or judged.fault or judged.judged else judged.accepted
