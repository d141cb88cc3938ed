"""Doubles for tests of evolve and of programs built on it. Nothing in evolve imports this package."""

from __future__ import annotations

from evolve.lazy import attach

TYPE_CHECKING = False
if TYPE_CHECKING:
    from evolve.testing.doubles import Double, prompt_of, question_of, schema_of
    from evolve.testing.endpoint import ScriptedEndpoint
    from evolve.testing.endpoint_scenario import Scenario, load_scenario
    from evolve.testing.policies import FixedLearner, FixedPolicy, ScriptedWorker
    from evolve.testing.sandboxes import TrustingSandbox
    from evolve.testing.wires import LocalWire
else:
    __all__, __getattr__, __dir__ = attach(
        __name__,
        {
            ".doubles": "Double prompt_of question_of schema_of",
            ".endpoint": "ScriptedEndpoint",
            ".endpoint_scenario": "Scenario load_scenario",
            ".policies": "FixedLearner FixedPolicy ScriptedWorker",
            ".sandboxes": "TrustingSandbox",
            ".wires": "LocalWire",
        },
    )
