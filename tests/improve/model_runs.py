"""Workspaces with a model that the tests answer for, and that may be stopped in the middle of a run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.doubles.quirks import QuirkTask
from evolve.core.paths import WorkspacePaths
from evolve.core.settings import load_settings
from evolve.tasks import render_jsonl
from evolve.testing import LocalWire, question_of
from evolve.workspace.language import LanguageLearner

Answer = Callable[[Mapping[str, Any]], Any]
"""The response to the body of a request."""

USAGE = {"prompt_tokens": 400, "completion_tokens": 60, "total_tokens": 460}


class Stopped(BaseException):
    """Stands for a kill: nothing catches it."""


def suite_of(jobs: Sequence[QuirkTask], folder: Path) -> str:
    """A task file of the jobs' tasks."""
    file = folder / "dates.jsonl"
    file.write_text(render_jsonl([job.task for job in jobs]))
    return str(file)


def learner_of(root: Path, answer: Answer, **more: Any) -> LanguageLearner:
    """What makes policies of the workspace ask this model."""
    paths = WorkspacePaths(root)
    model, settings = "http://localhost:1/v1#double", load_settings(paths.root)
    return LanguageLearner(paths=paths, settings=settings, model=model, wire=lambda _: LocalWire(answer), **more)


def stoppable(root: Path, open_ws: Callable[..., Any], question: str, answer: Answer):
    """What opens a workspace, and the requests for ``question`` that its model had.

    Opened with ``stop_after``, so many other requests after the first such one it is stopped.
    """
    asked: list[Mapping[str, Any]] = []

    def open_one(stop_after: int = 0):
        since = []

        def stopping(body: Mapping[str, Any]) -> Any:
            if question_of(body) == question:
                asked.append(body)
            elif asked and stop_after:
                since.append(body)
                if len(since) == stop_after:
                    raise Stopped
            return answer(body)

        return open_ws(learner=learner_of(root, stopping))

    return open_one, asked
