"""What is committed is recalled where it applies, once, and forgotten when asked."""

from __future__ import annotations

import dataclasses
import pickle
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from evolve.core.episodes import Scope
from evolve.core.errors import UsageError
from evolve.core.schema import MEMORY
from evolve.core.store import Database
from evolve.memory import MemoryRepository
from evolve.memory.index import MemoryIndex
from evolve.runtime.retrieval import HashingEmbedder

LISTS = Scope(environment="programs", family="list[int] -> int")
SORTED = (1.0, 0.0, 0.2)
FILTERED = (0.0, 1.0, 0.2)


def teach(memory: MemoryRepository, lesson, count: int = 6) -> None:
    """Sorting helps on tasks that look sorted, filtering on those that look filtered."""
    for number in range(count):
        sort_task = number % 2 == 0
        memory.commit(
            lesson(
                number,
                cause="operation:sort" if sort_task else "operation:filter",
                features=SORTED if sort_task else FILTERED,
            ),
            instruction="put the numbers in order" if sort_task else "keep some of the numbers",
        )


def test_an_empty_memory_knows_nothing_and_opens_no_index(store, memory: MemoryRepository) -> None:
    assert memory.recall("anything", features=SORTED) == []
    assert (memory.experience_rows(), memory.list_insights(), memory.list_notes(), memory.causal_chains("solved")) == (
        [],
        [],
        [],
        [],
    )
    assert not (store.folder / "index").exists()


def test_insights_are_recalled_for_tasks_that_look_alike(memory: MemoryRepository, lesson) -> None:
    teach(memory, lesson)
    for features, cause in ((SORTED, "operation:sort"), (FILTERED, "operation:filter")):
        first, second = memory.recall("", features=features)
        assert first.cause == cause
        assert first.score > 2 * second.score
        assert first.direction == 1
        assert first.scores["vector"] > second.scores["vector"]
        assert first.kind == "insight" and first.text and "interventions" in first.why


def test_without_features_the_instruction_decides(memory: MemoryRepository, lesson) -> None:
    teach(memory, lesson)
    assert memory.recall("keep some numbers", 1)[0].cause == "operation:filter"
    assert memory.recall("order the numbers: put them in order", 1)[0].cause == "operation:sort"


def test_where_neighbours_say_the_opposite_the_direction_turns(memory: MemoryRepository, lesson) -> None:
    for number in range(8):
        memory.commit(lesson(number, features=SORTED))
    memory.commit(lesson(8, features=FILTERED, direction=-1))
    assert memory.recall("", features=SORTED)[0].direction == 1
    turned = memory.recall("", features=FILTERED)[0]
    assert turned.direction == -1
    assert turned.score < memory.recall("", features=SORTED)[0].score


def test_only_the_admitted_are_recalled_unless_asked_for(memory: MemoryRepository, lesson) -> None:
    memory.commit(lesson(1, kind="observation"))
    memory.commit(lesson(2, cause="operation:sum", direction=-1))
    assert memory.recall("", features=SORTED) == []
    assert sorted(row.direction for row in memory.experience_rows()) == [-1, 1]  # a guide learns from them all the same
    asked = memory.recall("", features=SORTED, kinds=["hypothesis"])
    assert {one.cause for one in asked} == {"operation:sort", "operation:sum"}
    with pytest.raises(ValueError, match="kind"):
        memory.recall("", kinds=["gossip"])


def test_ablations_that_earlier_versions_kept_as_interventions_are_read_as_occurrences(
    memory: MemoryRepository, lesson
) -> None:
    for number, how in enumerate(["no longer hold", "no longer hold", "still hold"]):
        record = lesson(number, relation="necessary", direction=-1 if how == "still hold" else 1)
        (claim,) = record.claims
        evidence = dataclasses.replace(claim.evidence[0], detail=f"without sort: the examples {how}")
        memory.commit(dataclasses.replace(record, claims=(dataclasses.replace(claim, evidence=(evidence,)),)))
    (insight,) = memory.list_insights()
    assert (insight.relation, insight.status, insight.posterior.agree) == ("contributes", "supported", 0)
    assert {row.kind for row in memory.evidence(insight.id)} == {"observation"}
    assert memory.insight_sentences()[insight.id].counts.startswith("in 2 of 3")
    # What is kept stays as it was written, so that nothing is added when an episode is committed again.
    assert memory.commit(lesson(7, relation="necessary")) == 1
    assert memory.list_insights()[0].posterior.agree == 1


