"""What was practised on is known again when its file was edited, and then measures nothing."""

from __future__ import annotations

from dataclasses import replace

import pytest

from benchmarks.doubles import small_suite
from evolve.tasks import render_jsonl

pytestmark = pytest.mark.slow


def edited(tasks):
    """Every task under another name, in other words and without its last hidden row."""
    return [
        replace(task, id=f"{task.id}-b", group="", instruction=f"Please {task.instruction}", hidden=task.hidden[:-1])
        for task in tasks
    ]


def test_an_edited_file_brings_no_practised_problem_into_the_gate_or_the_test(open_ws, tmp_path):
    tasks = small_suite(160).tasks  # so many that enough are left to judge on
    first, second = tmp_path / "first.jsonl", tmp_path / "second.jsonl"
    first.write_text(render_jsonl(tasks))
    second.write_text(render_jsonl(edited(tasks)))
    with open_ws() as workspace:
        workspace.improve(first, rounds=1)
        episodes = workspace.stores.runs.episodes()
        practised = {f"{record.task}-b" for record in episodes if record.split == "train"}
        workspace.improve(second, rounds=1)
        measured = [
            record.task
            for record in workspace.stores.runs.episodes()[len(episodes) :]
            if record.split in ("gate", "test")
        ]
        assert measured and practised and not practised & set(measured)


def test_where_all_is_known_nothing_is_judged_and_no_level_is_used(open_ws, tmp_path):
    file = tmp_path / "small.jsonl"
    file.write_text(render_jsonl(small_suite(40).tasks))
    with open_ws() as workspace:
        for task in small_suite(40).tasks:
            workspace.run(task)
        report = workspace.improve(file, rounds=1)
        assert not workspace.gate.list().decisions and workspace.gate.list().begun == ()
        assert "0 are left to judge on" in report.rounds[0].reason and not report.promoted
