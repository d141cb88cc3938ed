"""What people say about runs, in their own words."""

from __future__ import annotations

import getpass

from evolve.agent import RunRepository
from evolve.core.errors import UsageError
from evolve.memory.preferences import PersonAct, PreferenceRepository
from evolve.memory.preferences.quotes import own_words
from evolve.workspace.resources.preferences import preference_problem

Comment = PersonAct
"""What a person wrote about a run; its kind is ``comment``."""


class Comments:
    """The comments on runs, those that are wishes as well included."""

    def __init__(self, acts: PreferenceRepository, runs: RunRepository) -> None:
        self._acts = acts
        self._runs = runs

    def keep(self, run: str, text: str, *, author: str | None = None) -> Comment:
        """Keeps what a person says about a run.

        Raises:
            UsageError: There is no such run, or the text holds nothing besides what it quotes.
        """
        if not own_words(text, preference_problem):
            raise UsageError("a comment needs some words of yours besides what they quote")
        stored = self._runs.run(run)
        return self._acts.keep(PersonAct(kind="comment", text=text, run=stored.id, author=author or getpass.getuser()))

    def list(self, run: str | None = None) -> list[Comment]:
        """All of them, or those on one run, oldest first."""
        return [act for act in self._acts.acts("comment") if act.run and run in (None, act.run)]
