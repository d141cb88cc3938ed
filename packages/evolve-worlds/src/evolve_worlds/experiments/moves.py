"""What was found of the moves of a trial, as claims: what a score needs, what it does without, what loses the trial."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from evolve.core.episodes import MOVE, Claim, Evidence, Relation, Scope
from evolve_worlds import Move, Scene, Trial, choices, is_tellable
from evolve_worlds.experiments.ablation import SAME, Found, Play
from evolve_worlds.experiments.naming import Naming, read_move, said

REACHES = "reaches:"
"""How an effect begins that moves reach."""

WORLDS = "worlds"
"""Environment of all that is claimed of moves; the family names the world and its task."""

GOING_ON = "going on"
"""The effect that a move prevents which loses the trial."""

THEN = "; then "
"""What stands between the moves of a plan."""

_MOST_SPARE = 16
"""Moves of one trial that are said not to matter at most."""

_GOAL, _WAY = ", for this goal: ", "; found on this way: "
"""What stands behind what came of a plan."""
_LONGEST_WAY, _LONGEST_TEXT = 60, 3_000
"""Moves of a trial that are told whole, those that were made several times running counted once, and its characters."""
_LONGEST_GOAL = 600
"""Characters of a goal that is told elsewhere."""
_MARKS = ("[", "]", "; ", "(score")
"""What has a meaning in a way, so that a world whose moves have it gets none."""


@dataclass(frozen=True, kw_only=True)
class Told:
    """A trial as claims on it need it.

    Attributes:
        place: The world, its task and the variation, such as ``scienceworld/boil/3``; what independence is counted by.
        goal: What was to be reached, in the world's words.
        moves: What was made, as kinds with things; without a schema where the world did not offer anything like it.
        made: The same as it was typed.
        meant: The same, with what it answered where the world had asked which of several was meant.
        named: Things that were offered and that the goal names.
        risky: Kinds of moves that are known to have lost trials.
        play: What came of it.
    """

    place: str
    goal: str
    moves: tuple[Move, ...]
    play: Play
    named: tuple[str, ...] = ()
    made: tuple[str, ...] = ()
    meant: tuple[str, ...] = ()
    risky: tuple[str, ...] = ()

    @property
    def upto_best(self) -> tuple[Move, ...]:
        """The moves up to the best score."""
        return self.moves[: max(self.play.rises.values(), default=0)]


def scope_of(place: str) -> Scope:
    """Where claims on a variation are meant to hold: in the world's task."""
    return Scope(environment=WORLDS, family=place.rpartition("/")[0])


def effect_of(score: float) -> str:
    """How a score is called as an effect: in points of 100, where less than all is 99 at most and some 1 at least."""
    points = round(100 * score)
    return f"score {min(99, max(1, points)) if SAME < score < 1 - SAME else points}"


def score_in(effect: str) -> str:
    """The points of an effect; "" where it is not a score."""
    kind, _, points = effect.removeprefix(REACHES).partition(" ")
    return points if kind == "score" else ""


class Shown(NamedTuple):
    """What evidence on a plan says; "" for what an earlier version did not note.

    Attributes:
        came: What came of it, played alone.
        goal: What was to be reached.
        way: The moves of the trial that it was found in.
    """

    came: str
    goal: str
    way: str


def shown_in(detail: str) -> Shown:
    """Reads what :func:`claim_on_plan` wrote."""
    came, _, more = detail.partition(_GOAL)
    goal, _, way = more.partition(_WAY)
    return Shown(came, goal, way)


def played(trial: Trial, moves: Sequence[str]) -> Play:
    """What comes of moves in a trial that is at its beginning.

    Raises:
        WorldFault: The world failed.
    """
    scores, start = list[float](), round(trial.scene.score, 4)
    for move in moves:
        scene = trial.do(move)
        before = scores[-1] if scores else start
        scores.append(before if scene.lost else round(scene.score, 4))
        if scene.over:
            return Play(scores=tuple(scores), start=start, lost=scene.lost)
    return Play(scores=tuple(scores), start=start)


