"""How long this process has run, so that a budget in seconds counts from when its command was typed."""

from __future__ import annotations

import os
import time
from pathlib import Path

_STARTED = 19
"""Place of the start, in clock ticks since boot, among what ``/proc/self/stat`` says after the program's name."""


def process_seconds() -> float:
    """Wall seconds since this process was started; where the system does not tell, its CPU seconds, which are fewer."""
    used = time.process_time()
    try:
        started = int(Path("/proc/self/stat").read_text("utf-8").rpartition(")")[2].split()[_STARTED])
        return max(used, time.clock_gettime(time.CLOCK_BOOTTIME) - started / os.sysconf("SC_CLK_TCK"))
    except (OSError, ValueError, IndexError, AttributeError):  # no Linux
        return used
