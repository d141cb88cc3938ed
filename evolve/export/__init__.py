"""Learned skills in formats that other agents load."""

from __future__ import annotations

from evolve.export.exporting import ExportFormat, ExportRules, export, export_format
from evolve.export.validation import validate

__all__ = ["ExportFormat", "ExportRules", "export", "export_format", "validate"]
