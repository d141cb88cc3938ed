"""``evolve forget``: whatever the id names goes, and nothing where one id is wrong."""

from __future__ import annotations

import json

import pytest

import evolve
from tests.golden.make import unpack


@pytest.fixture
def learned(tmp_path, private_home):
    """A workspace with insights and skills, to which a note and a preference are added."""
    unpack("learned", tmp_path)
    with evolve.open(tmp_path / "ws") as opened:
        opened.memory.forget([note.id for note in opened.memory.notes()])
        opened.preferences.forget(everything=True)
        opened.memory.note("dates are day first", id="feedbeef00")
        opened.preferences.add("short answers")
    return tmp_path / "ws"


def test_each_kind_is_found_by_its_id(cli, learned):
    with evolve.open(learned, read_only=True) as opened:
        insight, skill = opened.memory.list()[0].id, opened.skills.list()[0].name
        preference = opened.preferences.list()[0].id
    done = cli("forget", insight[:10], "feedbeef", preference[:10], skill, "--json")
    assert done.code == 0, done.err
    told = json.loads(done.out)
    assert told["by_kind"] == {"insight": 1, "note": 1, "preference": 1, "skill": 1}
    assert (told["forgotten"], told["notes"]) == (3, 1)
    with evolve.open(learned, read_only=True) as opened:
        assert insight not in {one.id for one in opened.memory.list()}
        assert opened.memory.notes() == [] and opened.preferences.list() == []
        assert opened.skills.show(skill).status == "retired"


def test_one_wrong_id_and_nothing_goes(cli, learned):
    with evolve.open(learned, read_only=True) as opened:
        insights = len(opened.memory.list())
    done = cli("forget", "feedbeef", "nosuch")
    assert done.code == 2 and "nosuch" in done.err and "evolve memory list" in done.err
    with evolve.open(learned, read_only=True) as opened:
        assert len(opened.memory.list()) == insights and len(opened.memory.notes()) == 1


def test_an_id_that_may_be_two_things_names_both(cli, learned):
    with evolve.open(learned) as opened:
        insight = opened.memory.list()[0].id
        opened.memory.note("another", id=insight[:6] + "zz")
    done = cli("forget", insight[:6])
    assert done.code == 2 and insight in done.err and insight[:6] + "zz" in done.err
    assert cli("forget", insight[:6] + "zz").code == 0


@pytest.mark.parametrize("arguments", [(), ("--all", "x"), ("",), ("\0",)])
def test_what_names_nothing_is_refused(cli, learned, arguments):
    assert cli("forget", *arguments).code == 2


def test_all_is_every_insight_and_nothing_else(cli, learned):
    assert json.loads(cli("forget", "--all", "--json").out)["by_kind"].keys() == {"insight"}
    with evolve.open(learned, read_only=True) as opened:
        assert opened.memory.list() == []
        assert len(opened.memory.notes()) == len(opened.preferences.list()) == 1 and opened.skills.list()


def test_in_a_workspace_that_is_not_there_nothing_is_made(cli, tmp_path):
    assert cli("forget", "x", "-w", "none").code == 3
    assert not (tmp_path / "none").exists()


def test_an_empty_id_names_nothing_where_a_single_thing_is_kept(cli, tmp_path):
    with evolve.open(tmp_path / "ws") as opened:
        opened.preferences.add("short answers")
    assert cli("forget", "").code == 2
    with evolve.open(tmp_path / "ws", read_only=True) as opened:
        assert len(opened.preferences.list()) == 1
