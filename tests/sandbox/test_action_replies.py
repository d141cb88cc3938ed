"""What comes out of an action is data: reading it gives a result and never an exception."""

from __future__ import annotations

import json
import os
from pathlib import PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolve.runtime.sandbox.actions import is_plain_name
from evolve.runtime.sandbox.guest.wiping import NotWiped, larger_than, place_file, regular_files, wipe
from evolve.runtime.sandbox.replies import CollectedFiles, JobReply, read_files, read_report

GOOD = {"value": 1, "has": True, "error": "", "limit": "", "denied": []}


def report(**changes):
    line = json.dumps({**GOOD, **changes}).encode() + b"\n"
    return read_report(JobReply(state="ok", data=line))


def test_a_report_as_the_runner_writes_it():
    assert (report().state, report().value, report().has_value) == ("ok", 1, True)
    assert report(error="E: x", value=None, has=False).state == "error"
    assert (report(limit="disk").state, report(limit="disk").limit) == ("limit", "disk")
    assert [str(one) for one in report(denied=[["file", "/x\x1b"], ["file", "/x\x1b"]]).denied] == ["file:/x\\x1b"]


@pytest.mark.parametrize(
    "changes",
    [
        {"more": 1},
        {f"key{n}": n for n in range(10_000)},
        {"has": 1},
        {"limit": "wall"},
        {"limit": ["disk"]},
        {"error": None},
        {"denied": None},
        {"denied": [["file", 1]]},
        {"denied": [["nothing", "x"]]},
        {"denied": [[[], "x"]]},
        {"denied": [["file", "x"]] * 51},
        {"value": "\ud800"},
    ],
)
def test_any_other_shape_is_malformed(changes):
    found = report(**changes)
    assert (found.state, found.error, found.orderly) == ("error", "malformed result", False)


def test_two_reports_are_none():
    line = json.dumps(GOOD).encode() + b"\n"
    found = read_report(JobReply(state="ok", data=line * 2))
    assert (found.state, found.error, found.orderly) == ("error", "more than one result", False)


STATES = st.sampled_from(
    ["ok", "time", "size", "disk", "cpu", "died", "late", "signal 9", "unplaced", "unasked", "odd"]
)


@given(data=st.binary(max_size=300) | st.builds(lambda x: json.dumps(x).encode() + b"\n", st.none()), state=STATES)
def test_any_bytes_give_a_report(data, state):
    found = read_report(JobReply(state=state, data=data))
    assert found.state in ("error", "limit") and found.error
    assert (found.state == "limit") == bool(found.limit)


LISTING = st.fixed_dictionaries(
    {"files": st.lists(st.tuples(st.text(max_size=6), st.integers(-2, 9)), max_size=4), "refused": st.lists(st.text())},
    optional={"gone": st.lists(st.text(max_size=6))},
)


@given(listing=LISTING, contents=st.binary(max_size=20), junk=st.binary(max_size=20))
def test_any_listing_gives_plain_files_or_is_refused(listing, contents, junk):
    for head in (json.dumps(listing).encode(), junk):
        found = read_files(JobReply(state="ok", data=head + b"\n" + contents), 100)
        files = () if found is None else found.files
        assert all(map(is_plain_name, (*(file.name for file in files), *(() if found is None else found.gone))))
        assert sum(len(file.data) for file in files) <= len(contents)


@pytest.mark.parametrize("data", [b"", b"{}\n", b'{"files": [["a", 9]], "refused": []}\nabc', b"[]\n"])
def test_a_damaged_listing_is_not_an_empty_folder(data):
    assert read_files(JobReply(state="ok", data=data), 100) is None
    assert read_files(JobReply(state="ok", data=b'{"files": [], "refused": []}\n'), 100) == CollectedFiles()


@given(st.text(st.sampled_from("ab./\\\0\n~\u202e\ud800"), max_size=8))
def test_a_plain_name_stays_below_its_folder(name):
    if is_plain_name(name):
        path = PurePosixPath("/folder") / name
        assert os.path.normpath(path) == str(path) and path.is_relative_to("/folder/") and len(path.parts) > 2


@pytest.fixture
def scratch(tmp_path):
    """A folder full of traps, and something outside that must not change."""
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "kept").write_text("kept")
    root = tmp_path / "scratch"
    root.mkdir()
    os.symlink(tmp_path / "outside", root / "link")
    os.symlink("loop", root / "loop")
    os.link(tmp_path / "outside" / "kept", root / "twin")
    os.mkfifo(root / "pipe")
    (root / "locked").mkdir()
    (root / "locked" / "file").write_text("x" * 100_000)
    os.chmod(root / "locked", 0)
    place = os.open(root, os.O_RDONLY)
    yield place
    os.close(place)
    assert (tmp_path / "outside" / "kept").read_text() == "kept"


def test_a_hostile_folder_is_measured_and_emptied(scratch):
    here = os.dup(scratch)
    for _ in range(1100):  # deeper than any path or stack allows
        os.mkdir("deeper", dir_fd=here)
        inner = os.open("deeper", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = inner
    os.close(here)
    assert larger_than(scratch, 10**9, 10**6)  # too deep to measure
    with pytest.raises(NotWiped):
        wipe(scratch, most=100)
    wipe(scratch, seconds=60)
    assert os.listdir(scratch) == []
    assert not larger_than(scratch, 0, 0)


def test_only_plain_files_are_read_and_nothing_is_written_through_a_link(scratch):
    refused: list[str] = []
    found = {name: data for name, data, _ in regular_files(scratch, 10**6, 1000, refused.append, {})}
    assert found == {"locked/file": b"x" * 100_000}
    assert {"link", "loop", "pipe", "twin"} <= set(refused)
    with pytest.raises(OSError):
        place_file(scratch, "link/kept", b"changed")
    place_file(scratch, "twin", b"mine")
    place_file(scratch, "a/b", b"new")
    assert {name for name, _, _ in regular_files(scratch, 10**6, 1000, refused.append, {})} == {
        "locked/file",
        "twin",
        "a/b",
    }
