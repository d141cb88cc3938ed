"""Doubles for tests of evolve and of programs built on it. Nothing in evolve imports this package."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evolve.testing.doubles import Double, prompt_of, question_of, schema_of
from evolve.testing.endpoint_scenario import Scenario, load_scenario
from evolve.testing.policies import FixedLearner, FixedPolicy, ScriptedWorker
from evolve.testing.sandboxes import TrustingSandbox
from evolve.testing.wires import LocalWire

if TYPE_CHECKING:
    from evolve.testing.endpoint import ScriptedEndpoint

__all__ = [
    "Double",
    "FixedLearner",
    "FixedPolicy",
    "LocalWire",
    "Scenario",
    "ScriptedEndpoint",
    "ScriptedWorker",
    "TrustingSandbox",
    "load_scenario",
    "prompt_of",
    "question_of",
    "schema_of",
]


def __getattr__(name: str) -> Any:
    # It is also a program, ``python -m evolve.testing.endpoint``, and must not be loaded twice.
    if name == "ScriptedEndpoint":
        from evolve.testing.endpoint import ScriptedEndpoint

        return ScriptedEndpoint
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
