"""Learned skills in formats that other agents load."""

from evolve.lazy import TYPE_CHECKING, attach

if TYPE_CHECKING:
    from evolve.export.exporting import ExportFormat, ExportRules, Leaving, export, export_format
    from evolve.export.validation import validate
else:
    __getattr__, __dir__ = attach(__name__)
