"""The order of an episode's stages as data: typed stages, routes, conditions and knobs.

A workflow that passes the check always compiles and always ends; :func:`visit_bounds` says after how many stages.
"""

from evolve.core.lazy import TYPE_CHECKING, attach

if TYPE_CHECKING:
    from evolve.agent.workflow.difference import WorkflowDifference, workflow_differences
    from evolve.agent.workflow.drawing import mermaid, svg
    from evolve.agent.workflow.knobs import BY_HAND, KNOB_BOUNDS, Knobs, used_knobs
    from evolve.agent.workflow.reference import inapplicable_stages, visit_bounds
    from evolve.agent.workflow.spec import Condition, Edge, Workflow, conditions_of, parse_workflow
    from evolve.agent.workflow.stages import (
        KINDS,
        MAIN_STAGES,
        MANDATORY,
        PLACES,
        StageKind,
        places_of,
        skill_of,
        stage_kind,
    )
else:
    __getattr__, __dir__ = attach(__name__)
