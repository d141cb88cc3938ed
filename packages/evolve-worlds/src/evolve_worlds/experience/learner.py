"""What is carried from trial to trial, between variations and between tasks, and how a trial adds to it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from random import Random
from typing import Any

from evolve.core.episodes import Claim
from evolve_worlds import Move, Trial, World
from evolve_worlds.experience.ablation import ablated
from evolve_worlds.experience.meaning import Meaning
from evolve_worlds.experience.notes import Plan, Step, VariationNotes
from evolve_worlds.experience.player import Player
from evolve_worlds.experience.transitions import TransitionMemory
from evolve_worlds.experience.wording import likeness
from evolve_worlds.experiments import SAME, THEN, Found, Play, Told, claim_on_plan, move_claims

PLANS = 3
"""Plans of other variations that one trial follows at most."""


@dataclass(kw_only=True)
class Experience:
    """What holds beyond one variation: the transition memory, and plans that worked."""

    memory: TransitionMemory = field(default_factory=TransitionMemory)
    plans: list[Plan] = field(default_factory=list)

    def plans_for(self, goal: str) -> list[Plan]:
        """The plans of the goals that are most alike, and that reached most."""
        return sorted(self.plans, key=lambda one: (-one.score * likeness(one.goal, goal), len(one.steps)))[:PLANS]

    @classmethod
    def together(cls, known: Iterable[Experience]) -> Experience:
        """What several taught."""
        made = cls()
        for one in known:
            made.memory.add_all(one.memory)
            made.plans += one.plans
        return made

    def as_data(self) -> dict[str, Any]:
        """As JSON has it."""
        return {"memory": self.memory.as_data(), "plans": [_plan_data(one) for one in self.plans]}

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Experience:
        """From what :meth:`as_data` gave."""
        return cls(memory=TransitionMemory.from_data(data["memory"]), plans=[_plan(one) for one in data["plans"]])


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What a trial may take.

    Attributes:
        moves: Moves of one trial.
        replays: Replays that look for what a new best score needs; their moves count as the trial's.
    """

    moves: int = 100
    replays: int = 14


@dataclass(frozen=True, kw_only=True)
class TrialResult:
    """What came of one trial.

    Attributes:
        number: Which trial of the variation, from 0.
        score: The best score that it came to.
        steps: Steps of the world in the trial and in the replays after it, of which a move may take many.
        played: The moves of the trial itself.
        goal: What was to be reached, in the world's words.
        claims: What the trial and its replays showed of this variation.
        kept: It was played before, and read again.
        guessed, right: Predictions of the transition memory of whether a move will change something, and those that
            came true.
    """

    task: str
    variation: int
    number: int
    score: float
    steps: int
    lost: bool
    played: tuple[str, ...]
    goal: str = ""
    claims: tuple[Claim, ...] = ()
    guessed: int = 0
    right: int = 0
    kept: bool = field(default=False, compare=False)


