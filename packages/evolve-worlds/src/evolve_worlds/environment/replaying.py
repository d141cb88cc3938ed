"""What an episode's moves were good for: they are made again without some of them, where that can be done."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from evolve.core.episodes import MOVE, Claim, Recalled
from evolve.core.episodes.codec import to_json
from evolve.core.files import digest
from evolve.environments import OncePerEpisode
from evolve_worlds.environment.moving import Moving
from evolve_worlds.experiments import (
    THEN,
    Ablation,
    Allowance,
    Found,
    Play,
    Told,
    claim_on_plan,
    effect_of,
    move_claims,
    score_in,
)

REPLAYS, MOVES = 60, 3_000
"""Replays after one episode at most, and moves in all of them; they take no tokens, but time of the world."""


@dataclass(frozen=True, kw_only=True)
class _Kept:
    # A key of the JSON in episodes' files, as the fields of every class given to ``once`` are.
    told: Told | None = None


def claims_of_replays(
    moving: Moving, moves: tuple[str, ...], recalled: Sequence[Recalled], once: OncePerEpisode
) -> tuple[Claim, ...]:
    """Claims on those of an episode's moves, in order, that raised the score or lost the trial.

    A plan that was told for the variation, and that the episode did not follow to its promise, is played again, so that
    one that does not hold any more is not told for ever.

    Each replay is kept in the episode's file as soon as it is over, so that a crash repeats none. Nothing is learned
    where the environment failed in the first replay.
    """
    if not moves:
        return ()

    def key(what: str, made: Sequence[str]) -> str:
        return f"{what} {digest(to_json(made))[:16]}"

    kept = once(key("retold", moves), _Kept, lambda: _Kept(told=moving.retold(moves)))
    told = kept.told
    if told is None:
        return ()

    def play(made: tuple[str, ...]) -> Play:
        return once(key("replay", made), Play, lambda: moving.replay(made))

    best = moves[: len(told.upto_best)]
    ablation = Ablation(play=play, allowance=Allowance(left=REPLAYS), moves=MOVES)
    found = ablation.found(best, told.play) if best else Found()
    claims = move_claims(told, found)
    for plan, points in _promised(recalled, told):
        again = play(tuple(plan.split(THEN)))
        claims += () if again.fault else (claim_on_plan(told, plan, points / 100, again),)
    return claims


def _promised(recalled: Sequence[Recalled], told: Told) -> Iterator[tuple[str, int]]:
    """Plans of the variation that a trial did not follow, or that came to less in it, with the points they are said to
    give."""
    reached = int(score_in(effect_of(told.play.best)))
    plans = [one for one in recalled if one.cause.startswith(MOVE) and one.relation == "sufficient" and not one.goal]
    for item in plans:
        plan, points = item.cause.removeprefix(MOVE), int(score_in(item.effect))
        made = tuple(plan.split(THEN))
        if points > reached or told.made[: len(made)] != made:
            yield plan, points
