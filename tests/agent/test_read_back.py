"""What is kept as JSON can be read back: the types of its fields are there at run time, not for type checkers alone."""

from __future__ import annotations

import ast
from dataclasses import is_dataclass
from importlib import import_module
from typing import get_type_hints

from evolve.core.episodes.codec import Jsonable
from tests.architecture.source import Module, called_name, modules

READERS = ("from_json", "from_data", "once", "all_of")


def kept(module: Module) -> set[type]:
    """The dataclasses that a module has read back from JSON."""
    calls = [node for node in module.nodes if isinstance(node, ast.Call)]
    calls = [call for call in calls if (called_name(call) or ast.unparse(call.func)).split(".")[-1] in READERS]
    named = {argument.id for call in calls for argument in call.args if isinstance(argument, ast.Name)}
    values = vars(import_module(module.name)) if named else {}
    return {values[name] for name in named if is_dataclass(values.get(name)) and isinstance(values[name], type)}


def test_the_fields_of_what_is_read_back_have_types_at_run_time():
    classes = {cls for module in modules() for cls in kept(module)} | set(Jsonable.__subclasses__())
    assert len(classes) > 25
    for cls in classes:
        get_type_hints(cls)
