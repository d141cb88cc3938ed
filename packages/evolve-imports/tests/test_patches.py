"""A difference as evolve shows it is one that the reader of diffs applies."""

from __future__ import annotations

import pytest
from hypothesis import example, given

from evolve.environments.files.diffs import folder_diff
from evolve.environments.files.snapshots import changes_between
from evolve.tasks.reading.limits import FilePosition
from evolve_imports.patches import patched
from tests.environments.test_changes import TREES


@pytest.mark.slow
@example({"a.py": b"-- a\n"}, {"a.py": b"++ b\n", "b.py": b""})
@given(TREES, TREES)
def test_a_difference_that_is_shown_can_be_applied(before, after):
    changes = changes_between(before, after)
    texts = {name: data.decode() for name, data in before.items()}
    made = patched(folder_diff(before, changes), texts.get, FilePosition(file="diff"))
    assert {name: text.encode() for name, text in made.items()} == changes.written
