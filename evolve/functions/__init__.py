"""What code actions can call outside the sandbox, and the gate that every call passes."""

from evolve.lazy import TYPE_CHECKING, attach

if TYPE_CHECKING:
    from evolve.functions.call_file import CallFile
    from evolve.functions.calls import (
        Answer,
        Call,
        CallGate,
        CallLimits,
        CallRecord,
        CallsInMemory,
        StatefulSource,
        Toolbox,
    )
    from evolve.functions.function import (
        EFFECTS,
        UNKNOWN,
        CallFailed,
        Effect,
        Function,
        FunctionSource,
        is_name,
        told_apart,
    )
    from evolve.functions.permission import AskConsent, CallQuestion, Consent, Grant, Leave, Permission, does
    from evolve.functions.python_functions import PythonFunctions
    from evolve.functions.signatures import signature_of
else:
    __getattr__, __dir__ = attach(__name__)
