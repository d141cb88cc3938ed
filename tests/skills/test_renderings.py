"""What the search prints is let through by the lint, whatever operation it uses and however things are called."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given

from evolve.policies.search import SearchPolicy
from evolve.policies.search.programs.operations import literals
from evolve.policies.search.programs.render import render
from evolve.policies.search.programs.terms import Apply, Term
from evolve.skills.lint import lint
from tests.policies.samples import HELD_OUT, PRACTICE, first_action, views_of
from tests.programs.test_render import OPERATIONS, every_call, heading, printed
from tests.programs.typed_terms import INTS, terms


def refused(source: str, entry: str) -> list[str]:
    return [f"{problem}\n{source}" for problem in lint(source, entry)]


def test_every_operation_prints_what_a_skill_may_be(subtests: pytest.Subtests) -> None:
    for name, term in every_call():
        with subtests.test(operation=name):
            for entry in ("solve", *(helper.__name__ for helper in OPERATIONS[name].support)):
                assert refused(printed(term, entry, "p0", "p1", "p2", "p3"), entry) == []


@pytest.mark.slow
def test_parameters_may_have_the_names_of_modules_and_of_what_the_answer_calls() -> None:
    for name, term in every_call():
        template = ast.parse(OPERATIONS[name].template, mode="eval")
        words = {node.id for node in ast.walk(template) if isinstance(node, ast.Name) and not node.id[1:].isdigit()}
        for word in sorted(words | {"datetime", "re", "math", "calendar", "string", "id", "input", "type"}):
            assert refused(printed(term, "solve", word, "p1", "p2", "p3"), "solve") == [], (name, word)


@pytest.mark.slow
def test_every_constant_of_the_vocabulary_prints_as_a_literal() -> None:
    calls = dict(every_call())
    for constant, _ in literals():
        for operation in [o for o in OPERATIONS.values() if constant.type in o.params][:2]:
            place, term = operation.params.index(constant.type), calls[operation.name]
            assert isinstance(term, Apply)
            changed = Apply(term.operation, (*term.args[:place], constant, *term.args[place + 1 :]))
            assert refused(printed(changed, "solve", "p0", "p1", "p2", "p3"), "solve") == []


@pytest.mark.slow
@given(terms(INTS))
def test_terms_of_any_shape_pass(term: Term) -> None:
    assert refused(render(term, heading(), OPERATIONS), "solve") == []


@pytest.mark.slow
def test_answers_that_are_found_pass() -> None:
    policy = SearchPolicy()
    for view in views_of({**PRACTICE, **HELD_OUT}):
        assert refused(first_action(policy, view).code, view.entry) == []
