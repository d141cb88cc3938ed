"""Twenty skills travel between workspaces, and bad ones do not; the figures are the benchmark's own."""

from __future__ import annotations

import pytest

from benchmarks.exchange import admission, exchange, targets_of
from benchmarks.foreign_skills import BAD, JOBS, KEPT_ASIDE, probes, write


def test_there_are_sixty_good_skills_and_twelve_kinds_of_bad_ones(tmp_path):
    assert len({job.name for job in JOBS}) == 60 and len(BAD) >= 12 and not BAD.keys() & KEPT_ASIDE.keys()
    for job in JOBS:
        assert len(job.rows("some")) == 16 and all(isinstance(job.call(value), str) for value in probes(job))
    for make in BAD.values():
        make(tmp_path / make.__name__, JOBS[0])
    write(tmp_path / "good", JOBS[0])
    assert len(list(tmp_path.rglob("SKILL.md"))) == len(BAD) + 1


@pytest.mark.slow
def test_good_skills_get_in_and_bad_ones_do_not(tmp_path):
    rows = [*admission(tmp_path, quick=True), *exchange(tmp_path, quick=True)]
    assert [target.name for target in targets_of(rows) if not target.met] == []
