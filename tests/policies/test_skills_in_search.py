"""Learned skills take part in the search as operations."""

from __future__ import annotations

import ast
import dataclasses
from typing import Any

import pytest

from evolve.agent import make_probe
from evolve.core.episodes import TaskView
from evolve.policies.search import SearchPolicy, TrainingSettings, fit_guide
from evolve.policies.search.known_functions import operation_name, skill_operation, with_library
from evolve.policies.search.programs.operations import vocabulary
from evolve.policies.search.programs.terms import from_json, operations_in
from evolve.runtime.sandbox import Sandbox
from evolve.skills import Skill
from tests.policies.samples import LISTS, Evidence, accepted, first_action, view_of, views_of, wrong_rows

WORDS = {operation.name: operation for operation in vocabulary()}


def middle(xs: list[int]) -> list[int]:
    return sorted(set(xs))[1:-1]


def skill_for(policy: SearchPolicy, view: TaskView) -> Skill:
    draft, *_ = policy.distill(view, accepted(first_action(policy, view)))
    return Skill.from_draft(draft)


@pytest.fixture(scope="module")
def skill(unlearned: SearchPolicy) -> Skill:
    return skill_for(unlearned, view_of(middle, *LISTS, name="middle", instruction="Keep the middle values sorted"))


@pytest.fixture(scope="module")
def composed() -> TaskView:
    inputs = ([3, 1, 2, 9], [5, 4, 4, 8, 6], [9, 8, 7, 1, 8], [6, 5, 5, 11], [2, 2, 7, 10, 12])
    return view_of(lambda xs: [2 * x for x in middle(xs)][::-1], *inputs, name="composed")


@pytest.fixture(scope="module")
def skilled(skill: Skill) -> SearchPolicy:
    return SearchPolicy(library=(skill,))


@pytest.mark.slow
def test_a_skill_shortens_a_task_that_is_made_of_it(
    unlearned: SearchPolicy, skilled: SearchPolicy, skill: Skill, composed: TaskView
) -> None:
    before, after = first_action(unlearned, composed), first_action(skilled, composed)
    assert after.kind == "code"
    assert operation_name(skill.entry) in operations_in(from_json(after.private["tree"]))
    assert after.cost.candidates < before.cost.candidates / 2
    assert after.consumed == (f"skill:{skill.digest}",)


def test_an_answer_with_a_skill_carries_its_code_and_runs_alone(
    skilled: SearchPolicy, skill: Skill, composed: TaskView, sandbox: Sandbox
) -> None:
    code = first_action(skilled, composed).code
    names = [node.name for node in ast.parse(code).body if isinstance(node, ast.FunctionDef)]
    assert names[-1] == composed.entry
    assert skill.entry in names
    assert wrong_rows(sandbox, [(composed, code)]) == []


def test_a_task_that_is_the_skill_is_one_call(skilled: SearchPolicy, skill: Skill) -> None:
    view = view_of(middle, [4, 4, 9, 1], [7, 3, 3], [1, 2, 3, 4, 5], [8], name="again")
    action = first_action(skilled, view)
    assert operations_in(from_json(action.private["tree"])) == [operation_name(skill.entry)]


def test_an_answer_is_no_wrapper_around_one_skill(skilled: SearchPolicy, unlearned: SearchPolicy, skill: Skill) -> None:
    view = view_of(middle, [4, 4, 9, 1], [7, 3, 3], [1, 2, 3, 4, 5], [8], name="again")
    known, found = first_action(skilled, view), first_action(unlearned, view)
    assert skill.entry not in known.code
    assert known.code == found.code
    assert known.consumed == (f"skill:{skill.digest}",)
    (draft,) = skilled.distill(view, accepted(known))
    assert draft.tree == skill.tree


def test_a_skill_means_what_its_code_means(skill: Skill) -> None:
    operation = skill_operation(skill, WORDS)
    assert operation is not None
    space: dict[str, Any] = {}
    exec(compile(skill.code, "<skill>", "exec"), space)
    for xs in ([], [1], [3, 1, 2, 2], [5, 4, 3, 2, 1]):
        assert list(operation.function(tuple(xs))) == space[skill.entry](xs) == middle(xs)


@pytest.mark.slow
def test_a_skill_made_of_a_skill_brings_both(
    skilled: SearchPolicy, skill: Skill, composed: TaskView, sandbox: Sandbox
) -> None:
    second = skill_for(skilled, composed)
    assert skill.entry in second.code
    policy = SearchPolicy(library=(skill, second))
    view = dataclasses.replace(
        view_of(lambda xs: [2 * x for x in middle(xs)], *(row.input[0] for row in composed.examples), name="third")
    )
    action = first_action(policy, view)
    assert action.kind == "code"
    again = first_action(policy, dataclasses.replace(composed, id="fourth"))
    assert operations_in(from_json(again.private["tree"])) == [operation_name(second.entry)]
    answers = [(view, action.code), (composed, again.code), (composed, second.code.replace(second.entry, "solve"))]
    assert wrong_rows(sandbox, answers) == []


def test_claims_about_a_skill_name_it_by_content(
    skilled: SearchPolicy, skill: Skill, composed: TaskView, sandbox: Sandbox
) -> None:
    claims = skilled.reflect(composed, "g", accepted(first_action(skilled, composed)), make_probe(sandbox))
    assert f"skill:{skill.digest}" in {claim.cause for claim in claims}
    assert not [claim for claim in claims if claim.cause.startswith("operation:skill_")]


@pytest.mark.slow
def test_a_guide_learns_the_price_of_a_skill(skill: Skill, composed: TaskView, skilled: SearchPolicy) -> None:
    features = skilled.features(composed)
    rows = [Evidence(features, f"skill:{skill.digest}", 1, composed.id)]
    guide = fit_guide(rows, [composed], (skill,), 0, TrainingSettings(dreams=40, steps=60))
    prices = SearchPolicy(library=(skill,), guide=guide).plan(composed, ()).private["prices"]
    assert prices[operation_name(skill.entry)] < 4
    elsewhere = SearchPolicy(guide=guide)
    action = first_action(elsewhere, composed)
    assert action.kind == "finish" or operation_name(skill.entry) not in action.code


@pytest.mark.slow
def test_a_retired_skill_leaves_nothing_behind(unlearned: SearchPolicy, skilled: SearchPolicy) -> None:
    retired = dataclasses.replace(skilled, library=())
    assert list(retired.vocabulary.by_name) == list(SearchPolicy().vocabulary.by_name)
    for view in views_of({"middle": middle}):
        assert first_action(retired, view).code == first_action(unlearned, view).code


@pytest.mark.parametrize(
    "tree",
    [None, {}, {"term": ["op", "gone", ["input", 0]], "inputs": ["int"], "output": "int"}, {"term": ["what"]}, "text"],
)
def test_a_skill_without_a_usable_tree_is_no_operation(skill: Skill, tree: Any) -> None:
    broken = dataclasses.replace(skill, tree=tree)
    assert skill_operation(broken, WORDS) is None
    assert [o.name for o in with_library(vocabulary(), [broken])] == list(WORDS)
    SearchPolicy(library=(broken,))
