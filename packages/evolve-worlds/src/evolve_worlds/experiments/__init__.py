"""Experiments: moves are played again without some of them, all else the same, and what that shows becomes claims."""

from evolve.core.lazy import TYPE_CHECKING, attach

if TYPE_CHECKING:
    from evolve_worlds.experiments.ablation import SAME, Ablation, Allowance, Found, OutOfEpisodes, Play
    from evolve_worlds.experiments.moves import (
        GOING_ON,
        REACHES,
        THEN,
        Told,
        claim_on_plan,
        effect_of,
        move_claims,
        played,
        score_in,
        shown_in,
        told,
    )
    from evolve_worlds.experiments.naming import GOAL, OTHER, Naming, filled_in, read_move, words
else:
    __getattr__, __dir__ = attach(__name__)
