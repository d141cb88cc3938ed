"""``evolve skills`` and ``evolve forget`` with the skills that ship with evolve."""

from __future__ import annotations

import json


def test_a_seed_is_listed_apart_exported_and_dropped(cli, made, tmp_path):
    def origins(*words: str) -> dict[str, str]:
        return {one["name"]: one["origin"] for one in json.loads(cli("skills", *words, "--json").out)}

    assert origins("list") == {}
    assert origins("list", "--seeds") == dict.fromkeys(
        ("readable-size", "split-amount", "working-days-between"), "seed"
    )
    assert "split-amount" in origins("find", "split an amount", "--seeds")
    assert cli("skills", "show", "split-amount").code == 0
    assert cli("skills", "export", "split-amount", "--to", tmp_path / "out").code == 0
    assert (tmp_path / "out" / "skills" / "split-amount" / "SKILL.md").is_file()
    assert cli("forget", "split-amount").code == 0
    assert origins("list", "--seeds").keys() == {"readable-size", "working-days-between"}
    assert "split-amount" not in origins("find", "split an amount", "--seeds")
    assert cli("skills", "undo", "split-amount").code == 0 and origins("list") == {"split-amount": "seed"}
