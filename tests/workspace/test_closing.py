"""A workspace that is closed says so, whatever is asked of it; and what it says of itself while it is open."""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Iterator

import pytest

import evolve
from evolve.core.errors import UsageError
from evolve.workspace.opened_resources import Resources

SHELVES = (
    *("runs", "conversations", "memory", "preferences", "skills", "criteria", "models"),
    *("variants", "gate", "workflow", "folders", "tools"),
)
STILL_TOLD = {"close", "sandbox_mark", "uses_model"}
"""Closing twice is no error; the others are facts that need nothing open."""


def methods() -> Iterator[tuple[str, str]]:
    """Every public method and property of the workspace and of its shelves."""
    for shelf in ("", *SHELVES):
        cls = shelf_class(shelf) if shelf else evolve.Workspace
        for name, found in inspect.getmembers_static(cls):
            if not name.startswith("_") and (callable(found) or isinstance(found, property)) and name not in STILL_TOLD:
                yield shelf, name


def shelf_class(shelf: str) -> type:
    from evolve.workspace.loops import variants
    from evolve.workspace.resources import evaluators as criteria
    from evolve.workspace.resources import folders, memory, models, preferences, tools, workflow
    from evolve.workspace.resources import gate_log as gate
    from evolve.workspace.runs import conversations, past_runs, skills

    return {
        "runs": past_runs.Runs,
        "conversations": conversations.Conversations,
        "memory": memory.Memories,
        "preferences": preferences.Preferences,
        "skills": skills.Skills,
        "criteria": criteria.Criteria,
        "models": models.Models,
        "variants": variants.Variants,
        "gate": gate.GateLog,
        "workflow": workflow.Workflows,
        "folders": folders.Folders,
        "tools": tools.Tools,
    }[shelf]


def something(parameter: inspect.Parameter) -> object:
    from evolve.workspace.loops.ablation import AblationRequest
    from evolve.workspace.loops.optimizing import OptimizerRequest
    from evolve.workspace.loops.testing_skills import SkillTestRequest

    requests = {
        "SkillTestRequest": SkillTestRequest(folder="x"),
        "OptimizerRequest": OptimizerRequest(suite="x"),
        "AblationRequest": AblationRequest(variant="x"),
    }
    return requests.get(str(parameter.annotation).rpartition(".")[2], "x")


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
        *(something(one) for one in needed if one.kind is not one.KEYWORD_ONLY),
        **{one.name: something(one) for one in needed if one.kind is one.KEYWORD_ONLY},
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


def test_a_closed_workspace_says_so(closed, subtests):
    for shelf, name in methods():
        with subtests.test(shelf=shelf, name=name):
            with pytest.raises(UsageError, match="closed") as told:
                call(closed[shelf], name)
            assert "evolve.open(" in told.value.hint


def test_every_shelf_is_asked():
    with evolve.open() as workspace:
        kept = workspace.memory.notes
    no_shelves = {"sandbox_mark", "uses_model", "refresh"}
    assert {name for name in vars(Resources) if not name.startswith("_")} == set(SHELVES) | no_shelves
    assert len(list(methods())) > 50
    with pytest.raises(UsageError, match="closed"):
        kept()


@pytest.mark.parametrize("shelf", SHELVES)
def test_a_shelf_that_nobody_asked_for_before_is_closed_too(shelf):
    with evolve.open() as workspace:
        pass
    with pytest.raises(UsageError, match="closed"):
        getattr(workspace, shelf).list()


def test_a_closed_workspace_is_not_entered_again():
    workspace = evolve.open()
    with workspace:
        pass
    workspace.close()
    with pytest.raises(UsageError, match="closed"), workspace:
        pass


@pytest.mark.parametrize("read_only", [False, True], ids=["writer", "reader"])
def test_parts_of_the_record_that_somebody_kept_say_so_too(tmp_path, read_only):
    evolve.open(tmp_path / "ws").close()
    workspace = evolve.open(tmp_path / "ws", read_only=read_only)
    stores = workspace.stores
    workspace.close()
    asked = {
        "rows": lambda: stores.db.rows("meta"),
        "query": lambda: stores.db.query("SELECT 1"),
        "check": stores.db.check,
        "copy": stores.db.keep_copy,
        "meta": lambda: stores.db.set_meta("key", "value"),
        "runs": stores.runs.list_runs,
        "claims": stores.memory.list_insights,
        "snapshot": stores.memory.snapshot,
        "skills": stores.skills.list,
        "variants": stores.variants.active,
        "decisions": stores.decisions.list_verdicts,
        "looks": stores.decisions.looks,
    }
    for name, ask in asked.items():
        with pytest.raises(UsageError, match="the workspace is closed") as told:
            ask()
        assert "evolve.open(" in told.value.hint, name
    stores.db.close()


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


