"""An answer of a person's own rows is called verified only where the rows decide it."""

from __future__ import annotations

from pathlib import Path

import pytest

import evolve
from evolve.core.cancellation import Cancellation
from evolve.core.episodes import Row
from evolve.core.events import Event
from evolve.core.reasons import reason
from evolve.tasks import Task
from evolve.workspace import Person


def _run(path: Path, pairs: list[tuple[object, object]]) -> evolve.Result:
    with evolve.open(path) as workspace:
        return workspace.run(examples=pairs)


def test_rows_that_one_value_would_pass_verify_nothing(tmp_path: Path) -> None:
    words = ["kiwi", "fig", "melon", "plum", "lime", "pear", "grape", "date"]
    result = _run(tmp_path, [(word, "g" in word and len(word) > 9) for word in words])
    assert not result.verified
    assert result.kind == "unverified"
    assert result.reason == reason("too_few_values", rows=3)


@pytest.mark.slow
def test_rows_that_decide_verify(tmp_path: Path) -> None:
    words = ["kiwi fruit", "fig tree", "old melon", "ripe plum", "green lime", "soft pear", "sour grape", "dry date"]
    result = _run(tmp_path, [(word, word.upper()) for word in words])
    assert result.verified and result.reason is None and result.rivals == ()


FIRST_WORDS = [("a b", "a"), ("c d", "c"), ("ed d", "ed"), ("x ff", "x"), ("qq y", "qq"), ("ww z", "ww")]


@pytest.mark.slow
def test_looking_for_other_functions_counts_in_what_the_result_cost(tmp_path: Path) -> None:
    with evolve.open(tmp_path) as workspace:
        result = workspace.run(examples=FIRST_WORDS, person=Person(learn="off"))
        (episode,) = workspace.runs.show(result.run_id).episodes
        solving = workspace.runs.replay(episode.episode).cost
    assert result.cost.candidates > solving.candidates
    assert result.cost.seconds > 0


class StopOnceKept:
    """Says stop as soon as the answer is on record, while what else fits is still to be looked for."""

    def __init__(self) -> None:
        self.person = Person(cancellation=Cancellation(), learn="off")

    def emit(self, event: Event) -> None:
        if event.kind == "commit":
            self.person.cancellation.cancel()


@pytest.mark.slow
def test_a_person_who_stops_the_doubts_has_the_answer_unverified(tmp_path: Path) -> None:
    stop = StopOnceKept()
    with evolve.open(tmp_path, events=stop) as workspace:
        result = workspace.run(examples=FIRST_WORDS, person=stop.person)
    assert result.solved and result.answer
    assert not result.verified and result.reason == reason("search_stopped")


@pytest.mark.slow
def test_rows_that_repeat_others_under_another_id_verify_nothing(tmp_path: Path) -> None:
    towns = ["Ulm Mitte", "Bern West", "Graz Ost", "Linz Nord", "Kiel Hafen", "Bonn Ufer"]

    def rows(names: list[str], first: int) -> list[Row]:
        return [Row(input=(first + n, name), output=name.split()[0]) for n, name in enumerate(names)]

    def result(folder: str, verify: list[Row]) -> evolve.Result:
        task = Task(id="t", family="own", instruction="", examples=tuple(rows(towns[:3], 1)), verify=tuple(verify))
        with evolve.open(tmp_path / folder) as workspace:
            return workspace.run(task)

    repeated = result("repeated", rows(towns[:3], 20))
    assert repeated.solved and not repeated.verified and repeated.reason == reason("rows_repeat", repeated=3, rows=3)
    assert result("new", rows(towns[3:], 20)).verified


@pytest.mark.slow
def test_an_answer_that_reads_a_column_of_its_rows_is_looked_into(tmp_path: Path) -> None:
    places = [("Elm", "10115"), ("Oak", "20095"), ("Ash", "50667"), ("Fir", "80331"), ("Yew", "04109"), ("Bay", "0106")]
    rows = [{"street": f"{street} {number}", "zip": code} for number, (street, code) in enumerate(places, 3)]
    pairs = [((rows[start : start + 2],), [row["street"] for row in rows[start : start + 2]]) for start in range(5)]
    result = _run(tmp_path, [*pairs, ((rows,), [row["street"] for row in rows])])
    assert result.solved and "street" in result.answer
