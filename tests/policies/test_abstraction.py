"""What verified answers share becomes a part, and a part makes tasks solvable that were not."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from itertools import accumulate
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evolve.core.episodes import Action, Limits, Row, SkillDraft
from evolve.policies.search import SearchPolicy
from evolve.policies.search.abstraction import MOST_PARTS, VerifiedAnswers
from evolve.policies.search.answer_parts import MOST_INPUTS, AnswerPart
from evolve.policies.search.known_functions import tree_of
from evolve.policies.search.problem import SearchProblem
from evolve.policies.search.programs.antiunify import instantiate
from evolve.policies.search.programs.terms import Apply, Bound, Constant, Input, Lambda, Term, to_json, walk
from evolve.policies.search.programs.types import INT, STR, Type
from evolve.runtime.sandbox import Sandbox
from evolve.skills import Admission, Skill, unseen_rows
from evolve.workspace.learners import SearchLearner
from tests.policies.samples import accepted, first_action, view_of
from tests.programs.typed_terms import INPUTS, INTS, terms

XS, XS_ELEMENT = Input(0), Bound(0)


def call(name: str, *args: Term) -> Term:
    return Apply(name, args)


def number(value: int) -> Term:
    return Constant(value, INT)


def steep(xs: Term) -> Term:
    """Running sums of the sorted distinct elements."""
    return call("running_sum", call("sort", call("unique", xs)))


def kept(term: Term, *inputs: Type, output: Type = INTS, source: str = "other", entry: str = "kept") -> Skill:
    """A skill that a verified answer to another task became."""
    return Skill(
        name=entry,
        description="",
        entry=entry,
        signature="",
        code=f"def {entry}(xs):\n    return xs\n",
        rows=(),
        test_code="",
        tree=tree_of(term, inputs or (INTS,), output),
        source=source,
    )


SAMPLES: dict[Type, tuple[Any, ...]] = {INTS: ((3, 1, 2, 9), (5, 4, 4), (7,)), INT: (4, -2, 9), STR: ("ab c", "", "X")}


def parts_of(
    term: Term, *library: Skill, inputs: tuple[Type, ...] = (INTS,), source: str = "new"
) -> tuple[AnswerPart, ...]:
    """The parts of an answer whose examples have some inputs of the given types."""
    rows = tuple(zip(*(SAMPLES[kind] for kind in inputs), strict=True))
    problem = SearchProblem(inputs=rows, outputs=(None,) * len(rows), input_types=inputs, output_type=INTS)
    operations = SearchPolicy(library=library).vocabulary.operations
    return VerifiedAnswers.from_library(library, operations).parts_of(term, problem, source)


def test_what_two_answers_share_is_a_part_with_the_inputs_it_needs() -> None:
    (part,) = parts_of(call("reverse", steep(call("tail", XS))), kept(call("maximum", steep(XS)), output=INT))
    assert part.term == steep(XS)
    assert part.inputs == (INTS,)
    assert part.output == INTS
    assert part.arguments == (call("tail", XS),)


def test_what_differs_within_a_part_becomes_one_more_input() -> None:
    def above(least: int) -> Term:
        body = call("less", number(least), Apply("add", (XS_ELEMENT, number(1))))
        return call("sort", call("filter", Lambda((INT,), body), XS))

    (part,) = parts_of(call("reverse", above(4)), kept(call("tail", above(9))))
    assert part.inputs == (INT, INTS)
    assert part.arguments == (number(4), XS)


def test_one_answer_alone_has_no_parts() -> None:
    answer = call("reverse", steep(XS))
    assert parts_of(answer) == ()
    assert parts_of(answer, kept(call("tail", steep(XS)), source="new")) == ()


def test_what_is_a_skill_already_or_the_whole_answer_is_no_part() -> None:
    assert parts_of(call("reverse", steep(XS)), kept(steep(XS))) == ()
    assert parts_of(steep(XS), kept(call("reverse", steep(XS)))) == ()


def test_little_that_is_shared_once_is_not_worth_an_operation() -> None:
    two = call("sort", call("unique", XS))
    library = [kept(call("tail", two), source="b", entry="b"), kept(call("maximum", two), output=INT, source="c")]
    assert parts_of(call("reverse", two), library[0]) == ()
    (part,) = parts_of(call("reverse", two), *library)
    assert part.term == two


def test_a_part_that_uses_its_input_twice_saves_more() -> None:
    pairs = call("add_lists", XS, call("tail", XS))
    (part,) = parts_of(call("maximum", pairs), kept(call("sum_of", pairs), output=INT))
    assert part.term == pairs
    assert part.inputs == (INTS,)


def test_answers_that_did_not_know_each_other_meet_when_a_task_is_practised_again() -> None:
    """By then each is a skill, and the task is solved by a call of its own."""
    mine = kept(call("maximum", steep(XS)), output=INT, source="new", entry="mine")
    theirs = kept(call("sum_of", steep(XS)), output=INT, source="old", entry="theirs")
    (part,) = parts_of(call("skill_mine", XS), mine, theirs)
    assert part.term == steep(XS)
    assert part.arguments == (XS,)
    assert part.answer == call("maximum", steep(XS))


def test_what_stands_between_learned_skills_is_a_part() -> None:
    """A skill came from another problem, so where it is called two problems meet."""
    learned = kept(steep(XS), entry="steep")
    inner = call("skill_steep", XS)
    mirrored = call("concatenate", call("reverse", inner), call("tail", inner))
    (part,) = parts_of(call("skill_steep", mirrored), learned)
    assert part.term == call("concatenate", call("reverse", XS), call("tail", XS))
    assert part.arguments == (inner,)
    same_task = kept(steep(XS), entry="steep", source="new")
    assert parts_of(call("skill_steep", mirrored), same_task) == ()


def test_an_input_that_only_looks_different_is_the_same_input() -> None:
    """Reversing keeps the length, and the cheaper program asks the task's own input for it."""
    mixed = kept(call("reverse", call("append", call("tail", XS), call("first", XS))), entry="mixed")
    inner = call("skill_mixed", XS)
    (part, stricter) = parts_of(call("append", call("sort", inner), call("length", XS)), mixed)
    assert part.term == call("append", call("sort", XS), call("length", XS))
    assert part.arguments == (inner,)
    assert part.answer == call("append", call("sort", inner), call("length", inner))
    assert stricter.arguments == (inner, XS)
    assert stricter.answer == call("append", call("sort", inner), call("length", XS))


