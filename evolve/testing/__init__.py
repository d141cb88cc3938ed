"""Doubles for tests of evolve and of programs built on it. Nothing in evolve imports this package."""

from evolve.core.lazy import TYPE_CHECKING, attach

if TYPE_CHECKING:
    from evolve.testing.doubles import Double, LocalWire, prompt_of, question_of, schema_of
    from evolve.testing.endpoint import ScriptedEndpoint
    from evolve.testing.endpoint_faults import Scenario, load_scenario
    from evolve.testing.policies import FixedLearner, FixedPolicy, ScriptedWorker
    from evolve.testing.sandboxes import TrustingSandbox
else:
    __getattr__, __dir__ = attach(__name__)