@pytest.mark.slow
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


WRONG_TO_OPEN = [
    {"path": 3},
    {"path": []},
    {"model": 3},
    {"policy": 3},
    {"events": 3},
    {"read_only": "x"},
    {"sandbox": 3},
]


@pytest.mark.parametrize("wrong", WRONG_TO_OPEN, ids=str)
def test_what_opens_nothing_is_refused_and_makes_nothing(wrong, tmp_path, monkeypatch):
    monkeypatch.setenv("EVOLVE_WORKSPACE", str(tmp_path / "ws"))
    with pytest.raises(UsageError, match=f"{next(iter(wrong))}: expected .+, got (int|list|str)"):
        evolve.open(**wrong)
    assert not (tmp_path / "ws").exists()


WRONG_CALLS = {
    "a person in words": ("person", lambda ws: ws.run(examples=[(1, 2)], person="me")),
    "an environment by number": ("python", lambda ws: ws.run(examples=[(1, 2)], python=3)),
    "a name that is none": ("name", lambda ws: ws.run(examples=[(1, 2)], name=3)),
    "keys that look like pairs": ("examples", lambda ws: ws.run(examples={(1, 2): 3, (4, 5): 6})),
    "a dictionary of rows": ("examples", lambda ws: ws.run(examples={1: 2})),
    "no suite": ("suite", lambda ws: ws.improve(None)),
    "rounds in words": ("rounds", lambda ws: ws.improve("lists", rounds="2")),
    "true rounds": ("rounds", lambda ws: ws.improve("lists", rounds=True)),
    "half a seed": ("seed", lambda ws: ws.improve("lists", seed=0.5)),
    "a run by number": ("run", lambda ws: ws.undo(3)),
    "an answer by number": ("said", lambda ws: ws.runs.answer("r1", 3)),
    "no request": ("request", lambda ws: ws.optimize(None)),
    "a suite for a request": ("request", lambda ws: ws.variants.ablate("lists")),
    "a variant by number": ("variant", lambda ws: ws.variants.transfer(3, "lists")),
    "a look in words": ("fresh", lambda ws: ws.report(fresh="yes")),
    "a note by number": ("text", lambda ws: ws.memory.note(3)),
    "a skill by number": ("name", lambda ws: ws.skills.show(3)),
    "a wish by number": ("text", lambda ws: ws.preferences.add(3)),
    "a folder by number": ("run", lambda ws: ws.folders.get(3)),
    "a past run by number": ("run", lambda ws: ws.runs.show(3)),
    "a verdict in words": ("decision", lambda ws: ws.gate.show("3")),
    "a model by number": ("model", lambda ws: ws.models.default(3)),
    "a workflow by number": ("which", lambda ws: ws.workflow.show(3)),
}


@pytest.mark.parametrize(("named", "ask"), WRONG_CALLS.values(), ids=WRONG_CALLS)
def test_arguments_of_other_kinds_are_told_in_a_sentence(named, ask):
    with evolve.open() as workspace:
        with pytest.raises(UsageError, match=f"{named}: expected .+, got ") as told:
            ask(workspace)
        assert len(str(told.value)) < 150
        assert workspace.stores.runs.list_runs() == []


@pytest.mark.parametrize("wrong", [5, object(), b"x.csv"], ids=["int", "object", "bytes"])
def test_a_task_of_another_kind_is_refused(wrong):
    with evolve.open() as workspace, pytest.raises(UsageError):
        workspace.run(wrong)


def test_closing_twice_is_no_error_after_notes_were_recalled(tmp_path) -> None:
    with evolve.open(tmp_path / "ws") as opened:
        opened.memory.note("the port of billing is 9000")
        assert opened.memory.recall("billing")
        opened.close()
    assert "closed" in repr(opened)
