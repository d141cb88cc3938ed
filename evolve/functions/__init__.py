"""What code actions can call outside the sandbox, and the gate that every call passes."""

from __future__ import annotations

from evolve.functions.call_file import CallFile
from evolve.functions.calls import Answer, Call, CallGate, CallLimits, CallRecord, CallsInMemory, CallState, Leave
from evolve.functions.function import EFFECTS, UNKNOWN, CallFailed, Effect, Function, FunctionSource
from evolve.functions.python_functions import PythonFunctions

__all__ = [
    "EFFECTS",
    "UNKNOWN",
    "Answer",
    "Call",
    "CallFailed",
    "CallFile",
    "CallGate",
    "CallLimits",
    "CallRecord",
    "CallState",
    "CallsInMemory",
    "Effect",
    "Function",
    "FunctionSource",
    "Leave",
    "PythonFunctions",
]
