from __future__ import annotations

from pathlib import Path

import pytest

from evolve.core.errors import WorkspaceError
from evolve.core.events import Event, EventFan, EventLog, NoEvents, read_events


def test_events_are_numbered_in_order_and_read_back(tmp_path: Path) -> None:
    path = tmp_path / "run" / "events.jsonl"
    with EventLog(path) as log:
        log.emit(Event(kind="plan", episode="e1", data={"goal": "größer"}))
        log.emit(Event(kind="act", episode="e1", step=1))
    with EventLog(path) as log:
        log.emit(Event(kind="judge", episode="e1", step=1, at_seq=99))
    assert list(read_events(path)) == [
        Event(kind="plan", episode="e1", data={"goal": "größer"}, at_seq=1),
        Event(kind="act", episode="e1", step=1, at_seq=2),
        Event(kind="judge", episode="e1", step=1, at_seq=3),
    ]


def test_a_line_torn_by_a_crash_costs_only_itself(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    with EventLog(path) as log:
        log.emit(Event(kind="plan"))
        log.emit(Event(kind="act"))
    path.write_bytes(path.read_bytes()[:-9])
    with EventLog(path) as log:
        log.emit(Event(kind="judge"))
    assert [(event.kind, event.at_seq) for event in read_events(path)] == [("plan", 1), ("judge", 2)]


def test_any_text_can_be_logged(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    with EventLog(path) as log:
        log.emit(Event(kind="act", data={"text": "a\ud800\0\n\u2028b"}))
    assert next(read_events(path)).data == {"text": "a\ud800\0\n\u2028b"}


def test_a_missing_log_has_no_events(tmp_path: Path) -> None:
    assert list(read_events(tmp_path / "none")) == []


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "plain").write_text("x")
    with pytest.raises(WorkspaceError, match="plain"):
        EventLog(tmp_path / "plain" / "events.jsonl")


def test_a_fan_reaches_every_sink(tmp_path: Path) -> None:
    logs = (EventLog(tmp_path / "a"), EventLog(tmp_path / "b"))
    fan = EventFan((*logs, NoEvents()))
    fan.emit(Event(kind="plan"))
    for log in logs:
        log.close()
        assert [event.kind for event in read_events(log.path)] == ["plan"]


def test_a_log_of_many_days_keeps_its_newest_events_in_bounded_space(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    for _ in range(2):  # a continued log goes on from its newest number
        with EventLog(path, limit=2_000, kept=2) as log:
            for number in range(100):
                log.emit(Event(kind="act", step=number))
    kept = [event.at_seq for event in read_events(path)]
    assert kept == list(range(kept[0], 201)) and 20 < len(kept) < 80
    assert sum(file.stat().st_size for file in tmp_path.iterdir()) <= 3 * 2_000
    assert len(list(tmp_path.iterdir())) == 3
