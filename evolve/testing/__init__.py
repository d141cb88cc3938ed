"""Doubles for tests of evolve and of programs built on it. Nothing in evolve imports this package."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evolve.testing.conversing import ConversingDouble
from evolve.testing.doubles import Double, QuirkDouble
from evolve.testing.doubles_advice import AdvisedDouble
from evolve.testing.doubles_asking import AskingDouble, asking_task
from evolve.testing.doubles_judges import CarefulJudge, GullibleJudge, StyledDouble, TasteJudge
from evolve.testing.doubles_quirks import Quirk, QuirkTask, quirk_suite, quirk_tasks
from evolve.testing.doubles_wishes import WISH_JOBS, WishDouble, WishJob
from evolve.testing.endpoint_scenario import Scenario, load_scenario
from evolve.testing.folders import FolderDouble, ScriptedWorker, quirk_assertions, quirk_folder
from evolve.testing.policies import FixedLearner, FixedPolicy
from evolve.testing.sandboxes import TrustingSandbox
from evolve.testing.suites import slow_learner, small_suite
from evolve.testing.wires import LocalWire

if TYPE_CHECKING:
    from evolve.testing.endpoint import ScriptedEndpoint

__all__ = [
    "WISH_JOBS",
    "AdvisedDouble",
    "AskingDouble",
    "CarefulJudge",
    "ConversingDouble",
    "Double",
    "FixedLearner",
    "FixedPolicy",
    "FolderDouble",
    "GullibleJudge",
    "LocalWire",
    "Quirk",
    "QuirkDouble",
    "QuirkTask",
    "Scenario",
    "ScriptedEndpoint",
    "ScriptedWorker",
    "StyledDouble",
    "TasteJudge",
    "TrustingSandbox",
    "WishDouble",
    "WishJob",
    "asking_task",
    "load_scenario",
    "quirk_assertions",
    "quirk_folder",
    "quirk_suite",
    "quirk_tasks",
    "slow_learner",
    "small_suite",
]


def __getattr__(name: str) -> Any:
    # It is also a program, ``python -m evolve.testing.endpoint``, and must not be loaded twice.
    if name == "ScriptedEndpoint":
        from evolve.testing.endpoint import ScriptedEndpoint

        return ScriptedEndpoint
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
