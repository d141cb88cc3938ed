"""What the benchmarks of notes count: rows that say what happened, and misses that are seen as misses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks import conflict, retrieval


@pytest.mark.slow
def test_a_change_in_a_structured_sentence_leaves_nothing_stale() -> None:
    rows = [row for row in conflict.measure(0) if not row["free"]]
    assert {row["changed"] for row in rows} == {True, False}
    assert not any(row["stale_in_5"] for row in rows)
    assert all(row["there"] and row["old_readable"] for row in rows)


@pytest.mark.slow
def test_a_stale_answer_misses_its_target() -> None:
    rows = [{**row, "stale_first": row["changed"]} for row in conflict.measure(1)]
    met = {target.name: target.met for target in conflict.targets_of(rows)}
    assert not met["all: stale first"] and not met["structured: stale first"]


@pytest.mark.slow
def test_talk_that_changes_nothing_is_told_and_what_it_replaced_is_counted() -> None:
    notes, facts = conflict.draw(0, conflict.BESIDE)
    assert len(notes) == len(facts) * (1 + conflict.BESIDES) + sum(fact.second is not None for fact in facts)
    rows = conflict.measure(0, domains=conflict.BESIDE)
    assert sum(row["holds"] for row in rows) >= 0.8 * len(rows)
    lost = [{**row, "holds": False} for row in rows]
    assert not {target.name: target.met for target in conflict.targets_of(lost)}["what holds is not replaced"]


def test_a_text_that_is_asked_for_in_its_own_words_is_found_by_every_way(tmp_path: Path) -> None:
    texts = ["Copper is mined in Chile", "Otters eat abalone", "Vaccines protect people", "Deserts are arid"]
    corpus = [{"id": str(place), "text": text} for place, text in enumerate(texts)]
    asked = [{"text": "what do otters eat", "relevant": ["1"]}, {"text": "granite", "relevant": ["3"]}]
    for name, lines in (("corpus", corpus), ("queries", asked)):
        (tmp_path / f"{name}.jsonl").write_text("\n".join(map(json.dumps, lines)), "utf-8")
    rows = retrieval.measure(retrieval.read_corpus(tmp_path, None))
    assert len({row["way"] for row in rows}) == 6
    assert all(row["recall@1"] == (row["question"] == 0) for row in rows)
