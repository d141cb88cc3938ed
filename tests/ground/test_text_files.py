"""Text files keep their encoding, their byte order mark and the end of every line that is not changed."""

from __future__ import annotations

import codecs
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolve.core.text_files import UNREADABLE, NotEncodable, TextFile, read_text_file, split_lines

ENDS = ("\n", "\r\n", "\r")
LATIN = "# -*- coding: latin-1 -*-\n"

FORMS = (
    ("utf-8", b""),
    ("utf-8", codecs.BOM_UTF8),
    ("utf-16-le", codecs.BOM_UTF16_LE),
    ("utf-16-be", codecs.BOM_UTF16_BE),
    ("utf-32-le", codecs.BOM_UTF32_LE),
    ("cp1252", b""),
    ("cp932", b""),
)
CONTENTS = st.text(st.sampled_from("ab éü\t\f\v\x85\u2028日本"), max_size=6)


@st.composite
def files(draw):
    """Bytes of some form, and the bytes of each of its lines."""
    encoding, bom = draw(st.sampled_from(FORMS))
    ends = draw(st.sampled_from([*((end,) for end in ENDS), ENDS]))
    lines = [
        (draw(CONTENTS) + draw(st.sampled_from(ends))).encode(encoding, "ignore")
        for _ in range(draw(st.integers(1, 7)))
    ]
    if encoding == "utf-8" and draw(st.booleans()):  # invalid in one spot
        at = draw(st.integers(0, len(lines) - 1))
        lines[at] = "äöü".encode() + b"\xe4 " + lines[at]
    if draw(st.booleans()):
        lines[-1] += "end".encode(encoding)
    return bom, lines


def pieces(data):
    """The byte order mark, and the bytes of each line as the file is read."""
    file = read_text_file(data)
    errors = "surrogateescape" if file.encoding in ("utf-8", "ascii") else "strict"
    return [file.bom, *(line.encode(file.encoding, errors) for line in file.lines)]


@given(files(), st.binary(max_size=60))
def test_every_text_is_read_and_made_again_byte_by_byte(file, noise):
    bom, lines = file
    assert read_text_file(bom + b"".join(lines)).data == bom + b"".join(lines)
    read = read_text_file(noise)
    assert b"\0" in noise if read is None else read.data == noise


@given(files(), st.data(), st.lists(st.sampled_from(["a", "b", "x = 2", ""]), max_size=3))
def test_a_change_of_one_line_leaves_every_byte_outside_of_it(file, data, new):
    whole = file[0] + b"".join(file[1])
    read, before = read_text_file(whole), pieces(whole)
    number = data.draw(st.integers(0, len(read.lines) - 1))
    text = "".join(f"{line}\n" for line in new)
    closed = read.with_final_newline()
    start = sum(map(len, split_lines(closed.text)[:number]))
    changed = closed.with_replacement(start, len(split_lines(closed.text)[number]), text)
    after = (changed.without_final_newline() if read.is_open else changed).data
    head, tail = before[: number + 1], before[number + 2 :]
    if tail or new or not read.is_open:  # else the line before it is the last one now, and has no end
        assert after.startswith(b"".join(head)) and after.endswith(b"".join(tail))
    assert [*changed.lines] == split_lines("".join(changed.lines))


@given(files(), st.data())
def test_a_file_that_is_written_whole_keeps_the_bytes_of_lines_that_stay(file, data):
    whole = file[0] + b"".join(file[1])
    read, before = read_text_file(whole), pieces(whole)
    number = data.draw(st.integers(0, len(read.lines) - 1))
    lines = split_lines(read.text)
    lines[number] = lines[number].replace(UNREADABLE, "").rstrip("\n") + "unlike any\n"
    closed = read.with_final_newline()
    after = closed.with_lines_replaced(0, len(closed.lines), "".join(lines))
    after = (after.without_final_newline() if read.is_open else after).data
    assert after.startswith(b"".join(before[: number + 1])) and after.endswith(b"".join(before[number + 2 :]))
    same = closed.with_lines_replaced(0, len(closed.lines), closed.text)
    assert same == closed


@given(files(), st.data())
def test_a_change_within_lines_is_the_change_of_the_text(file, data):
    read = read_text_file(file[0] + b"".join(file[1]))
    place = data.draw(st.integers(0, len(read.text)))
    length = data.draw(st.integers(0, len(read.text) - place))
    new = data.draw(st.sampled_from(["", "a", "a\nb", "\n", "a\n"]))
    if UNREADABLE not in read.text[place : place + length]:
        changed = read.with_replacement(place, length, new)
        assert changed.text == read.text[:place] + new + read.text[place + length :]
        assert changed.has_one_end or not read.has_one_end
        assert [*changed.lines] == split_lines("".join(changed.lines))


def test_the_end_of_a_line_that_had_none_is_that_of_the_others():
    file = read_text_file(b"a\r\nb\nc\r\nd")
    assert file.with_replacement(len(file.text), 0, "\ne").data == b"a\r\nb\nc\r\nd\r\ne"
    spot = read_text_file(b"\xc3\xa4\xc3\xb6\r\n\xfc")
    assert spot.with_replacement(len(spot.text), 0, "\n").data == b"\xc3\xa4\xc3\xb6\r\n\xfc\r\n"


