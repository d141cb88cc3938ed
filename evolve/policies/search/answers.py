"""From a found term to the Python a person reads, and to the skill it may become."""

from __future__ import annotations

import re

from evolve.episodes import SkillDraft, TaskView
from evolve.policies.search.library import tree_of
from evolve.policies.search.problem import Problem
from evolve.policies.search.searcher import Vocabulary
from evolve.programs.render import Heading, render
from evolve.programs.terms import Input, Term, operations_in, size, walk
from evolve.tasks.signature import Signature, infer_signature, parse_signature

MIN_SIZE = 3
"""Nodes below which an answer is no skill: the vocabulary has it already."""

GENERIC = frozenset(
    {"a", "an", "and", "as", "each", "every", "examples", "explains", "find", "for", "from", "function", "gives"}
    | {"in", "input", "is", "list", "of", "output", "that", "the", "to", "with"}
)


def signature_of(view: TaskView) -> Signature:
    """The task's signature, from its text or from its examples."""
    return parse_signature(view.signature) if view.signature else infer_signature(view.examples)


def answer(term: Term, view: TaskView, vocabulary: Vocabulary) -> str:
    """The term as a module that defines ``view.entry``."""
    return render(term, heading(view, view.entry), vocabulary.by_name)


def heading(view: TaskView, entry: str) -> Heading:
    """Name, parameters, annotations and the sentence of the docstring."""
    signature = signature_of(view)
    return Heading(
        entry=entry,
        params=tuple(p.name for p in signature.parameters),
        param_types=tuple(annotation(str(p.type)) for p in signature.parameters),
        result_type=annotation(str(signature.result)),
        doc=sentence(view.instruction),
    )


def annotation(type_text: str) -> str:
    """A signature's type as a Python annotation."""
    text = re.sub(r"\brow\b", "dict[str, Any]", type_text)
    return re.sub(r"\bany\b", "Any", text)


def sentence(instruction: str) -> str:
    """The instruction as one line for a docstring."""
    line = " ".join(instruction.split())
    line = line[:200].rsplit(" ", 1)[0] + " ..." if len(line) > 200 else line
    return line or "Compute the result."


def draft_of(term: Term, view: TaskView, problem: Problem, vocabulary: Vocabulary) -> SkillDraft | None:
    """A skill draft from a verified answer, or None where it is not worth keeping."""
    used = operations_in(term)
    if size(term) < MIN_SIZE or len(used) < 2 or not any(isinstance(t, Input) for t in walk(term)):
        return None
    name = skill_name(view, used)
    entry = name.replace("-", "_")
    return SkillDraft(
        name=name,
        description=f"{sentence(view.instruction)} Use when a column or value needs exactly this change.",
        entry=entry,
        signature=str(view.signature or _text(signature_of(view))),
        code=render(term, heading(view, entry), vocabulary.by_name),
        tests=view.examples,
        tree=tree_of(term, problem.input_types, problem.output_type),
        source=view.id,
    )


def _text(signature: Signature) -> str:
    from evolve.tasks.signature import format_signature

    return format_signature(signature)


def skill_name(view: TaskView, used: list[str]) -> str:
    """A kebab-case name from the instruction's own words, else from the operations; unique by task."""
    from evolve.files import digest

    words = [w for w in re.findall(r"[a-z]+", view.instruction.lower()) if w not in GENERIC][:4]
    if len(words) < 2:
        words = [part for name in used[:3] for part in name.removeprefix("skill_").split("_")][:4]
    stem = "-".join(words)[:52].strip("-")
    return f"{stem}-{digest(view.id)[:4]}" if stem else f"skill-{digest(view.id)[:8]}"
