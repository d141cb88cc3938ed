"""An engine in which a model writes whole workflows from the archive of what was tried; the gate alone accepts.

Meta Agent Search of Hu, Lu and Clune, "Automated Design of Agentic Systems" (arXiv 2408.08435): a model reads what
earlier designs came to and writes the next one. Three things differ. A design is a workflow and no code, so the check
refuses what would not work. The model is shown a few of the archive, the best and the most different ones: all of it
was found to be worse than none ("Inefficiencies of Meta Agents", arXiv 2510.06711). And its drafts take turns with the
changes of :mod:`~evolve.optimizer.linked`, which need no model, so that a useless one costs half of the trials at most;
once it has brought nothing for a while, it is not asked before something else did better.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from evolve.optimizer.design_brief import apart_of, came_to, others_of, setting_of, tasks_of, trials_of
from evolve.optimizer.drafting import MENDS, Drafter, Room
from evolve.optimizer.engine import Candidate, Engine, EngineSettings, SearchEnded, Trials
from evolve.optimizer.engine_kind import EngineKind, EngineParts, tell_nobody
from evolve.optimizer.linked import LinkedSearch, made_from
from evolve.optimizer.scope import Scope

DESIGN = "design"
"""What makes candidates that a model wrote."""

PATIENCE = 4
"""Drafts in a row without a gain after which the model is asked no more until something did better."""


@dataclass(frozen=True, kw_only=True)
class AdasEngine:
    """Searches workflows and their knobs.

    Attributes:
        scope: What may be changed, and which changes no trial could show.
        tell: Takes a line where the model is asked no more.
    """

    drafter: Drafter
    settings: EngineSettings = field(default_factory=EngineSettings)
    scope: Scope = field(default_factory=Scope)
    tell: Callable[[str], None] = tell_nobody
    name: str = "adas"

    def search(self, trials: Trials, start: Candidate) -> str:
        """Searches until the budget ends, nothing separates any more, or all proposals were made."""
        return _AdasSearch(self, trials, start).run()


class _AdasSearch(LinkedSearch):
    """A linked search in which every other candidate is a model's, as long as its drafts bring something."""

    def __init__(self, engine: AdasEngine, trials: Trials, start: Candidate) -> None:
        super().__init__(engine.settings, engine.scope, trials, start)
        self._drafter, self._tell = engine.drafter, engine.tell
        self._asked = self._tried = self._vain = 0
        self._models_turn = True

    def run(self) -> str:
        """The search; gives the reason why it ended, and what became of the drafts."""
        try:
            return f"{super().run()}; {self._drafts_told}"
        except SearchEnded as ended:
            raise SearchEnded(f"{ended}; {self._drafts_told}") from ended

    @property
    def _drafts_told(self) -> str:
        return f"{self._asked} workflows asked for, {self._tried} put to trial"

    def _drawn(self) -> tuple[Candidate, str] | None:
        if self._models_turn and self._vain < PATIENCE:
            self._models_turn = False
            child = self._drafted()
            if child is not None:
                return child, ""
            self._note_vain_draft()
        drawn = super()._drawn()
        self._models_turn = drawn is not None
        return drawn

    def _take(self, child: Candidate, task: str) -> None:
        super()._take(child, task)
        if self._idle == 0:  # something did better than all before it
            self._vain = 0
        elif child.operator == DESIGN:
            self._note_vain_draft()

    def _note_vain_draft(self) -> None:
        self._vain += 1
        if self._vain == PATIENCE:
            vain = f"{PATIENCE} workflows in a row that the model wrote brought nothing"
            self._tell(f"{vain}, so it is asked for none until something does better")

    def _drafted(self) -> Candidate | None:
        parent, views = self._kept, [view for view in self._trials.tasks if view.id in self._tasks]
        before = parent.candidate
        taken = {one.candidate.workflow.digest: came_to(one, parent) for one in self._known.values()}
        room = Room(parent=before.workflow, scope=self._scope, taken=taken)
        brief = room.told(
            setting=setting_of(self._scope, views, before.workflow),
            trials=trials_of(parent),
            tasks=tasks_of(parent, views),
            others=others_of(self._known.values(), parent, self._refused),
            apart=apart_of(self._known.values(), parent, views),
        )
        draft = self._drafter.drafted(brief, room, seed=self._asked * (MENDS + 1))
        self._asked += 1
        if draft is None:
            return None
        self._tried += 1
        return made_from(before, draft.workflow, operator=DESIGN, why=draft.why)


def _adas(parts: EngineParts) -> Engine:
    return AdasEngine(drafter=parts.drafter(), settings=parts.settings, scope=parts.scope, tell=parts.tell)


ADAS = EngineKind(name="adas", changes=frozenset({"workflow"}), make=_adas, drafts=True)
"""As it is registered."""
