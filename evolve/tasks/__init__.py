"""Tasks: what they are, how they are read from files, and the suites that ship.

Reading files needs pydantic, so the loaders are imported on first use.
"""

from evolve.core.lazy import TYPE_CHECKING, attach

if TYPE_CHECKING:
    from evolve.core.equality import equal
    from evolve.tasks.likeness import row_outline
    from evolve.tasks.model import MIN_VERIFY, SplitName, Suite, Task, assign_splits, row_key, task_json
    from evolve.tasks.reading.folder import folder_task
    from evolve.tasks.reading.jsonl import render_jsonl, write_jsonl
    from evolve.tasks.reading.load import load_examples, load_suite, resolve_task
    from evolve.tasks.signature import SignatureError, format_signature, infer_signature, parse_signature
    from evolve.tasks.suites import BUILTIN, generate_suite
    from evolve.tasks.verification.rubric import RubricVerifier
    from evolve.tasks.verification.verifiers import CommandVerifier, RowsVerifier, Submission, TestsVerifier, Verifier
    from evolve.tasks.work import FolderWork, PlainWork
else:
    __getattr__, __dir__ = attach(__name__)