def test_a_contested_claim_is_held_back(memory: MemoryRepository, lesson) -> None:
    memory.commit(lesson(1))
    assert len(memory.recall("", features=SORTED)) == 1
    memory.commit(lesson(2, relation="prevents"))
    assert memory.recall("", features=SORTED) == []
    (found,) = memory.list_insights("contested")
    assert {one.relation for one in found.standings} == {"contributes", "prevents"}
    assert memory.recall("", features=SORTED, kinds=["contested"])[0].id == found.id


def test_scope_narrows_by_environment_and_family(memory: MemoryRepository, lesson) -> None:
    memory.commit(lesson(1))
    memory.commit(lesson(2, cause="operation:upper", family="str -> str"))

    def causes(scope: Scope | None) -> list[str]:
        return sorted(one.cause for one in memory.recall("", features=SORTED, scope=scope))

    assert causes(LISTS) == ["operation:sort"]
    assert causes(Scope(environment="programs", family="")) == ["operation:sort", "operation:upper"]
    assert causes(Scope(environment="files", family="")) == []
    assert causes(None) == ["operation:sort", "operation:upper"]


def test_now_looks_back_in_time(store, memory: MemoryRepository, lesson) -> None:
    store.now = 100.0
    memory.commit(lesson(1))
    store.now = 200.0
    memory.commit(lesson(2, cause="operation:sum"))
    assert len(memory.recall("", features=SORTED)) == 2
    assert [one.cause for one in memory.recall("", features=SORTED, now=150.0)] == ["operation:sort"]
    assert memory.recall("", features=SORTED, now=50.0) == []


def test_committing_an_episode_again_adds_nothing(memory: MemoryRepository, lesson) -> None:
    assert memory.commit(lesson(1)) == 1
    before = memory.list_insights()
    assert memory.commit(lesson(1)) == 0
    assert memory.list_insights() == before
    assert memory.check().evidence == 1


def test_the_order_of_episodes_does_not_matter(store, lesson, tmp_path_factory) -> None:
    found = []
    for order in ([0, 1, 2, 3, 4, 5], [5, 3, 1, 4, 2, 0]):
        other = type(store)(tmp_path_factory.mktemp("order"))
        memory = other.memory()
        for number in order:
            memory.commit(lesson(number, direction=1 if number < 4 else -1))
        experience = [(row.features, row.cause, row.direction, row.task) for row in memory.experience_rows()]
        recalled = [
            (one.id, one.score, one.cause, one.status, one.provenance) for one in memory.recall("", features=SORTED)
        ]
        found.append((memory.list_insights(), experience, recalled))
        other.close()
    assert found[0] == found[1]


def test_a_rolled_back_commit_leaves_no_trace(store, lesson) -> None:
    db = store.database()
    memory = store.memory(db)
    with pytest.raises(RuntimeError), db.transaction():
        memory.commit(lesson(1))
        assert len(memory.list_insights()) == 1
        raise RuntimeError("power cut")
    memory.commit(lesson(2, cause="operation:sum"))
    assert [one.cause for one in memory.list_insights()] == ["operation:sum"]
    assert [one.cause for one in memory.recall("", features=SORTED)] == ["operation:sum"]


@pytest.mark.parametrize(
    "more",
    [{"status": "fault"}, {"status": "interrupted"}, {"split": "test"}, {"split": "gate"}, {"split": "screen"}],
)
def test_faults_and_held_out_tasks_leave_no_evidence(memory: MemoryRepository, lesson, more: dict[str, str]) -> None:
    assert memory.commit(lesson(1, **more)) == 0
    assert memory.list_insights() == []


