"""The setting `vectors`, as a person types it: which engine keeps what a run looks up, and that both find the same."""

from __future__ import annotations

import pytest

from evolve.testing.doubles import prompt_of

NOTE = "the port of billing is 9000"
STORES = [("chroma", "chroma.sqlite3"), ("exact", "exact.idx"), ("auto", "exact.idx")]


@pytest.mark.parametrize(("store", "file"), STORES)
def test_the_engine_that_is_named_keeps_the_vectors_and_finds_the_note(cli, endpoint, project, tmp_path, store, file):
    assert cli("memory", "note", NOTE).code == 0
    words = ("run", "what is the port of billing?", "--model", endpoint.model, "--set", f"vectors={store}")
    cli(*words)
    assert NOTE in prompt_of(endpoint.requests[0])
    (kept,) = tmp_path.glob(f"**/memory_store/index-notes/{file}")
    assert kept.stat().st_size
