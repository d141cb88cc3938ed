"""Examples in documents: which are read, in how many forms, and what is no example."""

from __future__ import annotations

import sys
from types import ModuleType

import pytest

from evolve.skills.documented import TOLD, documented_tests


def slug(title: str) -> str:
    return "-".join(title.lower().replace("&", "and").split())


def seconds(text: str) -> int | None:
    return 60 * int(text[:-1]) if text[-1:] == "m" else int(text) if text.isdigit() else None


def square(n: int) -> int:
    return n * n


def between(text: str, left: str) -> str:
    return text.partition(left)[2]


FUNCTIONS = {
    "slug": (slug, ("title",), "Turns a headline into a slug, in kebab-case. Use for file names."),
    "seconds": (seconds, ("text",), "Reads durations."),
    "square": (square, ("n",), "Squares whole numbers."),
    "between": (between, ("text", "left"), "Cuts a text behind a sign."),
}


def failing(monkeypatch, entry: str, text: str) -> list[bool]:
    """For each example that is read, whether it is false."""
    function, parameters, description = FUNCTIONS[entry]
    module = ModuleType("skill")
    setattr(module, entry, function)
    monkeypatch.setitem(sys.modules, "skill", module)
    names: dict[str, object] = {}
    exec(documented_tests(entry, parameters, {"SKILL.md": text}, description), names)
    found = []
    for test in (one for name, one in names.items() if name.startswith(TOLD)):
        try:
            test()
            found.append(False)
        except AssertionError:
            found.append(True)
    return found


FORMS = {
    "call": ("slug", "`slug('A B')` gives `'{}'`.", "a-b", "a_b"),
    "long arrow": ("slug", '    slug("A B")  -->  "{}"', "a-b", "ab"),
    "comment": ("square", "```python\nsquare(5)  # {}\n```", "25", "24"),
    "arrow in a comment": ("square", "square(5)  # => {}", "25", "24"),
    "doctest": ("square", ">>> square(4)\n{}\n", "16", "8"),
    "named": ("between", '`between(text="a:b", left=":")` returns `"{}"`', "b", "a"),
    "quoted": ("slug", "Titles: `Big News` → `{}`.", "big-news", "big_news"),
    "double arrow": ("slug", '- "Big News" ⇒ "{}"', "big-news", "news"),
    "in words": ("square", "For example, 3 becomes {}.", "9", "6"),
    "such as": ("slug", "It joins words, e.g. `Big News` becomes `{}`", "big-news", "bignews"),
    "table": ("slug", "| Input | Output |\n|---|---|\n| `Big News` | `{}` |\n", "big-news", "Big-News"),
    "named table": ("between", "| text | left | result |\n|:--|:-:|--:|\n| a:b | : | {} |\n", "b", "a"),
    "beside": ("slug", "**Input:** `Big News`\n**Output:** `{}`\n", "big-news", "news"),
    "json": ("slug", '{{"input": "Big News", "output": "{}"}}', "big-news", "news"),
    "front matter": ("square", 'description: "Squares, such as \\"3\\" gives \\"{}\\""', "9", "6"),
}
NONE = {
    "names of forms": ("slug", "From `headline` → `slug`."),
    "a flow": ("slug", "`read` → `split` → `join`"),
    "a rule for a sign": ("slug", "- `%` → `percent`"),
    "parameters": ("slug", "| title | description |\n|---|---|\n| `title` | The headline |\n"),
    "units": ("seconds", "| Input | Output |\n|---|---|\n| nothing | (empty) |\n| x | ValueError |\n"),
    "no value for a part": ("seconds", "Units: `s` → `1`"),
    "another function": ("slug", "`other('A B')` → `'x'`"),
    "a command": ("slug", "`python slug.py 'A B'` → `x`"),
    "words": ("slug", "It gives short names. Example texts become short."),
    "a sentence": ("slug", "`slug(title)` returns a text; `slug('A')` returns the same text in lower case."),
    "an address": ("slug", 'me@example.com") gives "x"'),
}


@pytest.mark.parametrize("form", FORMS)
def test_an_example_is_read_and_a_false_one_is_told_apart(monkeypatch, form):
    entry, text, right, wrong = FORMS[form]
    assert set(failing(monkeypatch, entry, text.format(right))) == {False}
    assert set(failing(monkeypatch, entry, text.format(wrong))) == {True}


@pytest.mark.parametrize("case", NONE)
def test_what_is_no_example_refuses_nothing(monkeypatch, case):
    assert True not in failing(monkeypatch, *NONE[case])
