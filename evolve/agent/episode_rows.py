"""An episode as rows of the database, and back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from evolve.core.episodes import EpisodeRecord, Step
from evolve.core.episodes.codec import from_json, to_data, to_json


def record_of(row: Mapping[str, Any]) -> EpisodeRecord:
    """The record of a row.

    Episodes were called verified once on the word of a check command. Such a judgement rests on no rows; it and what
    follows from it are read as checked, so that no gate and no count takes them for more.
    """
    record = from_json(EpisodeRecord, str(row["body"]))
    if not any(_is_by_command(step) for step in record.steps):
        return record
    steps = tuple(
        replace(step, judgement=replace(step.judgement, verified=False, checked=True))
        if step.judgement is not None and _is_by_command(step)
        else step
        for step in record.steps
    )
    verified = any(step.judgement is not None and step.judgement.verified for step in steps)
    checked = record.checked or (record.verified and not verified)
    return replace(record, steps=steps, verified=record.verified and verified, checked=checked)


def _is_by_command(step: Step) -> bool:
    return step.judgement is not None and step.judgement.verified and not step.judgement.rows


def episode_row(record: EpisodeRecord) -> dict[str, Any]:
    return {
        "id": record.episode,
        "run": record.run,
        "task": record.task,
        "suite": record.suite,
        "problem": record.group,
        "split": record.split,
        "variant": record.variant,
        "seed": record.seed,
        "status": record.status,
        "verified": int(record.verified),
        "candidates": record.cost.candidates,
        "seconds": record.cost.seconds,
        "body": to_json(record),
    }


def step_rows(episode: str, step: Step) -> list[dict[str, Any]]:
    parts: list[tuple[str, str, object]] = [("act", step.action.kind, step.action)]
    if step.observation is not None:
        parts.append(("observe", "observation", step.observation))
    if step.judgement is not None:
        parts.append(("judge", "judgement", step.judgement))
    return [
        {"episode": episode, "step": step.number, "stage": stage, "kind": kind, "body": json.dumps(to_data(value))}
        for stage, kind, value in parts
    ]
