"""The picture of a report."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from evolve.core.ledger import Spent
from evolve.improve.curve import draw_curve
from evolve.improve.report import ArmRow, CurvePoint, Report
from evolve.trials.gate import ConfidenceInterval

EMPTY = ConfidenceInterval(value=None, low=None, high=None, n=0)


def report(curve=(), costs=None):
    counts = {arm: len(values) for arm, values in (costs or {}).items()}
    return Report(
        run="r1", suite="a<b", suite_digest="", seed=0, finish_reason="", rounds=(), ratio=EMPTY, gain=EMPTY,
        looks=0, spent=Spent(), curve=tuple(curve), costs=costs or {},
        arms=tuple(ArmRow(arm=arm, tasks=max(1, counts.get(arm, 0))) for arm in ("unlearned", "learned")),
    )  # fmt: skip


@given(
    st.lists(st.builds(CurvePoint, round=st.integers(1, 3), solved=st.booleans(), candidates=st.integers(0, 10**7))),
    st.lists(st.integers(0, 10**7), max_size=9),
)
def test_every_report_gives_a_well_formed_picture_inside_its_frame(curve, costs):
    root = ET.fromstring(draw_curve(report(curve, {"unlearned": costs, "learned": sorted(costs)[:3]})))
    for line in root.iter("{http://www.w3.org/2000/svg}polyline"):
        for point in line.get("points").split():
            x, y = map(float, point.split(","))
            assert 0 <= x <= 960 and 0 <= y <= 380
    marks = list(root.iter("{http://www.w3.org/2000/svg}circle"))
    assert len(marks) == len(curve)
    assert sum(mark.get("fill") == "none" for mark in marks) == sum(not point.solved for point in curve)


def test_a_report_without_a_test_says_so():
    assert "still sealed" in draw_curve(report())


def test_practice_and_held_out_tasks_are_drawn_by_the_cost_that_the_gate_compares():
    few_and_dear = CurvePoint(round=1, solved=True, candidates=300, work=90_000_000)
    many_and_cheap = CurvePoint(round=1, solved=True, candidates=30_000, work=900_000)
    arms = (ArmRow(arm="unlearned", tasks=1, candidates=300, work=90_000_000), ArmRow(arm="learned"))
    told = replace(report([few_and_dear, many_and_cheap], {"unlearned": [90_200_000]}), arms=arms)
    told = replace(told, spent=Spent(tokens=900))  # of a model that words what was learned
    picture = draw_curve(told)
    assert picture.count("work units") == 2 and "candidates" not in picture
    dear, cheap = (float(mark.get("cy")) for mark in ET.fromstring(picture).iter("{http://www.w3.org/2000/svg}circle"))
    assert dear < cheap, "what cost more stands higher"
