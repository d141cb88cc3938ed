"""One test for both directions: its verdict and its interval agree, and a fault helps neither side."""

from __future__ import annotations

import random

import pytest

from evolve.core.episodes import EpisodeRecord
from evolve.trials.gate import pairs_needed, smallest_detectable, solved_outcome, summarise_pairs, wins_needed


def record(status, *, verified=False):
    identity = {"episode": "e", "run": "r", "task": "t", "suite": "", "group": "g", "split": "screen", "variant": "v"}
    return EpisodeRecord(**identity, seed=0, status=status, verified=verified, checked=not verified)


@pytest.mark.parametrize("level", [0.05, 0.01])
def test_as_many_as_are_needed_decide_in_either_direction_and_one_fewer_does_not(level):
    needed = wins_needed(level)
    for outcome, verdict in (("win", "helps"), ("loss", "harms")):
        assert summarise_pairs([outcome] * needed, level).verdict == verdict
        assert summarise_pairs([outcome] * (needed - 1), level).verdict == "too few tasks to tell"
        assert summarise_pairs([outcome, *["tie"] * (needed - 1)], level).verdict == "no difference shown"


def test_the_interval_leaves_nothing_out_exactly_where_the_verdict_is_one():
    for seed in range(60):
        draw = random.Random(seed)
        weights = (draw.random(), draw.random(), draw.random())
        shown = summarise_pairs(draw.choices(("win", "loss", "tie"), weights, k=40), 0.05)
        low, high = shown.difference.low, shown.difference.high
        assert (shown.verdict == "no difference shown") == (low < 0.0 < high), seed
        assert shown.pairs == 40 and shown.difference.value == (shown.wins - shown.losses) / 40


def test_what_was_shown_stays_shown_whatever_comes_after():
    needed = wins_needed(0.05)
    assert summarise_pairs([*["win"] * needed, *["loss"] * 40], 0.05).verdict == "helps"


def test_a_fault_counts_against_what_would_be_said_in_favour_of_its_side():
    needed = wins_needed(0.05)
    assert summarise_pairs([*["withheld"] * 5, *["win"] * needed], 0.05).verdict == "no difference shown"
    assert summarise_pairs([*["void"] * 5, *["loss"] * needed], 0.05).verdict == "no difference shown"
    assert summarise_pairs([*["void"] * 5, *["win"] * needed], 0.05).verdict == "helps"
    assert summarise_pairs([], 0.05).difference.value is None


def test_verdicts_of_what_changes_nothing_are_rare():
    draw = random.Random(5)
    verdicts = [
        summarise_pairs(draw.choices(("win", "loss", "tie"), (1, 1, 1), k=60), 0.05).verdict for _ in range(150)
    ]
    assert sum(verdict != "no difference shown" for verdict in verdicts) <= 150 * 0.05


def test_more_pairs_show_smaller_effects_and_the_forecasts_agree():
    needed = [pairs_needed(effect, 0.05) for effect in (0.2, 0.3, 0.4, 0.5)]
    assert needed == sorted(needed, reverse=True) and all(needed)
    assert smallest_detectable(needed[2], 0.05) == 0.4 and smallest_detectable(needed[2] - 1, 0.05) > 0.4
    assert smallest_detectable(3, 0.05) is None


def test_an_outcome_goes_by_what_was_solved_also_where_a_check_alone_said_so():
    solved, refused, fault = record("solved"), record("refused"), record("fault")
    assert solved_outcome(refused, solved) == "win" == solved_outcome(refused, record("solved", verified=True))
    assert (solved_outcome(solved, refused), solved_outcome(solved, solved)) == ("loss", "tie")
    assert (solved_outcome(fault, solved), solved_outcome(solved, fault)) == ("void", "withheld")
