"""``ws.memory`` with what takes episodes: claims are tested by working without what they speak of."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from evolve.core.errors import UsageError
from evolve.workspace.arguments import BudgetLike, as_ledger
from evolve.workspace.resources.memory import Memories

if TYPE_CHECKING:
    from evolve.core.redaction import Scanner
    from evolve.memory import Insight, Sentence
    from evolve.tasks import Suite
    from evolve.workspace.runs.kept_things import RememberedItem
    from evolve.workspace.services import WorkspaceServices


@dataclass(frozen=True, kw_only=True)
class InsightTrial:
    """What work without the cause of one insight came to.

    Attributes:
        insight: As it stands afterwards.
        tried: Problems that were searched again; where a model works, those on which it was asked with it and without.
        needed: Those for which nothing was found, or at twice the cost or more; or that were solved with it alone.
        sentence: All that is known of it now, in words.
    """

    insight: Insight
    tried: int
    needed: int
    sentence: Sentence


class TriedMemories(Memories):
    """Notes and insights, to look at, change and test.

    Args:
        writable: Raises :class:`UsageError` where the workspace is open for reading only.
    """

    def __init__(
        self, services: WorkspaceServices, writable: Callable[[], None], *, on_empty: Callable[[], None]
    ) -> None:
        super().__init__(
            services.stores,
            on_empty=on_empty,
            scanner=self._secrets,
            preferences=lambda: services.preferences,
            policy=services.learner.name if services.uses_model else None,
        )
        self._services = services
        self._writable = writable

    def export_to_agents(self, into: str | os.PathLike[str] | None = None) -> str:
        """Your preferences, confirmed facts and notes as a block of AGENTS.md or CLAUDE.md; gives the block.

        Preferences are those in force everywhere, and in the folder of the file. Notes are yours, the latest of each.

        Args:
            into: The file whose block is written anew, or gets one; nothing else in it changes. None writes nothing.

        Raises:
            UsageError: A sentence holds a known secret, or the file's marks do not come in one pair.
        """
        from evolve.workspace.resources.agents_file import agents_block, write_block

        folder = str(Path.cwd() if into is None else Path(into).resolve().parent)
        wanted = self._services.preferences.in_force(folder=folder)
        told, replaced = self.sentences(), self.replaced()
        parts = {
            "Preferences": [one.description for one in wanted],
            "Confirmed facts": [
                told[one.id].text for one in self.list("confirmed") if one.id in told and told[one.id].worded
            ],
            "Notes": [one.text for one in self.notes() if one.role == "user" and one.id not in replaced],
        }
        block = agents_block(parts, self._secrets())
        if into is not None:
            write_block(Path(into), block)
        return block

    def kept(self) -> list[RememberedItem]:
        """Preferences in force, notes and skills in use: since when, in how many runs each was, what trials showed."""
        from evolve.workspace.runs.kept_things import kept_things

        return kept_things(self._services)

    def _secrets(self) -> Scanner:
        from evolve.workspace.secrets import scanner_of

        return scanner_of(self._services.paths)

    def test(
        self, suite: str | os.PathLike[str], insight: str = "", *, budget: BudgetLike = None
    ) -> list[InsightTrial]:
        """Searches solved problems of a suite again without single steps, to see how many need them.

        Those come first that occur often, are known least and cost little. A model is asked
        with a fact and without it, and its first answers count; so two facts at most are tested, on six problems each,
        solved before or not. The same call continues where a crash or Ctrl-C cut it off.

        Args:
            insight: Only this one, by its id or the beginning of it.
            budget: Such as ``100k-candidates``; half a million candidates where none is given.

        Raises:
            UsageError: There is no such insight, no problem of the suite was solved here, or nothing on it can be
                proved.
        """
        from evolve.improve.interventions import try_facts
        from evolve.improve.removals import try_claims
        from evolve.improve.session import LoopPlan
        from evolve.workspace.loops.improving import LoopWork, loop_key, loop_limits, opened_session

        self._writable()
        services, bound, tasks = self._services, as_ledger(budget), _suite(suite)
        chosen = self.show(insight).id if insight else ""
        self._refuse_untestable(suite, tasks)  # before a run is begun, which would stay open
        plan = LoopPlan(rounds=1, limits=loop_limits(services, bound.budget, tasks))
        key = loop_key(services, "test-claims", tasks.digest, chosen, plan.limits.candidates)
        body = {"suite": os.fspath(suite), "insight": chosen, "policy": services.learner.name}
        work = LoopWork(suite=tasks, plan=plan, budget=bound)
        with services.lock.hold("memory test"), opened_session(services, "test-claims", key, body, work) as session:
            made = try_facts(session, chosen) if services.uses_model else try_claims(session, chosen)
            found = made.get("insights", {})
        told = self.sentences()
        return [InsightTrial(insight=self.show(name), sentence=told[name], **counts) for name, counts in found.items()]

    def _refuse_untestable(self, name: str | os.PathLike[str], suite: Suite) -> None:
        from evolve.improve.removals import can_remove, solved_of

        services = self._services
        if services.uses_model:
            if not suite.evidence("train"):
                raise UsageError(
                    f"the tasks of the suite {suite.name!r} can only be checked, and no pair of these is evidence",
                    hint="rows with answers, or tests that run apart from the answer, prove something",
                )
        elif not can_remove(services.learner, services.stores.practice_state(services.workflow)):
            raise UsageError("this policy cannot work without a part", hint=f"evolve improve {name} tests what it can")
        elif not solved_of(services.stores, suite):
            raise UsageError(
                f"no train task of the suite {suite.name!r} was solved here, so none can be searched again",
                hint=f"evolve improve {name}",
            )


def _suite(name: str | os.PathLike[str]) -> Suite:
    from evolve.tasks import load_suite

    try:
        return load_suite(os.fspath(name))
    except UsageError as error:
        error.hint = error.hint or "evolve lab tasks generate lists shows how tasks are written, one a line"
        raise
