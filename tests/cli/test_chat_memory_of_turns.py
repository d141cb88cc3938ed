"""What a later turn is told of the earlier ones: how things stand now, whoever changed that."""

from __future__ import annotations

import pytest

from evolve.testing.doubles import prompt_of


def told(endpoint):
    """What the last prompt said of earlier turns."""
    return prompt_of(endpoint.requests[-1]).rpartition("Earlier in this conversation")[2].partition("\nTask: ")[0]


def test_a_change_that_was_undone_is_told_as_undone(work, endpoint):
    done = work("replace red by green in left.txt", "/approve", "/undo", "sing a song")
    assert "undone: left.txt" in done.out
    assert "the person took this change back" in told(endpoint)
    assert "solved" not in told(endpoint)


@pytest.mark.slow
def test_a_change_that_was_undone_outside_of_the_conversation_is_told_as_undone(work, endpoint, cli):
    work("replace red by green in left.txt", "/approve")
    assert cli("undo").code == 0
    work("sing a song", options=("--resume", "c1"))
    assert "the person took this change back" in told(endpoint)
    assert "solved" not in told(endpoint)


@pytest.mark.slow
def test_it_is_told_whether_a_change_is_in_the_folder(work, endpoint):
    work("replace red by green in left.txt", "sing a song")
    assert "the change waits for the person and is not in the folder" in told(endpoint)
    work("/approve", "/approve", "sing a song", options=("--resume", "c1"))
    assert "the change is in the folder" in told(endpoint)


@pytest.mark.slow
def test_a_change_that_was_refused_elsewhere_is_told_as_refused(work, endpoint, cli):
    work("replace red by green in left.txt")
    cli("runs", "answer", "r1", "green is ugly")
    work("sing a song", options=("--resume", "c1"))
    assert "declined: the person refused this change: green is ugly" in told(endpoint)
    assert "solved" not in told(endpoint)
