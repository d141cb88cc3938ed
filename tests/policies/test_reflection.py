"""Ablations tell what an answer needed from what merely stood in it."""

from __future__ import annotations

import pytest

from evolve.agent import make_probe
from evolve.core.episodes import Action, Claim, TaskView
from evolve.policies.search import SearchPolicy
from evolve.policies.search.programs.terms import Apply, Bound, Constant, Input, Lambda, Term, to_json
from evolve.policies.search.programs.types import INT
from evolve.runtime.sandbox import Sandbox
from tests.policies.samples import LISTS, accepted, view_of

XS = Input(0)


def answer(term: Term) -> Action:
    return Action(kind="code", code="", private={"tree": to_json(term)})


def claims(policy: SearchPolicy, view: TaskView, term: Term, sandbox: Sandbox) -> dict[str, Claim]:
    found = policy.reflect(view, "group", accepted(answer(term)), make_probe(sandbox))
    assert len({claim.cause for claim in found}) == len(found)
    return {claim.cause: claim for claim in found}


def direction(claim: Claim) -> int:
    (evidence,) = claim.evidence
    return evidence.direction


def test_a_needed_operation_speaks_for_itself_and_a_redundant_one_against(
    unlearned: SearchPolicy, sandbox: Sandbox
) -> None:
    term = Apply("tail", (Apply("sort", (Apply("reverse", (XS,)),)),))
    found = claims(unlearned, view_of(lambda xs: sorted(xs)[1:], *LISTS), term, sandbox)
    assert direction(found["operation:tail"]) == 1
    assert direction(found["operation:sort"]) == 1
    assert direction(found["operation:reverse"]) == -1


def test_an_operation_inside_a_lambda_can_be_needed(unlearned: SearchPolicy, sandbox: Sandbox) -> None:
    body = Apply("add", (Bound(0), Constant(1, INT)))
    term = Apply("map", (Lambda((INT,), body), XS))
    found = claims(unlearned, view_of(lambda xs: [x + 1 for x in xs], *LISTS), term, sandbox)
    assert direction(found["operation:map"]) == 1
    assert direction(found["operation:add"]) == 1
    assert direction(found["literal:int:1"]) == 1


def test_a_literal_that_does_not_matter_is_seen_not_to(unlearned: SearchPolicy, sandbox: Sandbox) -> None:
    long = Apply("take", (Constant(10, INT), XS))
    twice = Apply("reverse", (Apply("reverse", (long,)),))
    found = claims(unlearned, view_of(lambda xs: xs, [1], [2, 3], []), twice, sandbox)
    assert direction(found["operation:reverse"]) == 1
    assert direction(found["operation:take"]) == -1


def test_programs_that_the_machine_cut_short_are_no_evidence(unlearned: SearchPolicy) -> None:
    def out_of_time(programs, inputs):
        return [[{"error": "time limit: the program did not finish"} for _ in inputs] for _ in programs]

    term = Apply("tail", (Apply("sort", (XS,)),))
    view = view_of(lambda xs: sorted(xs)[1:], *LISTS)
    assert unlearned.reflect(view, "group", accepted(answer(term)), out_of_time) == ()


def test_ablation_of_a_task_with_errors_counts_as_not_reproduced(unlearned: SearchPolicy, sandbox: Sandbox) -> None:
    term = Apply("first", (Apply("sort", (XS,)),))
    found = claims(unlearned, view_of(min, [3, 1], [4], [9, 2, 5]), term, sandbox)
    assert {cause: direction(claim) for cause, claim in found.items()} == {"operation:first": 1, "operation:sort": 1}


def test_the_claim_says_in_words_what_was_done(unlearned: SearchPolicy, sandbox: Sandbox) -> None:
    found = claims(unlearned, view_of(sorted, *LISTS), Apply("sort", (XS,)), sandbox)
    claim = found["operation:sort"]
    assert (claim.relation, claim.effect, claim.evidence[0].kind) == ("contributes", "solved", "observation")
    assert claim.scope.environment == "programs"
    assert claim.scope.family == "(list[int]) -> list[int]"
    assert claim.scope.preconditions
    assert "sort" in claim.text
    assert "no longer hold" in claim.evidence[0].detail


def test_a_faulty_sandbox_is_not_evidence(unlearned: SearchPolicy) -> None:
    """When nothing could be run, nothing was shown."""
    view = view_of(sorted, *LISTS)
    found = unlearned.reflect(
        view, "g", accepted(answer(Apply("sort", (XS,)))), lambda programs, _: [None] * len(programs)
    )
    assert [claim for claim in found if claim.evidence] == []


@pytest.mark.parametrize("name", ["sort", "reverse"])
def test_reflection_uses_one_execution(unlearned: SearchPolicy, sandbox: Sandbox, name: str) -> None:
    calls = []
    probe = make_probe(sandbox)

    def counting(programs, inputs):  # type: ignore[no-untyped-def]
        calls.append(len(programs))
        return probe(programs, inputs)

    term = Apply("tail", (Apply(name, (XS,)),))
    function = {"sort": sorted, "reverse": lambda xs: xs[::-1]}[name]
    unlearned.reflect(view_of(lambda xs: function(xs)[1:], *LISTS), "g", accepted(answer(term)), counting)
    assert len(calls) == 1