@st.composite
def related(draw: st.DrawFn) -> tuple[Term, Term]:
    """Two answers that share a frame."""
    frame = draw(terms(INTS, (*INPUTS, INTS), depth=4))
    left, right = (instantiate(frame, {3: draw(terms(INTS, depth=2))}) for _ in range(2))
    return call("reverse", left), call("tail", right)


@pytest.mark.slow
@given(related())
@settings(max_examples=60)
def test_a_part_with_its_arguments_is_what_stood_in_the_answer(pair: tuple[Term, Term]) -> None:
    answer, other = pair
    parts = parts_of(answer, kept(other, *INPUTS), inputs=INPUTS)
    assert len(parts) <= MOST_PARTS
    for part in parts:
        assert 1 <= len(part.inputs) == len(part.arguments) <= MOST_INPUTS
        assert instantiate(part.term, dict(enumerate(part.arguments))) in set(walk(answer))
        assert part.term != answer
        assert part.answer == answer


SEEN = ([3, 1, 2, 9], [5, 4, 4, 8, 6], [9, 8, 7, 1, 8], [6, 5, 5, 11], [2, 2, 7, 10, 12], [4, 3, 9, 1, 1], [7, 7])
UNSEEN = ([8, 3, 3, 1], [1, 2, 3, 4, 5], [20, 6], [10, 10, 4, 6])


def steeply(xs: list[int]) -> list[int]:
    return list(accumulate(sorted(set(xs))))


def total(xs: list[int]) -> int:
    return sum(steeply(xs))


def with_length(xs: list[int]) -> list[int]:
    return [len(xs), *steeply(xs)]


