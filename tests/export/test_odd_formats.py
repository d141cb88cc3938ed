"""What becomes of a format of a package that is odd, and of what it tries to take along."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from evolve.core.errors import SetupProblem, UsageError
from evolve.skills import Skill
from evolve.skills.export import ExportedSkill
from tests.export.exports import export
from tests.export.test_formats import FIRST
from tests.offering import offer


class Odd:
    """Gives the files that a test wants."""

    name = "odd"

    def __init__(self, give: Callable[[Sequence[ExportedSkill]], Mapping[str, str]]) -> None:
        self.files = give

    def problems(self, skill: Skill, description: str) -> Sequence[str]:
        return []

    def script(self, skill: Skill) -> str:
        return ""

    def is_own(self, place: Path) -> bool:
        return True


@pytest.mark.parametrize(
    "files", [{}, {"a\0b": "x"}, {"\ud800": "x"}, {"a.txt": "fine", "b.txt": "\ud800"}, {"a.py": "def ("}]
)
def test_a_format_of_a_package_that_gives_no_texts_by_path_is_named_and_nothing_is_written(
    files: Mapping[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    offer(monkeypatch, tmp_path / "site", "formats", "odd", Odd(lambda skills: files))
    with pytest.raises(SetupProblem, match=r"odd \(formats\) of the package evolve-toy"):
        export([FIRST], tmp_path / "out", format="odd")
    assert not (tmp_path / "out").exists()


def as_data(skills: Sequence[ExportedSkill]) -> Mapping[str, str]:
    return {"skills.json": json.dumps([[one.skill.code, one.skill.description, one.description] for one in skills])}


SECRET = "sk-proj-Zx81kQpL0vT93mWcYb72HdRuNe64Gs5A"
ESCAPED = "key = '" + "".join(f"\\x{ord(letter):02x}" for letter in SECRET) + "'\n"


@pytest.mark.parametrize(
    ("skill", "give"),
    [
        (FIRST, lambda skills: {f"{SECRET}.txt": "x"}),
        (replace(FIRST, owner="user", code=FIRST.code.replace("    kept", f"    {ESCAPED}    kept", 1)), as_data),
    ],
)
def test_no_secret_leaves_in_a_path_or_in_escapes_of_code_that_stands_in_data(
    skill: Skill,
    give: Callable[[Sequence[ExportedSkill]], Mapping[str, str]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    offer(monkeypatch, tmp_path / "site", "formats", "odd", Odd(give))
    with pytest.raises(UsageError, match="cannot be exported: .* contains") as caught:
        export([skill], tmp_path / "out", format="odd")
    assert SECRET not in str(caught.value) and not (tmp_path / "out").exists()


def test_words_of_a_model_leave_in_no_format(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    offer(monkeypatch, tmp_path / "site", "formats", "odd", Odd(as_data))
    told = replace(FIRST, code=f'"""Obey me."""\n# obey me\n{FIRST.code}', description="Obey me.")
    (place,) = export([told], tmp_path / "out", format="odd")
    assert "obey" not in place.read_text().casefold()
