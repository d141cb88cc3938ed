"""What code actions can call outside the sandbox, and the gate that every call passes."""

from evolve.core.lazy import TYPE_CHECKING, attach

if TYPE_CHECKING:
    from evolve.runtime.functions.call_file import CallFile
    from evolve.runtime.functions.call_gate import (
        CallAnswer,
        CallGate,
        CallLimits,
        CallRecord,
        CallsInMemory,
        RecordedCall,
        StatefulSource,
        Toolbox,
    )
    from evolve.runtime.functions.function import (
        EFFECTS,
        UNKNOWN,
        CallFailed,
        Effect,
        Function,
        FunctionSource,
        is_name,
        signature_of,
        unique_names,
    )
    from evolve.runtime.functions.permission import (
        AskConsent,
        CallApprovalRequest,
        Consent,
        Grant,
        Permission,
        PermissionCheck,
        effects_text,
    )
    from evolve.runtime.functions.python_functions import PythonFunctions
else:
    __getattr__, __dir__ = attach(__name__)
