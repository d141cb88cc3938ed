"""Changes of a tree: what they do, and how they read."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolve.core.files import digest
from evolve.environments.files import Snapshots
from evolve.environments.files.diffs import folder_diff
from evolve.environments.files.snapshots import changes_between
from evolve.tasks.work import PROTECTED, FolderWork, is_protected, restore_protected

NAMES = st.sampled_from(["a.py", "b.py", "docs/a.md", "tests/a.py", "src/test_b.py", "x/y/conftest.py"])
LINES = st.lists(st.sampled_from(["one", "two", "", "-- a", "++ b", "@@ -1 +1 @@", "\u2028"]), max_size=6)
TEXTS = LINES.map(lambda lines: "".join(f"{line}\n" for line in lines).encode())
TREES = st.dictionaries(NAMES, TEXTS, max_size=4)


@given(TREES, TREES)
def test_changes_lead_from_one_tree_to_the_other_and_back(before, after):
    there, back = changes_between(before, after), changes_between(after, before)
    assert there.apply_to(before) == after and back.apply_to(after) == before
    snapshots = Snapshots()
    assert snapshots.load_changes(snapshots.save_changes(there)) == there


def shown(before, after):
    """The lines of the difference that one file makes."""
    trees = [{} if data is None else {"a.txt": data} for data in (before, after)]
    return folder_diff(trees[0], changes_between(*trees)).split("\n")[:-1]


SHOWN = [
    ("Namen: Bjørn\nalt\n".encode("cp1252"), "Namen: Bjørn\nneu\n".encode("cp1252"), "cp1252"),
    ("é\nalt\n".encode("utf-16"), "é\nneu\n".encode("utf-16"), "utf-16-le, begins with a byte order mark"),
    (b"a\r\nalt\nb\r\n", b"a\r\nneu\nb\r\n", "mixed line ends"),
    (b"a\ralt\rb\r", b"a\rneu\rb\r", "CR line ends"),
    (b"\xc3\xa4\xc3\xb6\xfc\nalt\n", b"\xc3\xa4\xc3\xb6\xfc\nneu\n", "utf-8 but for 1 byte"),
]


@pytest.mark.parametrize(("before", "after", "form"), SHOWN)
def test_one_changed_line_is_shown_as_one_in_every_form(before, after, form):
    lines = shown(before, after)
    assert lines[:2] == [f"--- a/a.txt\t{form}", f"+++ b/a.txt\t{form}"]
    assert [line for line in lines[3:] if line[0] in "-+"] == ["-alt", "+neu"]


def test_one_changed_line_of_a_large_file_is_shown_with_its_number():
    text = "".join(f"line {number}\n" for number in range(1, 100_001))
    lines = shown(text.encode(), text.replace("line 70000\n", "new\n").encode())
    assert lines[2] == "@@ -69997,7 +69997,7 @@" and lines[6:8] == ["-line 70000", "+new"]


FORM_ALONE = [
    (b"a\r\nb\r\n", b"a\nb\n", ["lines 1, 2", "CRLF line ends before"]),
    (b"a\r\nb\nc\r\n", b"a\r\nb\r\nc\n", ["lines 2, 3", "mixed line ends before, mixed line ends after"]),
    (b"\xef\xbb\xbfa\n", b"a\n", ["begins with a byte order mark before"]),
    ("Bjørn\n".encode("cp1252"), "Bjørn\n".encode(), ["cp1252 before"]),
]


@pytest.mark.parametrize(("before", "after", "told"), FORM_ALONE)
def test_a_change_of_the_form_alone_is_told(before, after, told):
    lines = shown(before, after)
    assert not [line for line in lines[2:] if line[0] in "-+"]
    assert all(part in "\n".join(lines[2:]) for part in told)


def test_line_ends_that_change_beside_the_text_of_a_mixed_file_are_shown():
    lines = shown(b"a\r\na\nc\r\nd\n", b"a\na\r\nc\nD\n")
    assert [line.rstrip("\r") for line in lines if line[:1] in "-+" and line[:3] not in ("---", "+++")].count("-a") == 1
    assert "line 3" in lines[2] and "-d" in lines and "+D" in lines


def test_other_line_ends_do_not_hide_what_changes_in_the_text():
    lines = shown(b"a\r\nalt\r\nb\r\n", b"a\nneu\nb\n")
    assert "lines 1, 3" in lines[2] and [line for line in lines[4:] if line[0] in "-+"] == ["-alt", "+neu"]


@given(st.one_of(st.none(), st.binary(max_size=30)), st.one_of(st.none(), st.binary(max_size=30)))
def test_no_difference_is_empty_or_breaks_what_shows_it(before, after):
    lines = shown(before, after)
    assert bool(lines) == (before != after)
    assert "\n".join(lines).encode().decode() == "\n".join(lines)
    if before and after and before != after:
        assert len(lines) > 2


@pytest.mark.parametrize(
    ("before", "after"),
    [(b"\0\1", b"\0\2"), (None, b"\0\1"), (b"text\n", b"\0\1"), (b"a\n" * 200_000, b"b\n" * 200_000)],
)
def test_what_is_not_shown_is_told_by_size_and_digest(before, after):
    told = shown(before, after)[-1]
    assert told.startswith("not shown") and digest(after) in told and (before is None or digest(before) in told)


@pytest.mark.slow
@given(TREES, TREES)
def test_protected_files_are_always_those_of_the_original(original, changed):
    result = restore_protected(changed, original, FolderWork(folder="/"))
    for name in {*original, *changed}:
        source = original if is_protected(name, PROTECTED) else changed
        assert result.get(name) == source.get(name)
