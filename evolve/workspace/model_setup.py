"""Which language models a workspace uses, and what they may spend."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

from evolve.core.errors import UsageError, WorkspaceError
from evolve.core.files import named_path, read_text, write_atomic
from evolve.core.ledger import Budget, Ledger
from evolve.core.prompts import PromptLayers
from evolve.core.settings import Settings, limit_of
from evolve.workspace.opening import cache_folder

if TYPE_CHECKING:
    from evolve.core.ledger import LimitedLedger
    from evolve.core.paths import WorkspacePaths
    from evolve.runtime.models import ModelSetup, Recording


_MODEL_LINE = re.compile(r"^[ \t]*(?:#[ \t]*)?model[ \t]*=.*$", re.MULTILINE)


def model_setup(
    paths: WorkspacePaths,
    settings: Settings,
    *,
    model: str | None = None,
    recording: Recording | None = None,
) -> ModelSetup:
    """What :func:`evolve.runtime.models.open_models` needs in a workspace.

    Args:
        model: Instead of the common model of the settings; the roles of the settings then do not count.
        recording: Where exchanges are recorded or replayed from, or None.
    """
    from evolve.runtime.models import Deadlines, ModelSetup

    return ModelSetup(
        model=settings.model if model is None else model,
        roles=settings.role_models if model is None else {},
        base_url=settings.base_url,
        meter=within_spending_limits(paths, settings, Ledger(Budget())),
        prices=paths.prices,
        abilities=cache_folder() / "endpoints.json",
        layers=PromptLayers(workspace=paths.prompts),
        # A reply that streams may be as late as any other: a slow model thinks, or reads, before its first piece.
        deadlines=Deadlines(idle=settings.reply_seconds, total=settings.reply_seconds),
        seed=settings.seed,
        recording=recording,
        folders=(paths.root, Path.cwd()),
    )


def model_or_recording(model: str | None, record: str | None, replay: str | None) -> str | Recording | None:
    """The model, with the recording that the options ``--record`` and ``--replay`` name, where one of them is given.

    Raises:
        UsageError: Both are given, or there is nothing to replay.
    """
    if record and replay:
        raise UsageError("--record asks the endpoint and --replay does not", hint="leave one of them out")
    if not (record or replay):
        return model
    from evolve.runtime.models import Recording

    place = named_path(record or replay or "")
    recording = Recording(place=place, mode="reuse" if record else "only", model=model)
    recording.open()  # what is wrong with it is told before anything is made
    return recording


def within_spending_limits(paths: WorkspacePaths, settings: Settings, run: Ledger) -> Ledger | LimitedLedger:
    """The run's ledger inside the limits of the day and the workspace; just the ledger where there are none."""
    day, total = limit_of(settings.day_limit), limit_of(settings.total_limit)
    if day.unlimited and total.unlimited:
        return run
    from evolve.core.ledger import LimitedLedger, SpendingLimits

    return LimitedLedger(run, SpendingLimits(paths.spending, day=day, total=total))


def set_default_model(paths: WorkspacePaths, model: str) -> Path:
    """Writes ``model = ...`` into the workspace's ``evolve.toml``; everything else in it stays. "" unsets it.

    Raises:
        UsageError: The text names no model.
        WorkspaceError: The settings are in a pyproject.toml, which is not changed here, or cannot be written.
    """
    from evolve.runtime.models import parse_model

    for name in filter(str.strip, model.split(",")):
        parse_model(name, {})
    if not paths.marker.is_file():
        raise WorkspaceError(
            f"the settings of {paths.root} are not in {paths.marker.name}, so they are left alone",
            hint=f'write model = "{model}" under [tool.evolve] in {paths.root / "pyproject.toml"}',
        )
    try:
        text = read_text(paths.marker)
    except UsageError as error:
        raise WorkspaceError(str(error), hint=error.hint) from error
    # A JSON string is a TOML string too.
    line = f"model = {json.dumps(model, ensure_ascii=False)}" if model else '# model = ""'
    # By a function: in a text, re would read backslashes of the name as escapes.
    body, count = _MODEL_LINE.subn(lambda match: line, text, count=1)
    if not count:
        # A key before the first table belongs to the file; with [evolve] as the only table it belongs in there.
        body = re.sub(r"(?m)^(\[evolve\][^\n]*)$", lambda match: f"{match[1]}\n{line}", text, count=1)
        if body == text:
            body = f"{line}\n{text}"
    write_atomic(paths.marker, body.encode())
    return paths.marker
