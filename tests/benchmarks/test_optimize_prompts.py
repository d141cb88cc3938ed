"""The figures on prompt proposals say what the rows say, and a run that mends nothing counts as one."""

from __future__ import annotations

import pytest

from benchmarks import optimize_prompts
from benchmarks.doubles.line_rules import line_rules

RULE = next(rule for rule in line_rules() if rule.name == "discount")


@pytest.mark.parametrize("kind", optimize_prompts.KINDS)
def test_a_defect_lies_in_one_prompt_alone(kind):
    whole, texts = optimize_prompts.seeded(None, "none"), optimize_prompts.seeded(RULE, kind)
    assert [name for name in whole if whole[name] != texts[name]] == ["price.md"]
    told = RULE.told_in(texts["price.md"]) and not RULE.denied_in(texts["price.md"])
    assert not told
    assert optimize_prompts.nothing_else_changed(texts, texts, RULE)
    assert not optimize_prompts.nothing_else_changed(texts, {**texts, "read.md": texts["read.md"] + "- More.\n"}, RULE)
    assert not optimize_prompts.nothing_else_changed(texts, {**texts, "price.md": texts["price.md"][1:]}, RULE)


@pytest.mark.slow
def test_a_defect_is_found_and_mended():
    row = optimize_prompts.defect_row(1, RULE, "missing")
    assert row["blamed"] and row["fixed"] and row["else_unchanged"]


@pytest.mark.slow
@pytest.mark.parametrize("judged", [True, False])
def test_rewrites_leave_the_fixed_text_alone(judged):
    row = optimize_prompts.cycles_row(1, judged=judged, cycles=6)
    assert row["fixed_text_kept"] and 0 < row["largest"] <= optimize_prompts.LIMITS.size
    assert row["made"] > 0 and row["golden_kept"] <= row["golden_ever"]


def test_shares_count_what_failed():
    row = {"measure": "defect", "blamed": True, "fixed": True, "else_unchanged": True}
    rows = [row] * 8 + [{**row, "blamed": False, "fixed": False}] * 2
    rows += [{"measure": "control", "accepted": 0}] * 20
    met = {target.name: target.met for target in optimize_prompts.targets_of(rows)}
    assert not met["prompt with the defect blamed first"]
    assert met["defect mended and accepted by the gate"]
    assert met["an edit accepted where nothing was wrong"]
    assert not any(target.met for target in optimize_prompts.targets_of([]))


def test_lost_items_and_a_passed_cap_are_counted():
    row = {"measure": "cycles", "arm": "gate", "cycles": 200, "largest": 501, "golden_ever": 15, "golden_kept": 13}
    met = {target.name: target.met for target in optimize_prompts.targets_of([row])}
    assert not met["largest advice of a prompt, characters (gate)"]
    assert not met["golden items kept to the end (gate)"]
