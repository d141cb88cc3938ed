"""The hostile corpus is what it says: every class of attack is there, and the oracles see what is not confined."""

from __future__ import annotations

import argparse
import os
import time
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest

from benchmarks.hostile import QUICK, Batch, batches, run_batch, run_controls, sample, targets_of
from benchmarks.hostile_actions import ACTIONS, KINDS, ORACLES, source
from benchmarks.hostile_judging import breaches, hidden, limits_of
from benchmarks.hostile_oracles import end, trees
from evolve.runtime.sandbox import ActionFile, ActionResult, SandboxLimits

ATTACKS = """
fork bomb|thread bomb|memory bomb|six children of 250 MB|/dev/shm fill|memfd bomb|infinite loop|sleep forever
ignore all signals|9**9**9 in C|regex ReDoS|infinite stdout|infinite stderr|1 MiB result|giant file|1 TiB sparse file
endless small files|many 8 MiB files|fill /tmp|fd exhaustion|deep recursion|200 000-deep JSON|zip bomb
3 000-deep directories
read ~/.ssh|env secret + /proc/self/environ|parent environ|parent /proc/PID/mem|/proc/PID/root|cwd
/proc/self/fd/../..|inherited fds|write .bashrc|write skill|write DB|write /etc|write /usr|write /tmp|write /dev/shm
rmtree home|unlink DB|rename DB into workspace|symlink escape|hardlink escape|chmod/utime/xattr outside|stat outside
truncate / O_TRUNC DB|flock DB|openat ..|mknod/mount/chroot/unshare|setuid binaries|.pth planting|LD_PRELOAD
date-triggered time bomb
TCP loopback + internet|DNS + UDP|IPv6/raw/netlink/packet/vsock|unix path + abstract + docker.sock
DGRAM-socketpair sendto|io_uring|listen backdoor|SysV shm / keyring / msgq
kill parent / -1|ptrace attach + seize|process_vm_readv|prlimit + affinity of parent|raise own rlimits / nice
setsid double fork with closed fds|daemon that keeps the pipes|killpg|atexit / __del__ / non-daemon-thread sleepers
sys.exit|os._exit(0)|segfault|kill self|forged JSON on stdout|forged result on fd 3|two results|closed result fd
monkeypatched json.dumps|pickle payload|NaN/Inf|lone surrogate|lc constructor payload|ANSI/OSC-52/RTL escapes
invalid UTF-8|NUL and CR score spoof|catch BaseException loop|syntax error|NUL in source|missing import|input()
F_SETOWN/F_SETSIG SIGIO|tkill/tgkill/rt_sigqueueinfo/pidfd_send_signal|clone(CLONE_PARENT) survivor
hostile file names and trees|other interpreters and ld-linux|mount/host info leak
artifact symlink|write to skill store by ../ name|foreign run id|module shadows the standard library
tar members outside|10 000-key result|clock-skewed timestamps|two actions racing
"""


def test_every_class_of_attack_is_there():
    named = "/proc/PID/root|cwd"
    wanted = {named, *(item for line in ATTACKS.replace(named, "").split("\n") for item in line.split("|") if item)}
    assert wanted - {action.item for action in ACTIONS} == set()
    assert len(ACTIONS) >= 130


def test_every_action_is_whole():
    assert len({action.name for action in ACTIONS}) == len(ACTIONS)
    for action in ACTIONS:
        assert action.kind in KINDS and action.expect, action.name
        assert set(action.attacks) <= set(ORACLES), action.name
        assert not action.caged or action.attacks, f"{action.name} needs no reason to be caged"
        SandboxLimits(**limits_of(action))


def test_codes_compile_unless_that_is_the_attack():
    broken = {"syntax error", "wrong indentation", "NUL in source", "surrogate in source"}
    failed = set()
    for action in ACTIONS:
        try:
            compile(source(action, {}), action.name, "exec")
        except (SyntaxError, UnicodeEncodeError):
            failed.add(action.name)
    assert failed == broken


@pytest.mark.slow
def test_the_oracles_notice_what_is_not_confined():
    names = {
        "read the private key": {"secret"},
        "read the environment of parents": {"secret"},
        "change a skill": {"files"},
        "delete the memory": {"files"},
        "write to /dev/shm": {"files"},
        "tcp": {"network"},
        "abstract datagram socket": {"network"},
        "kill the supervisor": {"signal"},
        "limits of a stranger": {"victim"},
        "program that outlives its starter": {"survivors"},
        "sleep forever": {"wall"},
        "infinite stderr": {"output"},
        "a megabyte as result": {"result"},
        "terminal controls in an error": {"border"},
        "result folder that is a link": {"secret"},
        "descriptors": {"outcome"},
    }
    rows = run_controls([action for action in ACTIONS if action.name in names], 1)
    assert {row["action"]: row["missing"] for row in rows} == {name: [] for name in names}
    for row in rows:
        assert names[row["action"]] <= set(row["fired"])


