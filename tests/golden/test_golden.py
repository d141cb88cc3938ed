"""What an earlier version left behind is opened, gone on with and replayed, and shows what it showed then.

The archives and how they came about: ``tests/golden/make.py``. Records change their form by migrations only, which
these tests go through as soon as there are some after the archives. What stands in a checkpoint of an episode
(``search-killed*``, ``folder-killed``, ``question-waiting``, ``chat-waiting``) is MessagePack of plain values inside
tables of LangGraph's, written by langgraph 1.2 with langgraph-checkpoint-sqlite 3.1; it holds no pickle and does not
depend on the version of Python. Another version of langgraph may lay its tables out otherwise, and nothing is promised
for one outside the bounds of ``pyproject.toml``: if raising them turns only these red, interrupted runs cannot be gone
on with across that change, which has to be said to people. Recordings (``*-recorded``) fit the prompts they were made
with, and stand in a test of their own.
"""

from __future__ import annotations

import tarfile
from collections.abc import Iterator
from typing import Any

import pytest

from tests.golden.cases import GOLDENS
from tests.golden.make import ARCHIVES, Inside, expected, unpack

INNER = "inner"
"""What only the policy that wrote it reads; a change of its form is told apart from one that people see."""

ALL_BYTES = 600_000
MACHINE = (b"/root/", b"/home/", b"/Users/")


def some(*, replays: bool) -> list[Any]:
    return [
        pytest.param(name, marks=[pytest.mark.slow] if golden.slow else [])
        for name, golden in GOLDENS.items()
        if golden.replays == replays
    ]


@pytest.fixture(scope="module")
def looked() -> dict[str, Any]:
    """What was seen in each archive; each is looked at once."""
    return {}


@pytest.fixture
def look(looked, tmp_path, private_home):
    def one(name: str) -> Any:
        if name not in looked:
            (private_home / ".cache" / "evolve" / "endpoints.json").unlink(missing_ok=True)
            unpack(name, tmp_path)
            looked[name] = GOLDENS[name].look(Inside(tmp_path))
        return looked[name]

    return one


def differences(found: Any, wanted: Any, place: str = "") -> Iterator[str]:
    """Where two values differ, each place in one line."""
    if isinstance(found, dict) and isinstance(wanted, dict):
        for key in sorted({*found, *wanted}):
            yield from differences(found.get(key, "(none)"), wanted.get(key, "(none)"), f"{place}/{key}")
    elif isinstance(found, list) and isinstance(wanted, list) and len(found) == len(wanted):
        for number, (one, other) in enumerate(zip(found, wanted, strict=True)):
            yield from differences(one, other, f"{place}/{number}")
    elif found != wanted or type(found) is not type(wanted):
        yield f"{place}: {found!r:.300}, and was {wanted!r:.300}"


def differing(name: str, found: Any, *, inner: bool) -> list[str]:
    lines = differences(found, expected(name))
    return [line for line in lines if (INNER in line.partition(":")[0].split("/")) == inner][:20]


@pytest.mark.slow
@pytest.mark.parametrize("name", some(replays=False))
def test_what_was_there_is_seen_and_what_was_interrupted_goes_on_to_the_same_end(look, name):
    assert differing(name, look(name), inner=False) == []


@pytest.mark.parametrize("name", some(replays=False))
def test_what_a_policy_wrote_for_itself_is_read_as_it_was_written(look, name):
    assert differing(name, look(name), inner=True) == []


@pytest.mark.parametrize("name", some(replays=True))
def test_a_recording_is_replayed_to_the_same_answer(look, name):
    found = look(name)
    assert differing(name, found, inner=False) == differing(name, found, inner=True) == []
    assert found["resumed"]["said"]["cost"]["calls"] == 0


def test_a_difference_is_found_wherever_it_stands():
    wanted = {"a": [1, {"b": 2.0}], "inner": 3}
    assert list(differences(wanted, wanted)) == []
    found = {"a": [1, {"b": 2}], "c": None, "inner": 4}
    assert [line.partition(":")[0] for line in differences(found, wanted)] == ["/a/1/b", "/c", "/inner"]
    assert list(differences([1], [1, 2])) != []


def test_every_golden_is_there_is_small_and_says_nothing_of_a_machine():
    archives = sorted(ARCHIVES.glob("*.tar.xz"))
    assert {path.name.removesuffix(".tar.xz") for path in archives} == set(GOLDENS)
    assert sum(path.stat().st_size for path in archives) < ALL_BYTES
    for path in archives:
        with tarfile.open(path) as tar:
            for member in tar:
                stream = tar.extractfile(member)
                data = stream.read() if stream is not None else b""
                assert [word for word in MACHINE if word in data] == [], (path.name, member.name)
