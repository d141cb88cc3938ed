"""Runs a batch of hostile actions one after the other: the supervisor that they attack.

Started by :mod:`benchmarks.hostile` as a process of its own, because an attack that works may kill or change it. Reads
a batch as JSON from stdin, writes one row a line to stdout.
"""

from __future__ import annotations

import json
import os
import secrets
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from benchmarks.hostile_actions import ACTIONS, Action, source
from benchmarks.hostile_control import let_loose
from benchmarks.hostile_judging import BASE, breaches, limits_of, outcome_class, outside, words
from benchmarks.hostile_oracles import Oracles, adopt_orphans, descendants, end, marked, trees
from benchmarks.hostile_ways import WAYS, Way, Worked
from evolve.core.errors import SandboxUnavailable, UsageError
from evolve.runtime.sandbox import SandboxLimits

_GRACE_S = 2.0
_SAID = 240


def main() -> None:
    """Runs the batch on stdin."""
    batch = json.loads(sys.stdin.readline())
    adopt_orphans()
    by_name = {action.name: action for action in ACTIONS}
    actions = [by_name[name] for name in batch["actions"]]
    folder, stand_in = Path(batch["folder"]), batch["mode"] == "control"
    oracles = Oracles(folder, os.environ["EVOLVE_HOSTILE_TOKEN"], stand_in=stand_in)
    try:
        with outside(oracles):
            rows = _controls(actions, oracles, folder) if stand_in else _attacks(batch, actions, oracles)
            for row in rows:
                print(json.dumps(row), flush=True)
    finally:
        oracles.close()


def _controls(actions: list[Action], oracles: Oracles, folder: Path) -> Iterator[dict[str, Any]]:
    for number, action in enumerate(actions):
        yield {"action": action.name, **let_loose(action, oracles, folder / f"c{number}")}


def _attacks(batch: Mapping[str, Any], actions: list[Action], oracles: Oracles) -> Iterator[dict[str, Any]]:
    seed = secrets.randbelow(1 << 32)
    cache = Path(batch["cache"])
    with WAYS[batch["mode"]](batch["backend"], cache) as way:
        way.warm_up(SandboxLimits(**BASE, hash_seed=seed))
        attacker = _Attacker(way, oracles, seed)
        oracles.make()
        oracles.heed_signals()
        for number, action in enumerate(actions):
            yield {"order": number, **attacker.attack(action)}
    # a second net for what descent cannot show: the environment that the sandbox gives
    left = set(descendants(os.getpid())) - oracles.people() | marked(f"PYTHONHASHSEED={seed}")
    yield {"action": "", "survivors": len(left)}
    end(left)


class _Attacker:
    """Runs actions one way and asks the oracles after each."""

    def __init__(self, way: Way, oracles: Oracles, seed: int) -> None:
        self._way, self._oracles, self._seed = way, oracles, seed
        mine = oracles.people()
        self.idle = {tree for number, tree in trees(os.getpid()).items() if number not in mine}

    def attack(self, action: Action) -> dict[str, Any]:
        """One row."""
        limits = limits_of(action)
        files = {name.replace("{TRIP}", self._oracles.trip): data for name, data in action.files.items()}
        text = source(action, self._oracles.constants(caged=True))
        asked = SandboxLimits(**limits, hash_seed=self._seed)
        before = self._alive()
        all_worked: list[Worked] = []
        if action.race:
            threads = [threading.Thread(target=self._one, args=(all_worked, text, asked, files, action))]
            threads[0].start()
        self._one(all_worked, text, asked, files, action)
        if action.race:
            threads[0].join()
        left = self._survivors(before)
        judged = [self._judge(action, worked, limits) for worked in all_worked]
        row = next((one for one in judged if one["escaped"] or not one["expected"]), judged[0])
        fired = self._oracles.fired(row.pop("words"))
        if fired:
            self._oracles.make()
        row["escaped"] = sorted({*row["escaped"], *fired, *(["survivors"] if left else [])})
        row["survivors"] = left
        row["after"] = self._way.still_works(asked) if not row["after"] else row["after"]
        row["expected"] = row["expected"] and not row["after"]
        return row

    def _one(
        self, found: list[Worked], text: str, limits: SandboxLimits, files: Mapping[str, bytes], action: Action
    ) -> None:
        started = time.monotonic()
        try:
            worked = self._way.run(text, limits, files, action.collect)
        except SandboxUnavailable as error:
            worked = Worked(outcome="unavailable", said=str(error))
        except (UsageError, ValueError) as error:
            worked = Worked(outcome="usage", said=str(error))
        except Exception as error:  # an error in the supervisor is what the attack wanted
            worked = Worked(outcome="crash", said=f"{type(error).__name__}: {error}")
        if worked.seconds is None:
            worked.seconds = time.monotonic() - started
        found.append(worked)

    def _judge(self, action: Action, worked: Worked, limits: Mapping[str, Any]) -> dict[str, Any]:
        result = worked.result
        outcome = worked.outcome or outcome_class(result)
        right = outcome != "ok" or action.value is None or (result is not None and result.value == action.value)
        assert worked.seconds is not None
        overrun = worked.seconds - limits["wall_s"]
        escaped = breaches(result, limits) if result is not None else []
        if outcome == "crash":
            escaped.append("supervisor")
        expected = right and (outcome in action.expect or (self._way.coarse and outcome != "ok"))
        if worked.mute and outcome == "ok":
            # where there is no value, one that cannot be returned does no harm
            expected = outcome in action.expect or "outcome" not in action.attacks
        row = {
            "action": action.name,
            "kind": action.kind,
            "outcome": outcome,
            "expected": expected,
            "escaped": escaped,
            "seconds": round(worked.seconds, 3),
            "limit_s": limits["wall_s"],
            "overrun_s": round(max(0.0, overrun), 3),
            "denied": sorted({str(denial.kind) for denial in result.denied}) if result is not None else [],
            "after": worked.after,
            "words": words(result) if result is not None else worked.said,
        }
        if not expected:
            said = worked.said or f"{result.error or repr(result.value)}"
            row["said"] = said.replace(str(self._oracles.base), "BASE")[:_SAID]
        return row

    def _alive(self) -> dict[int, str]:
        mine = self._oracles.people()
        return {number: start for number, start in descendants(os.getpid()).items() if number not in mine}

    def _survivors(self, before: Mapping[int, str]) -> int:
        """How many processes an action left behind, after a time in which they may still be ending.

        A new interpreter that is kept for later is none, if nothing runs below it and it ends when told to.
        """
        deadline = time.monotonic() + _GRACE_S
        while True:
            new = {number for number, start in self._alive().items() if before.get(number) != start}
            kept = {number: tree for number, tree in trees(os.getpid()).items() if number in new}
            only_kept = bool(self.idle) and all(tree in self.idle for tree in kept.values()) and bool(kept)
            if not new or only_kept or time.monotonic() > deadline:
                break
            time.sleep(0.02)
        if new and only_kept:
            self._way.close_kept()
            deadline = time.monotonic() + _GRACE_S
            while (new := new & set(self._alive())) and time.monotonic() < deadline:
                time.sleep(0.02)
        end(new)
        return len(new)


if __name__ == "__main__":
    main()