def told(place: str, trial: Trial, moves: Sequence[str]) -> Told:
    """The same with the kinds of the moves and the things that the goal names, by what is offered before each.

    Raises:
        WorldFault: The world failed.
    """
    offered: dict[str, Move] = {}
    watched = _Watched(trial=trial, offered=offered)
    play = played(watched, moves)
    naming, things = Naming(trial.goal), {thing for one in offered.values() for thing in one.objects}
    schemas, made = {one.schema for one in offered.values()}, tuple(moves[: len(play.scores)])
    return Told(
        place=place,
        goal=trial.goal,
        moves=tuple((is_tellable(one) and read_move(one, offered, schemas)) or Move(schema="") for one in made),
        play=play,
        named=tuple(sorted(one for one in things if naming.place(one))),
        made=made,
        meant=tuple(watched.meant[: len(play.scores)]),
    )


@dataclass
class _Watched:
    """A trial whose offered moves are kept, by how they are told to the world, and what was meant by each made."""

    trial: Trial
    offered: dict[str, Move]
    meant: list[str] = field(default_factory=list)

    @property
    def goal(self) -> str:
        return self.trial.goal

    @property
    def scene(self) -> Scene:
        return self.trial.scene

    def moves(self) -> Sequence[Move]:
        return self.trial.moves()

    def do(self, move: str) -> Scene:
        offered = self.trial.moves()
        self.offered |= {one.text: one for one in offered}
        answer = choices(self.scene.told, lambda: offered).get(move)
        self.meant.append(f"{move} (which one: {answer})" if answer else move)
        return self.trial.do(move)


def move_claims(told: Told, found: Found) -> tuple[Claim, ...]:
    """A claim for each move that is called the same and each effect; what made a difference comes before the rest."""
    made: dict[tuple[str, str], Claim] = {}
    for claim in (*_enough(told, found), *_needed(told, found), *_losing(told), *_spare(told, found), *_harmless(told)):
        made.setdefault((claim.cause, claim.effect), claim)
    needed = {one.cause for one in made.values() if one.relation == "necessary"}
    return tuple(one for one in made.values() if one.relation != "no_effect" or one.cause not in needed)


def _enough(told: Told, found: Found) -> Iterator[Claim]:
    """The shortest sequence that was found, as it was typed: played alone, it reaches the score with its last move.

    It may reach it sooner than the trial did, where some of what was left out only took time.
    """
    least = found.least[: max(found.play.rises.values(), default=0)]
    made = [told.made[place] for place in least]
    if made and all(is_tellable(one) and THEN not in one for one in made):  # else it would read otherwise
        yield claim_on_plan(told, THEN.join(made), found.play.best, found.play, _way(told, least, found.play))


def _way(told: Told, least: Sequence[int], play: Play) -> str:
    """The trial up to its best score with what its plan does without in brackets, as that may have told what to do;
    of one that wandered, or came to less, the plan alone. Behind a move stands the score that it raised."""
    meant = told.meant or told.made
    if not all(is_tellable(one) and not any(mark in one for mark in _MARKS) for one in meant):
        return ""
    moves = [(f"[{meant[at]}]" if at not in least else meant[at]) for at in range(len(told.upto_best))]
    whole = _in_runs(moves, told.play.rises)
    alone = _in_runs([meant[at] for at in least], play.rises)
    better = play.best > told.play.best + SAME
    fits = not better and len(whole) <= _LONGEST_WAY and len("; ".join(whole)) <= _LONGEST_TEXT
    return "; ".join(whole if fits else alone)


def _in_runs(moves: Sequence[str], rises: Mapping[float, int]) -> list[str]:
    """Moves with scores, and what was made several times running once, with how often."""
    scores = {number - 1: f" (score {score:.2f})" for score, number in rises.items()}
    runs: list[tuple[str, int, str]] = []
    for at, move in enumerate(moves):
        score = scores.get(at, "")
        if runs and runs[-1][0] == move and not runs[-1][2]:
            runs[-1] = (move, runs[-1][1] + 1, score)
        else:
            runs.append((move, 1, score))
    return [f"{move}{f' x{times}' if times > 1 else ''}{score}" for move, times, score in runs]


def claim_on_plan(told: Told, plan: str, score: float, play: Play, way: str = "") -> Claim:
    """What a plan is worth in the variation of a trial, by what came of it when it was played alone.

    Args:
        plan: Its moves, with :data:`THEN` between them.
        score: What it is said to reach.
        way: The trial that it was found in.
    """
    rises = ", ".join(f"{100 * one:.0f} at move {number}" for one, number in play.rises.items())
    held: Literal[1, -1] = 1 if effect_of(max(play.best, score)) == effect_of(play.best) else -1
    goal = " ".join("".join(sign if is_tellable(sign) else " " for sign in told.goal).split()).replace(_WAY, ": ")
    detail = f"played alone it gives {rises or 'no points'}{_GOAL}{goal[:_LONGEST_GOAL]}"
    detail += f"{_WAY}{way}" if way else ""
    return _claim(told.place, plan, "sufficient", effect_of(score), detail, held)


