"""What occurs in a verified answer, found by ablation, and what was needed for it, found by searching without it.

Each operation of a verified answer is taken out (its argument put in its place) or swapped
(a literal replaced by another), everything else stays, and the changed program is run in
the sandbox. If it no longer reproduces the examples, the operation does something in this answer. That is an
observation: another answer may do without it, which only a search without the operation can tell.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from evolve.core.episodes import Claim, Evidence, Json, Row, Scope, TaskView
from evolve.core.equality import equal
from evolve.environments.probing import Probe, truncate_value
from evolve.policies.search.answers import answer_heading
from evolve.policies.search.grammar import price_name
from evolve.policies.search.problem import SearchProblem
from evolve.policies.search.programs.render import render
from evolve.policies.search.programs.terms import Apply, Constant, Input, Lambda, Term, replace_subterm, subterm_paths
from evolve.policies.search.programs.types import BOOL, FLOAT, INT, STR
from evolve.policies.search.searcher import Vocabulary
from evolve.policies.search.task_features import coarse_relation, features_of
from evolve.policies.search.training import names_in

ENVIRONMENT = "programs"
EFFECT = "solved"
MAX_VARIANTS = 24
"""Changed programs of one answer; all run in one execution of the sandbox."""
# Values that a literal is replaced by.
SWAPS: Mapping[object, tuple[object, ...]] = {INT: (0, 1, 2, 7), STR: ("", "?"), FLOAT: (0.0, 2.0), BOOL: (True, False)}


@dataclass(frozen=True)
class Ablation:
    """One change of an answer: the name it tests and the changed program."""

    name: str
    term: Term
    how: str


def term_ablations(term: Term) -> list[Ablation]:
    """Every operation taken out in every way, and every small literal swapped."""
    changes: list[Ablation] = []
    for path, part in subterm_paths(term):
        for replacement, how in _replacements(part):
            changed = replace_subterm(term, path, replacement)
            (name,) = sorted(names_in(part) if isinstance(part, Constant) else {_name(part)})
            changes.append(Ablation(name, changed, how))
    return changes[:MAX_VARIANTS]


def _name(part: Term) -> str:
    return price_name(part.operation) if isinstance(part, Apply) else ""


def _replacements(part: Term) -> Iterator[tuple[Term, str]]:
    if isinstance(part, Apply):
        for arg in part.args:
            if not isinstance(arg, Lambda | Constant):
                yield arg, f"without {part.operation}"
        if all(isinstance(a, Lambda | Constant) for a in part.args):
            yield Input(0), f"the input in place of {part.operation}"
    elif isinstance(part, Constant):
        others = [v for v in SWAPS.get(part.type, ()) if v != part.value]
        for value in others[:2]:
            yield Constant(value, part.type), f"{value!r} in place of {part.value!r}"


@dataclass(frozen=True, kw_only=True)
class SolvedAnswer:
    """A verified answer and what it was an answer to.

    Attributes:
        term: The answer.
        view: The task as the policy saw it.
        group: Identity of the problem, for counting independent evidence.
        problem: The task's examples as search values.
    """

    term: Term
    view: TaskView
    group: str
    problem: SearchProblem


def claims_of(
    solved: SolvedAnswer, vocabulary: Vocabulary, probe: Probe, causes: Mapping[str, str]
) -> tuple[Claim, ...]:
    """Claims about what occurs in the answer, each with one observation on this task.

    Args:
        solved: The verified answer.
        vocabulary: Renders the changed programs.
        probe: Runs them in the sandbox; programs it could not run to their end are no evidence.
        causes: Stable cause per operation name, for learned operations.
    """
    changes = term_ablations(solved.term)
    view = solved.view
    head = answer_heading(view, view.entry)
    sources = [(render(change.term, head, vocabulary.by_name), view.entry) for change in changes]
    results = probe(sources, [list(row.input) for row in view.examples])
    survived: dict[str, tuple[bool, str]] = {}
    for change, outputs in zip(changes, results, strict=True):
        if outputs is not None and not any(truncate_value(value) for value in outputs):
            before = survived.get(change.name, (False, ""))
            # One way to leave it out is enough: then it does nothing there.
            survived[change.name] = (before[0] or _reproduces(outputs, view.examples), change.how)
    scope = Scope(
        environment=ENVIRONMENT,
        family=solved.problem.signature,
        preconditions=(coarse_relation(solved.problem),),
    )
    features = features_of(solved.problem)
    claims = []
    for name, (same, how) in sorted(survived.items()):
        evidence = Evidence(
            task=view.id,
            group=solved.group,
            kind="observation",
            direction=-1 if same else 1,
            features=features,
            detail=f"{how}: the examples {'still hold' if same else 'no longer hold'}",
        )
        claims.append(_claim(name, scope, evidence, causes))
    return tuple(claims)


def _reproduces(outputs: Sequence[Json], rows: Sequence[Row]) -> bool:
    return all(equal(out, row.output) for out, row in zip(outputs, rows, strict=True))


def _claim(name: str, scope: Scope, evidence: Evidence, causes: Mapping[str, str]) -> Claim:
    kind, _, rest = name.partition(":")
    words = f"the literal {rest.split(':', 1)[-1]!r}" if kind == "literal" else name.replace("_", " ")
    return Claim(
        cause=causes.get(name, _cause_of(name)),
        relation="contributes",
        effect=EFFECT,
        scope=scope,
        evidence=(evidence,),
        text=f"{words} occurs in answers to {scope.family} tasks where the output {_where(scope)}",
    )


def _where(scope: Scope) -> str:
    fact = scope.preconditions[0]
    return "has no simple relation to the input" if fact == "other" else f"shows: {fact}"


def _cause_of(name: str) -> str:
    """The machine-readable cause of a priced name."""
    return name if ":" in name else f"operation:{name}"
