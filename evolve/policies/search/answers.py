"""Turns the term of an answer into the Python that a person reads, and into the skill it may become."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from evolve.core.episodes import Row, SkillDraft, TaskView
from evolve.core.files import canonical_json, digest
from evolve.policies.search.answer_parts import AnswerPart
from evolve.policies.search.known_functions import tree_of, without_wrapper
from evolve.policies.search.problem import SearchProblem
from evolve.policies.search.programs.evaluation import compile_term
from evolve.policies.search.programs.operation import EVALUATION_ERRORS
from evolve.policies.search.programs.render import FunctionHeading, render
from evolve.policies.search.programs.terms import Input, Term, operations_in, size, walk
from evolve.policies.search.programs.types import thaw_value
from evolve.policies.search.searcher import Vocabulary
from evolve.policies.skill_names import skill_name
from evolve.skills.naming import function_name
from evolve.tasks.reading.labels import instruction_from
from evolve.tasks.signature import Signature, format_signature, infer_signature, parse_signature

MIN_SIZE = 3
"""Nodes below which an answer is no skill: the vocabulary has it already."""

LEAST_CALLS = 2
"""Distinct calls on the visible examples below which a part has no tests worth the name."""

PARAMETERS = {"list": "items", "str": "text", "int": "number", "float": "amount", "bool": "flag", "dict": "mapping"}
"""What a part calls an input of each type."""


def _signature_of(view: TaskView) -> Signature:
    """The task's signature, from its text or from its examples."""
    return parse_signature(view.signature) if view.signature else infer_signature(view.examples)


def answer_source(term: Term, view: TaskView, vocabulary: Vocabulary) -> str:
    """The Python source of an answer: a module that defines ``view.entry``; never a mere call of one skill."""
    return render(without_wrapper(term, vocabulary.by_name), answer_heading(view, view.entry), vocabulary.by_name)


def answer_heading(view: TaskView, entry: str) -> FunctionHeading:
    """Name, parameters, annotations and the sentence of the docstring."""
    signature = _signature_of(view)
    return FunctionHeading(
        entry=entry,
        params=tuple(p.name for p in signature.parameters),
        param_types=tuple(python_annotation(str(p.type)) for p in signature.parameters),
        result_type=python_annotation(str(signature.result)),
        doc=docstring_sentence(view.instruction),
    )


def python_annotation(type_text: str) -> str:
    """A signature's type as a Python annotation."""
    text = re.sub(r"\brow\b", "dict[str, Any]", type_text)
    return re.sub(r"\bany\b", "Any", text)


def docstring_sentence(instruction: str) -> str:
    """The instruction as one line for a docstring."""
    line = " ".join(instruction.split())
    line = line[:200].rsplit(" ", 1)[0] + " ..." if len(line) > 200 else line
    return line or "Compute the result."


def draft_of(
    term: Term, view: TaskView, problem: SearchProblem, vocabulary: Vocabulary, *, own: bool = False
) -> SkillDraft | None:
    """A skill draft from a verified answer, or None where it is not worth keeping.

    Args:
        own: A person's own task: a function of the vocabulary that solved it, such as ``initials``, is a skill of
            theirs by itself, to be found and exported. In practice it is none, as the search has it already.
    """
    term = without_wrapper(term, vocabulary.by_name)
    used = operations_in(term)
    read = {part.index for part in walk(term) if isinstance(part, Input)}
    if not read or not used or (not own and (size(term) < MIN_SIZE or len(used) < 2)):
        return None
    view = replace(view, instruction=instruction_from(view.instruction, read, len(_signature_of(view).parameters)))
    name = skill_name(view, words_of(used))
    entry = function_name(name)
    return SkillDraft(
        name=name,
        description=f"{docstring_sentence(view.instruction)} Use when a column or value needs exactly this change.",
        entry=entry,
        signature=str(view.signature or format_signature(_signature_of(view))),
        code=render(term, answer_heading(view, entry), vocabulary.by_name),
        tests=view.examples,
        tree=tree_of(term, problem.input_types, problem.output_type),
        source=view.id,
    )


def words_of(used: Sequence[str]) -> list[str]:
    """A few words from the names of operations."""
    return [part for name in used[:3] for part in name.removeprefix("skill_").split("_") if part][:4]


def part_draft(part: AnswerPart, view: TaskView, problem: SearchProblem, vocabulary: Vocabulary) -> SkillDraft | None:
    """A skill draft from a part of a verified answer, or None where its calls on the examples say too little.

    Its tests are the calls that the answer makes on the visible examples.
    """
    rows = _calls(part, problem, vocabulary)
    if len(rows) < LEAST_CALLS:
        return None
    tree = tree_of(part.term, part.inputs, part.output)
    steps = [name.removeprefix("skill_").replace("_", " ") for name in reversed(operations_in(part.term))]
    doc = docstring_sentence(f"Do in one step: {', then '.join(steps)}.")
    name = f"{'-'.join(words_of(operations_in(part.term)))[:52].strip('-')}-{digest(canonical_json(tree))[:6]}"
    entry = name.replace("-", "_")
    # Names that say what kind of value goes in, numbered where there are several of a kind
    kinds = [PARAMETERS.get(type_.name, "value") for type_ in part.inputs]
    total, seen = Counter(kinds), Counter[str]()
    names = []
    for kind in kinds:
        seen[kind] += 1
        names.append(f"{kind}_{seen[kind]}" if total[kind] > 1 else kind)
    params = tuple(names)
    typed = ", ".join(f"{param}: {type_}" for param, type_ in zip(params, part.inputs, strict=True))
    heading = FunctionHeading(
        entry=entry,
        params=params,
        param_types=tuple(map(str, part.inputs)),
        result_type=str(part.output),
        doc=doc,
    )
    return SkillDraft(
        name=name,
        description=f"{doc} Use when several such steps follow each other; verified answers share them.",
        entry=entry,
        signature=f"({typed}) -> {part.output}",
        code=render(part.term, heading, vocabulary.by_name),
        tests=rows,
        tree=tree,
        source=view.id,
        arguments=tuple(
            tree_of(argument, problem.input_types, type_)
            for argument, type_ in zip(part.arguments, part.inputs, strict=True)
        ),
        within=tree_of(part.answer, problem.input_types, problem.output_type),
    )


def _calls(part: AnswerPart, problem: SearchProblem, vocabulary: Vocabulary) -> tuple[Row, ...]:
    """The distinct calls of the part on the examples; none from an example on which it is undefined."""
    arguments = [compile_term(argument, vocabulary.by_name) for argument in part.arguments]
    meaning = compile_term(part.term, vocabulary.by_name)
    rows: dict[str, Row] = {}
    for inputs in problem.inputs:
        row = _call(arguments, meaning, inputs)
        if row is not None:
            rows.setdefault(canonical_json(list(row.input)), row)
    return tuple(rows.values())


def _call(
    arguments: Sequence[Callable[[tuple[Any, ...]], Any]],
    meaning: Callable[[tuple[Any, ...]], Any],
    inputs: tuple[Any, ...],
) -> Row | None:
    try:
        values = tuple(argument(inputs) for argument in arguments)
        row = Row(input=tuple(map(thaw_value, values)), output=thaw_value(meaning(values)))
        canonical_json([list(row.input), row.output])  # refuses infinite numbers
    except EVALUATION_ERRORS:
        return None
    return row
