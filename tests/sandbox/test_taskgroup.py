"""The control group around code that may start processes."""

from __future__ import annotations

import os
import subprocess
import sys

from evolve.sandbox.taskgroup import make_task_group

MULTIPLY = """
import os, sys, time
made = 0
for _ in range(40):
    try:
        if os.fork() == 0:
            os.setsid()
            time.sleep(60)
        made += 1
    except OSError:
        pass
print(made, flush=True)
time.sleep(60)
"""


def test_a_group_bounds_what_enters_it_and_takes_it_along(tmp_path):
    group = make_task_group(6)
    if group is None:  # only a user who may make none has to do without
        assert os.getuid() != 0 or not os.access("/sys/fs/cgroup", os.W_OK)
        return
    command = group.entered_by([sys.executable, "-c", MULTIPLY])
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "5\n"
        group.end()
        assert process.wait(5) == -9
        assert process.stdout.read() == ""  # nobody is left to hold it open
    group.end()