def test_lines_with_several_ends_stay_lines_of_their_own():
    file = read_text_file(b"a\rb\nc\r\r\n")
    assert file.with_lines_replaced(1, 2, "\n").data == b"a\r\n\nc\r\r\n"
    assert file.with_lines_replaced(1, 2, "\n").text == "a\n\nc\n\n"


READ = [
    (b"plain\n", "utf-8", ""),
    ("é\r\n".encode(), "utf-8", "CRLF line ends"),
    (codecs.BOM_UTF8 + b"a\r", "utf-8", "begins with a byte order mark, CR line ends"),
    ("ab\n".encode("utf-16"), "utf-16-le", "utf-16-le, begins with a byte order mark"),
    ("width of text\n".encode("utf-16-be"), "utf-16-be", "utf-16-be"),
    ("Das Größte für Bjørn\n".encode("cp1252"), "cp1252", "cp1252"),
    (f"{LATIN}N = '\x81\xf6'\n".encode("latin-1"), "latin-1", "latin-1"),
    (LATIN.encode(), "latin-1", "latin-1"),
    (b"<?xml version='1.0' encoding='ISO-8859-15'?>\n<a>\xa4</a>\n", "iso-8859-15", "iso-8859-15"),
    ("これは日本語の文章です。漢字とかな。\n".encode("cp932") * 4, "cp932", "cp932"),
    (b"\xc3\xa4\xc3\xb6 \xfc\n", "utf-8", "utf-8 but for 1 byte"),
    (b"a\r\nb\nc\r\n", "utf-8", "mixed line ends"),
    ("# Encoding: latin-1\n\nGr\u00fc\u00dfe \u2013\n".encode(), "utf-8", ""),
    ("<?xml version='1.0' encoding='cp1252'?>\n<a>\u00e9</a>\n".encode(), "utf-8", ""),
    (b"# coding: gbk\n\xc4\xa1\n", "gbk", "gbk"),  # UTF-8 by chance
    (b"# coding: no-such\n\xc3\xa4\n", "utf-8", ""),
    (b"# coding: rot13\na\n", "utf-8", ""),
    (b"# coding: iso2022_jp\n\x1b$B$3\x1b(B\n", "utf-8", ""),
    ("Größe\n".encode("cp1252"), "cp1252", "cp1252"),
]


@pytest.mark.parametrize(("data", "encoding", "form"), READ)
def test_the_form_of_a_file_is_told(data, encoding, form):
    file = read_text_file(data)
    assert (file.encoding, file.form_text, file.data) == (encoding, form, data)


def test_a_long_text_in_characters_of_several_bytes_is_told():
    assert read_text_file("日本語の文章です\n".encode("cp932") * 5_000).encoding == "cp932"


@pytest.mark.parametrize("data", [b"\x89PNG\r\n\0\0", b"a\0b", b"\0", bytes(range(256))])
def test_what_holds_nul_is_binary(data):
    assert read_text_file(data) is None


def test_no_other_character_ends_a_line():
    file = read_text_file("a\fb\vc\x85d\u2028e\x1cf\r\ng".encode())
    assert len(file.lines) == 2 and file.lines[1] == "g"


def test_an_encoding_that_is_expected_goes_before_a_guess_and_not_before_utf_8():
    assert read_text_file(b"\xa4\xa4\n", "iso-8859-15").text == "€€\n"
    assert read_text_file(b"a\n", "cp1252").encoding == "cp1252"
    assert read_text_file("ä\n".encode(), "cp1252").encoding == "utf-8"


def test_what_the_encoding_cannot_hold_is_refused_with_its_line():
    file = read_text_file(f"{LATIN}a\nb\n".encode("latin-1"))
    with pytest.raises(NotEncodable, match=r"line 3 holds '→', and the file is latin-1"):
        _ = file.with_lines_replaced(2, 3, "→\n").data


def test_bytes_that_are_no_text_stay_in_a_line_that_changes():
    file = read_text_file(b"\xc3\xa4\xc3\xb6\nn = '\xfc' # 10\n")
    assert file.with_lines_replaced(1, 2, f"n = '{UNREADABLE}' # 20\n").data == b"\xc3\xa4\xc3\xb6\nn = '\xfc' # 20\n"
    assert file.with_lines_replaced(1, 2, "n = 1\n").data == b"\xc3\xa4\xc3\xb6\nn = 1\n"
    with pytest.raises(NotEncodable, match="leave these lines"):
        file.with_lines_replaced(1, 2, UNREADABLE * 2)


def test_the_encoding_follows_what_the_first_lines_declare():
    file = read_text_file(f"{LATIN}N = 'ö'\n".encode("latin-1"))
    to_utf8 = file.with_lines_replaced(0, 1, "").with_declared_encoding(file)
    assert to_utf8.data == "N = 'ö'\n".encode()
    assert file.with_lines_replaced(0, 1, "# coding: cp437\n").with_declared_encoding(
        file
    ).data == "# coding: cp437\nN = 'ö'\n".encode("cp437")
    new = TextFile().with_lines_replaced(0, 0, f"{LATIN}N = 'ö'\n")
    assert new.with_declared_encoding(TextFile()).data == f"{LATIN}N = 'ö'\n".encode("latin-1")
    marked = replace(file, bom=codecs.BOM_UTF8, encoding="utf-8")
    assert marked.with_lines_replaced(0, 1, "").with_declared_encoding(marked).encoding == "utf-8"
