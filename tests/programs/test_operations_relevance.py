"""Constants that cannot change anything for given examples are left out, and no others."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from evolve.policies.search.programs.operation import EVALUATION_ERRORS
from evolve.policies.search.programs.operations import literals, vocabulary
from evolve.policies.search.programs.operations.relevance import may_matter

OPERATIONS = {operation.name: operation.function for operation in vocabulary()}
TEXTS = st.text(alphabet="ab1 .,;:/-@()[]<>=_|#%$'\"\n", max_size=12)


@given(TEXTS, TEXTS)
def test_a_separator_left_out_splits_nothing(text: str, wanted: str) -> None:
    for constant, _ in literals():
        if constant.type.name == "delimiter" and not may_matter(constant, [text], [wanted]):
            assert OPERATIONS["split"](constant.value, text) == (text,)
            assert constant.value not in wanted


@given(TEXTS)
def test_a_pattern_left_out_finds_and_changes_nothing(text: str) -> None:
    for constant, _ in literals():
        if constant.type.name == "pattern" and not may_matter(constant, [text], []):
            assert OPERATIONS["find_all"](constant.value, text) == ()
            assert OPERATIONS["delete_matches"](constant.value, text) == text
            try:
                OPERATIONS["first_match"](constant.value, text)
            except EVALUATION_ERRORS:
                continue
            raise AssertionError(constant)


def test_formats_and_units_always_stay() -> None:
    kinds = {"date_format", "float_format", "unit", "factor", "decimals", "time_format"}
    assert all(may_matter(constant, [], []) for constant, _ in literals() if constant.type.name in kinds)
