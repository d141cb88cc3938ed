"""``evolve skills import``: what it takes in, what it refuses, what it lists."""

from __future__ import annotations

import json

from tests.offering import hide
from tests.workspace.test_importing import REFUSED, skill


def test_the_command_imports_and_lists(cli, tmp_path):
    skill(tmp_path / "theirs")
    skill(tmp_path / "theirs", "opens", **REFUSED["opens"])
    found = cli("skills", "import", str(tmp_path / "theirs"), "--json")
    told = json.loads(found.out)
    assert found.code == 0 and told["waiting"] == ["check-digit"]
    assert [*told["refused"]] == ["opens"]
    listed = json.loads(cli("skills", "import", "--json").out)
    assert [(one["name"], one["state"]) for one in listed] == [("check-digit", "waiting")]
    assert cli("skills", "import", str(tmp_path / "none")).code == 2


def test_what_a_package_does_names_it_where_it_is_missing(cli, tmp_path, monkeypatch):
    (tmp_path / "talks").mkdir()
    (tmp_path / "site").mkdir()
    hide(monkeypatch, tmp_path / "site")
    told = cli("learn", tmp_path / "talks")
    assert told.code == 2 and "packages/evolve-imports" in told.err