def _needed(told: Told, found: Found) -> Iterator[Claim]:
    """A move that was missed is necessary for the first score that was not reached without it, and so for the best."""
    naming, levels = Naming(told.goal, told.named), list(told.play.rises)
    for place, reached in sorted(found.without.items()):
        lost = next((score for score in levels if score > reached + SAME), None)
        if lost is None or place not in found.least:
            continue
        number = found.least.index(place) + 1
        points = f"{100 * reached:.0f} points instead of {100 * told.play.best:.0f}"
        detail = f"played without it, move {number} of {len(found.least)}: {points}"
        for key in _keys(naming, told.moves[place]):
            for score in {lost: None, told.play.best: None}:  # where the first one differs, variations meet in the last
                yield _claim(told.place, key, "necessary", effect_of(score), detail)


def _spare(told: Told, found: Found) -> Iterator[Claim]:
    """A move that was not missed does not matter for the best score, nor for the one that came next after it.

    Nothing is said of one that was made again and is still there: once may be enough, and may be needed.
    """
    naming, rises = Naming(told.goal, told.named), told.play.rises
    kept = {naming.key(told.moves[place]) for place in found.least}
    keys: dict[str, int] = {}
    for place in sorted(found.spare):
        if told.moves[place].schema and (key := naming.key(told.moves[place])) not in kept:
            keys.setdefault(key, place)
    for key, place in list(keys.items())[:_MOST_SPARE]:
        after = next((score for score, number in rises.items() if number > place), told.play.best)
        for score in {after: None, told.play.best: None}:
            yield _claim(told.place, key, "no_effect", effect_of(score), "played without it: reached all the same")


def _losing(told: Told) -> Iterator[Claim]:
    """The move that lost a trial which went on until then: the same beginning without it and with it.

    Where the same move was made in the trial before and did no harm, it is something else that lost it.
    """
    if not told.play.lost:
        return
    naming, last = Naming(told.goal, told.named), len(told.play.scores) - 1
    harmless = {key for move in told.moves[:last] for key in _keys(naming, move, any_other=True)}
    for key in _keys(naming, told.moves[last], any_other=True):
        if key in harmless:
            detail = "made before: the trial went on; at last it lost the trial"
            yield _claim(told.place, key, "prevents", GOING_ON, detail, -1)
        else:
            yield _claim(told.place, key, "prevents", GOING_ON, f"after {last} moves that had not lost it, it did")


def _harmless(told: Told) -> Iterator[Claim]:
    """Moves that lost nothing, of kinds that the goal asks for or that lost trials: that they do not always is worth
    knowing."""
    naming = Naming(told.goal, told.named)
    kept = told.moves[: len(told.play.scores) - told.play.lost]
    for move in dict.fromkeys(kept):
        if move.schema not in told.risky and not (move.objects and naming.asks_for(move.schema)):
            continue
        for key in _keys(naming, move, any_other=True):
            yield _claim(told.place, key, "prevents", GOING_ON, "made: the trial went on", -1)


def _keys(naming: Naming, move: Move, *, any_other: bool = False) -> Sequence[str]:
    """How a move is called; nothing where the world did not understand it."""
    return naming.keys(move, any_other=any_other) if move.schema else ()


_VERBS: Mapping[Relation, str] = {
    "necessary": "without '{key}' its plan does not reach {points} points",
    "sufficient": "'{key}' gives {points} points",
    "no_effect": "'{key}' is not needed for {points} points",
    "prevents": "'{key}' loses the trial",
}


def _claim(place: str, key: str, relation: Relation, effect: str, detail: str, direction: Literal[1, -1] = 1) -> Claim:
    evidence = Evidence(task=place, group=place, kind="intervention", direction=direction, detail=detail)
    return Claim(
        cause=f"{MOVE}{key}",
        relation=relation,
        effect=f"{REACHES}{effect}",
        scope=scope_of(place),
        evidence=(evidence,),
        text=_VERBS[relation].format(key=said(key), points=score_in(effect)),
    )
