from __future__ import annotations

import pytest
import strictyaml
from hypothesis import given
from hypothesis import strategies as st

from evolve.core.errors import UsageError
from evolve.core.frontmatter import parse, render

keys = st.from_regex(r"[a-z][a-z0-9-]{0,10}", fullmatch=True)
values = st.text(st.characters(exclude_categories=("Cs",))).filter(lambda text: "---" not in text)
documents = st.dictionaries(keys, values | st.dictionaries(keys, values, min_size=1, max_size=3), max_size=5)


@pytest.mark.slow
@given(documents, st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\r")))
def test_what_is_rendered_is_parsed_again(fields: dict[str, str | dict[str, str]], body: str) -> None:
    assert parse(render(fields, body)) == (fields, body)


@pytest.mark.slow
@given(st.dictionaries(keys, values, min_size=1))
def test_a_yaml_reader_agrees(fields: dict[str, str]) -> None:
    inside = render(fields, "").removeprefix("---\n").removesuffix("---\n")
    assert strictyaml.load(inside).data == fields


def test_a_file_as_people_write_it() -> None:
    text = (
        "---\n"
        "# about the skill\n"
        "name: slugify   # kebab-case\n"
        "description: >\n"
        "  Makes slugs.\n"
        "  Use for titles.\n"
        "license: 'it''s free'\n"
        'note: "a: \\"b\\" # c"\n'
        "version: 1.0\n"
        "metadata:\n"
        "  author: me\n"
        '  digest: ""\n'
        "---\n"
        "# Body\n"
        "---\n"
    )
    fields, body = parse(text)
    assert fields == {
        "name": "slugify",
        "description": "Makes slugs. Use for titles.\n",
        "license": "it's free",
        "note": 'a: "b" # c',
        "version": "1.0",
        "metadata": {"author": "me", "digest": ""},
    }
    assert body == "# Body\n---\n"


def test_a_document_without_front_matter_is_all_body() -> None:
    assert parse("# Title\n---\n") == ({}, "# Title\n---\n")


@pytest.mark.parametrize(
    ("inside", "message"),
    [
        ("name: a\nname: b", "line 3: .*twice"),
        ("metadata:\n  a: 1\n  a: 2", "line 4: .*twice"),
        ("tags: [a, b]", "double quotes"),
        ("metadata: {a: b}", "double quotes"),
        ("name: &anchor x", "double quotes"),
        ("- item", "key: value"),
        ("description: does: things", "must be quoted"),
        ('description: "open', "not closed"),
        ("description: 'open", "not closed"),
        ("metadata:\n  a:\n    b: c", "one level"),
        ("  name: x", "indentation"),
        ("just text", "key: value"),
    ],
)
def test_what_readers_disagree_on_is_an_error_with_its_line(inside: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        parse(f"---\n{inside}\n---\n")


def test_an_open_front_matter_is_an_error() -> None:
    with pytest.raises(UsageError, match="not closed"):
        parse("---\nname: x\n")


@pytest.mark.parametrize("fields", [{"a b": "x"}, {"": "x"}, {"a": "x --- y"}])
def test_what_would_break_a_reader_is_not_rendered(fields: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="front matter"):
        render(fields, "")
