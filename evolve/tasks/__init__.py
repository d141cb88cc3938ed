"""Tasks: what they are, how they are read from files, and the suites that ship.

Reading files needs pydantic, so the loaders are imported on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evolve.tasks.equality import equal
from evolve.tasks.model import MIN_VERIFY, SplitName, Suite, Task, assign_splits, row_key, task_json
from evolve.tasks.outlines import row_outline
from evolve.tasks.signature import (
    Parameter,
    Signature,
    SignatureError,
    TypeExpr,
    format_signature,
    infer_signature,
    parse_signature,
)
from evolve.tasks.work import FolderWork, PlainWork

if TYPE_CHECKING:
    from evolve.tasks.imports import import_tasks
    from evolve.tasks.reading.jsonl import render_jsonl
    from evolve.tasks.reading.load import load_examples, load_suite, resolve_task
    from evolve.tasks.reading.own_folder import folder_task
    from evolve.tasks.suites import BUILTIN, generate_suite
    from evolve.tasks.verification.verifiers import (
        CommandVerifier,
        RowsVerifier,
        RubricVerifier,
        Submission,
        TestsVerifier,
        Verdict,
        Verifier,
    )

__all__ = [
    "BUILTIN",
    "MIN_VERIFY",
    "CommandVerifier",
    "FolderWork",
    "Parameter",
    "PlainWork",
    "RowsVerifier",
    "RubricVerifier",
    "Signature",
    "SignatureError",
    "SplitName",
    "Submission",
    "Suite",
    "Task",
    "TestsVerifier",
    "TypeExpr",
    "Verdict",
    "Verifier",
    "assign_splits",
    "equal",
    "folder_task",
    "format_signature",
    "generate_suite",
    "import_tasks",
    "infer_signature",
    "load_examples",
    "load_suite",
    "parse_signature",
    "render_jsonl",
    "resolve_task",
    "row_key",
    "row_outline",
    "task_json",
]

_LAZY = {
    "CommandVerifier": "evolve.tasks.verification.verifiers",
    "RowsVerifier": "evolve.tasks.verification.verifiers",
    "RubricVerifier": "evolve.tasks.verification.verifiers",
    "Submission": "evolve.tasks.verification.verifiers",
    "TestsVerifier": "evolve.tasks.verification.verifiers",
    "Verdict": "evolve.tasks.verification.verifiers",
    "Verifier": "evolve.tasks.verification.verifiers",
    "folder_task": "evolve.tasks.reading.own_folder",
    "import_tasks": "evolve.tasks.imports",
    "BUILTIN": "evolve.tasks.suites",
    "generate_suite": "evolve.tasks.suites",
    "load_examples": "evolve.tasks.reading.load",
    "load_suite": "evolve.tasks.reading.load",
    "render_jsonl": "evolve.tasks.reading.jsonl",
    "resolve_task": "evolve.tasks.reading.load",
}


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_LAZY[name]), name)
