"""The control group around code that may start processes."""

from __future__ import annotations

import os
import subprocess
import sys

from evolve.runtime.sandbox.process_limits import make_task_group

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


FORK_WHEN_TOLD = """
import os, sys, time
print(1, flush=True)
sys.stdin.readline()
if os.fork():
    print("forked", flush=True)
time.sleep(60)
"""
REMOVE = (
    "from evolve.runtime.sandbox.process_limits import remove_abandoned_groups; remove_abandoned_groups(older_than_s=0)"
)


def test_a_start_in_another_process_namespace_ends_no_living_group():
    group = make_task_group(6)
    if group is None:
        assert os.getuid() != 0 or not os.access("/sys/fs/cgroup", os.W_OK)
        return
    command = group.entered_by([sys.executable, "-c", FORK_WHEN_TOLD])
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout.readline() == "1\n"
            elsewhere = ["unshare", "--pid", "--fork", "--mount-proc", sys.executable, "-c", REMOVE]
            subprocess.run(elsewhere, check=True, timeout=60, start_new_session=True)
            process.stdin.write("\n")
            process.stdin.flush()
            assert process.stdout.readline() == "forked\n"
        finally:
            group.end()
        assert process.wait(5) == -9
