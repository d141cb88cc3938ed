"""Operations on times refuse what would take time that grows with the square of a text's length."""

from __future__ import annotations

import pytest

from evolve.policies.search.programs.operations.times import parse_duration


def test_a_long_run_of_digits_is_no_duration_and_is_not_searched():
    assert parse_duration("1 hour 30 minutes") == 5400
    with pytest.raises(ValueError, match="too long"):
        parse_duration("1" * 5_001)
