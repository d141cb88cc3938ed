"""Functions that are there already, tried before anything is searched for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from evolve.core.episodes import Action, KnownFunction, Step, TaskView
from evolve.core.equality import equal
from evolve.policies.search.answers import answer_source
from evolve.policies.search.known_functions import TreeSkill
from evolve.policies.search.problem import SearchProblem, problem_of
from evolve.policies.search.programs.evaluation import compile_term
from evolve.policies.search.programs.operation import EVALUATION_ERRORS
from evolve.policies.search.programs.terms import Input, Term, from_json, replace_subterm, subterm_paths, to_json
from evolve.policies.search.programs.types import thaw_value
from evolve.policies.search.searcher import Vocabulary

_MARK = "saved"


def saved_action(
    view: TaskView, steps: Sequence[Step], library: Sequence[TreeSkill], vocabulary: Vocabulary
) -> Action | None:
    """The first saved function that is right on every visible row, at no cost; None where there is none left to try.

    One that was handed in and refused ends it: what is to be handed in then is searched for.
    """
    if not view.saved or any(_MARK in step.action.private and step.judgement is not None for step in steps):
        return None
    problem = problem_of(view)
    vocabulary.grammars_of(problem)  # makes the columns of this problem's tables known as operations
    known = {skill.digest: skill for skill in library}
    tried = {step.action.code for step in steps} | {one.answer for one in view.refused}
    for one in view.saved:
        term = _term(one, known)
        if not one.ran and (term is None or not _fits(term, problem, vocabulary, written=bool(one.code))):
            continue
        code = one.code or (answer_source(term, view, vocabulary) if term is not None else "")
        if code not in tried:
            private = {_MARK: True} if term is None else {"tree": to_json(term), _MARK: True}
            used = (f"skill:{one.skill}",) if one.skill else ()
            return Action(kind="code", code=code, text=one.told, private=private, spare=True, consumed=used)
    return None


def _term(one: KnownFunction, known: Mapping[str, TreeSkill]) -> Term | None:
    """What it means; None for the answer of another policy, or a skill that is in use no more."""
    if one.skill and not one.code:
        skill = known.get(one.skill)
        return None if skill is None else _moved(from_json(skill.tree["term"]), one.places)
    return _moved(from_json(one.private["tree"]), one.places) if "tree" in one.private else None


def _moved(term: Term, places: Sequence[int | None]) -> Term:
    """The term with its inputs where they stand in this task."""
    for path, part in list(subterm_paths(term)) if places else []:
        if isinstance(part, Input):
            place = places[part.index]
            assert place is not None, "a column that it reads is there"
            term = replace_subterm(term, path, Input(place))
    return term


def _fits(term: Term, problem: SearchProblem, vocabulary: Vocabulary, *, written: bool) -> bool:
    """Whether it is right on the visible rows.

    Args:
        written: Its source is there, which tells where an operation is not there any more.
    """
    try:
        meaning = compile_term(term, vocabulary.by_name)
    except KeyError:
        return written
    try:
        pairs = zip(problem.inputs, problem.outputs, strict=True)
        return all(equal(thaw_value(meaning(given)), thaw_value(wanted)) for given, wanted in pairs)
    except EVALUATION_ERRORS:
        return False