def test_experience_says_which_way_each_cause_went(memory: MemoryRepository, lesson) -> None:
    for number in range(5):
        memory.commit(lesson(number, features=SORTED))
    memory.commit(lesson(5, features=FILTERED, direction=-1))
    memory.commit(lesson(6, cause="operation:sum", relation="no_effect", features=FILTERED))
    rows = {(row.cause, row.features, row.direction) for row in memory.experience_rows()}
    assert rows == {
        ("operation:sort", SORTED, 1),
        ("operation:sort", FILTERED, -1),
        ("operation:sum", FILTERED, -1),
    }
    assert {row.group for row in memory.experience_rows()} == {f"group-{number}" for number in range(7)}


def test_causes_chain_to_an_effect_with_their_evidence(memory: MemoryRepository, lesson) -> None:
    for number in range(4):
        memory.commit(lesson(number, cause="blank cells", effect="parse error"))
    memory.commit(lesson(10, cause="parse error", effect="unsolved"))
    memory.commit(lesson(11, cause="moon phase", effect="unsolved", kind="observation"))
    chains = memory.causal_chains("unsolved")
    assert [[link.insight.cause for link in chain.links] for chain in chains] == [
        ["parse error"],
        ["blank cells", "parse error"],
    ]
    assert [len(link.evidence) for link in chains[1].links] == [4, 1]
    assert 0 < chains[1].strength < chains[0].strength < 1
    assert len(memory.causal_chains("unsolved", influential=False)) == 3
    assert memory.causal_chains("never heard of") == []


def test_a_circle_of_causes_ends(memory: MemoryRepository, lesson) -> None:
    memory.commit(lesson(1, cause="a", effect="b"))
    memory.commit(lesson(2, cause="b", effect="a"))
    assert [[link.insight.cause for link in chain.links] for chain in memory.causal_chains("a")] == [["b"]]


def test_what_is_set_aside_returns_only_with_new_evidence(memory: MemoryRepository, lesson) -> None:
    memory.commit(lesson(1))
    (known,) = memory.list_insights()
    assert memory.expire(known.id, "the sandbox changed").status == "expired"
    assert (memory.recall("", features=SORTED), memory.experience_rows()) == ([], [])
    assert len(memory.evidence(known.id)) == 1
    memory.commit(lesson(2))
    assert memory.get(known.id).status == "supported"
    assert [row.task for row in memory.experience_rows()] == ["task-2"]


def test_forgetting_one_insight_leaves_the_others(memory: MemoryRepository, lesson) -> None:
    teach(memory, lesson)
    gone = next(one for one in memory.list_insights() if one.cause == "operation:sort")
    assert memory.forget(gone.id[:12]) == 1  # a text is one id, and not a list of letters
    assert [one.cause for one in memory.list_insights()] == ["operation:filter"]
    assert {one.cause for one in memory.recall("", features=SORTED)} == {"operation:filter"}
    found = memory.check()
    assert (found.ok, found.episodes, found.insights) == (True, 3, 1)
    with pytest.raises(UsageError):
        memory.forget([gone.id])


def test_forgetting_everything_is_as_if_nothing_had_been_learned(memory: MemoryRepository, lesson) -> None:
    teach(memory, lesson)
    memory.add_note("I like short names", "Ada")
    memory.recall("", features=SORTED)
    assert memory.forget(everything=True) == 2
    assert memory.recall("", features=SORTED) == []
    assert (memory.list_insights(), memory.experience_rows(), memory.causal_chains("solved")) == ([], [], [])
    assert [note.text for note in memory.list_notes()] == ["I like short names"]
    found = memory.check()
    assert (found.ok, found.episodes, found.evidence) == (True, 0, 0)
    teach(memory, lesson, 2)
    assert len(memory.recall("", features=SORTED)) == 2


