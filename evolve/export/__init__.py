"""Learned skills in formats that other agents load."""

from __future__ import annotations

from evolve.lazy import attach

TYPE_CHECKING = False
if TYPE_CHECKING:
    from evolve.export.exporting import ExportFormat, ExportRules, export, export_format
    from evolve.export.validation import validate
else:
    __all__, __getattr__, __dir__ = attach(
        __name__,
        {
            ".exporting": "ExportFormat ExportRules export export_format",
            ".validation": "validate",
        },
    )
