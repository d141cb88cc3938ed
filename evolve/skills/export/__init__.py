"""Learned skills in formats that other agents load."""

from evolve.core.lazy import TYPE_CHECKING, attach

if TYPE_CHECKING:
    from evolve.skills.export.description import describe, exported_name
    from evolve.skills.export.exporting import ExportFormat, ExportRules, PreparedExport, export_format, prepare_export
    from evolve.skills.export.leaving import ExportedSkill
    from evolve.skills.export.search import SkillIndex, search_text
else:
    __getattr__, __dir__ = attach(__name__)
