"""The functions by which code works in a folder: what they give, what they refuse, and that they stay in the copy."""

from __future__ import annotations

from contextlib import closing

import pytest

from evolve.core.episodes.blocks import FencedBlock
from evolve.environments.files.folder_session import FolderSession

TREE = {
    "app/main.py": b"limit = 5\nlimit_of = 6\n",
    "app/other.py": b"print('a limit')\r\nlast",
    "image.bin": b"\x89PNG limit \x00",
    "latin.py": "# coding: latin-1\nNAME = 'Bj\xf8rn'\nMOST = 1\n".encode("latin-1"),
    "mixed.txt": b"\xef\xbb\xbfone\r\ntwo\nthree\r\nno end",
    "wide.txt": "na\xefve\r\nfive\r\n".encode("utf-16"),
    "sjis.txt": "\u3053\u308c\u306f\u65e5\u672c\u8a9e\u306e\u6587\u7ae0\u3067\u3059\u3002\n5\n".encode("cp932") * 3
    + b"end\n",
    "notes.txt": "Grün limit\n".encode(),
}
BRING = "from folder_functions import edit, read, run, search\n"


@pytest.fixture
def session(sandbox):
    with closing(FolderSession(sandbox, TREE)) as opened:
        yield opened


def gave(session, code):
    result = session.run(FencedBlock(kind="python", text=BRING + code))
    return result.value if not result.error else result.error


@pytest.mark.slow
def test_read_gives_a_file_or_lines_of_it(session):
    assert gave(session, "read('notes.txt')") == "Grün limit\n"
    assert gave(session, "read('app/other.py')") == "print('a limit')\nlast"
    assert gave(session, "read('app/main.py', 2, 1)") == "limit_of = 6\n"
    assert "No such file" in gave(session, "read('app/none.py')")
    assert "binary" in gave(session, "read('image.bin')")
    assert gave(session, "read('latin.py', 2, 1)") == "NAME = 'Bj\xf8rn'\n"
    assert gave(session, "read('wide.txt')") == "na\xefve\nfive\n"
    assert "\u65e5\u672c\u8a9e" in gave(session, "read('sjis.txt')")


def test_search_gives_lines_of_texts_in_the_order_of_names(session):
    assert gave(session, r"search(r'\blimit\b')") == [
        ["app/main.py", 1, "limit = 5"],
        ["app/other.py", 1, "print('a limit')"],
        ["notes.txt", 1, "Grün limit"],
    ]
    assert gave(session, "[found[0] for found in search('limit', 'app/main.py')]") == ["app/main.py"] * 2
    assert gave(session, "search('limit', 'app')[0][1]") == 1
    assert gave(session, "search('nothing of it')") == []


@pytest.mark.slow
def test_an_edit_replaces_what_stands_there_once_or_makes_a_file(session):
    assert gave(session, "edit('app/main.py', 'limit = 5', 'limit = 7')") is None
    assert session.tree["app/main.py"] == b"limit = 7\nlimit_of = 6\n"
    assert "stands there 2 times" in gave(session, "edit('app/main.py', 'limit', 'most')")
    assert "stands there 0 times" in gave(session, "edit('app/main.py', 'absent', 'most')")
    assert gave(session, "edit('new/deep/file.txt', '', 'x')") is None
    assert session.tree["new/deep/file.txt"] == b"x"
    assert "File exists" in gave(session, "edit('notes.txt', '', 'x')")
    assert session.tree["notes.txt"] == TREE["notes.txt"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "call", "old", "new"),
    [
        ("latin.py", r"edit('latin.py', 'MOST = 1', 'MOST = \xfc')", b"MOST = 1", b"MOST = \xfc"),
        ("mixed.txt", r"edit('mixed.txt', 'one\ntwo\nth', 'ONE\nTWO\nth')", b"one\r\ntwo\n", b"ONE\r\nTWO\n"),
        ("mixed.txt", r"edit('mixed.txt', 'three\r\n', '3\n4\n')", b"three\r\n", b"3\r\n4\r\n"),
        ("wide.txt", "edit('wide.txt', 'five', '5')", "five".encode("utf-16-le"), "5".encode("utf-16-le")),
        ("sjis.txt", "edit('sjis.txt', 'end', '\u672c')", b"end", "\u672c".encode("cp932")),
    ],
)
def test_an_edit_keeps_every_byte_of_other_lines(session, name, call, old, new):
    assert gave(session, call) is None
    assert session.tree[name] == TREE[name].replace(old, new)


def test_an_edit_that_the_encoding_cannot_hold_changes_nothing(session):
    assert "line 3 holds" in gave(session, r"edit('latin.py', 'MOST = 1', 'MOST = \u2192')")
    assert session.tree == TREE


def test_run_gives_the_exit_code_and_what_was_printed(session):
    assert gave(session, "run('echo out; echo err >&2; exit 3')") == [3, "out\nerr\n"]
    assert gave(session, "run('cat app/main.py')[1]") == "limit = 5\nlimit_of = 6\n"


@pytest.mark.parametrize(
    "path", ["../out", "/etc/passwd", "a/../../out", "", "./x", "a//b", ".git/config", "a\\b", "a\nb"]
)
@pytest.mark.parametrize("call", ["read({!r})", "edit({!r}, '', 'x')", "search('x', {!r})"])
def test_no_path_leads_out(session, path, call):
    if path or "search" not in call:
        said = gave(session, call.format(path))
        assert "leaves the folder" in said or "left out of the work" in said
    assert session.tree == TREE


@pytest.mark.parametrize(
    "call", ["read('{}')", "edit('{}', 'root', 'x')", "edit('{}', '', 'x')", "search('root', '{}')"]
)
@pytest.mark.parametrize("path", ["way/passwd", "file"])
def test_no_link_leads_out(session, call, path):
    gave(session, "import os; os.symlink('/etc', 'way'); os.symlink('/etc/passwd', 'file')")
    assert isinstance(gave(session, call.format(path)), str)
    assert gave(session, "[found for found in search('root') if 'passwd' in found[0] or found[0] == 'file']") == []


def test_a_file_of_that_name_takes_nothing_s_place(sandbox):
    tree = {**TREE, "folder_functions.py": b"def read(path):\n    return 'mine'\n"}
    tree["evolve/core/text_files.py"] = b"MINE = 1\n"
    with closing(FolderSession(sandbox, tree)) as session:
        assert gave(session, "read('notes.txt')") == "Grün limit\n"
        assert gave(session, "from evolve.core.text_files import MINE\nMINE") == 1
