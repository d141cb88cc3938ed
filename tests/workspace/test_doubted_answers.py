"""An answer of a person's own rows is called verified only where the rows decide it."""

from __future__ import annotations

from pathlib import Path

import evolve


def _run(path: Path, pairs: list[tuple[object, object]]) -> evolve.Result:
    with evolve.open(path) as workspace:
        return workspace.run(examples=pairs)


def test_rows_that_one_value_would_pass_verify_nothing(tmp_path: Path) -> None:
    words = ["kiwi", "fig", "melon", "plum", "lime", "pear", "grape", "date"]
    result = _run(tmp_path, [(word, "g" in word and len(word) > 9) for word in words])
    assert not result.verified
    assert result.kind == "unverified"
    assert "different values" in result.reason


def test_rows_that_decide_verify(tmp_path: Path) -> None:
    words = ["kiwi fruit", "fig tree", "old melon", "ripe plum", "green lime", "soft pear", "sour grape", "dry date"]
    result = _run(tmp_path, [(word, word.upper()) for word in words])
    assert result.verified and result.reason == "" and result.rivals == ()


def test_an_answer_that_reads_a_column_of_its_rows_is_looked_into(tmp_path: Path) -> None:
    places = [("Elm", "10115"), ("Oak", "20095"), ("Ash", "50667"), ("Fir", "80331"), ("Yew", "04109"), ("Bay", "0106")]
    rows = [{"street": f"{street} {number}", "zip": code} for number, (street, code) in enumerate(places, 3)]
    pairs = [((rows[start : start + 2],), [row["street"] for row in rows[start : start + 2]]) for start in range(5)]
    result = _run(tmp_path, [*pairs, ((rows,), [row["street"] for row in rows])])
    assert result.solved and "street" in result.answer