def drafts_of(policy: SearchPolicy, term: Term, function: Callable[..., Any]) -> tuple[SkillDraft, ...]:
    """What a policy distils from a verified answer that it found."""
    view = view_of(function, *SEEN, name=function.__name__)
    return policy.distill(view, accepted(Action(kind="code", private={"tree": to_json(term)})))


@pytest.fixture(scope="module")
def first(unlearned: SearchPolicy) -> Skill:
    (draft,) = drafts_of(unlearned, call("sum_of", steep(XS)), total)
    return Skill.from_draft(draft)


@pytest.fixture(scope="module")
def part(first: Skill) -> SkillDraft:
    answer = call("concatenate", call("singleton", call("length", XS)), steep(XS))
    whole, part = drafts_of(SearchPolicy(library=(first,)), answer, with_length)
    assert whole.arguments == ()
    return part


@pytest.fixture(scope="module")
def unseen(part: SkillDraft) -> tuple[Row, ...]:
    rows = tuple(Row(input=(xs,), output=with_length(xs)) for xs in UNSEEN)
    return unseen_rows(part, rows, SearchLearner().interpreter(()))


def test_a_part_is_a_readable_function_with_tests(part: SkillDraft) -> None:
    assert part.signature == "(items: list[int]) -> list[int]"
    assert part.source == "with_length"
    space: dict[str, Any] = {}
    exec(compile(part.code, "<part>", "exec"), space)
    assert all(space[part.entry](*row.input) == row.output == steeply(*row.input) for row in part.tests)
    assert [row.input for row in part.tests] == [(xs,) for xs in SEEN]


@pytest.mark.slow
def test_a_task_is_solved_only_with_the_part_of_two_others(
    unlearned: SearchPolicy, first: Skill, part: SkillDraft
) -> None:
    """The answers as wholes do not help; what they share does."""
    small = Limits(candidates=2_000, seconds=None)
    view = view_of(lambda xs: steeply(xs)[1:], *SEEN, name="third")
    assert first_action(unlearned, view, small).kind == "finish"
    assert first_action(SearchPolicy(library=(first,)), view, small).kind == "finish"
    skill = Skill.from_draft(part)
    action = first_action(SearchPolicy(library=(first, skill)), view, small)
    assert action.kind == "code"
    assert action.consumed == (f"skill:{skill.digest}",)
    space: dict[str, Any] = {}
    exec(compile(action.code, "<answer>", "exec"), space)
    assert all(space[view.entry](xs) == steeply(xs)[1:] for xs in UNSEEN)


@pytest.mark.slow
def test_a_part_is_judged_by_the_calls_of_its_answer(
    part: SkillDraft, unseen: tuple[Row, ...], sandbox: Sandbox
) -> None:
    assert [(row.input, row.output) for row in unseen] == [((xs,), steeply(xs)) for xs in UNSEEN]
    admission = Admission(sandbox, interpret=SearchLearner().interpreter(()))
    assert admission.judge(part, unseen).admitted
    wrong = dataclasses.replace(part, code=part.code.replace("sorted(", "list("))
    assert wrong.code != part.code
    assert admission.judge(wrong, unseen).failed == "unseen"
    other = dataclasses.replace(part, tree={**part.tree, "term": to_json(call("running_sum", XS))})
    assert admission.judge(other, unseen).failed == "tree"


def test_a_part_without_enough_calls_on_unseen_rows_is_refused(
    part: SkillDraft, unseen: tuple[Row, ...], sandbox: Sandbox
) -> None:
    admission = Admission(sandbox, interpret=SearchLearner().interpreter(()))
    assert admission.judge(part, unseen[:2]).failed == "unseen"
    assert unseen_rows(part, part.tests, SearchLearner().interpreter(())) == ()
    assert unseen_rows(part, [Row(input=(xs,), output=with_length(xs)) for xs in UNSEEN], None) == ()


def test_a_part_of_an_answer_that_is_wrong_on_an_unseen_row_has_no_evidence(part: SkillDraft) -> None:
    rows = [Row(input=(xs,), output=with_length(xs)) for xs in UNSEEN]
    rows[-1] = dataclasses.replace(rows[-1], output=[0])
    assert unseen_rows(part, rows, SearchLearner().interpreter(())) == ()
