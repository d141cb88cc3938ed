"""The policy that asks a language model, the rewriter of prompts and the designer of workflows.

Importing this loads no HTTP library; the models are opened by whoever wires them.
"""

from evolve.lazy import TYPE_CHECKING, attach

if TYPE_CHECKING:
    from evolve.policies.language.asking import Questions, Rooms
    from evolve.policies.language.claims import unfit
    from evolve.policies.language.metering import EpisodeMeter
    from evolve.policies.language.mounting import Mounted, import_line, mount
    from evolve.policies.language.policy import LanguagePolicy, LanguageSettings
    from evolve.policies.language.rewriting import LanguageDesigner, LanguageRewriter
else:
    __getattr__, __dir__ = attach(__name__)
