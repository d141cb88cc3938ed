"""What is printed fits the terminal, with every word whole; and one of a thing is told as one."""

from __future__ import annotations

import json
import os
import re
import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

import evolve
from evolve.cli.render import layout
from evolve.cli.render.output import count_of, shorten_line, singular_form
from evolve.memory.preferences import PreferenceContext
from tests.golden.make import unpack

FAST = "report; runs list; lab gate list; lab gate show 1; skills list; memory list; memory preferences list; status"
SLOW = (
    "runs show r1; skills list --all; why solved; memory recall 'split a text and count its words'; status --settings;"
    " lab variants list; lab variants show; models; lab tasks list; lab tasks show everyday;"
    " lab tasks show everyday#row-stock-1; lab workflow show; lab workflow validate"
)
PAGES = [*FAST.split("; "), *(pytest.param(one, marks=pytest.mark.slow) for one in SLOW.split("; "))]
THINGS = "runs|tasks|rows|skills|insights|pieces|episodes|pairs|wins|losses|ties|candidates|groups|stages|rounds"
ONE_AS_SEVERAL = re.compile(rf"\b(?<![.,:/-])1 (\w+ )?({THINGS})\b")


@pytest.fixture(scope="module")
def learned(tmp_path_factory, private_home):
    """A workspace in which a suite was learned and a person said what they want."""
    folder = tmp_path_factory.mktemp("learned")
    unpack("learned", folder)
    with evolve.open(folder / "ws") as opened:
        about = PreferenceContext(instruction="work on Python files of a repository with tests")
        opened.preferences.add("Use pathlib and give every public function a docstring.", context=about)
    return folder / "ws"


@pytest.fixture
def show(cli, learned, monkeypatch):
    """What a command prints at a width."""
    monkeypatch.setenv("EVOLVE_WORKSPACE", str(learned))

    def at(width, command):
        monkeypatch.delenv("COLUMNS", raising=False)
        if width is not None:
            monkeypatch.setenv("COLUMNS", str(width))
        done = cli(*shlex.split(command))
        assert done.code == 0, done.err
        return done.out + done.err

    return at


@pytest.mark.slow
@pytest.mark.parametrize("command", PAGES)
def test_every_line_fits_every_word_is_whole_and_one_is_told_as_one(show, command):
    whole = show(None, command)
    plain = {word.rstrip(",") for word in whole.split()} | {"…"} | _headings(command)
    assert not ONE_AS_SEVERAL.search(whole)
    for width in (40, 60, 80, 100):
        page = show(width, command)
        for line in page.splitlines():
            alone = len(line.split()) == 1  # a word that is longer than the terminal is wide
            assert layout.columns(line) <= width or alone, (width, line)
        broken = {word for word in page.split() if word.rstrip(",") not in plain}
        assert not broken, (width, broken)


def _headings(command):
    """What is told for every row and not in a line above them, where a row becomes a paragraph."""
    if command.startswith("memory recall"):
        return {"text:", "why:"}
    if command.startswith("memory preferences"):
        return {"preference:", "for:"}
    return {"value", "from", "meaning", "set"} if command == "status --settings" else set()


def test_to_another_program_a_row_is_a_line(show):
    insights = json.loads(show(None, "memory list --all --practice --json"))["insights"]
    rows = [
        line for line in show(None, "memory list --all --practice").splitlines() if re.match(r"[0-9a-f]{10}  ", line)
    ]
    assert [row[:10] for row in rows] == [one["id"][:10] for one in insights]
    assert len(rows) > 10


@pytest.mark.slow
def test_nothing_is_cut_without_a_sign_of_it(show):
    """A list at 60 columns says as much of an insight as at 200, over several lines."""
    wide, narrow = (" ".join(show(width, "memory list --all").split()) for width in (200, 60))
    texts = re.findall(r"is in the answer to", wide)
    assert texts and len(texts) == len(re.findall(r"is in the answer to", narrow))


