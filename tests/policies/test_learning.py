"""Experience makes a guide, a guide makes prices, and without experience nothing changes."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from statistics import geometric_mean

import pytest

from evolve.agent import make_probe
from evolve.core.episodes import Recalled, TaskView
from evolve.policies.search import Guide, SearchPolicy, SearchSettings, TrainingSettings, fit_guide
from evolve.policies.search.problem import problem_of
from evolve.policies.search.task_features import features_of
from evolve.policies.search.training import synthetic_task
from evolve.runtime.sandbox import Sandbox
from evolve.skills import Skill
from tests.policies.samples import (
    HELD_OUT,
    LISTS,
    PRACTICE,
    TRAINING,
    Evidence,
    accepted,
    actions,
    experience_from,
    first_action,
    timeless,
    unsolvable,
    view_of,
    views_of,
)

QUICK = TrainingSettings(dreams=60, steps=40)


def spent(policy: SearchPolicy, views: Sequence[TaskView]) -> dict[str, int]:
    """Candidates per task with an answer."""
    found = {view.id: first_action(policy, view) for view in views}
    return {name: action.cost.candidates for name, action in found.items() if action.kind == "code"}


def share(before: dict[str, int], after: dict[str, int]) -> float:
    """Candidates after per candidate before, as the geometric mean over tasks that both solve."""
    return geometric_mean(after[name] / before[name] for name in before.keys() & after.keys())


@pytest.mark.slow
def test_a_learned_guide_solves_new_tasks_with_fewer_candidates(unlearned: SearchPolicy, learned: SearchPolicy) -> None:
    before, after = spent(unlearned, views_of(HELD_OUT)), spent(learned, views_of(HELD_OUT))
    assert len(before) >= 6
    # One may need more than what is left for static prices after the learned ones.
    assert len(before.keys() - after.keys()) <= 1
    assert share(before, after) < 0.5
    assert sum(after.get(name, before[name]) < before[name] for name in before) > len(before) / 2


def test_a_learned_guide_solves_what_it_practised(learned: SearchPolicy) -> None:
    assert len(spent(learned, views_of(PRACTICE))) == len(PRACTICE)


@pytest.mark.slow
def test_what_is_learned_depends_on_the_evidence(
    experience: list[Evidence], unlearned: SearchPolicy, guide: Guide
) -> None:
    """The same claims filed under other tasks help less."""
    tasks = sorted({row.task for row in experience})
    other = dict(zip(tasks, tasks[5:] + tasks[:5], strict=True))
    features = {row.task: row.features for row in experience}
    misfiled = [
        dataclasses.replace(row, task=other[row.task], features=features[other[row.task]]) for row in experience
    ]
    placebo = SearchPolicy(guide=fit_guide(misfiled, views_of(PRACTICE), (), 0, TRAINING))
    views = views_of({**PRACTICE, **HELD_OUT})
    before = spent(unlearned, views)
    assert share(before, spent(SearchPolicy(guide=guide), views)) < 0.8 * share(before, spent(placebo, views))


def test_without_experience_no_guide_is_fitted() -> None:
    with pytest.raises(ValueError, match="insights"):
        fit_guide((), views_of(PRACTICE), (), 0)


@pytest.mark.slow
def test_fitting_again_gives_the_same_guide(experience: list[Evidence]) -> None:
    views = views_of(PRACTICE)[:2]
    one, two = (fit_guide(experience, views, (), 3, QUICK) for _ in range(2))
    assert one == two
    assert one != fit_guide(experience, views, (), 4, QUICK)


def test_a_guide_survives_storage(learned: SearchPolicy, guide: Guide) -> None:
    text = json.dumps(guide.to_json(), allow_nan=False)
    stored = Guide.from_json(json.loads(text))
    assert json.dumps(stored.to_json()) == text
    for view in views_of(HELD_OUT)[:3]:
        assert SearchPolicy(guide=stored).plan(view, ()) == learned.plan(view, ())


def test_probabilities_are_probabilities(guide: Guide) -> None:
    for view in views_of(HELD_OUT):
        probabilities = guide.probabilities(features_of(problem_of(view)))
        assert all(0.0 < p < 1.0 for p in probabilities.values())
        assert set(probabilities) == set(guide.names)


def test_prices_are_whole_and_positive_and_exclude_nothing(learned: SearchPolicy) -> None:
    for view in (*views_of(HELD_OUT), unsolvable()):
        prices = learned.plan(view, ()).private["prices"]
        assert prices
        assert all(type(price) is int and 1 <= price <= 30 for price in prices.values())


def test_unlearned_prices_are_the_static_ones(unlearned: SearchPolicy) -> None:
    assert unlearned.plan(view_of(sorted, *LISTS), ()).private["prices"] == {}


def test_what_is_recalled_changes_no_price_and_is_no_part_of_a_plan(learned: SearchPolicy) -> None:
    view = view_of(sorted, *LISTS)
    items = [
        Recalled(id="n1", kind="note", text="use sort", score=1.0),
        Recalled(id="i1", kind="insight", text="", score=1.0, cause="operation:modulo", direction=1),
    ]
    assert learned.plan(view, items) == learned.plan(view, ())


@pytest.mark.slow
def test_forgetting_everything_gives_exactly_the_unlearned_policy(unlearned: SearchPolicy, guide: Guide) -> None:
    """A policy that has learned and one that forgot it again share nothing that lasts."""
    view = view_of(lambda xs: sorted(xs)[1:][::-1], *LISTS)
    (draft,) = unlearned.distill(view, accepted(first_action(unlearned, view)))
    full = SearchPolicy(guide=guide, library=(Skill.from_draft(draft),))
    for each in views_of(HELD_OUT)[:3]:
        first_action(full, each)
    forgot = dataclasses.replace(full, guide=None, library=())
    item = Recalled(id="i1", kind="insight", text="", score=0.9, cause="operation:sort", direction=1)
    for each in (*views_of(HELD_OUT)[:4], *views_of(PRACTICE)[:4], unsolvable()):
        assert forgot.plan(each, ()) == unlearned.plan(each, ())
        assert forgot.plan(each, (item,)).private["prices"] == {}
    for each in (*views_of(HELD_OUT)[:3], view):
        expected = [timeless(a) for a in actions(SearchPolicy(), each, 2)]
        assert [timeless(a) for a in actions(forgot, each, 2)] == expected


def test_the_plain_enumerator_prices_everything_alike() -> None:
    plain = SearchPolicy(settings=SearchSettings(flat=True, combine=False))
    prices = plain.plan(view_of(sorted, *LISTS), ()).private["prices"]
    assert set(prices.values()) == {1}


@pytest.mark.slow
@pytest.mark.parametrize("name", list(PRACTICE)[:2])
def test_dreams_borrow_inputs_and_never_wanted_outputs(name: str, unlearned: SearchPolicy) -> None:
    """Whatever the task's outputs are, its dreams are the same."""
    view = view_of(PRACTICE[name], *LISTS, name=name)
    task = problem_of(view)
    other = dataclasses.replace(task, outputs=tuple((77, 5) for _ in task.outputs))
    words = unlearned.vocabulary
    assert synthetic_task([task], words, {}, count=40, seed=1) == synthetic_task([other], words, {}, count=40, seed=1)


@pytest.mark.slow
def test_dreams_are_reproducible_and_as_many_as_wanted(unlearned: SearchPolicy) -> None:
    tasks = [problem_of(view) for view in views_of(PRACTICE)[:2]]
    words = unlearned.vocabulary
    dreams = synthetic_task(tasks, words, {}, count=50, seed=5)
    assert dreams == synthetic_task(tasks, words, {}, count=50, seed=5)
    assert dreams != synthetic_task(tasks, words, {}, count=50, seed=6)
    assert 25 <= len(dreams) <= 50
    assert len({len(d.features) for d in dreams}) == 1
    assert all(d.needed for d in dreams)


def test_reflection_blames_only_what_is_needed(unlearned: SearchPolicy, sandbox: Sandbox) -> None:
    view = view_of(lambda xs: sorted(xs)[1:], *LISTS)
    claims = unlearned.reflect(view, "g", accepted(first_action(unlearned, view)), make_probe(sandbox))
    directions = {row.cause: row.direction for row in experience_from(claims)}
    assert directions["operation:sort"] == 1
    assert directions["operation:tail"] == 1
