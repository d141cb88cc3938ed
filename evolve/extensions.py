"""What can be extended without changing evolve: by an entry point of any installed package.

A seam has names; a name stands for one value, built in by a line here or offered by a package under the entry point
group ``evolve.SEAM``. Nothing is looked up before a name is asked for, and a built-in name cannot be replaced. Values
stand here by name, so who reads a task file gets at the kind that the file names without knowing kinds.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

BUILT_IN: Mapping[str, Mapping[str, str]] = {
    "environments": {
        "programs": "evolve.environments.programs:PROGRAMS",
        "words": "evolve.environments.words:WORDS",
        "files": "evolve.environments.files:FILES",
    },
    "suites": {},  # what draws fresh tasks of a suite; those that ship are data
}
"""Where each value stands, as ``module:name``, by seam and name."""


def find(seam: str, name: str) -> Any:
    """The value of a name; None where nobody offers it."""
    place = BUILT_IN[seam].get(name)
    if place is not None:
        module, _, attribute = place.partition(":")
        return getattr(import_module(module), attribute)
    from importlib.metadata import entry_points

    return next((one.load() for one in entry_points(group=f"evolve.{seam}", name=name)), None)


def installed(seam: str) -> Mapping[str, str]:
    """The names that packages offer besides, each with the package that offers it."""
    from importlib.metadata import entry_points

    found = entry_points(group=f"evolve.{seam}")
    return {one.name: one.dist.name if one.dist is not None else "" for one in found if one.name not in BUILT_IN[seam]}
