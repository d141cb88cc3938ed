"""What code actions can call outside the sandbox, and the gate that every call passes."""

from __future__ import annotations

from evolve.lazy import attach

TYPE_CHECKING = False
if TYPE_CHECKING:
    from evolve.functions.call_file import CallFile
    from evolve.functions.calls import Answer, Call, CallGate, CallLimits, CallRecord, CallsInMemory, StatefulSource
    from evolve.functions.function import EFFECTS, UNKNOWN, CallFailed, Effect, Function, FunctionSource, told_apart
    from evolve.functions.permission import AskConsent, CallQuestion, Consent, Grant, Leave, Permission, does
    from evolve.functions.python_functions import PythonFunctions
    from evolve.functions.signatures import signature_of
    from evolve.functions.toolbox import Toolbox
else:
    __all__, __getattr__, __dir__ = attach(
        __name__,
        {
            ".call_file": "CallFile",
            ".calls": "Answer Call CallGate CallLimits CallRecord CallsInMemory StatefulSource",
            ".function": "EFFECTS UNKNOWN CallFailed Effect Function FunctionSource told_apart",
            ".permission": "AskConsent CallQuestion Consent Grant Leave Permission does",
            ".python_functions": "PythonFunctions",
            ".signatures": "signature_of",
            ".toolbox": "Toolbox",
        },
    )
