"""Calls on disk: what was begun and answered is there after any end of the process, and nothing else is believed."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evolve.core.errors import RecordDamaged
from evolve.runtime.functions import CallAnswer, CallFile, CallGate, Permission, PythonFunctions, RecordedCall


def call(number, **arguments):
    return RecordedCall(step=1, number=number, function="buy", digest="d", arguments=arguments)


def written(path, answers=(True, True, False)):
    kept = CallFile(path)
    for number, answered in enumerate(answers, 1):
        kept.begin(call(number, item="tea", count=number))
        if answered:
            kept.end((1, number), CallAnswer(state="answered", value={"left": [number, None]}, seconds=0.5))
    kept.close()
    return kept


def test_another_process_reads_what_was_written(tmp_path):
    path = tmp_path / "calls.jsonl"
    assert CallFile(path).calls == {}
    before = written(path)
    assert CallFile(path).calls == before.calls and len(before.calls) == 3
    assert before.calls[1, 3][1] is None and path.stat().st_mode & 0o777 == 0o600


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_a_file_that_was_cut_anywhere_holds_what_was_whole_and_goes_on(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("cut") / "calls.jsonl"
    before = written(path)
    whole = path.read_bytes()
    path.write_bytes(whole[: data.draw(st.integers(0, len(whole)))])
    cut = CallFile(path)
    assert all(before.calls[place][0] == kept for place, (kept, _) in cut.calls.items())
    number = max((number for _, number in cut.calls), default=0) + 1
    cut.begin(call(number))
    cut.close()
    assert CallFile(path).calls == cut.calls


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_a_changed_letter_is_noticed(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("changed") / "calls.jsonl"
    before = written(path)
    text = bytearray(path.read_bytes())
    place = data.draw(st.integers(0, len(text) - 2))
    text[place] = data.draw(st.sampled_from(sorted(set(b"0aZ{}") - {text[place]})))
    path.write_bytes(bytes(text))
    try:
        read = CallFile(path).calls
    except RecordDamaged:
        return
    assert read == before.calls


@pytest.mark.parametrize("change", [lambda lines: lines[1:], lambda lines: [lines[0], *lines[2:]],
                                    lambda lines: [lines[0], lines[0], *lines[1:]],
                                    lambda lines: [*lines[:2], lines[3], lines[2], *lines[4:]]])  # fmt: skip
def test_lines_that_were_left_out_doubled_or_put_elsewhere_are_noticed(tmp_path, change):
    path = tmp_path / "calls.jsonl"
    written(path)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(change(lines)))
    with pytest.raises(RecordDamaged, match="calls.jsonl"):
        CallFile(path)


def test_a_full_disk_is_an_error_and_leaves_a_file_that_can_be_read(tmp_path, monkeypatch):
    path = tmp_path / "calls.jsonl"
    kept = CallFile(path)
    kept.begin(call(1))

    def full(*rest):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("os.fsync", full)
        with pytest.raises(OSError, match="No space"):
            kept.end((1, 1), CallAnswer(state="answered"))
    kept.end((1, 1), CallAnswer(state="answered", value=1))
    assert CallFile(path).calls[1, 1][1] == CallAnswer(state="answered", value=1)


def test_a_killed_episode_does_nothing_twice(tmp_path):
    """The function itself is where it is cut off, so that it was done and its answer is on no record."""
    done = []

    def buy(item: str) -> str:
        done.append(item)
        if item == "milk" and len(done) == 2:
            raise KeyboardInterrupt
        return f"{item} bought"

    offered = PythonFunctions()
    offered.add(buy)

    def gate():
        return CallGate([offered], CallFile(tmp_path / "calls.jsonl"), Permission(lambda function: "allow"))

    def asked(item):
        return json.dumps({"function": "buy", "arguments": {"item": item}}).encode()

    first = gate()
    assert json.loads(first.answer_frame(asked("tea"))) == {"value": "tea bought"}
    with pytest.raises(KeyboardInterrupt):
        first.answer_frame(asked("milk"))
    again = gate()
    assert json.loads(again.answer_frame(asked("tea"))) == {"value": "tea bought"}
    assert "nobody knows" in json.loads(again.answer_frame(asked("milk")))["error"]
    assert json.loads(again.answer_frame(asked("eggs"))) == {"value": "eggs bought"}
    assert done == ["tea", "milk", "eggs"]
