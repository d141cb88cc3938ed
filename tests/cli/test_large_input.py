"""Tables of unusual size: the budget bounds them, and what is left out is said."""

from __future__ import annotations

from random import Random

import pytest

from evolve.core.episodes import Row
from evolve.policies.search.programs.operations import literals
from evolve.policies.search.programs.operations.relevance import LONGEST_FOR_PATTERNS, may_matter
from evolve.tasks import load_examples
from evolve.tasks.signature import infer_signature


@pytest.mark.slow
def test_names_of_many_parameters_are_those_of_few_and_all_differ():
    """With work for every pair of columns this would take minutes."""
    few = [one.name for one in infer_signature([Row(input=(1, "a", 2, 3, 4, 5, "b", "c"), output=1)]).parameters]
    assert few == ["n", "text", "k", "m", "n2", "n3", "other", "text2"]
    many = [one.name for one in infer_signature([Row(input=(1,) * 20_000, output=1)]).parameters]
    assert many[:5] == ["n", "k", "m", "n2", "n3"] and len(set(many)) == 20_000


@pytest.mark.slow
def test_columns_of_one_name_are_numbered(tmp_path):
    labels = ["a"] * 9_000 + ["a_3", "out"]
    (tmp_path / "same.csv").write_text(",".join(labels) + "\n" + ",".join("1" for _ in labels) + "\n")
    assert load_examples(tmp_path / "same.csv").signature.startswith("(a: int, a_2: int, a_3: int, a_4: int")


def test_no_pattern_is_tried_on_long_texts():
    pattern = next(
        constant for constant, _ in literals() if constant.type.name == "pattern" and may_matter(constant, ["a 1"], [])
    )
    assert may_matter(pattern, ["a 1" * (LONGEST_FOR_PATTERNS // 3)], [])
    assert not may_matter(pattern, ["a 1", "a 1" * LONGEST_FOR_PATTERNS], [])


@pytest.mark.slow
def test_a_wide_table_ends_at_its_budget(cli, tmp_path):
    header = ",".join(f"c{number}" for number in range(2_000))
    noise = Random(7)
    rows = [",".join(str(noise.randrange(1_000_000)) for _ in range(2_001)) for _ in range(12)]
    (tmp_path / "wide.csv").write_text("\n".join([f"{header},out", *rows]) + "\n")
    done = cli("run", "--examples", "wide.csv", "--budget", "20s", "--budget", "5k-candidates")
    assert done.code == 5, done.err
    assert "4,000 candidates" in done.out  # a fifth is left for other functions


@pytest.mark.slow
def test_long_cells_end_at_the_budget_and_what_is_left_out_is_said(cli, tmp_path):
    rows = "".join(f"{'word ' * 12_000}{number},{(number * 7919) % 1009}\n" for number in range(1, 11))
    (tmp_path / "long.csv").write_text("a,b\n" + rows)
    done = cli("run", "--examples", "long.csv", "--budget", "20s", "--budget", "300-candidates")
    assert done.code == 5, done.err
    assert "4,000 characters" in done.err
