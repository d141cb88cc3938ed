"""Learned skills in formats that other agents load."""

from evolve.lazy import TYPE_CHECKING, attach

if TYPE_CHECKING:
    from evolve.export.description import describe, exported_name
    from evolve.export.exporting import ExportFormat, ExportRules, Prepared, export, export_format, prepare
    from evolve.export.leaving import Leaving
    from evolve.export.search import SkillIndex, search_text
    from evolve.export.validation import validate
else:
    __getattr__, __dir__ = attach(__name__)
