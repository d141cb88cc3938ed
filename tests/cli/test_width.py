"""What is printed fits the terminal, with every word whole; and one of a thing is told as one."""

from __future__ import annotations

import json
import os
import re
import shutil

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolve.cli import layout
from evolve.cli.output import counted, shorten
from tests.golden.make import unpack

PAGES = (
    ("report",),
    ("runs", "list"),
    ("runs", "show", "r1"),
    ("gate", "list"),
    ("gate", "show", "1"),
    ("skills", "list"),
    ("skills", "list", "--all"),
    ("memory", "list"),
    ("memory", "why", "solved"),
    ("memory", "recall", "split a text and count the words of each part"),
    ("memory", "preferences", "list"),
    ("memory", "metrics", "list"),
    ("variants", "list"),
    ("variants", "show"),
    ("doctor",),
    ("config",),
    ("models",),
    ("tasks", "list"),
    ("tasks", "show", "everyday"),
    ("tasks", "show", "everyday#row-stock-1"),
    ("workflow", "show"),
    ("workflow", "validate"),
)


@pytest.fixture(scope="module")
def learned(tmp_path_factory, private_home):
    """A workspace in which a suite was learned."""
    folder = tmp_path_factory.mktemp("learned")
    unpack("learned", folder)
    return folder / "ws"


@pytest.fixture
def show(cli, learned, tmp_path, monkeypatch):
    """What a command prints at a width, of a workspace in which something was learned and said."""
    shutil.copytree(learned, tmp_path / "ws", dirs_exist_ok=True)
    monkeypatch.delenv("COLUMNS", raising=False)
    about = "work on Python files of a repository with tests"
    cli("memory", "preferences", "add", "Use pathlib and give every public function a docstring.", "--about", about)
    cli("runs", "comment", "r1", "too long, one line would have been enough")

    def at(width, *command):
        if width is None:
            monkeypatch.delenv("COLUMNS", raising=False)
        else:
            monkeypatch.setenv("COLUMNS", str(width))
        done = cli(*command)
        assert done.code == 0, done.err
        return done.out + done.err

    return at


def test_every_line_is_as_wide_as_the_terminal_and_every_word_is_whole(show):
    for command in PAGES:
        plain = {word.rstrip(",") for word in show(None, *command).split()} | {"…"} | _headings(command)
        for width in (60, 80, 100):
            page = show(width, *command)
            for line in page.splitlines():
                alone = len(line.split()) == 1  # a word that is longer than the terminal is wide
                assert layout.columns(line) <= width or alone, (command, width, line)
            broken = {word for word in page.split() if word.rstrip(",") not in plain}
            assert not broken, (command, width, broken)


def _headings(command):
    """What is told once for every row, not in a line above them, where a row becomes a paragraph."""
    return {"value", "from", "meaning", "set"} if command == ("config",) else set()


def test_to_another_program_a_row_is_a_line(show):
    insights = json.loads(show(None, "memory", "list", "--json"))["insights"]
    rows = [line for line in show(None, "memory", "list").splitlines() if re.match(r"[0-9a-f]{10}  ", line)]
    assert [row[:10] for row in rows] == [one["id"][:10] for one in insights]
    assert len(rows) > 10


def test_nothing_is_cut_without_a_sign_of_it(show):
    """A list at 60 columns says as much of an insight as at 200, over several lines."""
    wide, narrow = (" ".join(show(width, "memory", "list").split()) for width in (200, 60))
    texts = re.findall(r"\S+ is necessary for", wide)
    assert texts and len(texts) == len(re.findall(r"\S+ is necessary for", narrow))


WORDS = st.text(st.characters(codec="utf-8", categories=("L", "N", "P", "So", "Mn")), min_size=1, max_size=18)
TEXTS = st.lists(WORDS, min_size=0, max_size=30).map(" ".join)


@given(TEXTS, st.integers(20, 200), st.integers(0, 8))
def test_a_folded_text_has_the_same_words_in_lines_that_fit(text, width, indent):
    lines = layout.fold(text, width, indent=indent).split("\n")
    assert " ".join(lines).split() == text.split()
    assert all(layout.columns(line) <= width or len(line.split()) == 1 for line in lines)


@given(st.lists(st.tuples(WORDS, st.integers(0, 10**6), TEXTS, WORDS), min_size=1, max_size=6), st.integers(40, 200))
def test_a_table_has_every_word_of_what_it_shows(rows, width):
    cells = [(name, f"{number:,}", text, state) for name, number, text, state in rows]
    header = ("name", "count", "what it says", "state")
    shown = layout.table(header, cells, width=width, spare=("state",))
    assert all(layout.columns(line) <= width or len(line.split()) == 1 for line in shown.split("\n"))
    found = {word.rstrip(",") for word in shown.split()}
    for name, number, text, _ in cells:
        assert {word.rstrip(",") for word in (name, number, *text.split())} <= found


@given(TEXTS, st.integers(10, 100))
def test_a_shortened_text_ends_with_a_whole_word_where_it_has_short_ones(text, width):
    short = shorten(text, width)
    assert layout.columns(short) <= width
    if short.endswith(" …"):
        assert " ".join(text.split()).startswith(short[:-2] + " ")


def test_wide_signs_take_two_columns_and_accents_none():
    assert [layout.columns(text) for text in ("abc", "日本", "e\u0301", "🎉")] == [3, 4, 1, 2]
    lines = layout.table(("name", "n"), [("日本", "1"), ("Berlin", "22")], width=80).split("\n")
    assert len({layout.columns(line) for line in lines}) == 1


@pytest.mark.parametrize(
    ("number", "told"), [(0, "0 pieces of evidence"), (1, "1 piece of evidence"), (1200, "1,200 pieces of evidence")]
)
def test_one_is_told_as_one(number, told):
    assert counted(number, "piece of evidence", "pieces of evidence") == told


def test_no_page_tells_one_of_a_thing_as_several(show):
    several = (
        r"\b(?<![.,:/-])1 (\w+ )?(runs|tasks|rows|skills|insights|pieces|episodes|pairs|candidates|groups|stages)\b"
    )
    for command in PAGES:
        assert not re.search(several, show(None, *command)), command


def test_the_width_is_that_of_the_terminal(monkeypatch):
    """Without ``COLUMNS`` it is asked of the terminal that the output goes to."""
    import fcntl
    import struct
    import termios

    monkeypatch.delenv("COLUMNS", raising=False)
    ours, theirs = os.openpty()
    with os.fdopen(theirs, "w") as stream, os.fdopen(ours):
        fcntl.ioctl(stream.fileno(), termios.TIOCSWINSZ, struct.pack("HHHH", 30, 63, 0, 0))
        assert layout.terminal_width(stream) == 63
