"""The policy that asks a language model, the rewriter of prompts and the designer of workflows.

Importing this loads no HTTP library; the models are opened by whoever wires them.
"""

from evolve.core.lazy import TYPE_CHECKING, attach

if TYPE_CHECKING:
    from evolve.core.text_screen import insight_problem
    from evolve.policies.language.model_calls import EpisodeMeter
    from evolve.policies.language.policy import LanguagePolicy, LanguageSettings
    from evolve.policies.language.questions import PromptBudget, Questions
    from evolve.policies.language.rewriting import LanguageDesigner, LanguageRewriter
    from evolve.policies.language.skills import MountedAnswer, inline_skills
else:
    __getattr__, __dir__ = attach(__name__)
