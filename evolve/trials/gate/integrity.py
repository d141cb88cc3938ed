"""Digests of the code that judges and measures, by which the gate sees that it changed during a comparison."""

from __future__ import annotations

from collections.abc import Mapping

from evolve.core.files import canonical_json, digest
from evolve.core.paths import package_root

_PARTS: Mapping[str, tuple[str, ...]] = {
    "verifier": (
        *("tasks/*.py", "tasks/verification/*.py", "core/equality.py", "runtime/folder_tree.py"),
        *("environments/**/*.py", "agent/stages/judge.py"),
    ),
    "evaluator": ("agent/outcome.py", "agent/runner.py", "agent/workflow/*.py", "runtime/sandbox/**/*.py"),
    "gate": ("trials/gate/*.py", "runtime/retrieval/text_overlap.py"),
}
"""The code whose change during a comparison voids it: what verifies answers, what runs episodes, and the gate."""


def code_digests() -> dict[str, str]:
    """A digest per part of the code that scores, judges or detects, as it lies on disk now."""
    return {name: _digest_of(patterns) for name, patterns in _PARTS.items()}


def changed_parts(before: Mapping[str, str], after: Mapping[str, str]) -> str:
    """Names of the parts that are not the same in both, joined for a sentence; "" when all are."""
    return " and ".join(name for name in sorted({*before, *after}) if before.get(name) != after.get(name))


def _digest_of(patterns: tuple[str, ...]) -> str:
    package = package_root().resolve()
    files = sorted({file for pattern in patterns for file in package.glob(pattern)})
    return digest(canonical_json([[str(file.relative_to(package)), digest(file.read_bytes())] for file in files]))
