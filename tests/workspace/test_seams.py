"""A store of vectors and a text encoder of another package, named in the settings of a workspace."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

import evolve
from evolve.core.errors import WorkspaceError
from evolve.workspace.health.doctor import doctor
from tests.offering import offer, offering
from tests.retrieval.letters import LetterEmbedder

ROWS = [([n, 2, 3], n + 5) for n in range(8)]


@pytest.fixture
def offered(tmp_path: Path) -> Iterator[None]:
    with ExitStack() as all_of_them:
        all_of_them.enter_context(offering(tmp_path, "vectors", "lists", "tests.vectors.lists:ListIndex"))
        all_of_them.enter_context(
            offering(tmp_path / "other", "encoders", "letters", "tests.retrieval.letters:LetterEmbedder")
        )
        yield


def workspace(folder: Path, text: str) -> Path:
    root = folder / "ws"
    evolve.init(root)
    (root / "evolve.toml").write_text(text)
    return root


def test_what_a_package_offers_serves_a_workspace_that_names_it(tmp_path: Path, offered: None) -> None:
    root = workspace(tmp_path, "vectors = 'lists'\nencoder = 'letters'\n")
    with evolve.open(root) as opened:
        for name in ("total", "sum_of"):
            assert opened.run(examples=ROWS, name=name).solved
        assert not list((root / "memory_store").glob("index*/*"))  # a search looks nothing up
        assert opened.memory.check().ok and opened.memory.recall("add numbers")
    (file,) = (root / "memory_store" / "index-lists").iterdir()
    assert len(json.loads(file.read_text())["rows"]) == 2
    assert not (root / "memory_store" / "index").exists()
    told = {finding.part: finding.text for finding in doctor(root)}
    assert told["encoder"].startswith("letters-65") and told["index"].startswith("lists")


def test_a_folder_may_follow_the_name_of_an_encoder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened_with = []

    def letters_of(folder: str) -> LetterEmbedder:
        opened_with.append(folder)
        return LetterEmbedder()

    offer(monkeypatch, tmp_path / "site", "encoders", "letters", letters_of)
    with evolve.open(workspace(tmp_path, "encoder = 'letters:/weights'\n")) as opened:
        opened.memory.note("the port is 9000")
        assert opened.memory.recall("port")
    assert set(opened_with) == {"/weights"}
    with pytest.raises(WorkspaceError, match="no whole path"):
        evolve.open(workspace(tmp_path, "encoder = 'letters:weights'\n"))


@pytest.mark.parametrize(
    ("key", "known"), [("vectors", "auto, exact, chroma, lists"), ("encoder", "hashing, st, .*letters")]
)
def test_a_name_that_nobody_offers_is_refused_with_those_that_there_are(
    tmp_path: Path, offered: None, key: str, known: str
) -> None:
    root = workspace(tmp_path, f"{key} = 'moon'\n")
    with pytest.raises(WorkspaceError, match=f"evolve.toml: {key}: there is no 'moon'; there are {known}"):
        evolve.open(root)


@pytest.mark.slow
@pytest.mark.parametrize("store", ["auto", "exact", pytest.param("chroma", marks=pytest.mark.slow)])
def test_every_store_of_ours_finds_the_same_again(tmp_path: Path, store: str) -> None:
    root = workspace(tmp_path, f"vectors = '{store}'\n")
    with evolve.open(root) as opened:
        assert opened.run(examples=ROWS, name="total").solved
        before = opened.memory.recall("add numbers")
        assert before
    with evolve.open(root) as opened:
        assert opened.memory.recall("add numbers") == before
        assert opened.memory.reindex() == 1 and opened.memory.check().ok
        assert opened.memory.recall("add numbers") == before
