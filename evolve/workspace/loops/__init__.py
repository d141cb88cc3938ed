"""What goes on unattended. A name is loaded when it is asked for: most commands begin no loop."""

from evolve.core.lazy import TYPE_CHECKING, attach

if TYPE_CHECKING:
    from evolve.workspace.loops.ablation import AblationRequest
    from evolve.workspace.loops.improving import LoopRequest, improve, report
    from evolve.workspace.loops.optimizing import OptimizerRequest, optimize
    from evolve.workspace.loops.task_sources import write_history
    from evolve.workspace.loops.testing_skills import SkillTestReport, SkillTestRequest, test_skills
else:
    __getattr__, __dir__ = attach(__name__)
