"""Names of skills, made of words that people use, and the function that carries the same name."""

from __future__ import annotations

import io
import keyword
import re
import tokenize
from collections.abc import Iterable
from dataclasses import replace

from evolve.core.files import digest
from evolve.skills.skill import Skill, render_tests

_LONGEST, _MOST_WORDS = 52, 9
_DIGEST = re.compile(r"-([0-9a-f]{4}|[0-9a-f]{6})\Z")


def name_of(words: Iterable[str]) -> str:
    """A name in kebab-case that is also a function's once its hyphens are underscores; "" without plain words."""
    plain = [part for word in words for part in re.findall(r"[a-z0-9]+", word.lower())][:_MOST_WORDS]
    name = "-".join(plain)
    while len(name) > _LONGEST:
        name = name[:_LONGEST].rpartition("-")[0] or name[:_LONGEST].rstrip("-")
    return f"skill-{name}" if name and (name[0].isdigit() or keyword.iskeyword(name)) else name


def function_name(name: str) -> str:
    """The function of a skill with this name."""
    return name.replace("-", "_")


def is_numbered(entry: str, draft: str) -> bool:
    """Whether a function has the name that a draft gave it, or that name with the number that a library put behind."""
    return entry == draft or re.fullmatch(rf"{re.escape(draft)}_\d+", entry) is not None


def name_without_digest(skill: Skill) -> str:
    """The name of a skill without the piece of a digest that earlier names ended with."""
    found = _DIGEST.search(skill.name)
    if found is None:
        return skill.name
    made_of = (digest(skill.source), digest(skill.code), digest(skill.code.strip()), skill.digest)
    # What only looks like one, such as "-face", is a word. Names with six signs are those of parts.
    is_one = len(found[1]) == 6 or any(each.startswith(found[1]) for each in made_of) or re.search(r"\d", found[1])
    return skill.name[: found.start()] if is_one else skill.name


def rename_function(skill: Skill, name: str) -> Skill:
    """The skill with a name that its function has too; only the name changes where its code has that one already."""
    entry = function_name(name)
    if entry == skill.entry:
        return replace(skill, name=name)
    code = with_entry(skill.code, skill.entry, entry)
    if not code:
        return replace(skill, name=name)
    tests = skill.test_code and render_tests(entry, skill.rows)
    return replace(skill, name=name, entry=entry, code=code, test_code=tests)


def with_entry(code: str, old: str, new: str) -> str:
    """Source with one name in the place of another, comments and layout as they were; "" where the new one is taken."""
    if not new.isidentifier() or keyword.iskeyword(new):
        return ""
    tokens = list(tokenize.generate_tokens(io.StringIO(code).readline))
    names = [place for place, token in enumerate(tokens) if token.type == tokenize.NAME]
    if any(tokens[place].string == new for place in names):
        return ""
    lines = code.splitlines(keepends=True)
    for place in reversed(names):
        token = tokens[place]
        if token.string == old and (place == 0 or tokens[place - 1].string != "."):
            row, column = token.start[0] - 1, token.start[1]
            lines[row] = lines[row][:column] + new + lines[row][column + len(old) :]
    return "".join(lines)
