"""The policy that asks a language model, the rewriter of prompts and the designer of workflows.

Importing this loads no HTTP library; the models are opened by whoever wires them.
"""

from __future__ import annotations

from evolve.lazy import attach

TYPE_CHECKING = False
if TYPE_CHECKING:
    from evolve.policies.language.asking import Questions, Rooms
    from evolve.policies.language.claims import unfit
    from evolve.policies.language.designing import LanguageDesigner
    from evolve.policies.language.metering import EpisodeMeter
    from evolve.policies.language.mounting import Mounted, import_line, mount
    from evolve.policies.language.policy import LanguagePolicy, LanguageSettings
    from evolve.policies.language.rewriting import LanguageRewriter
else:
    __all__, __getattr__, __dir__ = attach(
        __name__,
        {
            ".asking": "Questions Rooms",
            ".claims": "unfit",
            ".designing": "LanguageDesigner",
            ".metering": "EpisodeMeter",
            ".mounting": "Mounted import_line mount",
            ".policy": "LanguagePolicy LanguageSettings",
            ".rewriting": "LanguageRewriter",
        },
    )
