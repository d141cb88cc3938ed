"""Skills: code with a contract and tests, admitted by evidence and kept in the record."""

from evolve.core.lazy import TYPE_CHECKING, attach

if TYPE_CHECKING:
    from evolve.skills.admission import UNSEEN, Admission, AdmissionVerdict
    from evolve.skills.answer_parts import suspend_all, unseen_rows, with_called, worth_offering
    from evolve.skills.folder import read_folder, write_folder
    from evolve.skills.lint import modules_used
    from evolve.skills.reader import ACTIVE, KEPT
    from evolve.skills.repository import SkillRepository
    from evolve.skills.signatures import parameter_count
    from evolve.skills.skill import Skill, SkillStatus, render_tests
else:
    __getattr__, __dir__ = attach(__name__)
