from __future__ import annotations

import errno
import json
import math
import os
import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolve.core.errors import UsageError, WorkspaceError
from evolve.core.files import canonical_json, clean_text, digest, read_text, write_atomic, write_failure

any_text = st.text(st.characters(codec=None, exclude_categories=()))
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@pytest.mark.slow
@given(json_values)
def test_canonical_json_keeps_the_value(value: object) -> None:
    assert json.loads(canonical_json(value)) == value


@given(st.dictionaries(st.text(), st.integers()))
def test_canonical_json_does_not_depend_on_key_order(value: dict[str, int]) -> None:
    backwards = dict(reversed(value.items()))
    assert canonical_json(backwards) == canonical_json(value)


def test_canonical_json_is_compact_and_readable() -> None:
    assert canonical_json({"b": [1, 2.5], "a": "é"}) == '{"a":"é","b":[1,2.5]}'


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, [math.nan]])
def test_canonical_json_refuses_what_json_lacks(value: object) -> None:
    with pytest.raises(ValueError, match="JSON"):
        canonical_json(value)


def test_digest_is_sha256_of_utf8() -> None:
    assert digest("abc") == digest(b"abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


@given(any_text)
def test_digest_takes_any_text(text: str) -> None:
    assert len(digest(text)) == 64


@given(any_text)
def test_clean_text_can_always_be_stored(text: str) -> None:
    cleaned = clean_text(text)
    assert "\0" not in cleaned
    assert cleaned.encode().decode() == cleaned
    assert clean_text(cleaned) == cleaned


def test_clean_text_changes_only_what_must_change() -> None:
    assert clean_text("naïve 😀\n\t") == "naïve 😀\n\t"
    assert clean_text("a\ud800b\0c") == "a\ufffdb\ufffdc"


def test_read_text_drops_a_byte_order_mark(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_bytes(b"\xef\xbb\xbfh\xc3\xa9\r\n")
    assert read_text(file) == "hé\r\n"


def test_read_text_names_the_file_and_line_that_is_not_utf8(tmp_path: Path) -> None:
    file = tmp_path / "latin.csv"
    file.write_bytes(b"one\ntwo\nthr\xe9e\n")
    with pytest.raises(UsageError, match=r"latin\.csv:3: not UTF-8"):
        read_text(file)


@pytest.mark.parametrize("name", ["missing.csv", ".", "with\0nul"])
def test_read_text_explains_what_cannot_be_read(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError):
        read_text(os.path.join(tmp_path, name))


def test_write_atomic_makes_folders_and_replaces(tmp_path: Path) -> None:
    file = tmp_path / "a" / "b.txt"
    write_atomic(file, b"one")
    write_atomic(file, b"two")
    assert file.read_bytes() == b"two"
    assert list(file.parent.iterdir()) == [file]


def test_write_atomic_leaves_what_is_no_regular_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("pipe")  # as /dev/stdout is one
    for name in ("pipe", "link"):
        with pytest.raises(WorkspaceError, match="not a regular file"):
            write_atomic(tmp_path / name, b"one")
    assert (tmp_path / "pipe").is_fifo() and (tmp_path / "link").is_symlink()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link", "pipe"]


def test_write_atomic_into_a_file_as_folder_is_a_workspace_error(tmp_path: Path) -> None:
    (tmp_path / "plain").write_text("x")
    with pytest.raises(WorkspaceError, match="cannot write"):
        write_atomic(tmp_path / "plain" / "b.txt", b"one")


def test_a_write_cut_short_leaves_the_old_file_whole(tmp_path: Path) -> None:
    file = tmp_path / "kept.bin"
    write_atomic(file, b"old")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, hard))
        with pytest.raises(WorkspaceError, match="cannot write"):
            write_atomic(file, b"n" * 100_000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, before)
    assert file.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [file]


def test_a_full_disk_is_called_by_its_name() -> None:
    error = write_failure("x.db", OSError(errno.ENOSPC, "No space left on device"))
    assert "disk full" in str(error)
    assert error.exit_code == 3


def test_a_kill_during_writing_leaves_one_of_the_two_versions(tmp_path: Path) -> None:
    file = tmp_path / "f"
    script = (
        "import itertools, sys; from evolve.core.files import write_atomic\n"
        "for n in itertools.count():\n"
        "    write_atomic(sys.argv[1], bytes([n % 256]) * 200_000)\n"
        "    if n == 3: print('ready', flush=True)\n"
    )
    writer = subprocess.Popen([sys.executable, "-c", script, str(file)], stdout=subprocess.PIPE)
    assert writer.stdout is not None
    assert writer.stdout.readline() == b"ready\n"
    writer.kill()
    writer.wait()
    writer.stdout.close()
    content = file.read_bytes()
    assert len(content) == 200_000
    assert len(set(content)) == 1
