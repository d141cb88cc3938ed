"""Skills: code with a contract and tests, admitted by evidence and kept in the record."""

from __future__ import annotations

from evolve.skills.admission import UNSEEN, Admission, AdmissionVerdict
from evolve.skills.folder import read_folder, write_folder
from evolve.skills.library import ACTIVE, KEPT, MIGRATIONS, SkillLibrary
from evolve.skills.lint import lint, modules_used
from evolve.skills.parts import unseen_rows, with_called
from evolve.skills.signatures import parameter_count
from evolve.skills.skill import TRUSTED_AFTER, Owner, Skill, SkillStatus, check_name
from evolve.skills.testfile import render_tests

__all__ = [
    "ACTIVE",
    "KEPT",
    "MIGRATIONS",
    "TRUSTED_AFTER",
    "UNSEEN",
    "Admission",
    "AdmissionVerdict",
    "Owner",
    "Skill",
    "SkillLibrary",
    "SkillStatus",
    "check_name",
    "lint",
    "modules_used",
    "parameter_count",
    "read_folder",
    "render_tests",
    "unseen_rows",
    "with_called",
    "write_folder",
]