def test_a_control_that_does_not_fire_is_a_failure():
    rows = [{"action": "a", "fired": ["secret"], "missing": []}, {"action": "b", "fired": [], "missing": ["files"]}]
    targets = {target.name: target for target in targets_of([], rows, quick=False)}
    assert targets["share of controls that fired"].value == 0.5
    assert not targets["share of controls that fired"].met


def test_nothing_run_is_nothing_met():
    assert not any(target.met for target in targets_of([], [], quick=False))


def good(**changes):
    row = {"action": "a", "backend": "b", "mode": "cold", "escaped": [], "survivors": 0, "expected": True}
    return {**row, "overrun_s": 0.2, **changes}


@pytest.mark.parametrize(
    ("change", "missed"),
    [
        ({}, set()),
        ({"escaped": ["secret"]}, {"escapes"}),
        ({"survivors": 2}, {"survivors"}),
        ({"overrun_s": 1.2}, {"worst overrun of a wall limit, s"}),
        ({"expected": False}, {"unexpected outcome classes"}),
    ],
)
def test_each_failure_misses_its_own_target(change, missed):
    controls = [{"action": "a", "fired": ["secret"], "missing": []}]
    found = targets_of([good(), good(**change)], controls, quick=True)
    assert {target.name for target in found if not target.met} == missed


def test_a_sample_has_every_kind_and_follows_the_seed():
    chosen = sample(QUICK, 7)
    assert {action.kind for action in chosen} == set(KINDS)
    assert abs(len(chosen) - QUICK) <= len(KINDS)
    assert chosen == sample(QUICK, 7) != sample(QUICK, 8)


def test_order_follows_the_seed_and_changes_with_the_round():
    options = argparse.Namespace(quick=False, seed=3, seeds=2, mode=("cold",), shuffle=True)
    first, second = batches(options, ["landlock"], "")
    assert sorted(first.actions) == sorted(second.actions) and first.actions != second.actions
    assert [first, second] == list(batches(options, ["landlock"], ""))


@pytest.mark.parametrize(
    ("changes", "fired"),
    [
        ({"value": ["x", 1]}, []),
        ({"value": "\ud800"}, ["border"]),
        ({"value": float("nan")}, ["border"]),
        ({"value": "x" * 100_000}, ["result"]),
        ({"error": "\x1b[2J"}, ["border"]),
        ({"stdout": "\u202e"}, ["border"]),
        ({"stderr": "x" * 600_000}, ["output"]),
        ({"files": (ActionFile(name="a/b", data=b""),)}, []),
        ({"files": (ActionFile(name="../b", data=b""),)}, ["artifact"]),
        ({"files": (ActionFile(name="a", data=bytes(9 << 20)),)}, ["artifact"]),
    ],
)
def test_results_are_judged_by_size_and_text(changes, fired):
    limits = limits_of(SimpleNamespace(limits={}))
    assert breaches(ActionResult(state="ok", **changes), limits) == fired


def test_what_a_terminal_acts_on_is_hidden_text():
    assert not hidden("plain\ttext\nüber 漢字")
    assert all(hidden(text) for text in ("\x00", "\r", "\x1b", "\x9b", "\u202e", "\u2066", "\ud800", "\u200b"))


@pytest.mark.slow
def test_a_supervisor_that_is_killed_counts_as_an_escape_and_is_replaced():
    actions = ("sleep forever", "read the private key")
    batch = Batch(backend="", mode="control", round=0, actions=actions, cache="")
    others = set(trees(os.getpid()))

    def supervisor():
        return {number: tree for number, tree in trees(os.getpid()).items() if number not in others}

    with ThreadPoolExecutor(1) as pool:
        rows = pool.submit(run_batch, batch)
        deadline = time.monotonic() + 20
        # the attack is on when the supervisor has strangers and the code below it
        while time.monotonic() < deadline and sum(map(len, supervisor().values())) < 4:
            time.sleep(0.01)
        end(supervisor())
        first, second = rows.result()
    assert (first["action"], first["escaped"]) == ("sleep forever", ["supervisor"])
    assert (second["action"], second["missing"]) == ("read the private key", [])
