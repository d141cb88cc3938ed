"""The lists of what a skill may use fit the Python that runs, and the lint reads nothing that is not on them."""

from __future__ import annotations

import importlib
import types

import pytest

from evolve.skills.lint import lint
from evolve.skills.lint.allowed import allowed_lists
from tests.skills.allowed_names import HELD_BACK, TARGET, collected, kept, merged, text_of

LATER = {  # names that the oldest Python we support does not have
    "base64": "z85decode z85encode",
    "calendar": "Day Month JANUARY FEBRUARY MARCH APRIL MAY JUNE JULY AUGUST SEPTEMBER OCTOBER NOVEMBER DECEMBER",
    "collections.abc": "Buffer",
    "csv": "QUOTE_NOTNULL QUOTE_STRINGS",
    "itertools": "batched",
    "math": "fma sumprod",
    "re": "PatternError",
    "statistics": "kde",
    "typing": "override",
}
NAMES = [(module, name) for module, table in allowed_lists().modules.items() for name in table]


@pytest.mark.slow
def test_the_file_is_what_the_modules_and_the_review_give() -> None:
    assert text_of(merged(kept(), collected())) == TARGET.read_text(encoding="utf-8")


@pytest.mark.parametrize("module", allowed_lists().modules)
def test_every_name_is_there_and_is_no_module(module: str) -> None:
    found = importlib.import_module(module)
    missing = [name for name in allowed_lists().modules[module] if not hasattr(found, name)]
    assert set(missing) <= set(LATER.get(module, "").split())
    values = {name: getattr(found, name) for name in allowed_lists().modules[module] if name not in missing}
    assert [name for name, value in values.items() if isinstance(value, types.ModuleType)] == []


def test_nothing_can_be_changed_through_what_may_be_used_as_a_value() -> None:
    changed = []
    for module, name in NAMES:
        value = getattr(importlib.import_module(module), name, None)
        if allowed_lists().modules[module][name] == "values" and isinstance(value, type):
            try:
                value.changed_by_a_test = 1  # type: ignore[attr-defined]
            except TypeError:
                continue
            del value.changed_by_a_test  # type: ignore[attr-defined]
            changed.append(f"{module}.{name}")
    assert changed == []


def test_what_is_held_back_is_withheld_and_frames_are_out_of_reach() -> None:
    assert set(HELD_BACK) <= allowed_lists().withheld and not allowed_lists().withheld & allowed_lists().attributes
    live = [
        name for name in allowed_lists().attributes if name.startswith(("gi_", "cr_", "ag_", "tb_", "f_", "co_", "__"))
    ]
    assert live == []


@pytest.mark.parametrize("module", ["os", "sys", "subprocess", "random", "time", "importlib", "builtins", "inspect"])
def test_modules_that_are_not_listed_are_refused_by_every_form(module: str) -> None:
    for line in (
        f"import {module}",
        f"import {module} as m",
        f"from {module} import *",
        f"from {module} import a as b",
    ):
        assert lint(f"{line}\ndef f(x):\n    return x\n", "f")
        assert lint(f"def f(x):\n    {line}\n    return x\n", "f") or "*" in line