def test_forgetting_an_unknown_id_deletes_nothing(memory: MemoryRepository, lesson) -> None:
    teach(memory, lesson)
    known = memory.list_insights()
    with pytest.raises(UsageError):
        memory.forget([known[0].id, "nonsense"])
    assert memory.list_insights() == known


def test_notes_are_attributed_found_by_words_and_never_evidence(memory: MemoryRepository) -> None:
    memory.add_note("Always keep the header row", "Ada")
    memory.add_note("Always keep the header row", "Ada")
    memory.add_note("Dates are day first", "Grace")
    assert [(one.text, one.author) for one in memory.list_notes()] == [
        ("Always keep the header row", "Ada"),
        ("Dates are day first", "Grace"),
    ]
    (found,) = memory.recall("which dates are these")
    assert (found.kind, found.text) == ("note", "Dates are day first")
    assert (found.author, found.provenance) == ("Grace", f"noted by Grace on {found.date}")
    assert "Grace" in found.why
    assert memory.recall("which dates", kinds=["insight"]) == []
    assert memory.experience_rows() == [] and memory.list_insights() == []
    with pytest.raises(UsageError):
        memory.add_note("  ", "Ada")


def test_everything_comes_back_after_reopening(store, lesson) -> None:
    memory = store.memory()
    teach(memory, lesson)
    before = (memory.list_insights(), memory.recall("order", features=SORTED))
    store.close()
    again = store.memory()
    assert (again.list_insights(), again.recall("order", features=SORTED)) == before


@pytest.mark.parametrize("kept_by", ["exact", pytest.param("chroma", marks=pytest.mark.slow)])
def test_a_deleted_or_damaged_index_is_filled_again_from_the_record(store, lesson, kept_by: str) -> None:
    store.vectors = kept_by
    memory = store.memory()
    teach(memory, lesson)
    before = memory.recall("order", features=SORTED)
    store.close()
    shutil.rmtree(store.folder / "index")
    again = store.memory()
    assert again.recall("order", features=SORTED) == before
    store.close()
    for file in (one for one in (store.folder / "index").rglob("*") if one.is_file()):
        file.write_bytes(b"garbage" * 1000)
    third = store.memory()
    assert third.recall("order", features=SORTED) == before
    assert third.check().ok


def test_an_index_from_before_the_forgetting_is_emptied(store, lesson, tmp_path: Path) -> None:
    memory = store.memory()
    teach(memory, lesson)
    memory.recall("", features=SORTED)
    store.close()
    shutil.copytree(store.folder / "index", tmp_path / "old")
    memory = store.memory()
    memory.forget(everything=True)
    teach(memory, lesson, 2)
    memory.recall("", features=SORTED)
    store.close()
    shutil.rmtree(store.folder / "index")
    shutil.copytree(tmp_path / "old", store.folder / "index")
    found = store.memory().check()
    assert (found.ok, found.episodes) == (True, 2)


def test_an_index_of_another_encoder_is_filled_again(store, lesson) -> None:
    renamed = HashingEmbedder(64)
    renamed.name = "another encoder of the same length"
    memory = store.memory()
    teach(memory, lesson)
    before = memory.recall("order", features=SORTED)
    store.close()
    old = store.index()
    generation = old.generation
    old.close()
    with store.database() as db:
        new = MemoryRepository(db, store.index, renamed)
        assert new.recall("order", features=SORTED) == before
        new.close()
    reopened = store.index()
    assert reopened.generation != generation
    assert len(reopened.ids()) == 6
    reopened.close()


def test_a_reader_recalls_while_the_writer_has_the_lock(store, lesson) -> None:
    writer = store.memory()
    teach(writer, lesson)
    with Database(store.folder / "memory.db", MEMORY, read_only=True) as db:
        reader = MemoryRepository(db, MemoryIndex, HashingEmbedder(64))
        assert reader.recall("order", features=SORTED) == writer.recall("order", features=SORTED)
        writer.forget(everything=True)
        assert len(reader.recall("order", features=SORTED)) > 0  # of one moment, whoever writes meanwhile
        reader.close()
    with Database(store.folder / "memory.db", MEMORY, read_only=True) as db:
        assert MemoryRepository(db, MemoryIndex, HashingEmbedder(64)).recall("order", features=SORTED) == []


