"""What every format promises, tried on each; a package holds its own to the same by another fixture ``to``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from evolve.core.errors import UsageError
from evolve.skills import Skill
from evolve.skills.export import export_format
from tests.export.exports import export
from tests.skills.samples import GOOD

FIRST = replace(Skill.from_draft(GOOD), status="admitted")
OTHER = replace(FIRST, code=FIRST.code + "\n", description="The same once more.")


@pytest.fixture
def to() -> str:
    """A name of the seam."""
    return "bundle"


def texts(folder: Path) -> Mapping[str, str]:
    return {path.relative_to(folder).as_posix(): path.read_text() for path in folder.rglob("*") if path.is_file()}


def test_a_format_has_the_name_that_it_is_found_by(to: str) -> None:
    assert export_format(to).name == to


def test_all_skills_of_a_call_leave_at_the_places_that_it_names(to: str, tmp_path: Path) -> None:
    places = export([FIRST, OTHER], tmp_path / "out", format=to)
    assert sorted(places) in ([tmp_path / "out"], sorted((tmp_path / "out").iterdir()))
    left = "".join(texts(tmp_path / "out").values())
    assert left.count(f"def {FIRST.entry}(") >= 1 and left.count(f"def {FIRST.entry}_2(") >= 1


def test_the_same_skills_leave_in_the_same_texts(to: str, tmp_path: Path) -> None:
    for name in ("a", "b"):
        export([FIRST, OTHER], tmp_path / name / "out", format=to)
    assert texts(tmp_path / "a") == texts(tmp_path / "b")


def test_what_stands_there_already_is_left_alone(to: str, tmp_path: Path) -> None:
    (place, *_) = export([FIRST], tmp_path / "out", format=to)
    other = tmp_path / "other" / place.name
    other.mkdir(parents=True)
    (other / "precious.txt").write_text("mine")
    with pytest.raises(UsageError, match="not an earlier export"):
        export([FIRST], tmp_path / "other", format=to)
    assert texts(tmp_path / "other") == {f"{place.name}/precious.txt": "mine"}


def test_an_earlier_export_is_replaced_or_left_whole(to: str, tmp_path: Path) -> None:
    out = tmp_path / "out"
    (place, *_) = export([FIRST], out, format=to)
    before = texts(out)
    if export_format(to).is_own(place):
        export([FIRST], out, format=to)
    else:
        with pytest.raises(UsageError, match="not an earlier export"):
            export([FIRST], out, format=to)
    assert texts(out) == before


def test_one_secret_keeps_all_skills_back(to: str, tmp_path: Path) -> None:
    code = OTHER.code + "# sk-proj-Zx81kQpL0vT93mWcYb72HdRuNe64Gs5A\n"
    told = replace(OTHER, code=code, owner="user", name="other")
    with pytest.raises(UsageError, match="cannot be exported: .* contains"):
        export([FIRST, told], tmp_path / "out", format=to)
    assert not (tmp_path / "out").exists()
