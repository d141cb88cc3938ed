"""A damaged file of a conversation stops nothing: its lines are passed over, and the doctor names it."""

from __future__ import annotations

import json

import pytest

import evolve

BEGUN = '{"kind": "begun", "folder": ""}'
ASKED = '{"kind": "asked", "number": 1, "asked": "which port shall billing get", "budget": {}}'
DAMAGED = {
    "words that are a number": '{"kind": "asked", "number": 2, "asked": 123}',
    "nothing told": '{"kind": "answered", "number": 1, "told": null}',
    "a list as status": '{"kind": "answered", "number": 1, "status": ["solved"]}',
    "a list as answer": '{"kind": "answered", "number": 1, "answer": [1]}',
    "amounts that are words": '{"kind": "answered", "number": 1, "spent": {"tokens": "many"}}',
    "an amount beyond all": '{"kind": "answered", "number": 1, "spent": {"tokens": 1' + "0" * 400 + "}}",
    "a number that is none": '{"kind": "answered", "number": "1", "told": "x"}',
    "a line of no kind": '{"kind": ["asked"]}',
    "no object": "[1]",
    "nested too deep": "[" * 100_000,
    "means of no kind": '{"kind": "means", "learn": {"x": 1}}',
    "torn": '{"kind": "answ',
}


@pytest.fixture
def chats(tmp_path):
    with evolve.open(tmp_path / "ws") as opened:
        folder = opened.conversations.folder
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def parts(tmp_path):
    return {one.part: one for one in evolve.doctor(tmp_path / "ws")}


@pytest.mark.parametrize("line", DAMAGED.values(), ids=DAMAGED)
def test_a_line_that_cannot_be_understood_is_passed_over_and_its_file_is_named(tmp_path, chats, line) -> None:
    (chats / "c3.jsonl").write_text("\n".join([BEGUN, ASKED, line, ""]))
    with evolve.open(tmp_path / "ws") as opened:
        (talk,) = opened.conversations.list()
        assert [turn.asked for turn in talk.turns] == ["which port shall billing get"]
        assert (talk.turns[0].status, talk.turns[0].told) == ("open", "")
        (found,) = opened.runs.search("the port of billing")
        assert found.place == "c3"
        again = opened.conversations.latest_conversation()
        assert again.id == "c3"
        assert again.ask("sort the names").number == 2
        again.close()
    damage = parts(tmp_path)["conversations"]
    assert damage.state == "warning" and str(chats / "c3.jsonl") in damage.text


def test_a_lone_surrogate_is_searched_and_is_no_damage(tmp_path, chats) -> None:
    (chats / "c1.jsonl").write_text(f"{BEGUN}\n" + json.dumps({"kind": "asked", "number": 1, "asked": "a port \ud800"}))
    with evolve.open(tmp_path / "ws", read_only=True) as opened:
        (found,) = opened.runs.search("port")
        assert found.text == "a port �"
    assert "conversations" not in parts(tmp_path)


@pytest.mark.parametrize("name", ["c².jsonl", "c٣.jsonl", "c007.jsonl", "c0.jsonl", "c.jsonl", "c1.jsonl.jsonl"])
def test_a_file_of_another_name_is_no_conversation(tmp_path, chats, name) -> None:
    (chats / name).write_text(f"{BEGUN}\n{ASKED}\n")
    with evolve.open(tmp_path / "ws") as opened:
        assert opened.conversations.list() == [] and opened.conversations.latest_conversation() is None
        talk = opened.conversations.begin()
        talk.ask("sort the names")
        talk.close()
        assert talk.id == "c1" and opened.runs.search("port of billing") == []
    assert (chats / name).exists()


def test_a_folder_of_that_name_stands_in_nobodys_way(tmp_path, chats) -> None:
    (chats / "c1.jsonl").mkdir()
    with evolve.open(tmp_path / "ws") as opened:
        assert opened.conversations.list() == [] and opened.conversations.latest_conversation() is None
        talk = opened.conversations.begin()
        talk.close()
        assert talk.id == "c2"
