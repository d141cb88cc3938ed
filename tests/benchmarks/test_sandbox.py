"""The sandbox benchmark: its attacks fire where nothing confines them, and speed counts only where none did."""

from __future__ import annotations

import subprocess
import sys

from benchmarks.sandbox import BARE, escapes, targets_of


def test_its_attacks_fire_without_a_sandbox():
    found = escapes(lambda code: subprocess.run([sys.executable, "-c", code + "\n"], timeout=40, check=False))
    assert {"write a file outside", "tcp", "unix socket", "signal"} <= set(found)


def rows(let):
    what = "bubblewrap zygote"
    return [
        {"measure": "default", "what": what},
        {"measure": "escapes", "what": what, "let": let},
        {"measure": "case", "what": "a case", "wrong": ""},
        {"measure": "latency", "what": what, "p50_ms": 3.0},
        {"measure": "latency", "what": BARE, "p50_ms": 1.0},
        {"measure": "rate", "what": what, "per_s": 200.0},
    ]


def test_speed_counts_only_without_escapes():
    assert all(target.met for target in targets_of(rows([])))
    assert [target.met for target in targets_of(rows(["tcp"]))] == [False, True, False, False, False]
