"""Seals a suite's splits by digest, so that no task can change or move to another split once it was judged on."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from typing import get_args

from evolve.core.errors import UsageError
from evolve.core.files import canonical_json
from evolve.core.store import Database, Value
from evolve.tasks import Suite
from evolve.tasks.model import SplitName, suite_digest


class SuiteSeals:
    """The sealed splits of every suite that was ever judged on.

    Args:
        db: The record.
        clock: Seconds since the epoch.
    """

    def __init__(self, db: Database, *, clock: Callable[[], float] = time.time) -> None:
        self._db = db
        self._clock = clock

    def check(self, suite: Suite) -> None:
        """Seals the splits of a suite when it is met first; later holds it against its seal.

        Raises:
            UsageError: A task changed, or lies in another split, under the digest of a sealed suite.
        """
        # One digest per split over which tasks lie in it and what they ask, `meta` left out.
        digests = {name: suite_digest(suite.split(name)) for name in get_args(SplitName)}
        row: dict[str, Value] = {"suite": suite.digest, "splits": canonical_json(digests), "at": self._clock()}
        self._db.insert("gate_seals", row, key="suite")  # leaves a row that is there as it is
        (stored,) = self._db.rows("gate_seals", {"suite": suite.digest})
        sealed = json.loads(str(stored["splits"]))
        broken = [name for name in digests if digests[name] != sealed.get(name)]
        if suite.digest != suite_digest(suite.tasks):
            broken = broken or ["suite's digest"]
        if broken:
            raise UsageError(
                f"the {' and '.join(broken)} of the suite {suite.name!r} is not what was sealed",
                hint="a changed suite is another suite: load it anew, so that it gets a digest of its own",
            )

    def log(self) -> Mapping[str, Mapping[str, str]]:
        """The seals by suite digest, one digest per split."""
        return {str(row["suite"]): json.loads(str(row["splits"])) for row in self._db.rows("gate_seals")}
