"""What admits a procedure by the folders on which it was tried, and how it loses what it does not need."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolve.core.episodes import Rehearsal
from evolve.skills.procedures import lint_procedure, procedure_status, shorten_source

CODE = '''\
import re
from folder_functions import edit, read


def change(old, new):
    """Changes it."""
    unused = re.escape(new)
    for path in ["a", "b"]:
        text = read(path)
        if old in text:
            edit(path, text, text.replace(old, new))
        else:
            read("c")
'''


def tried(number, *, held=True, base=None, change=None):
    return Rehearsal(
        task=f"task-{number}",
        group=f"group-{number}",
        arguments=(),
        base=f"base-{number if base is None else base}",
        change=f"change-{number if change is None else change}",
        held=held,
    )


def test_two_folders_that_differ_in_all_that_matters_admit_it():
    assert procedure_status([tried(1), tried(2)]) == "admitted"
    assert procedure_status([]) == procedure_status([tried(1)]) == "draft"
    for same in (tried(1), tried(2, base=1), tried(2, change=1), tried(2, held=False)):
        assert procedure_status([tried(1), same]) == "draft"
    assert procedure_status([tried(1), tried(2, held=False), tried(3, held=False)]) == "retired"
    assert procedure_status([tried(1), tried(2), tried(3, held=False)]) == "admitted"
    assert procedure_status([tried(1), tried(2), tried(3, held=False), tried(4, held=False)]) == "retired"


@pytest.mark.slow
@given(st.lists(st.tuples(st.integers(1, 4), st.booleans(), st.integers(1, 4), st.integers(1, 4)), max_size=8))
def test_it_is_admitted_only_where_it_held_oftener_than_it_failed(runs):
    made = [tried(number, held=held, base=base, change=change) for number, held, base, change in runs]
    held = [one for one in made if one.held]
    if procedure_status(made) == "admitted":
        assert all(len({getattr(one, name) for one in held}) >= 2 for name in ("group", "base", "change"))
        assert len({one.group for one in held}) > len({one.group for one in made if not one.held})


def test_what_a_procedure_may_import_is_said_with_its_line():
    assert lint_procedure(CODE, "change", 2) == []
    assert "does not take 1" in lint_procedure(CODE, "change", 1)[0]
    assert "imports nothing" in lint_procedure("def change():\n    return 1\n", "change", 0)[0]
    assert "line 2" in lint_procedure(CODE.replace("edit, read", "edit, remove"), "change", 2)[0]
    assert "line 7" in lint_procedure(CODE.replace("re.escape(new)", "eval(new)"), "change", 2)[0]
    assert lint_procedure("from folder_functions import run\nimport os\ndef change(): run(os.getcwd())", "change", 0)
    assert lint_procedure("from folder_functions import run\nrun('x')\ndef change(): run('y')", "change", 0)


@pytest.mark.parametrize(
    "code",
    [
        "from folder_functions import *\ndef change(): run('x')",
        "import folder_functions\ndef change(): folder_functions.run('x')",
        "from folder_functions import ROOT, run\ndef change(): run(ROOT)",
        "from folder_functions import shell\ndef change(): shell('x')",
        "from folder_functions import run as go\ndef change(): go('x')",
        "from .folder_functions import run\ndef change(): run('x')",
        "from folder_functions import run\ndef change(): run.__globals__['os'].remove('x')",
        "from folder_functions import run\ndef change(): getattr(run, '__globals__')",
        "from folder_functions import run\ndef change():\n    from folder_functions import shell\n    shell('x')",
        "from folder_functions import run\ndef change(): exec('import os')",
        "from folder_functions import run\nx = run('x')\ndef change(): return x",
        "from folder_functions import run\ndef change(): open('x', 'w')",
    ],
)
def test_there_is_no_other_door(code):
    assert lint_procedure(code, "change", 0)


def test_the_docstring_stays_and_what_does_nothing_goes():
    needed = ("import edit, read", "edit(", "read(path)", "for")
    short = shorten_source(CODE, "change", lambda source: all(part in source for part in needed))
    assert '"""Changes it."""' in short
    assert not any(gone in short for gone in ("unused", "read('c')", "import re"))
    assert lint_procedure(short, "change", 2) == []


def test_nothing_is_left_out_where_everything_is_needed_and_little_is_asked():
    asked = []
    assert shorten_source(CODE, "change", lambda source: asked.append(source) or False, most=5) == CODE
    assert len(asked) == 5