WORDS = st.text(st.characters(codec="utf-8", categories=("L", "N", "P", "So", "Mn")), min_size=1, max_size=18)
TEXTS = st.lists(WORDS, min_size=0, max_size=30).map(" ".join)


@pytest.mark.slow
@given(TEXTS, st.integers(20, 200), st.integers(0, 8))
def test_a_folded_text_has_the_same_words_in_lines_that_fit(text, width, indent):
    lines = layout.wrap_text(text, width, indent=indent).split("\n")
    assert " ".join(lines).split() == text.split()
    assert all(layout.columns(line) <= width or len(line.split()) == 1 for line in lines)


@pytest.mark.slow
@given(st.lists(st.tuples(WORDS, st.integers(0, 10**6), TEXTS, WORDS), min_size=1, max_size=6), st.integers(40, 200))
def test_a_table_has_every_word_of_what_it_shows(rows, width):
    cells = [(name, f"{number:,}", text, state) for name, number, text, state in rows]
    header = ("name", "count", "what it says", "state")
    shown = layout.table(header, cells, width=width, spare=("state",))
    assert all(layout.columns(line) <= width or len(line.split()) == 1 for line in shown.split("\n"))
    found = {word.rstrip(",") for word in shown.split()}
    for name, number, text, _ in cells:
        assert {word.rstrip(",") for word in (name, number, *text.split())} <= found


@pytest.mark.slow
@given(TEXTS, st.integers(10, 100))
def test_a_shortened_text_ends_with_a_whole_word_where_it_has_short_ones(text, width):
    short = shorten_line(text, width)
    assert layout.columns(short) <= width
    if short.endswith(" …"):
        assert " ".join(text.split()).startswith(short[:-2] + " ")


def test_wide_signs_take_two_columns_and_accents_none():
    assert [layout.columns(text) for text in ("abc", "日本", "e\u0301", "🎉")] == [3, 4, 1, 2]
    lines = layout.table(("name", "n"), [("日本", "1"), ("Berlin", "22")], width=80).split("\n")
    assert len({layout.columns(line) for line in lines}) == 1


@pytest.mark.parametrize(
    ("recorded", "told"),
    [
        ("1 wins, 1 losses, 1 ties: about 1 more pairs needed", "1 win, 1 loss, 1 tie: about 1 more pair needed"),
        ("11 wins, 21 losses, 0 ties, level 0.1 pairs", "11 wins, 21 losses, 0 ties, level 0.1 pairs"),
    ],
)
def test_one_win_on_record_is_told_as_one(recorded, told):
    assert singular_form(recorded) == told


@pytest.mark.parametrize(
    ("number", "told"), [(0, "0 pieces of evidence"), (1, "1 piece of evidence"), (1200, "1,200 pieces of evidence")]
)
def test_one_is_told_as_one(number, told):
    assert count_of(number, "piece of evidence", "pieces of evidence") == told


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


@pytest.mark.parametrize(
    "command", ["--help", "chat --help", "memory --help", "models list --help", "lab tasks --help"]
)
def test_a_help_page_fits_forty_columns_but_for_command_lines_that_are_shown_whole(show, command):
    lines = show(40, command).splitlines()
    assert [line for line in lines if layout.columns(line) > 40 and not line.startswith("  evolve ")] == []


def test_what_is_recalled_is_whole_for_a_program_and_short_on_a_terminal(show, learned):
    long = "dates are written day first " * 8 + "and that is the end"
    with evolve.open(learned) as opened:
        opened.memory.note(long)
    assert long in show(None, "memory recall 'write the dates day first'")
    assert "the end" not in show(100, "memory recall 'write the dates day first'")


def test_one_round_is_told_as_one():
    assert singular_form("all 1 rounds done, with 1 wins") == "the round done, with 1 win"


def test_the_suites_are_listed_whatever_workspace_is_named(cli, learned):
    assert "everyday" in cli("lab", "tasks", "list", "-w", learned).out