@dataclass(kw_only=True)
class Learner:
    """Plays trials of a world, one variation after the other, and keeps what they teach.

    Attributes:
        experience: Used and added to.
        seed: Of the choice between moves that are alike.
        meaning: Which things are like what a goal is about; without it words alone tell.
    """

    world: World
    experience: Experience = field(default_factory=Experience)
    limits: Limits = field(default_factory=Limits)
    seed: int = 0
    meaning: Meaning | None = None

    def play(self, task: str, variation: int, notes: VariationNotes) -> TrialResult:
        """Plays one trial, and replays after it where it reached more than before.

        Raises:
            WorldFault: The world failed; nothing follows from the trial.
        """
        trial = _Counted(self.world.start(task, variation))
        number, memory = notes.trials, self.experience.memory
        guessed, right = memory.guessed, memory.right
        player = Player(
            trial=trial,
            memory=memory,
            notes=notes,
            rng=Random(f"{self.seed}:{task}:{variation}:{number}"),
            limit=self.limits.moves,
            plans=self.experience.plans_for(trial.goal),
            meaning=self.meaning,
        )
        known, promised = notes.best, notes.score
        player.play()
        told = _told(f"{self.world.name}/{task}/{variation}", player, trial)
        notes.trials += 1
        steps, found = trial.steps, Found()
        if player.score > notes.score or (number == 0 and player.best):
            found, more = self._improved(task, variation, notes, player)
            steps += more
        return TrialResult(
            task=task,
            variation=variation,
            number=number,
            score=player.score,
            steps=steps,
            lost=trial.scene.lost,
            played=tuple(one.move.text for one in player.played),
            goal=trial.goal,
            claims=(*move_claims(told, found), *_broken(told, known, promised)),
            guessed=memory.guessed - guessed,
            right=memory.right - right,
        )

    def _improved(self, task: str, variation: int, notes: VariationNotes, player: Player) -> tuple[Found, int]:
        counts: list[_Counted] = []

        def begin() -> Trial:
            counts.append(_Counted(self.world.start(task, variation)))
            return counts[-1]

        notes.score = player.score
        found = ablated(begin, player.best, _play(player.best, player.start), replays=self.limits.replays)
        notes.best = tuple(player.best[place] for place in found.least) or player.best
        self.experience.plans = [one for one in self.experience.plans if (one.task, one.variation) != (task, variation)]
        self.experience.plans.append(
            Plan(task=task, variation=variation, goal=player.goal.text, steps=notes.best, score=notes.score)
        )
        return found, sum(one.steps for one in counts)


def _told(place: str, player: Player, trial: _Counted) -> Told:
    """The trial as claims on it need it."""
    moves = tuple(one.move for one in player.played)
    return Told(
        place=place,
        goal=player.goal.text,
        moves=moves,
        made=tuple(one.text for one in moves),
        play=_play(player.played, player.start, lost=trial.scene.lost),
        named=tuple(sorted(one for one in player.notes.places.found if player.goal.names(one))),
        risky=tuple(sorted({one.schema for one in moves if player.memory.risky(one.schema)})),
    )


def _broken(told: Told, plan: Sequence[Step], promised: float) -> Iterator[Claim]:
    """A claim against a plan that a trial began with, and that came to less than before."""
    made = tuple(one.move.text for one in plan)
    came = Play(scores=told.play.scores[: len(made)], start=told.play.start)
    if made and told.made[: len(made)] == made[: len(told.made)] and came.best < promised - SAME:
        yield claim_on_plan(told, THEN.join(made), promised, came)


def _play(steps: Sequence[Step], start: float, *, lost: bool = False) -> Play:
    return Play(scores=tuple(round(step.score, 4) for step in steps), start=round(start, 4), lost=lost)


@dataclass
class _Counted:
    """A trial whose steps are counted, as the world tells them."""

    trial: Trial
    steps: int = 0

    @property
    def goal(self) -> str:
        return self.trial.goal

    @property
    def scene(self) -> Any:
        return self.trial.scene

    def moves(self) -> Sequence[Move]:
        return self.trial.moves()

    def do(self, move: str) -> Any:
        scene = self.trial.do(move)
        self.steps += scene.steps
        return scene


def _plan_data(plan: Plan) -> dict[str, Any]:
    steps = [[one.move.schema, list(one.move.objects), one.gain] for one in plan.steps]
    return {"task": plan.task, "variation": plan.variation, "goal": plan.goal, "score": plan.score, "steps": steps}


def _plan(data: Mapping[str, Any]) -> Plan:
    steps = tuple(
        Step(move=Move(schema=schema, objects=tuple(objects)), gain=gain) for schema, objects, gain in data["steps"]
    )
    return Plan(task=data["task"], variation=data["variation"], goal=data["goal"], steps=steps, score=data["score"])


def copied(experience: Experience) -> Experience:
    """The same once more, so that what one variation adds does not reach another."""
    return deepcopy(experience)
