"""``evolve skills export``: what leaves by which option, and what stays with which reason."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

import evolve
from evolve.skills import AdmissionVerdict, Skill
from tests.doubles.practised import work_on
from tests.export.test_bundle import HALVINGS, LABEL, SHORT
from tests.skills.samples import GOOD

PRACTISED = replace(Skill.from_draft(GOOD), source="task-1")


@pytest.fixture
def kept(tmp_path, cli) -> None:
    """A workspace with three skills, of which two are trusted, one of them from a suite that ships."""
    with evolve.open(tmp_path / "ws") as workspace:
        library = workspace.stores.skills
        assert work_on(workspace, 1, "operation:filter", "Keep some", suite="lists") == PRACTISED.source
        for skill in (SHORT, LABEL, PRACTISED, HALVINGS):
            plain = replace(skill, source="mine" if skill is not PRACTISED else skill.source)
            library.add(plain, AdmissionVerdict(digest=plain.digest, admitted=True, fingerprint="bubblewrap"))
            for number in range(3 if skill in (SHORT, PRACTISED) else 1):
                library.record_use(plain.digest, f"other-{skill.name}-{number}", "search")


def test_trusted_skills_leave_and_those_of_practice_stay(kept, cli, tmp_path):
    done = json.loads(cli("skills", "export", "--trusted", "--to", "mine", "--json").out)
    assert done["names"] == {SHORT.name: "give-short-name"} and list(done["left_out"]) == [PRACTISED.name]
    evidence = json.loads((tmp_path / "mine/evidence.json").read_text())
    (one,) = evidence["skills"]
    assert (one["tasks_helped"], one["admitted_by"][0]["sandbox"]) == (3, "bubblewrap")
    refused = cli("skills", "export", PRACTISED.name, "--to", "practice")
    assert refused.code == 2 and f"evolve skills own {PRACTISED.name}" in refused.err
    assert cli("skills", "own", PRACTISED.name).code == 0
    assert cli("skills", "export", PRACTISED.name, "--to", "practice").code == 0


@pytest.mark.parametrize("linked", [".claude", ".claude/skills", ".agents/skills"])
def test_nothing_is_written_through_a_link(kept, cli, tmp_path, linked):
    elsewhere = tmp_path.parent / f"{tmp_path.name}-elsewhere"
    elsewhere.mkdir()
    (tmp_path / linked).parent.mkdir(exist_ok=True)
    (tmp_path / linked).symlink_to(elsewhere)
    done = cli("skills", "export", SHORT.name, "--install", "project")
    assert done.code == 2 and "link" in done.err and not list(elsewhere.iterdir())


def test_folders_are_put_where_programs_look_and_nothing_of_others_is_replaced(kept, cli, tmp_path):
    home = Path.home()
    for program, folders in (
        ("claude", [home / ".claude/skills"]),
        ("codex", [home / ".agents/skills"]),
        ("project", [tmp_path / ".claude/skills", tmp_path / ".agents/skills"]),
    ):
        assert cli("skills", "export", SHORT.name, "--install", program).code == 0
        assert cli("skills", "export", SHORT.name, "--install", program).code == 0
        assert all((folder / "give-short-name/SKILL.md").is_file() for folder in folders)
    mine = tmp_path / ".claude/skills/give-short-name/references.md"
    mine.write_text("mine")
    foreign = tmp_path / ".agents/skills/stock-label"
    foreign.mkdir()
    (foreign / "SKILL.md").write_text("---\nname: stock-label\ndescription: other\n---\n")
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file() and "skills" in path.parts}
    for name, why in ((SHORT.name, "you changed references.md"), (LABEL.name, "not an earlier export")):
        done = cli("skills", "export", name, "--to", "never", "--install", "project")
        assert done.code == 2 and why in done.err
    assert {path: path.read_bytes() for path in before} == before and not (tmp_path / "never").exists()
    assert not (tmp_path / ".claude/skills/stock-label").exists()


@pytest.mark.parametrize("file", ["SKILL.md", "scripts/give-short-name.py"])
def test_an_edit_of_what_was_installed_is_never_replaced(kept, cli, tmp_path, file):
    assert cli("skills", "export", SHORT.name, "--install", "project").code == 0
    edited = tmp_path / ".claude/skills/give-short-name" / file
    edited.write_text(edited.read_text() + "\nmine\n")
    done = cli("skills", "export", SHORT.name, "--install", "project")
    assert done.code == 2 and f"you changed {file} since it was exported" in " ".join(done.err.split())
    assert "delete" in done.err and edited.read_text().endswith("mine\n")


def test_without_a_trusted_skill_it_names_those_that_can_leave_by_name(tmp_path, cli):
    with evolve.open(tmp_path / "ws") as workspace:
        workspace.stores.skills.add(
            SHORT, AdmissionVerdict(digest=SHORT.digest, admitted=True, fingerprint="bubblewrap")
        )
    done = cli("skills", "export", "--trusted", "--to", "mine")
    assert done.code == 2 and "none has helped on three tasks yet" in done.err
    assert f"evolve skills export {SHORT.name} --to mine" in " ".join(done.err.split())
    assert cli("skills", "export", SHORT.name, "--to", "mine").code == 0


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (("--to", "x"), "--trusted"),
        ((SHORT.name,), "--install"),
        ((SHORT.name, "--install", "emacs"), "--install claude"),
        ((SHORT.name, "--to", "my-skills"), "--to my_skills"),
        ((SHORT.name, SHORT.name, "--to", "x"), "twice"),
        ((SHORT.name, LABEL.name, "--to", "x", "--description", "It."), "one by one"),
    ],
)
def test_what_is_missing_is_named(kept, cli, tmp_path, given, words):
    done = cli("skills", "export", *given)
    assert done.code == 2 and words in done.err and not (tmp_path / "x").exists()


def test_rows_leave_where_they_are_wished_for(kept, cli, tmp_path):
    cli("skills", "export", SHORT.name, "--to", "without")
    cli("skills", "export", SHORT.name, "--to", "rows", "--with-rows")
    texts = {
        name: "".join(path.read_text() for path in (tmp_path / name).rglob("*") if path.is_file())
        for name in ("without", "rows")
    }
    assert "Rozsa Peter" in texts["rows"] and "Rozsa" not in texts["without"]


def test_skills_are_found_by_other_words(kept, cli):
    for words, name in (("abbreviate somebody's forename", SHORT.name), ("is an article sold out", LABEL.name)):
        assert json.loads(cli("skills", "find", words, "--json").out)[0]["name"] == name
    assert json.loads(cli("skills", "find", "zzz", "--json").out) == []
