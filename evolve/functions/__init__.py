"""What code actions can call outside the sandbox, and the gate that every call passes."""

from __future__ import annotations

from evolve.functions.call_file import CallFile
from evolve.functions.calls import Answer, Call, CallGate, CallLimits, CallRecord, CallsInMemory, StatefulSource
from evolve.functions.function import EFFECTS, UNKNOWN, CallFailed, Effect, Function, FunctionSource, told_apart
from evolve.functions.permission import AskConsent, CallQuestion, Consent, Grant, Leave, Permission, does
from evolve.functions.python_functions import PythonFunctions
from evolve.functions.signatures import signature_of
from evolve.functions.toolbox import Toolbox

__all__ = [
    "EFFECTS",
    "UNKNOWN",
    "Answer",
    "AskConsent",
    "Call",
    "CallFailed",
    "CallFile",
    "CallGate",
    "CallLimits",
    "CallQuestion",
    "CallRecord",
    "CallsInMemory",
    "Consent",
    "Effect",
    "Function",
    "FunctionSource",
    "Grant",
    "Leave",
    "Permission",
    "PythonFunctions",
    "StatefulSource",
    "Toolbox",
    "does",
    "signature_of",
    "told_apart",
]
