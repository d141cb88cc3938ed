"""What a search is given: frozen examples with their types."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from evolve.core.episodes import Row, TaskView
from evolve.core.errors import ModelMistake
from evolve.policies.search.programs.types import INT, STR, Type, as_type, infer, inner_types, resolve


@dataclass(frozen=True, kw_only=True)
class SearchProblem:
    """Input/output examples of one function, as search values.

    Attributes:
        inputs: Per example, its positional arguments.
        outputs: Per example, the wanted result.
        input_types: Type of each argument.
        output_type: Type of the result.
    """

    inputs: tuple[tuple[Any, ...], ...]
    outputs: tuple[Any, ...]
    input_types: tuple[Type, ...]
    output_type: Type

    @property
    def signature(self) -> str:
        """Such as ``(list[int], int) -> int``; the task family of insights."""
        return f"({', '.join(map(str, self.input_types))}) -> {self.output_type}"

    def with_examples(self, keep: Sequence[int]) -> SearchProblem:
        """The problem with only the examples at the given positions."""
        return SearchProblem(
            inputs=tuple(self.inputs[i] for i in keep),
            outputs=tuple(self.outputs[i] for i in keep),
            input_types=self.input_types,
            output_type=self.output_type,
        )


def problem_of(view: TaskView) -> SearchProblem:
    """The search problem of a task's visible examples.

    Raises:
        ModelMistake: The examples' values have no common type that the search knows, or are not finite.
    """
    return problem_from_rows(view.examples, view.id)


def problem_from_rows(rows: Sequence[Row], name: str) -> SearchProblem:
    """The search problem of some rows; ``name`` appears in errors.

    Raises:
        ModelMistake: As :func:`problem_of`.
    """
    widths = {len(row.input) for row in rows}
    if len(widths) != 1:
        raise ModelMistake(f"{name}: examples differ in their number of arguments")
    if not all(_is_finite(value) for row in rows for value in (*row.input, row.output)):
        raise ModelMistake(f"{name}: an example holds NaN or an infinite number, which equals no answer")
    columns = list(zip(*(row.input for row in rows), strict=True))
    kinds = [infer(column) for column in columns]
    result = infer(row.output for row in rows)
    if result is None or any(k is None for k in kinds):
        raise ModelMistake(f"{name}: a column mixes kinds of values that have no common type")
    types = [k for k in kinds if k is not None]
    # What a list holds that is empty in every example nobody knows; beside texts it is likely texts.
    default = STR if STR in {t for k in [*types, result] for t in inner_types(k)} else INT
    input_types = tuple(resolve(k, default) for k in types)
    output_type = resolve(result, default)
    return SearchProblem(
        inputs=tuple(tuple(as_type(v, t) for v, t in zip(row.input, input_types, strict=True)) for row in rows),
        outputs=tuple(as_type(row.output, output_type) for row in rows),
        input_types=input_types,
        output_type=output_type,
    )


def _is_finite(value: Any) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, dict):
        return all(map(_is_finite, value.values()))
    return all(map(_is_finite, value)) if isinstance(value, list | tuple) else True
