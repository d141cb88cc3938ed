"""``ws.sessions``: what a person said in sessions of other agents, proposed to them; nothing acts unkept."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evolve.core.episodes import Suggestion
from evolve.core.ledger import Budget
from evolve.core.progress import report_activity
from evolve.memory.preferences import Preference, PreferenceContext
from evolve.workspace.resources.base import Resource
from evolve.workspace.resources.preferences import preference_problem
from evolve.workspace.secrets import SecretCleaningLearner, scanner_of
from evolve.workspace.services import WorkspaceServices
from evolve_imports.corrections import MOST, Said, rules_said, said_across
from evolve_imports.transcripts import Session, read_sessions

if TYPE_CHECKING:
    from evolve.policies.language import LanguagePolicy


@dataclass(frozen=True, kw_only=True)
class Heard:
    """What a session, or a file of rules or memories, suggests.

    Attributes:
        source: The file.
        proposals: What is new, for the person to keep or decline.
        more: How many further sentences are not asked about now; the same call asks once these are decided.
        secrets: How many were left out because they hold a secret.
    """

    source: str
    proposals: tuple[Preference, ...] = ()
    more: int = 0
    secrets: int = 0

    @property
    def told(self) -> str:
        """What came of it, in a line."""
        parts = [f"{len(self.proposals)} proposed"]
        parts += [f"{self.more} more once these are decided"] * bool(self.more)
        parts += [f"{self.secrets} left out that hold something like a password"] * bool(self.secrets)
        return f"{self.source}: {', '.join(parts)}"

    def to_json(self) -> dict[str, Any]:
        """As one JSON object."""
        return {**vars(self), "proposals": [one.as_proposal() for one in self.proposals]}


class Sessions(Resource):
    """Sessions of other agents and what these wrote down."""

    def __init__(self, services: WorkspaceServices, writable: Callable[[], None]) -> None:
        self._services = services
        self._writable = writable

    def propose(self, path: str | os.PathLike[str], *, budget: Budget | None = None) -> list[Heard]:
        """Proposes what the person corrected or said twice, at most three things for each session, the surest first.

        The workspace's model reads each session, where one is set; without a usable reply the rules of form do.

        Args:
            path: A file or folder: transcripts of Claude Code, rollouts of Codex, ``CLAUDE.md``, ``AGENTS.md``,
                memories of Hermes or an export of mem0.
            budget: What the model may spend, inside the limits of the workspace.

        Raises:
            UsageError: There is nothing at the path, or the one file that is named cannot be read.
            EndpointProblem: The model does not answer; the same call goes on.
        """
        self._writable()
        with report_activity("import", os.fspath(path)):
            sessions = list(read_sessions(Path(path).expanduser()))
            policy = self._policy(sessions, budget)
            found = said_across([(session.folder, self._said(session, policy)) for session in sessions])
            heard = [self._heard(session, rules) for session, rules in zip(sessions, found, strict=True)]
        order = {
            id(one): max((rule.count for rule in rules), default=0) for one, rules in zip(heard, found, strict=True)
        }
        return sorted(heard, key=lambda one: -order[id(one)])

    def _policy(self, sessions: Sequence[Session], budget: Budget | None) -> LanguagePolicy | None:
        learner = self._services.learner
        if not self._services.uses_model:
            return None
        from evolve.policies.language import LanguagePolicy

        if isinstance(learner, SecretCleaningLearner):  # sessions may hold what a folder keeps secret
            learner.beware_of([Path(session.folder) for session in sessions if session.folder])
        policy = learner.policy(None, ())
        if not isinstance(policy, LanguagePolicy):
            return None
        policy.meter.start(budget or Budget())
        return policy

    def _said(self, session: Session, policy: LanguagePolicy | None) -> list[Said]:
        rules = rules_said(session, preference_problem)
        if policy is None or not session.typed or (len(session.said) < 2 and not rules):
            return rules
        from evolve_imports.asking import corrections_by_model

        told = corrections_by_model(policy, session, preference_problem, self._services.paths.store / "sessions")
        # What a person typed more than once is no opinion of a model's.
        return rules if told is None else [*told, *(one for one in rules if one.count > 1)]

    def _heard(self, session: Session, rules: Sequence[Said]) -> Heard:
        scanner = scanner_of(self._services.paths, [Path(session.folder)] if session.folder else [])
        clean = [one for one in rules if not scanner.find(f"{one.text}\n{one.quote}")]
        proposals: list[Preference] = []
        for wide in (True, False):
            proposals += self._services.preferences.suggest_remembering(
                [_suggestion(one, session) for one in clean if one.wide == wide],
                run=PreferenceContext() if wide else PreferenceContext(folder=session.folder),
                known=[note.text for note in self._services.stores.memory.list_notes()],
                most=MOST - len(proposals),
            )
        more, secrets = max(0, len(clean) - len(proposals)), len(rules) - len(clean)
        return Heard(source=session.source, proposals=tuple(proposals), more=more, secrets=secrets)


def _suggestion(said: Said, session: Session) -> Suggestion:
    return Suggestion(
        kind="repeated" if said.count > 1 else "rule",
        text=said.text,
        quote=f"{said.quote} (said {said.count} times)" if said.count > 1 else said.quote,
        source="person" if session.typed else "file",
    )
