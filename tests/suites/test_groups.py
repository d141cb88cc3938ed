"""Programs that are the same problem."""

from __future__ import annotations

from benchmarks.suites.groups import group_of


def test_programs_that_agree_on_every_probe_share_a_group() -> None:
    probes = [([value, -value],) for value in range(20)]
    assert group_of(lambda xs: xs[::-1], probes) == group_of(lambda xs: list(reversed(xs)), probes)
    assert group_of(lambda xs: xs, probes) != group_of(lambda xs: xs[::-1], probes)
    assert group_of(lambda xs: xs[5], probes) == group_of(lambda xs: 1 // 0, probes)
    assert group_of(lambda xs: bool(xs), probes) != group_of(lambda xs: 1, probes)
    assert group_of(lambda xs: 0.1 + 0.2, probes) == group_of(lambda xs: 0.3, probes)
