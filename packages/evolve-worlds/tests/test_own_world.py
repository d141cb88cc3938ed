"""The world of docs/own-world.md, offered by a package."""

from __future__ import annotations

import re

from evolve_worlds import worlds
from tests.architecture.source import ROOT
from tests.offering import put_metadata

PAGE = ROOT / "packages" / "evolve-worlds" / "docs" / "own-world.md"


def test_a_world_of_another_package_is_listed_checked_and_played(tmp_path, monkeypatch):
    (code,) = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    (tmp_path / "counting_toys.py").write_text(code)
    put_metadata(tmp_path, "evolve-toys", {"evolve.worlds": {"counter": "counting_toys:Counter"}})
    monkeypatch.syspath_prepend(tmp_path)
    (listed,) = [one for one in worlds.list() if one.name == "counter"]
    assert (listed.package, listed.tasks, listed.missing) == ("evolve-toys", 1, "")
    assert worlds.check("counter").wrong == []
    with worlds.play("counter", split="dev") as trial:
        for move in ("add two", "add one", "add two", "fly", "add two"):
            trial.do(move)
        assert (trial.scene.score, trial.scene.over, trial.scene.lost) == (1.0, True, False)
