"""What a person reads about something that takes a while: what it is, how far it is, and since when it goes on."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

from evolve.cli.render.live_line import PACE, LiveLine, RedrawInterval, show_live_line
from evolve.cli.render.output import count_of, escape_control_characters, shorten_home_path, shorten_line

if TYPE_CHECKING:
    from evolve.workspace import Activities, Activity

WORDS = {
    "agent": "running {} in a copy of the folder",
    "block": "running {}",
    "check": "running {}",
    "commits": "testing commits",
    "doubts": "looking for another function that fits your rows",
    "encode": "encoding text",
    "encoder": "loading the text encoder {}",
    "fill": "filling {}",
    "fit": "learning from the tasks so far",
    "import": "reading {}",
    "index": "building the search index",
    "java": "starting Java for {}",
    "keep": "keeping what was learned",
    "learn": "learning from {}",
    "model": "asking {}",
    "load": "loading {}",
    "look": "looking how many tasks could get better",
    "mutants": "breaking tests on purpose",
    "open": "opening the workspace",
    "retry": "waiting before the next attempt: {}",
    "sandbox": "testing the sandbox",
    "search": "searching",
    "server": "starting the tool server {}",
    "shadow": "solving it again without what was learned",
    "skill": "testing the skill {}",
    "stage": "{}",
    "table": "reading {}",
    "tasks": "solving",
    "tool": "waiting for the tool {}",
    "trial": "playing {}",
    "tree": "reading the folder {}",
    "write": "writing the table",
}
"""By the kind of an activity; {} stands for its subject."""
_UNITS = {
    "commits": "commit",
    "fill": "row",
    "search": "candidate",
    "index": "item",
    "import": "skill",
    "look": "task",
    "mutants": "change",
    "tasks": "task",
    "tree": "file",
    "trial": "trial",
}


@contextmanager
def show_activities(pace: RedrawInterval = PACE) -> Iterator[LiveLine]:
    """Shows on stderr what goes on in a command, as soon as it takes long."""
    from evolve.workspace import watch_activities

    with watch_activities() as activities, show_live_line(partial(describe_activities, activities), pace) as line:
        yield line


def describe_activities(activities: Activities, after: float = 0.0, began: float = 0.0) -> str:
    """What has gone on for so many seconds: that of which the end is known, else the whole, and the part of now.

    Args:
        began: The time before which nothing counts, by ``time.monotonic()``.
    """
    now = time.monotonic()
    running = [one for one in activities.current() if one.kind and now - max(one.since, began) >= after]
    if not running:
        return f"working, {format_duration(now - began)}" if now - began >= after else ""
    whole = next((one for one in running if one.total), running[0])
    parts = [whole] if whole is running[-1] else [whole, running[-1]]
    return escape_control_characters(
        "; ".join(_activity_line(one, now - max(one.since, began)) for one in parts), lines=False
    )


def _activity_line(one: Activity, seconds: float) -> str:
    """What it is, how far it is, and how long it has gone on."""
    words = WORDS.get(one.kind, one.kind).format(shorten_line(shorten_home_path(one.subject), 100))
    unit, done = _UNITS.get(one.kind, "step"), one.count()
    if one.total:
        words += f", {done:,} of {count_of(one.total, unit)}"
    elif done:
        words += f", {count_of(done, unit)}"
    return f"{words}, {format_duration(seconds)}"


def format_duration(seconds: float) -> str:
    """How long something goes on, in whole seconds, minutes or hours."""
    whole = int(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    return f"{minutes} min {rest} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"
