"""A workspace that is closed says so, whatever is asked of it; and what it says of itself while it is open."""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Iterator

import pytest

import evolve
from evolve.errors import UsageError

SHELVES = ("memory", "preferences", "skills", "judges", "metrics", "variants", "folders")
STILL_TOLD = {"close", "mark", "uses_model"}
"""Closing twice is no error; the others are facts that need nothing open."""


def methods() -> Iterator[tuple[str, str]]:
    """Every public method and property of the workspace and of its shelves."""
    for shelf in ("", *SHELVES):
        cls = shelf_class(shelf) if shelf else evolve.Workspace
        for name, found in inspect.getmembers_static(cls):
            if not name.startswith("_") and (callable(found) or isinstance(found, property)) and name not in STILL_TOLD:
                yield shelf, name


def shelf_class(shelf: str) -> type:
    from evolve.workspace import folders, judges, memories, metrics, preferences, shelves, variants

    return {
        "memory": memories.Memories,
        "preferences": preferences.Preferences,
        "skills": shelves.Skills,
        "judges": judges.Judges,
        "metrics": metrics.Metrics,
        "variants": variants.Variants,
        "folders": folders.Folders,
    }[shelf]


def call(owner: object, name: str) -> None:
    """Calls it with something for every argument that it must have."""
    found = getattr(owner, name)
    if not callable(found):
        return
    needed = [
        one
        for one in inspect.signature(found).parameters.values()
        if one.default is one.empty and one.kind not in (one.VAR_KEYWORD, one.VAR_POSITIONAL)
    ]
    given = found(
        *("x" for one in needed if one.kind is not one.KEYWORD_ONLY),
        **{one.name: "x" for one in needed if one.kind is one.KEYWORD_ONLY},
    )
    if isinstance(given, contextlib.AbstractContextManager):
        given.__enter__()
    elif isinstance(given, Iterator):
        list(given)


@pytest.fixture(scope="module", params=[False, True], ids=["writer", "reader"])
def closed(request, tmp_path_factory):
    """A closed workspace, and its shelves as somebody kept them."""
    place = tmp_path_factory.mktemp("closed") / "ws"
    evolve.open(place).close()
    workspace = evolve.open(place, read_only=request.param)
    kept = {"": workspace, **{shelf: getattr(workspace, shelf) for shelf in SHELVES}}
    workspace.close()
    return kept


@pytest.mark.parametrize(("shelf", "name"), list(methods()), ids=str)
def test_a_closed_workspace_says_so(closed, shelf, name):
    with pytest.raises(UsageError, match="closed") as told:
        call(closed[shelf], name)
    assert "evolve.open(" in told.value.hint


def test_every_shelf_is_asked():
    with evolve.open() as workspace:
        own = {
            name for name, value in vars(workspace).items() if type(value).__module__.startswith("evolve.workspace.")
        }
        kept = workspace.memory.notes
    assert own - {"options", "learner"} == set(SHELVES)
    assert len(list(methods())) > 50
    with pytest.raises(UsageError, match="closed"):
        kept()


def test_a_closed_workspace_is_not_entered_again():
    workspace = evolve.open()
    with workspace:
        pass
    workspace.close()
    with pytest.raises(UsageError, match="closed"), workspace:
        pass


def test_an_error_inside_closes_too():
    with pytest.raises(KeyError), evolve.open() as workspace:
        raise KeyError
    with pytest.raises(UsageError, match="closed"):
        workspace.memory.notes()


def test_a_workspace_says_where_it_is_and_what_decides(tmp_path):
    place = tmp_path / "ws"
    with evolve.open(place) as workspace:
        assert repr(workspace) == f"<Workspace {place}, decided by search>"
    assert repr(workspace) == f"<Workspace {place}, closed>"
    with evolve.open(place, read_only=True) as workspace:
        assert repr(workspace) == f"<Workspace {place}, decided by search, for reading only>"


def test_a_result_says_in_one_line_what_came_of_it():
    with evolve.open() as workspace:
        result = workspace.run(examples=[(n, 2 * n) for n in range(9)], name="twice")
        assert repr(result) == f"<Result of twice: solved, verified; {result.note}; episode {result.episode_id}>"
        assert len(repr(workspace.run(examples=[(1, "x"), (2, "\n"), (3, "f" * 500)], budget="20-candidates"))) < 300


def test_the_package_shows_its_doors_and_nothing_else():
    assert {"open", "Workspace", "Result", "EvolveError", "__version__"} <= set(dir(evolve))
    assert not {"TYPE_CHECKING", "annotations"} & set(dir(evolve))
    assert "open" in dir(evolve.workspace)


@pytest.mark.parametrize("nothing", [[], (), {}, iter(())], ids=["list", "tuple", "dict", "iterator"])
def test_no_examples_are_called_so(nothing):
    with evolve.open() as workspace, pytest.raises(UsageError, match="examples: there are none") as told:
        workspace.run(examples=nothing)
    assert "(input, output)" in told.value.hint


@pytest.mark.parametrize("wrong", [5, object(), 1.5], ids=["int", "object", "float"])
def test_examples_of_another_kind_are_refused(wrong):
    with evolve.open() as workspace, pytest.raises(UsageError, match="examples: expected pairs"):
        workspace.run(examples=wrong)


@pytest.mark.parametrize("wrong", [5, object(), b"x.csv"], ids=["int", "object", "bytes"])
def test_a_task_of_another_kind_is_refused(wrong):
    with evolve.open() as workspace, pytest.raises(UsageError):
        workspace.run(wrong)