def test_check_names_what_the_index_lacks_and_reindex_mends_it(store, lesson) -> None:
    memory = store.memory()
    teach(memory, lesson)
    memory.recall("", features=SORTED)
    store.close()
    with_hole = store.index()
    with_hole.delete(["episode-3"])
    with_hole.close()
    memory = store.memory()
    found = memory.check()
    assert (found.ok, found.missing) == (False, ("episode-3",))
    assert memory.reindex() == 6
    assert memory.check().ok


@pytest.mark.slow
def test_many_episodes_move_to_the_stored_index_in_batches(store, lesson) -> None:
    db = store.database()
    memory = store.memory(db)
    with db.transaction():
        teach(memory, lesson, 300)
    first = memory.recall("", 2, features=SORTED)
    assert first[0].cause == "operation:sort"
    with db.transaction():
        memory.commit(lesson(300, cause="operation:max", features=(0.0, 0.0, 1.0)))
    assert memory.recall("", 1, features=(0.0, 0.0, 1.0))[0].cause == "operation:max"
    assert memory.check().ok


def test_a_snapshot_recalls_the_same_and_stays_as_it_was(memory: MemoryRepository, lesson) -> None:
    teach(memory, lesson)
    memory.add_note("sort by date", "Ada")
    snapshot = pickle.loads(pickle.dumps(memory.snapshot()))
    for features in (SORTED, FILTERED, ()):
        asked = "sort the list"
        assert snapshot.recall(asked, features=features) == memory.recall(asked, features=features, kinds=["insight"])
    assert snapshot.experience_rows() == memory.experience_rows()
    memory.forget(everything=True)
    assert len(snapshot.recall("", features=SORTED)) == 2


def test_a_snapshot_of_nothing_recalls_nothing(memory: MemoryRepository) -> None:
    assert memory.snapshot().recall("x", features=SORTED) == []
    assert memory.snapshot().shuffled_placebo(1).experience_rows() == []


def test_the_placebo_keeps_causes_and_loses_what_they_were_for(memory: MemoryRepository, lesson) -> None:
    for number in range(12):
        looks = (float(number == 0), float(number == 1), float(number > 1), number / 10)
        memory.commit(lesson(number, cause=f"operation:{number}", features=looks), instruction=f"task {number}")
    real = memory.snapshot()
    placebo = real.shuffled_placebo(3)
    assert placebo.experience_rows() == real.shuffled_placebo(3).experience_rows()
    assert placebo.experience_rows() != real.shuffled_placebo(4).experience_rows()

    def pairs(snapshot) -> set[tuple[str, tuple[float, ...]]]:
        return {(row.cause, row.features) for row in snapshot.experience_rows()}

    assert {cause for cause, _ in pairs(placebo)} == {cause for cause, _ in pairs(real)}
    assert {features for _, features in pairs(placebo)} == {features for _, features in pairs(real)}
    assert not pairs(placebo) & pairs(real)
    looks = (1.0, 0.0, 0.0, 0.0)
    assert real.recall("task 0", 1, features=looks)[0].cause == "operation:0"
    assert placebo.recall("task 0", 1, features=looks)[0].cause != "operation:0"


def test_an_id_may_be_shortened_while_it_names_one(memory: MemoryRepository, lesson) -> None:
    memory.commit(lesson(1))
    (known,) = memory.list_insights()
    assert memory.get(known.id[:8]) == known
    for wrong in ("", "zz"):
        with pytest.raises(UsageError):
            memory.get(wrong)


@pytest.mark.slow
def test_importing_the_package_loads_nothing_heavy() -> None:
    code = "import sys, evolve.memory, evolve.trials.gate, evolve.improve.optimizer;"
    code += "print([m for m in ('chromadb', 'networkx', 'numpy', 'langgraph') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
