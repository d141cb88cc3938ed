"""What the record keeps of skills."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from evolve.core.errors import RecordDamaged, UsageError
from evolve.core.schema import SKILLS
from evolve.core.store import Database, ObjectStore
from evolve.skills import KEPT, AdmissionVerdict, Skill, SkillRepository, read_folder, write_folder
from evolve.skills.folder import folder_changes
from tests.skills.samples import GOOD, draft


def admitted(skill: Skill) -> AdmissionVerdict:
    return AdmissionVerdict(
        digest=skill.digest, policy="search", fingerprint="here", admitted=True, checks={"tests": 4}
    )


@pytest.fixture
def skill() -> Skill:
    return Skill.from_draft(GOOD)


def test_an_admitted_skill_is_kept_and_written(library, skill, tmp_path):
    kept = library.add(skill, admitted(skill))
    assert kept.status == "admitted"
    assert library.get("large-evens") == library.get(skill.digest) == kept
    assert library.verdicts(skill.digest) == [admitted(skill)]
    assert {path.name for path in (tmp_path / "skills/large-evens").iterdir()} == {
        "SKILL.md",
        "skill.py",
        "test_skill.py",
        "examples.json",
    }


def test_the_folder_is_what_the_record_says(library, skill, tmp_path):
    rows = tuple(replace(row, output={"b": row.output, "a": 1}) for row in skill.rows)  # keys are sorted when kept
    odd = replace(skill, rows=rows)
    kept = library.add(odd, admitted(odd))
    assert folder_changes(library.get(kept.digest), tmp_path / "skills" / kept.name) == ()
    assert (tmp_path / "skills" / kept.name / "SKILL.md").read_text().count("'a': 1, 'b'") == 3


def test_it_survives_reopening(tmp_path, skill):
    with Database(tmp_path / "m.db", SKILLS) as db:
        kept = SkillRepository(db, ObjectStore(tmp_path / "o"), tmp_path / "s").add(skill, admitted(skill))
    with Database(tmp_path / "m.db", SKILLS) as db:
        assert SkillRepository(db, ObjectStore(tmp_path / "o"), tmp_path / "s").list() == [kept]


def test_only_an_admission_of_this_very_content_counts(library, skill):
    for verdict in (replace(admitted(skill), admitted=False), replace(admitted(skill), digest="0" * 64)):
        with pytest.raises(ValueError):
            library.add(skill, verdict)
    assert library.list() == []


def test_adding_twice_changes_nothing(library, skill):
    first = library.add(skill, admitted(skill))
    assert library.add(skill.with_name("another-name"), admitted(skill)) == first
    assert len(library.list()) == 1


def test_taken_names_get_a_number(library, skill, tmp_path):
    (tmp_path / "skills/large-evens").mkdir(parents=True)
    (tmp_path / "skills/large-evens/mine.txt").write_text("mine")
    kept = library.add(skill, admitted(skill))
    other = Skill.from_draft(draft(code=GOOD.code.replace("kept", "found")))
    assert (kept.name, library.add(other, admitted(other)).name) == ("large-evens-2", "large-evens-3")
    assert (tmp_path / "skills/large-evens/mine.txt").read_text() == "mine"


def test_three_distinct_tasks_make_it_trusted(library, skill):
    library.add(skill, admitted(skill))
    for task in ("a", "b", "b", "a"):
        assert library.record_use(skill.digest, task).status == "admitted"
    assert library.record_use(skill.digest, "c").status == "trusted"
    assert library.get(skill.digest).tasks == ("a", "b", "c")


def test_what_helped_one_model_is_not_trusted_with_the_next(library, skill):
    library.add(skill, admitted(skill))
    for task in ("a", "b", "c"):
        library.record_use(skill.digest, task, "language:one")
    library.record_use(skill.digest, "c", "language:other")
    for known in (library.get(skill.digest), *library.list()):
        assert known.read_for("language:one").status == known.status == "trusted"
        other = known.read_for("language:other")
        assert (other.status, other.elsewhere, other.digest) == ("admitted", 2, known.digest)
    for task in ("d", "e"):
        library.record_use(skill.digest, task, "language:other")
    assert library.get(skill.digest).read_for("language:other").status == "trusted"


def test_a_skill_whose_users_nobody_noted_stays_what_it_was(library, skill):
    library.add(skill, admitted(skill))
    for task in ("a", "b", "c"):
        library.record_use(skill.digest, task)
    known = library.get(skill.digest)
    assert known.read_for("language:one") == known


def test_solving_its_own_task_again_is_no_use(library, skill):
    library.add(skill, admitted(skill))
    library.record_use(skill.digest, skill.source)
    assert library.get(skill.digest).tasks == ()


def test_retired_skills_stay_known_and_can_return(library, skill):
    library.add(skill, admitted(skill))
    assert library.retire("large-evens", "does not shorten the search").status == "retired"
    assert library.active() == [] and len(library.list(["retired"])) == 1
    assert library.add(skill, admitted(skill)).status == "admitted"


def test_an_idle_skill_is_kept_and_comes_back_by_a_use_or_another_admission(library, skill):
    library.add(skill, admitted(skill))
    assert library.set_idle("large-evens", "used for none").status == "idle"
    assert library.active() == [] and [one.name for one in library.list(KEPT)] == ["large-evens"]
    assert library.reason("large-evens") == "used for none"
    assert library.add(skill, admitted(skill)).status == "admitted"
    library.set_idle("large-evens", "used for none")
    assert library.record_use(skill.digest, "another task").status == "admitted"
    assert library.reason("large-evens") == ""


def test_what_the_user_owns_is_not_changed_unattended(library, skill):
    library.add(skill, admitted(skill))
    library.hand_to_user("large-evens")
    assert library.suspend("large-evens", "why not").status == "admitted"
    for change in (library.retire, library.set_idle):
        with pytest.raises(UsageError, match="belongs to the user"):
            change("large-evens", "why not")
    assert library.retire("large-evens", "asked", attended=True).status == "retired"


def test_a_draft_that_the_user_owns_is_in_use(library, skill, tmp_path):
    library.record_rehearsal(skill, [])
    assert (library.get(skill.name).status, library.active()) == ("draft", [])
    owned = library.hand_to_user(skill.name)
    assert (owned.status, owned.owner, library.reason(skill.name)) == ("admitted", "user", "")
    assert read_folder(tmp_path / "skills" / skill.name).digest == skill.digest


def test_an_unknown_name_says_what_there_is(library, skill):
    library.add(skill, admitted(skill))
    with pytest.raises(UsageError) as caught:
        library.get("nothing")
    assert "large-evens" in caught.value.hint


def test_a_refusal_is_remembered_and_a_fault_is_not(library, skill):
    refused = AdmissionVerdict(digest=skill.digest, failed="tests", reason="test_1 fails")
    assert library.record_verdict(refused) and not library.record_verdict(refused)
    assert not library.record_verdict(replace(refused, policy="other", fault=True))
    assert library.verdicts(skill.digest) == [refused]


def test_a_damaged_body_is_read_from_its_folder(library, skill, tmp_path):
    library.add(skill, admitted(skill))
    damage(tmp_path / "objects")
    assert library.get(skill.digest).code == skill.code


def test_a_skill_that_is_damaged_everywhere_is_quarantined_and_others_work(library, skill, tmp_path):
    other = replace(skill, name="other", code=skill.code + "\n# another\n")
    for one in (skill, other):
        library.add(one, admitted(one))
    damage(tmp_path / "skills" / skill.name)
    damage(tmp_path / "objects")
    assert [one.name for one in library.active()] == ["other"]
    assert list(library.quarantined) == [skill.name]
    with pytest.raises(RecordDamaged):
        library.get(skill.name)


def damage(folder):
    for path in folder.iterdir():
        path.write_bytes(path.read_bytes().replace(b"sorted", b"random"))


def test_folders_round_trip(tmp_path: Path, skill):
    whole = replace(skill, tree={"op": "filter"}, description='Says "when": use it --- always.')
    read = read_folder(write_folder(whole, tmp_path))
    assert read.digest == whole.digest
    assert (read.name, read.entry, read.rows, read.tree) == (whole.name, whole.entry, whole.rows, whole.tree)


@pytest.mark.parametrize("name", ["skill.py", "SKILL.md", "test_skill.py", "examples.json"])
def test_damaged_folders_are_named(tmp_path: Path, skill, name):
    folder = write_folder(skill, tmp_path)
    (folder / name).unlink()
    (folder / name).symlink_to("/etc/hostname")
    with pytest.raises(UsageError, match=name.replace(".", r"\.")):
        read_folder(folder)


def test_writing_again_replaces_the_whole_folder(tmp_path: Path, skill):
    folder = write_folder(skill, tmp_path)
    (folder / "stale").write_text("x")
    write_folder(skill, tmp_path)
    assert not (folder / "stale").exists()
    assert [path.name for path in tmp_path.iterdir()] == ["large-evens"]


def test_a_folder_left_by_an_undone_commit_is_taken_over(library, skill, tmp_path):
    write_folder(skill, tmp_path / "skills")
    assert library.add(skill, admitted(skill)).name == "large-evens"


def test_a_second_skill_of_a_name_gets_a_number_and_so_does_its_function(library, skill, tmp_path):
    library.add(skill, admitted(skill))
    other = replace(skill, code=skill.code + "\n\ndef more():\n    return large_evens([2], 1)\n")
    kept = library.add(other, admitted(other))
    assert (kept.name, kept.entry) == ("large-evens-2", "large_evens_2")
    assert "def large_evens_2(" in kept.code and "return large_evens_2([2], 1)" in kept.code
    assert "from skill import large_evens_2" in kept.test_code and "large_evens(" not in kept.code
    assert library.verdicts(kept.digest)[0].admitted
    assert read_folder(tmp_path / "skills/large-evens-2").digest == kept.digest
    # the same again is known under the name that it got
    assert library.add(other, admitted(other)).digest == kept.digest
    assert [one.name for one in library.list()] == ["large-evens", "large-evens-2"]
