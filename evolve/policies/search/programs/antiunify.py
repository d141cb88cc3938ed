"""The most specific pattern that two terms share, for drawing one skill out of several answers.

Least general generalisation (Plotkin 1970), restricted to what a skill can be: a hole has
one type, stands for a value and never for a function, and uses no parameter of a lambda
around it. Where such a hole does not exist, the nearest larger part becomes the hole.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from evolve.policies.search.programs.operation import Operation
from evolve.policies.search.programs.terms import Apply, Bound, Constant, Input, Lambda, Term, is_open
from evolve.policies.search.programs.types import Type, fn_of, match, substitute


@dataclass(frozen=True, kw_only=True)
class PatternHole:
    """A place where the two terms differ.

    Attributes:
        index: The pattern's input that stands for it.
        type: Type of both sides.
        left: What the first term has there.
        right: What the second term has there.
    """

    index: int
    type: Type
    left: Term
    right: Term


@dataclass(frozen=True, kw_only=True)
class Typing:
    """Works out the types of terms.

    Attributes:
        operations: The vocabulary by name.
        inputs: Type of each input of the terms.
    """

    operations: Mapping[str, Operation]
    inputs: tuple[Type, ...]

    def type_of(self, term: Term, bound: Sequence[Type] = ()) -> Type:
        """The type of ``term`` inside a lambda with parameters ``bound``.

        Raises:
            KeyError: It uses an operation that is not in the vocabulary.
            ValueError: It applies an operation to arguments of the wrong types.
            IndexError: It uses an input or parameter that does not exist.
        """
        match term:
            case Input(index):
                return self.inputs[index]
            case Bound(index):
                return bound[index]
            case Constant(_, type_):
                return type_
            case Lambda(params, body):
                return fn_of(*params, self.type_of(body, params))
            case Apply(name, args):
                return self._result(self.operations[name], [self.type_of(a, bound) for a in args])

    def _result(self, operation: Operation, args: Sequence[Type]) -> Type:
        variables: dict[str, Type] = {}
        fits = len(args) == len(operation.params)
        if not fits or not all(match(p, a, variables) for p, a in zip(operation.params, args, strict=True)):
            raise ValueError(f"{operation.name} does not take ({', '.join(map(str, args))})")
        return substitute(operation.result, variables)


def least_general_pattern(left: Term, right: Term, typing: Typing) -> tuple[Term, tuple[PatternHole, ...]]:
    """The least general pattern of which both terms are instances.

    The pattern's inputs are those of the terms, then one per hole, in the order in which holes
    occur. Equal pairs of differing parts share a hole, so repeated differences stay linked.

    Args:
        left: A closed term.
        right: Another, of the same type.
        typing: Types of the inputs and operations of both.

    Raises:
        ValueError: The terms have different types, or are different functions.
        KeyError: A term uses an operation that is not in the vocabulary.
    """
    work = _Generalisation(typing)
    pattern = work.pattern(left, right, ())
    if pattern is None:
        raise ValueError(f"nothing generalises terms of type {typing.type_of(left)} and {typing.type_of(right)}")
    return pattern, tuple(work.holes.values())


def instantiate(pattern: Term, values: Mapping[int, Term]) -> Term:
    """``pattern`` with the inputs in ``values`` replaced, all at once."""
    match pattern:
        case Input(index):
            return values.get(index, pattern)
        case Lambda(params, body):
            return Lambda(params, instantiate(body, values))
        case Apply(name, args):
            return Apply(name, tuple(instantiate(a, values) for a in args))
    return pattern


@dataclass
class _Generalisation:
    typing: Typing
    holes: dict[tuple[Term, Term], PatternHole] = field(default_factory=dict)

    def pattern(self, left: Term, right: Term, bound: tuple[Type, ...]) -> Term | None:
        """The pattern of two parts, or None where no hole may stand for them."""
        if left == right:
            return left
        before = dict(self.holes)
        inside = self._inside(left, right, bound)
        if inside is None:
            self.holes = before  # holes of a part that became a hole itself are not in the pattern
            kind = self.typing.type_of(left, bound)
            if kind.name == "fn" or is_open(left) or is_open(right) or kind != self.typing.type_of(right, bound):
                return None
            key = (left, right)
            if key not in self.holes:
                # Holes come behind the inputs of the terms, whose numbers so stay.
                index = len(self.typing.inputs) + len(self.holes)
                self.holes[key] = PatternHole(index=index, type=kind, left=left, right=right)
            return Input(self.holes[key].index)
        return inside

    def _inside(self, left: Term, right: Term, bound: tuple[Type, ...]) -> Term | None:
        """The pattern of two parts with the same head."""
        if isinstance(left, Lambda) and isinstance(right, Lambda) and left.params == right.params:
            body = self.pattern(left.body, right.body, left.params)
            return None if body is None else Lambda(left.params, body)
        if not isinstance(left, Apply) or not isinstance(right, Apply) or left.operation != right.operation:
            return None
        args = []
        for a, b in zip(left.args, right.args, strict=True):
            arg = self.pattern(a, b, bound)
            if arg is None:
                return None
            args.append(arg)
        return Apply(left.operation, tuple(args))
