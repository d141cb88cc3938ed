"""A function saved from a like table is tried before anything is searched for, and believed as far as rows show it."""

from __future__ import annotations

import pytest

import evolve
from benchmarks.like_tables import JOBS, measure, shares
from evolve.core.episodes import Row
from evolve.skills import Skill
from evolve.tasks import Task
from evolve.workspace.runs.ambiguity import CANDIDATES
from evolve.workspace.runs.saved import column_similarity

pytestmark = pytest.mark.usefixtures("few_rivals")

NAMES = [
    "Ada Lovelace",
    "Alan Turing",
    "Grace Hopper",
    "Barbara Liskov",
    "Donald Knuth",
    "Edsger Dijkstra",
    "Tony Hoare",
]


def listed(name):
    return ", ".join(name.split()[::-1])


@pytest.fixture
def solve(tmp_path):
    """Runs a table of names in a workspace that solved one of seven rows, as another file each time."""
    with evolve.open(tmp_path / "ws") as workspace:

        def run(names, wanted=listed, columns="name,listed"):
            file = tmp_path / f"table-{len(workspace.runs.list())}.csv"
            file.write_text("\n".join([columns, *(f'{name},"{wanted(name)}"' for name in names)]) + "\n")
            return workspace.run(examples=file)

        first = run(NAMES)
        assert first.verified and first.skills
        yield run


def test_one_row_is_enough_where_the_columns_are_the_same(solve):
    result = solve(["John Backus"])
    assert (result.used.rows, result.used.given, result.used.verified) == (7, 1, True)
    # Nothing is searched for but other functions that fit as well.
    assert result.cost.candidates <= CANDIDATES[0] and result.verified
    space = {}
    exec(compile(result.answer, "<answer>", "exec"), space)
    assert space[result.entry]("Frances Allen") == "Allen, Frances"


@pytest.mark.slow
def test_under_other_names_two_rows_of_such_cells_are_needed(solve):
    assert "saved from" not in solve(["John Backus"], columns="who,out").note
    assert "saved from a table with such cells" in solve(["John Backus", "Frances Allen"], columns="who,out").note


@pytest.mark.slow
def test_what_is_wrong_on_a_row_is_not_taken(solve):
    result = solve(["John Backus", "Frances Allen"], wanted=str.upper)
    assert result.used is None and result.cost.candidates
    assert "unlike your" in result.note


@pytest.mark.slow
def test_rows_that_the_saved_function_was_made_from_verify_nothing(solve):
    # All rows that are kept back of these were seen when the function was found, so it is searched for anew.
    assert solve(NAMES[::-1]).used is None
    result = solve(["John Backus", "Frances Allen", "Niklaus Wirth", "Adele Goldberg", "Mary Shaw", "Jean Sammet"])
    assert result.verified and result.used is not None


def saved(signature, description="", rows=()):
    code = "def f(x):\n    return x\n"
    return Skill(
        name="f", description=description, entry="f", signature=signature, code=code, rows=rows, test_code="", tree={}
    )


def asked(signature, *rows, instruction=""):
    examples = tuple(Row(input=(given,), output=wanted) for given, wanted in rows)
    return Task(id="t", family="f", instruction=instruction, signature=signature, examples=examples)


@pytest.mark.parametrize(
    ("signature", "like"),
    [
        ("(name: str) -> str", "these columns"),
        ("(nome: str) -> str", ""),
        ("(name: int) -> str", ""),
        ("(name: str, day: str) -> str", ""),
    ],
)
def test_columns_are_like_by_their_names_and_kinds(signature, like):
    assert column_similarity(asked(signature, ("x", "y")), saved("(name: str) -> str")) == like


def test_names_that_no_header_gave_are_no_sign_and_numbers_are_one_kind():
    assert column_similarity(asked("(text: str) -> str", ("x", "y")), saved("(text: str) -> str")) == ""
    assert column_similarity(asked("(net: int) -> float", (1, 2.5)), saved("(net: float) -> float")) == "these columns"
    same = saved("(name: str) -> str", description="Give listed from name. Use when needed.")
    task = asked("(name: str) -> str", ("x", "y"), instruction="Give listed from name.")
    assert column_similarity(task, same) == "the same columns"


@pytest.mark.slow
def test_what_was_saved_helps_on_later_tables_with_few_rows():
    found = measure([2], JOBS[:3])
    assert shares(found)["with the saved function, 1 filled"] > shares(found)["without the saved function, 1 filled"]
