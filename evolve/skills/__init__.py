"""Skills: code with a contract and tests, admitted by evidence and kept in the record."""

from __future__ import annotations

from evolve.lazy import attach

TYPE_CHECKING = False
if TYPE_CHECKING:
    from evolve.skills.admission import UNSEEN, Admission, AdmissionVerdict
    from evolve.skills.folder import read_folder, write_folder
    from evolve.skills.library import ACTIVE, KEPT, SkillLibrary
    from evolve.skills.lint import modules_used
    from evolve.skills.parts import unseen_rows, with_called
    from evolve.skills.signatures import parameter_count
    from evolve.skills.skill import TRUSTED_AFTER, Owner, Skill, SkillStatus, check_name
    from evolve.skills.testfile import render_tests
else:
    __all__, __getattr__, __dir__ = attach(
        __name__,
        {
            ".admission": "UNSEEN Admission AdmissionVerdict",
            ".folder": "read_folder write_folder",
            ".library": "ACTIVE KEPT SkillLibrary",
            ".lint": "modules_used",
            ".parts": "unseen_rows with_called",
            ".signatures": "parameter_count",
            ".skill": "TRUSTED_AFTER Owner Skill SkillStatus check_name",
            ".testfile": "render_tests",
        },
    )
