"""The benchmark of tests of skills: what it counts as false and right."""

from __future__ import annotations

from benchmarks.skill_folders import EFFECTS, drawn_folder, targets_of


def test_drawn_folders_are_the_same_for_a_seed_and_count_what_contradicts_their_effect():
    rows = [drawn_folder(number, 3) for number in range(24)]
    assert rows[0] == drawn_folder(0, 3) and {row["effect"] for row in rows if not row["mixed"]} == set(EFFECTS)
    for row in rows:
        said = [(row["verdict"], row["effect"]), *zip(row["singles"], row["effects"], strict=True)]
        wrong = [verdict for verdict, effect in said if (verdict, effect > 0, effect < 0) in _FALSE]
        assert row["false"] == bool(wrong)
    false, right, tried, history = targets_of(rows)
    assert (false.n, right.met, tried.met, history.value) == (24, True, False, None)


_FALSE = {("helps", False, True), ("helps", False, False), ("harms", True, False), ("harms", False, False)}
