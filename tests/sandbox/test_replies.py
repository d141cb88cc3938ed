"""Replies are data: whatever arrives on the result descriptor, reading it gives outcomes and never an exception."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolve.runtime.sandbox.replies import JobReply, ReplyReader, read_block


def reader() -> ReplyReader:
    return ReplyReader(jobs=2, largest=1000)


def reply(*blocks: bytes) -> bytes:
    parts = [
        json.dumps({"job": number, "state": "ok", "bytes": len(data)}).encode() + b"\n" + data
        for number, data in enumerate(blocks)
    ]
    return b"".join(parts) + b'{"end": true, "dirty": false}\n'


@given(cuts=st.lists(st.integers(0, 200), max_size=8))
def test_any_division_into_packets_gives_the_same(cuts):
    data, found = reply(b"one\n", b"two\n\n{}\n"), reader()
    edges = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    for start, end in pairwise(edges):
        found.add_bytes(data[start:end])
    assert [block.data for block in found.blocks] == [b"one\n", b"two\n\n{}\n"]
    assert found.ended and not found.dirty and not found.damaged


@pytest.mark.parametrize(
    "data",
    [
        b"x" * 2000,
        b"{}\n",
        b'{"job": 1, "state": "ok", "bytes": 0}\n',
        b'{"job": 0, "state": "ok", "bytes": -1}\n',
        b'{"job": 0, "state": "ok", "bytes": 1001}\n',
        b'{"job": 0, "state": 7, "bytes": 0}\n',
        b'{"end": true}\n',
    ],
)
def test_what_the_runner_would_not_say_is_damage(data):
    found = reader()
    found.add_bytes(data)
    assert found.damaged and not found.ended


@given(data=st.binary(max_size=300), state=st.sampled_from(["ok", "time", "size", "died", "late", "signal 9", "odd"]))
def test_any_block_gives_one_outcome_per_input(data, state):
    for lines in (data, b'{"load":""}\n' + data):
        run = read_block(JobReply(state=state, data=lines), 3)
        assert len(run.outputs) == 3
        assert all(outcome.error or outcome.value is not ... for outcome in run.outputs)
        assert isinstance(read_block(JobReply(state=state, data=lines), None).outputs, tuple)


def test_more_results_than_inputs_are_all_refused():
    lines = b'{"load":""}\n' + b'{"value":1}\n' * 4
    assert all(outcome.error for outcome in read_block(JobReply(state="ok", data=lines), 3).outputs)
