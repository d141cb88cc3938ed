"""Changes of a tree: what they do, and how they read."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from evolve.environments.files import Snapshots
from evolve.environments.files.diffs import unified
from evolve.environments.files.snapshots import changes_between
from evolve.tasks.imports.patches import patched
from evolve.tasks.reading.limits import Place
from evolve.tasks.work import PROTECTED, is_protected, restored

NAMES = st.sampled_from(["a.py", "b.py", "docs/a.md", "tests/a.py", "src/test_b.py", "x/y/conftest.py"])
LINES = st.lists(st.sampled_from(["one", "two", "", "-- a", "++ b", "@@ -1 +1 @@", "\u2028"]), max_size=6)
TEXTS = LINES.map(lambda lines: "".join(f"{line}\n" for line in lines).encode())
TREES = st.dictionaries(NAMES, TEXTS, max_size=4)


@given(TREES, TREES)
def test_changes_lead_from_one_tree_to_the_other_and_back(before, after):
    there, back = changes_between(before, after), changes_between(after, before)
    assert there.on(before) == after and back.on(after) == before
    snapshots = Snapshots()
    assert snapshots.changes(snapshots.keep(there)) == there


@pytest.mark.slow
@example({"a.py": b"-- a\n"}, {"a.py": b"++ b\n", "b.py": b""})
@given(TREES, TREES)
def test_a_difference_that_is_shown_can_be_applied(before, after):
    changes = changes_between(before, after)
    texts = {name: data.decode() for name, data in before.items()}
    made = patched(unified(before, changes), texts.get, Place(file="diff"))
    assert {name: text.encode() for name, text in made.items()} == changes.written


@pytest.mark.slow
@given(TREES, TREES)
def test_protected_files_are_always_those_of_the_original(original, changed):
    result = restored(changed, original, PROTECTED)
    for name in {*original, *changed}:
        source = original if is_protected(name, PROTECTED) else changed
        assert result.get(name) == source.get(name)
