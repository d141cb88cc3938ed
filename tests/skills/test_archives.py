"""Archives and folders of strangers are read into memory, and what would lead elsewhere is refused."""

from __future__ import annotations

import bz2
import gzip
import io
import os
import tarfile
import zipfile
from pathlib import Path

import pytest

from evolve.core.errors import UsageError
from evolve.skills.archives import LARGEST, read_foreign
from evolve.skills.imported import foreign_skills

TEXT = b"# words\n"


def tar(path: Path, *members: tarfile.TarInfo, data: bytes = TEXT, mode: str = "w") -> Path:
    with tarfile.open(path, mode) as archive:  # type: ignore[call-overload]
        for member in members:
            member.size = len(data) if member.isreg() else 0
            archive.addfile(member, io.BytesIO(data) if member.isreg() else None)
    return path


def member(name: str, kind: bytes = tarfile.REGTYPE, link: str = "") -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, link
    return info


@pytest.mark.parametrize("mode", ["w", "w:gz", "w:bz2", "w:xz"])
def test_texts_of_an_archive_are_read_whatever_its_compression(tmp_path, mode):
    made = tar(tmp_path / "a.tar", member("one/SKILL.md"), member("one/picture.png"), mode=mode)
    assert read_foreign(made) == ({"one/SKILL.md": TEXT}, {})


@pytest.mark.parametrize(
    "name",
    ["/etc/cron.md", "../up.md", "one/../../up.md", "one\\..\\up.md", "C:/up.md", "a/" * 13 + "x.md", "one//x.md"],
)
def test_a_path_that_leads_elsewhere_refuses_the_archive(tmp_path, name):
    with pytest.raises(UsageError):
        read_foreign(tar(tmp_path / "a.tar", member("one/SKILL.md"), member(name)))
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr(name, TEXT)
    if "\\" not in name:  # which the library itself replaces
        with pytest.raises(UsageError):
            read_foreign(tmp_path / "a.zip")


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE])
def test_links_and_devices_are_not_read(tmp_path, kind):
    texts, unread = read_foreign(
        tar(tmp_path / "a.tar", member("one/SKILL.md"), member("one/x.py", kind, "/etc/passwd"))
    )
    assert list(texts) == ["one/SKILL.md"] and list(unread) == ["one/x.py"]


def test_two_files_of_one_name_refuse_the_archive(tmp_path):
    for other in ("one/SKILL.md", "one/skill.md", "one/\uff33KILL.md"):
        with pytest.raises(UsageError):
            read_foreign(tar(tmp_path / "a.tar", member("one/SKILL.md"), member(other)))


def test_a_bomb_is_refused_before_it_is_unpacked(tmp_path):
    (tmp_path / "a.tar.gz").write_bytes(gzip.compress(bytes(300 << 20), 1))
    (tmp_path / "b.tar.bz2").write_bytes(bz2.compress(bytes(40 << 20)))
    with zipfile.ZipFile(tmp_path / "c.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("one/SKILL.md", bytes(40 << 20))
    for name in ("a.tar.gz", "b.tar.bz2", "c.zip"):
        with pytest.raises(UsageError):
            read_foreign(tmp_path / name)


def test_a_zip_with_a_link_or_an_encrypted_member_does_not_give_it(tmp_path):
    link = zipfile.ZipInfo("one/x.md")
    link.external_attr = 0o120777 << 16
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("one/SKILL.md", TEXT)
        archive.writestr(link, "/etc/passwd")
    assert read_foreign(tmp_path / "a.zip") == ({"one/SKILL.md": TEXT}, {"one/x.md": "a link or no plain file"})


def test_a_folder_is_read_without_following_links_and_without_its_git_folder(tmp_path):
    (tmp_path / "one").mkdir()
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "note.md").write_bytes(TEXT)
    (tmp_path / "one" / "SKILL.md").write_bytes(TEXT)
    (tmp_path / "one" / "large.md").write_bytes(bytes(LARGEST + 1))
    os.symlink("/etc/passwd", tmp_path / "one" / "x.md")
    os.symlink("/etc", tmp_path / "one" / "etc")
    os.mkfifo(tmp_path / "one" / "pipe.md")
    texts, unread = read_foreign(tmp_path)
    assert texts["one/SKILL.md"] == TEXT
    assert set(unread) == {"one/x.md", "one/etc", "one/pipe.md", "one/large.md"}


@pytest.mark.parametrize("content", [b"", b"no archive", b"PK\x03\x04broken", gzip.compress(b"no tar", mtime=0)])
def test_what_is_no_archive_is_said(tmp_path, content):
    (tmp_path / "a.zip").write_bytes(content)
    with pytest.raises(UsageError):
        read_foreign(tmp_path / "a.zip")
    with pytest.raises(UsageError):
        read_foreign(tmp_path / "missing")


@pytest.mark.parametrize("place, odd", [(10, 9), (6, 255)], ids=["compression", "version"])
def test_a_zip_archive_that_python_cannot_read_is_refused(tmp_path, place, odd):
    with zipfile.ZipFile(tmp_path / "a.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("one/SKILL.md", TEXT)
    data = bytearray((tmp_path / "a.zip").read_bytes())
    data[data.index(b"PK\x01\x02") + place] = odd
    (tmp_path / "a.zip").write_bytes(data)
    with pytest.raises(UsageError, match="that can be read"):
        read_foreign(tmp_path / "a.zip")


@pytest.mark.parametrize(
    "files",
    [
        {"aa_bb.py": b"def aa_bb(x):\n    return " + b"-" * 400_000 + b"x\n"},
        {"aa_bb.py": b"X = 1\n" * 100_000 + b"def aa_bb(x):\n    return X\n"},
        {"more.md": b"curl " * 200_000},
    ],
    ids=["deep", "one name many times", "one word many times"],
)
def test_large_files_are_looked_over_in_little_time(files):
    found = {f"aa-bb/{name}": data for name, data in files.items()}
    found["aa-bb/SKILL.md"] = b"---\nname: aa-bb\ndescription: Negates.\n---\n"
    (read,) = foreign_skills(found, {})
    assert read.skill is None and bool(read.problem) is ("aa_bb.py" in files)


@pytest.mark.parametrize("value", ["NaN", '"\\ud800"', "1e999"])
def test_evidence_that_cannot_be_kept_is_refused(value):
    found = {"aa-bb/SKILL.md": b"---\nname: aa-bb\ndescription: Negates.\n---\nx\n"}
    (read,) = foreign_skills({**found, "aa-bb/evidence.json": f'{{"a": {value}}}'.encode()}, {})
    assert read.problem and not read.guidance
