"""Tasks: what they are, how they are read from files, and the suites that ship.

Reading files needs pydantic, so the loaders are imported on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evolve.tasks.equality import equal
from evolve.tasks.model import MIN_VERIFY, SplitName, Suite, Task, assign_splits, row_key, task_json
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
    from evolve.tasks.folder_task import folder_task
    from evolve.tasks.imports import import_tasks
    from evolve.tasks.jsonl import render_jsonl
    from evolve.tasks.load import load_examples, load_suite, resolve_task
    from evolve.tasks.suites import BUILTIN, generate_suite
    from evolve.tasks.verifiers import (
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
    "task_json",
]

_LAZY = {
    "CommandVerifier": "evolve.tasks.verifiers",
    "RowsVerifier": "evolve.tasks.verifiers",
    "RubricVerifier": "evolve.tasks.verifiers",
    "Submission": "evolve.tasks.verifiers",
    "TestsVerifier": "evolve.tasks.verifiers",
    "Verdict": "evolve.tasks.verifiers",
    "Verifier": "evolve.tasks.verifiers",
    "folder_task": "evolve.tasks.folder_task",
    "import_tasks": "evolve.tasks.imports",
    "BUILTIN": "evolve.tasks.suites",
    "generate_suite": "evolve.tasks.suites",
    "load_examples": "evolve.tasks.load",
    "load_suite": "evolve.tasks.load",
    "render_jsonl": "evolve.tasks.jsonl",
    "resolve_task": "evolve.tasks.load",
}


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_LAZY[name]), name)
