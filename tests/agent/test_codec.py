"""Episode values survive JSON text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolve.core.episodes import (
    Action,
    Alternative,
    Cost,
    EnvironmentState,
    EpisodeRecord,
    Judgement,
    Limits,
    Observation,
    SkillDraft,
    Step,
)
from evolve.core.episodes.codec import from_json, to_json

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)
private = st.dictionaries(st.text(max_size=4), json_values, max_size=2)
steps = st.builds(
    Step,
    number=st.integers(1, 9),
    action=st.builds(
        Action,
        kind=st.sampled_from(["code", "finish"]),
        code=st.text(max_size=20),
        explores=st.booleans(),
        rivals=st.lists(st.builds(Alternative, code=st.text(max_size=3), private=private), max_size=2).map(tuple),
        allowed=st.none() | st.builds(Limits, candidates=st.none() | st.integers(0, 9)),
        private=private,
        cost=st.builds(Cost, candidates=st.integers(0, 9)),
        consumed=st.lists(st.text(max_size=3), max_size=2).map(tuple),
    ),
    observation=st.none()
    | st.builds(
        Observation,
        ok=st.booleans(),
        outputs=st.lists(json_values, max_size=3).map(tuple),
        state=st.none() | st.builds(EnvironmentState, changed=st.none() | st.just(("a",)), value=json_values),
    ),
    judgement=st.none() | st.builds(Judgement, accepted=st.booleans(), verified=st.booleans(), rows=st.integers(0, 9)),
)


@pytest.mark.slow
@given(st.lists(steps, max_size=3).map(tuple), json_values)
def test_records_come_back_equal(some_steps, tree):
    draft = SkillDraft(name="n", description="", entry="f", signature="", code="", tests=(), tree=tree)
    record = EpisodeRecord(
        episode="e", run="r", task="t", suite="", group="g", split="own", variant="unlearned", seed=0,
        status="solved", verified=True, answer="", steps=some_steps, cost=Cost(), drafts=(draft,),
    )  # fmt: skip
    assert from_json(EpisodeRecord, to_json(record)) == record
